"""One file of an archive: tables, JSON, JAMS of several annotators, and whatever else annotation files may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.mub.assertions import (
    TIME_NAMES,
    TRACK_NAMES,
    AnnotationSubmission,
    Archive,
    Assertion,
    stated_value,
)
from musebench_tasks.assembly.mub.file_names import file_submission
from musebench_tasks.assembly.mub.jams_submissions import read_submissions
from musebench_tasks.assembly.mub.rows import ENDS, LENGTH, STARTS, ArchiveRow, flattened, read_rows, submission_of
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import nearest
from musebench_tasks.items.annotations import RawValue
from musebench_tasks.items.annotations.files import TOO_LARGE, read_file, shown_file
from musebench_tasks.items.annotations.jams import is_jams
from musebench_tasks.items.annotations.json_values import parsed, parsed_lines, read_object
from musebench_tasks.items.annotations.raw_values import LABEL_NAMES, FilePlace, named_recording
from musebench_tasks.items.annotations.text import cells_of, column_names, odd_length, rows_below, text_of

MUSICBRAINZ_ID = "mbid"
"""Names the recording in tables without any other name of it, such as those of AcousticBrainz."""
SUBMISSION_LISTS = ("submissions", "annotations")
SEGMENT_LISTS = ("intervals", "segments", "sections")


def read_any(file: Path, root: Path, archive: Archive, known: Mapping[str, AnnotationSubmission]) -> None:
    """Everything in one file; `known` gives the submissions of files that submissions.csv lists."""
    submission = known.get(file.relative_to(root).as_posix()) or file_submission(file, root)
    shown = shown_file(file, root)
    suffix = file.suffix.lower()
    try:
        if suffix in (".csv", ".tsv") and read_table(file, shown, archive, submission):
            return
        if suffix in (".json", ".jsonl", ".ndjson", ".jams") and read_json(file, shown, archive, submission):
            return
    except ArithmeticError:
        archive.problems.append(FilePlace(shown, submission.track).put(TOO_LARGE))
        return
    except InputError as error:
        if suffix in (".json", ".jams"):
            problems = FilePlace(shown, submission.track).problems(error)
            archive.assertions += (Assertion(submission, each) for each in problems)
        else:
            archive.problems += FilePlace(shown, "").problems(error)
        return
    read_plain(file, root, archive, submission)


def read_plain(
    file: Path, root: Path, archive: Archive, submission: AnnotationSubmission, field: str | None = None
) -> None:
    """A file as the reader of references takes it, as one submission's."""
    for entry in read_file(file, root, submission.track, field):
        track = (entry.item if isinstance(entry, Problem) else entry.id) or submission.track
        mine = submission if track == submission.track else submission._replace(track=track)
        is_one_of_several = isinstance(entry, RawValue) and entry.several
        stated = text_of(file).splitlines() if is_one_of_several else stated_value(entry)
        archive.assertions.append(Assertion(mine, entry, stated))


def read_table(file: Path, shown: str, archive: Archive, submission: AnnotationSubmission) -> bool:
    """A table whose head line names tracks or starts; False for others (segments without a head, and the like)."""
    lines = cells_of(text_of(file))
    columns = column_names(lines[0])
    is_of_segments = any(name in columns for name in STARTS)
    if is_of_segments and not any(name in columns for name in LABEL_NAMES if name != "name"):
        columns = ["label" if column == "name" else column for column in columns]
    if not any(name in columns for name in TRACK_NAMES):
        columns = ["track_id" if column == MUSICBRAINZ_ID else column for column in columns]
    is_named = any(name in columns for name in TRACK_NAMES)
    if not is_named and not (is_of_segments and any(name in columns for name in (*ENDS, LENGTH))):
        return False
    rows = []
    for line in rows_below(lines, [column for column in columns if column]):
        row = ArchiveRow(dict(zip(columns, line.cells, strict=False)), shown, line.number)
        track = named_recording(row.first(TRACK_NAMES)) if is_named else submission.track
        odd = odd_length(line, len(columns), row.of(track))
        if odd is None:
            rows.append(row)
        else:
            archive.problems.append(odd)
    rows = _with_annotator(rows, submission)
    lists = [name for name in SEGMENT_LISTS if name in columns and not is_of_segments]
    for row in rows if lists else ():
        _read_listed(row, lists[0], archive, submission)
    read_rows([] if lists else rows, archive, "" if is_named else submission.track)
    return True


def _read_listed(row: ArchiveRow, name: str, archive: Archive, submission: AnnotationSubmission) -> None:
    """A row of a whole track that holds its segments as a JSON list in one cell."""
    try:
        segments = parsed(row.cells[name]) if row.cells[name] else None
    except InputError as error:
        track = named_recording(row.first(TRACK_NAMES)) or submission.track
        archive.problems += row.of(track).problems(error, name)
        return
    _read_track({**row.cells, name: segments}, row.file, row.number, archive, submission)


