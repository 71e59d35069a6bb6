"""Rows of an archive's tables and JSON files: values of segments, values of tracks, and facts about tracks.

A row is a mapping from lower-case names to what stood there. A row with a start, an end or a label is a
segment of a submission, and may say its tempo, key and time signature; other rows speak of a whole track.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from musebench_tasks.assembly.mub.assertions import (
    ANNOTATOR_NAMES,
    FACT_OF,
    SUBMISSION_NAMES,
    TIME_NAMES,
    TRACK_NAMES,
    VALUE_OF,
    AnnotationSubmission,
    Archive,
    Assertion,
    utc_time,
)
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import shown
from musebench_tasks.items.annotations.json_values import in_one_piece
from musebench_tasks.items.annotations.raw_values import (
    END_NAMES,
    LABEL_NAMES,
    START_NAMES,
    FilePlace,
    named_recording,
    stated,
    time_in,
)
from musebench_tasks.items.annotations.values import TimedValue, canonical, commonest, part_of
from musebench_tasks.values import parse_key_name

FIELDS = ("tempo", "key", "time_signature")
"""What each segment may say for itself."""
_NAMES_OF = {field: tuple(name for name, known in VALUE_OF.items() if known == field) for field in FIELDS}
MODE_NAMES = ("mode", "scale", "key_scale")
ATTRIBUTES = frozenset({"attributes", "attrs", "properties"})
"""Objects in which a segment of JSON may keep what it says beside its times and label."""
STARTS, ENDS = (*START_NAMES, "from"), (*END_NAMES, "stop", "to")
LENGTH, DURATION = "duration", "duration_s"
"""How long a segment lasts, and how long its recording."""
OF_SEGMENTS = (*STARTS, "time", *ENDS, LENGTH, *LABEL_NAMES)
_OWN_NAMES = frozenset({*TRACK_NAMES, *SUBMISSION_NAMES, *ANNOTATOR_NAMES, *TIME_NAMES, *VALUE_OF, *MODE_NAMES})


class ArchiveRow(NamedTuple):
    """A row and where it stands."""

    cells: Mapping[str, Any]
    file: str
    number: int
    """Line of the file, or position in a list, from 1."""

    def of(self, track: str) -> FilePlace:
        """Where the row stands, as one of a track; empty where it names none."""
        return FilePlace(self.file, track, self.number)

    def first(self, names: Iterable[str]) -> str:
        """The first of `names` that says something, as text; empty where none does."""
        return next((text for name in names if (text := as_text(self.cells.get(name)))), "")


def flattened(cells: Mapping[str, Any]) -> dict[str, Any]:
    """An object of JSON as the cells of a row: names in lower case, attributes of a segment beside its times.

    A person is called by the id that an object gives, a stretch of `time` and `duration` ends where it ends.
    """
    found: dict[str, Any] = {}
    for name, cell in cells.items():
        low = name.casefold()
        if low in ATTRIBUTES and isinstance(cell, dict):
            found |= flattened(cell)
        elif low in ANNOTATOR_NAMES and isinstance(cell, dict):
            found[low] = next((cell[key] for key in ("id", "name", "email") if cell.get(key)), None)
        else:
            found[low] = _in_one_piece(VALUE_OF.get(low), cell)
    return found


def _in_one_piece(field: str | None, cell: Any) -> Any:
    """A value in one piece, a fact out of a list of one; other cells, such as lists of segments, as they are."""
    if field in FIELDS:
        cell = in_one_piece(field, cell)
        is_pair = field == "time_signature" and isinstance(cell, list) and len(cell) == 2
        return f"{cell[0]}/{cell[1]}" if is_pair else cell
    return cell[0] if isinstance(cell, list) and len(cell) == 1 and isinstance(cell[0], str) else cell


def as_text(cell: Any) -> str:
    """A cell as text: empty where it says nothing."""
    if cell is None or isinstance(cell, (bool, list, dict)):
        return ""
    text = str(cell).strip()
    return "" if stated(text) is None else text


def submission_of(row: ArchiveRow, track: str) -> AnnotationSubmission:
    """Whose assertion a row is; InputError where its time is none."""
    written = row.first(TIME_NAMES)
    time = utc_time(written) if written else ""
    return AnnotationSubmission(track, row.first(SUBMISSION_NAMES), row.first(ANNOTATOR_NAMES), time)


def read_rows(rows: Sequence[ArchiveRow], archive: Archive, track: str = "", *, is_named: bool = True) -> None:
    """Everything in rows of one table; `track` is whose they are where no column says it, or none does."""
    segments: dict[AnnotationSubmission, list[ArchiveRow]] = {}
    for row in rows:
        named = (named_recording(row.first(TRACK_NAMES)) if is_named else "") or track
        if not named:
            archive.problems.append(row.of("").problem("names no track.", "Fill it.", TRACK_NAMES[0]))
            continue
        is_segment = _is_segment(row)
        add_facts(row, named, archive, every=not is_segment)
        if not is_segment and not any(name in VALUE_OF and _says_something(cell) for name, cell in row.cells.items()):
            continue
        try:
            submission = submission_of(row, named)
        except InputError as error:
            archive.problems += row.of(named).problems(error, TIME_NAMES[0])
            continue
        if is_segment:
            segments.setdefault(submission, []).append(row)
        else:
            archive.assertions += values_of(row, submission)
    for submission, its in segments.items():
        archive.assertions += read_segments(its, submission)


def _is_segment(row: ArchiveRow) -> bool:
    """Whether a row has columns of segments, and says where or what one is."""
    has_times = any(name in row.cells for name in STARTS) or {"time", LENGTH} <= row.cells.keys()
    return has_times and any(_says_something(row.cells.get(name)) for name in OF_SEGMENTS)


def _says_something(cell: Any) -> bool:
    return bool(cell) if isinstance(cell, (bool, list, dict)) else bool(as_text(cell))


def add_facts(row: ArchiveRow, track: str, archive: Archive, *, every: bool) -> None:
    """Note what a row tells about its track: `every` column that is no value, or the known ones alone."""
    archive.facts.setdefault(track, {})
    for name, cell in row.cells.items():
        fact = FACT_OF.get(name) or (name if every and name not in _OWN_NAMES else None)
        text = as_text(cell)
        if fact is not None and text:
            archive.add_fact(fact, text, row.of(track))


def values_of(row: ArchiveRow, submission: AnnotationSubmission) -> Iterator[Assertion]:
    """The values that one row gives for a whole track."""
    place = row.of(submission.track)
    for name, cell in row.cells.items():
        field = VALUE_OF.get(name)
        if field in FIELDS and _says_something(cell):
            try:
                yield Assertion(submission, place.value(field, _value(row, field, (name,)) or None))
            except InputError as error:
                yield from (Assertion(submission, problem) for problem in place.problems(error, field))
        elif field == DURATION and as_text(cell):
            yield Assertion(submission, place.value(field, time_in(as_text(cell))))


def _value(row: ArchiveRow, field: str, names: Sequence[str]) -> str:
    """The canonical value of the first of `names` that says something, empty for none; InputError for what is none."""
    several = next(
        (cell for name in names if isinstance(cell := row.cells.get(name), (bool, list, dict)) and cell), None
    )
    if several is not None:
        raise InputError(f"should be one value, found {shown(several)}. Write one.")
    text, mode = row.first(names), row.first(MODE_NAMES)
    if field == "key" and mode and parse_key_name(f"{text} {mode}") is not None:
        text = f"{text} {mode}"
    return canonical(field, text) if text else ""


def read_segments(rows: Sequence[ArchiveRow], submission: AnnotationSubmission) -> Iterator[Assertion]:
    """The segments of one submission: their times and labels, and the modal value of each field they state."""
    place = FilePlace(rows[0].file, submission.track)
    times = [_times(row) for row in rows]
    raw = [(*time, row.first(LABEL_NAMES)) for time, row in zip(times, rows, strict=True)]
    found = place.value("segments", raw, tuple(row.number for row in rows))
    yield Assertion(submission, found, [[_shown(start), _shown(end), label] for start, end, label in raw])
    for text, row in {row.first((DURATION,)): row for row in reversed(rows)}.items():
        if text:
            yield Assertion(submission, row.of(place.recording).value(DURATION, time_in(text)))
    for field in FIELDS:
        parts: list[TimedValue] = []
        stated = []
        problems: list[Problem] = []
        for row, (start, end) in zip(rows, times, strict=True):
            try:
                value = _value(row, field, _NAMES_OF[field])
            except InputError as error:
                problems += row.of(place.recording).problems(error, field)
                continue
            if value:
                parts.append(part_of(value, start, end))
                stated.append([_shown(start), _shown(end), value])
        yield from (Assertion(submission, problem) for problem in problems)
        if parts and not problems:
            value, is_one_of_several = commonest(sorted(parts, key=lambda part: (part.start, part.value)))
            yield Assertion(submission, place.value(field, value, several=is_one_of_several), stated)


def _times(row: ArchiveRow) -> tuple[Any, Any]:
    """Start and end of a segment, as they stood or as `time` and `duration` give them."""
    start, end = _time(row, (*STARTS, "time")), _time(row, ENDS)
    length = _time(row, (LENGTH,))
    if end == "" and not isinstance(start, str) and not isinstance(length, str):
        end = Decimal(str(start)) + Decimal(str(length))
    return start, end


def _time(row: ArchiveRow, names: Sequence[str]) -> Any:
    cell = next((row.cells[name] for name in names if row.cells.get(name) not in (None, "")), "")
    return time_in(cell) if isinstance(cell, str) else cell


def _shown(time: Any) -> Any:
    return float(time) if isinstance(time, Decimal) else time
