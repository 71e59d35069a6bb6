"""CSV and TSV: segments of one recording, or values (or segments) of many, told apart by the head line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import nearest
from musebench_tasks.items.annotations.json_values import raw_segments
from musebench_tasks.items.annotations.raw_values import (
    END_NAMES,
    ID_NAMES,
    LABEL_NAMES,
    NAMES,
    START_NAMES,
    FilePlace,
    RawValue,
    column_named,
    is_time,
    metre_in,
    named_recording,
    stated,
    tempo_in,
    time_in,
)
from musebench_tasks.items.annotations.segment_rows import read_rows
from musebench_tasks.items.annotations.text import CellLine, cells_of, column_names, odd_length, rows_below

_CHORD = re.compile(r"[A-G][#b]*:[(\w]\S*")
_READERS: Mapping[str, Callable[[str], Any]] = {"tempo": tempo_in, "time_signature": metre_in, "duration_s": time_in}
KNOWN = (*NAMES, *ID_NAMES, *START_NAMES, *END_NAMES, *LABEL_NAMES)


def read_table(text: str, place: FilePlace) -> Iterator[RawValue | Problem]:
    """Everything in a table; `place` is of the recording that the file's name names."""
    lines = cells_of(text)
    columns = column_names(lines[0])
    if is_time(columns[0]):
        yield from segments_of(lines, place)
        return
    if not any(column in KNOWN for column in columns):
        found = ", ".join(lines[0].cells)[:80]
        found = f"has no known column, found {found}{nearest(columns[0], KNOWN)}."
        raise InputError(Problem(found, f"Known: id, {', '.join(NAMES)}; start_s, end_s, label."))
    rows = rows_below(lines, [column for column in columns if column in KNOWN])
    identity = column_named(ID_NAMES, columns)
    if columns[0] == "time" and column_named(LABEL_NAMES, columns) is not None:
        columns[0] = START_NAMES[0]
    is_of_segments = column_named(START_NAMES, columns) is not None
    if is_of_segments and identity == column_named(LABEL_NAMES, columns):
        identity = None  # `name` is that of the section.
    whole = []
    for line in rows:
        own = place.of(_named(line, identity, place), line.number)
        # Without one of its rows a recording's segments are others; a row of values is lost alone.
        odd = odd_length(line, len(columns), own, "segments" if is_of_segments else "")
        if odd is None:
            whole.append((line, own))
        else:
            yield odd
    read = _segment_table if is_of_segments else _value_table
    yield from read(whole, columns, place, identity)


def _named(line: CellLine, identity: int | None, place: FilePlace) -> str:
    """The recording that a row names in the column of ids, or the file's name."""
    return place.recording if identity is None else named_recording("".join(line.cells[identity : identity + 1]))


def segments_of(lines: list[CellLine], place: FilePlace) -> Iterator[RawValue | Problem]:
    """The segments of one recording in lines of cells without a head."""
    rows = read_rows(lines)
    yield from (place.put(each, "segments") for each in rows.problems)
    chord = next((label for *_, label in rows.segments if _CHORD.fullmatch(label)), None)
    if chord is not None:
        found = f'holds chords or keys, such as "{chord[:40]}", and no sections.'
        yield place.problem(found, "Call its folder chords or keys.", "segments")
    elif not rows.problems:
        yield place.value("segments", rows.segments, rows.lines)


def _segment_table(
    lines: list[tuple[CellLine, FilePlace]], columns: list[str], place: FilePlace, identity: int | None
) -> Iterator[RawValue | Problem]:
    """One row a segment, of one recording or, with a column of ids, of many."""
    start, end = column_named(START_NAMES, columns), column_named(END_NAMES, columns)
    label = column_named(LABEL_NAMES, columns)
    if end is None and label is None:
        raise InputError("has a column of starts and none of ends. Add the column end_s.")
    kept = [position for position in (start, end, label) if position is not None]
    rows: dict[str, list[CellLine]] = {}
    for line, own in lines:
        if not own.recording:
            yield own.problem("has no id.", "Fill it.", "segments")
        else:
            rows.setdefault(own.recording, []).append(line._replace(cells=[line.cells[position] for position in kept]))
    for named, its in rows.items():
        if end is None:
            yield from segments_of(its, place.of(named))
        else:
            found = [(time_in(cells[0]), time_in(cells[1]), "".join(cells[2:])) for _, cells in its]
            yield place.of(named).value("segments", found, tuple(line.number for line in its))


def _value_table(
    lines: list[tuple[CellLine, FilePlace]], columns: list[str], place: FilePlace, identity: int | None
) -> Iterator[RawValue | Problem]:
    """One row a recording; without a column of ids there is one row, of the recording that the file is named after."""
    known = [(position, NAMES[column]) for position, column in enumerate(columns) if column in NAMES]
    if not known:
        found = f"has ids and no values, found {', '.join(columns)[:80]}."
        raise InputError(Problem(found, f"Known: {', '.join(NAMES)}."))
    fields = [field for _, field in known]
    doubled = next((field for field in fields if fields.count(field) > 1), None)
    if doubled is not None:
        raise InputError(f'has two columns for "{doubled}". Remove one.')
    if identity is None and len(lines) != 1:
        raise InputError(f"has {len(lines)} rows and no column of ids. Add the column id.")
    for line, own in lines:
        if not own.recording:
            yield own.problem("has no id.", "Fill it.")
            continue
        for position, field in known:
            yield _value(field, line.cells[position], own)


def _value(field: str, cell: str, place: FilePlace) -> RawValue | Problem:
    if stated(cell) is None:
        return place.value(field, None)
    if field == "segments":
        try:
            return place.value(field, *raw_segments(json.loads(cell)))
        except (ValueError, RecursionError):
            return place.problem("should be a JSON list of segments.", "Correct it.", field)
    return place.value(field, _READERS.get(field, str)(cell))