def _with_annotator(rows: Sequence[ArchiveRow], submission: AnnotationSubmission) -> list[ArchiveRow]:
    """Rows that carry whose they are where only the file's name or submissions.csv tells."""
    known = {name: text for name, text in submission.cells.items() if text}
    return [row._replace(cells={**known, **row.cells}) for row in rows]


def read_json(file: Path, shown: str, archive: Archive, submission: AnnotationSubmission) -> bool:
    """JAMS, and objects of tracks with their submissions or segments; False for JSON of other shapes."""
    text = text_of(file)
    if file.suffix.lower() in (".jsonl", ".ndjson"):
        return _read_lines(text, shown, archive, submission)
    value = parsed(text)
    if is_jams(value):
        read_submissions(value, shown, archive, submission)
        return True
    if isinstance(value, dict) and isinstance(value.get("tracks"), (list, dict)):
        value = value["tracks"]
    if isinstance(value, dict) and not _is_track(value) and all(isinstance(each, dict) for each in value.values()):
        if not any(map(_is_track, value.values())):
            return False
        value = [{"track_id": name, **each} for name, each in value.items()]
    objects = value if isinstance(value, list) else [value]
    if not objects or not all(isinstance(each, dict) and _is_track(each) for each in objects):
        return False
    for number, each in enumerate(objects, start=1):
        _read_track(each, shown, number, archive, submission)
    return True


def _read_lines(text: str, shown: str, archive: Archive, submission: AnnotationSubmission) -> bool:
    for place, value in parsed_lines(text, shown):
        if isinstance(value, dict):
            _read_track(value, shown, place.row or 1, archive, submission, must_be_named=True)
        elif isinstance(value, Problem):
            archive.problems.append(value)
        else:
            archive.problems.append(place.problem("should be an object.", "Correct it."))
    return True


def _is_track(value: Mapping[str, Any]) -> bool:
    """Whether an object has what the readers of references do not know: submissions, intervals, or facts."""
    names = {name.casefold() for name in value}
    facts = {"title", "artist", "annotator_id", "annotator", "submitted_at", "track_id"}
    return bool(names & {*SUBMISSION_LISTS, "intervals", *facts})


def _read_track(
    value: Mapping[str, Any],
    shown: str,
    number: int,
    archive: Archive,
    submission: AnnotationSubmission,
    *,
    must_be_named: bool = False,
) -> None:
    """One object: facts, and the values of its submissions or its own."""
    cells = flattened(value)
    (row,) = _with_annotator([ArchiveRow(cells, shown, number)], submission)
    track = named_recording(row.first(TRACK_NAMES)) or ("" if must_be_named else submission.track)
    if not track:
        found = f'should have a "track_id"{nearest("track_id", cells)}.'
        archive.problems.append(row.of("").problem(found, "Add it."))
        return
    listed = next((name for name in SUBMISSION_LISTS if name in cells), None)
    if listed is None:
        _read_submission(row, track, archive)
        return
    submissions = cells[listed]
    facts = {name: cell for name, cell in cells.items() if name != listed}
    read_rows([ArchiveRow(facts, shown, number)], archive, track)
    if not isinstance(submissions, list) or not all(isinstance(each, dict) for each in submissions):
        archive.problems.append(row.of(track).problem("should be a list of objects.", "Correct it.", listed))
        return
    for each in submissions:
        inner = flattened(each)
        inner.setdefault("submission_id", inner.pop("id", None))
        _read_submission(ArchiveRow(inner, shown, number), track, archive)


def _read_submission(row: ArchiveRow, track: str, archive: Archive) -> None:
    """One submission: a list of segments, each with its attributes, or values for the whole track, or both."""
    place = row.of(track)
    try:
        submission = submission_of(row, track)
    except InputError as error:
        archive.problems += place.problems(error, TIME_NAMES[0])
        return
    lists = [name for name in SEGMENT_LISTS if isinstance(row.cells.get(name), list)]
    name = lists[0] if lists else None
    if len(lists) > 1:
        found = f"has {lists[0]} and {lists[1]}, two lists of segments."
        archive.problems.append(place.problem(found, "Keep one.", "segments"))
    whole = {key: cell for key, cell in row.cells.items() if key != name}
    read_rows([row._replace(cells=whole)], archive, track, is_named=False)
    entries = row.cells[name] if name else []
    if entries and all(isinstance(each, dict) for each in entries):
        rows = [
            ArchiveRow(flattened(each) | submission.cells, inside, at)
            for at, each in enumerate(entries, start=1)
            for inside in [f"{place.shown}, {submission.id or submission.annotator or name}, segment"]
        ]
        read_rows(rows, archive, track, is_named=False)
    elif entries:
        for entry in read_object({"segments": entries}, FilePlace(place.shown, track)):
            archive.assertions.append(Assertion(submission, entry, stated_value(entry)))
