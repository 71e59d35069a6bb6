"""One file of an archive: tables, JSON, JAMS of several annotators, and whatever else annotation files may be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.mub.paths import file_inside
from musebench_tasks.assembly.mub.rows import STARTS, Row, flattened, read_rows, submission_of
from musebench_tasks.assembly.mub.statements import TRACK_NAMES, Archive, Statement, Submission
from musebench_tasks.errors import nearest
from musebench_tasks.items.annotations import Fault, Found
from musebench_tasks.items.annotations.files import read_file
from musebench_tasks.items.annotations.folders import recording_of, salami_annotator
from musebench_tasks.items.annotations.found import LABEL_NAMES, UnreadableError, named_recording
from musebench_tasks.items.annotations.jams import NAMESPACES, is_jams, read_jams, spare_namespaces
from musebench_tasks.items.annotations.json_values import parsed, read_object
from musebench_tasks.items.annotations.text import cells_of, text_of
from musebench_tasks.items.problems import CellError

SUBMISSIONS = "submissions"
MUSICBRAINZ_ID = "mbid"
"""Names the recording in tables without any other name of it, such as those of AcousticBrainz."""
SUBMISSION_LISTS = ("submissions", "annotations")
SEGMENT_LISTS = ("intervals", "segments", "sections")
_MARK = r"(?:submission|annotator|rater)[-_. ]?"
_FOLDER = re.compile(rf"{_MARK}(?P<id>\w+)", re.IGNORECASE)
_VERSION = re.compile(r".+[-_](?P<id>v\d+)", re.IGNORECASE)
_IN_NAME = re.compile(rf"(?P<track>.+?)[-_. ]+{_MARK}(?P<id>\w+)", re.IGNORECASE)


def file_submission(file: Path, root: Path, track: str | None = None) -> Submission:
    """Track, annotator and version as a file's name and its folders tell them.

    `annotator2/r1.lab`, `r1.annotator2.lab`, `r1/annotator2.lab`, `submission-7/r1.jams` and SALAMI's `textfile2_…`
    name an annotator, `annotations_v2/r1.jams` a version, which is the submission's id.
    """
    named = recording_of(file, root)
    in_name = _IN_NAME.fullmatch(named)
    folders = [] if file == root else [*reversed(file.relative_to(root).parent.parts)]
    alone = _FOLDER.fullmatch(named) if folders else None
    if track is None:
        track = in_name["track"] if in_name else folders[0] if alone else named
    marks = [in_name, alone, *map(_FOLDER.fullmatch, folders)]
    annotator = next((mark["id"] for mark in marks if mark), salami_annotator(file))
    return Submission(track, next(filter(None, map(version_of, folders)), ""), annotator)


def version_of(name: str) -> str:
    """The version that the name of a folder or of an entry ends with, as `annotations_v2` does; empty for none."""
    match = _VERSION.fullmatch(name)
    return match["id"].lower() if match else ""


def read_any(file: Path, root: Path, archive: Archive, known: Mapping[str, Submission]) -> None:
    """Everything in one file; `known` gives the submissions of files that submissions.csv lists."""
    submission = known.get(file.relative_to(root).as_posix()) or file_submission(file, root)
    shown = shown_path(file, root)
    suffix = file.suffix.lower()
    try:
        if suffix in (".csv", ".tsv") and read_table(file, shown, archive, submission):
            return
        if suffix in (".json", ".jsonl", ".ndjson", ".jams") and read_json(file, shown, archive, submission):
            return
    except ArithmeticError:
        message = "holds numbers that are too large. Correct them."
        archive.faults.append(Fault(submission.track, None, shown, message))
        return
    except UnreadableError as problem:
        if suffix in (".json", ".jams"):
            fault = Fault(submission.track, None, shown, str(problem))
            archive.statements.append(Statement(submission, fault))
        else:
            archive.faults.append(Fault(None, None, shown, str(problem)))
        return
    read_plain(file, root, archive, submission)


def read_plain(file: Path, root: Path, archive: Archive, submission: Submission, field: str | None = None) -> None:
    """A file as the reader of references takes it, as one submission's."""
    for entry in read_file(file, root, submission.track, field):
        mine = submission if entry.id in (None, submission.track) else submission._replace(track=str(entry.id))
        is_one_of_several = isinstance(entry, Found) and entry.several
        stated = text_of(file).splitlines() if is_one_of_several else _stated(entry)
        archive.statements.append(Statement(mine, entry, stated))


def shown_path(file: Path, root: Path) -> str:
    """A file as messages name it."""
    return str(Path(root.name) / file.relative_to(root))


def read_table(file: Path, shown: str, archive: Archive, submission: Submission) -> bool:
    """A table whose head line names tracks or starts; False for others (segments without a head, and the like)."""
    lines = cells_of(text_of(file))
    columns = [cell.casefold().replace(" ", "_").replace("-", "_") for cell in lines[0].cells]
    is_of_segments = any(name in columns for name in STARTS)
    if is_of_segments and not any(name in columns for name in LABEL_NAMES if name != "name"):
        columns = ["label" if column == "name" else column for column in columns]
    if not any(name in columns for name in TRACK_NAMES):
        columns = ["track_id" if column == MUSICBRAINZ_ID else column for column in columns]
    is_named = any(name in columns for name in TRACK_NAMES)
    if not is_named and not is_of_segments:
        return False
    doubled = next((column for column in columns if column and columns.count(column) > 1), None)
    if doubled is not None:
        raise UnreadableError(f'has the column "{doubled}" twice. Rename one.')
    rows = []
    for line in lines[1:]:
        if len(line.cells) != len(columns):
            message = f"has {len(line.cells)} cells, the head line {len(columns)}. Quote cells that hold the separator."
            archive.faults.append(Fault(None, None, f"{shown} row {line.number}", message))
        else:
            rows.append(Row(dict(zip(columns, line.cells, strict=True)), shown, line.number))
    rows = _with_annotator(rows, submission)
    lists = [name for name in SEGMENT_LISTS if name in columns and not is_of_segments]
    for row in rows if lists else ():
        _read_listed(row, lists[0], archive, submission)
    read_rows([] if lists else rows, archive, "" if is_named else submission.track)
    return True


def _read_listed(row: Row, name: str, archive: Archive, submission: Submission) -> None:
    """A row of a whole track that holds its segments as a JSON list in one cell."""
    try:
        segments = parsed(row.cells[name]) if row.cells[name] else None
    except UnreadableError as problem:
        track = named_recording(row.first(TRACK_NAMES)) or submission.track
        archive.faults.append(Fault(track, name, row.place, str(problem)))
        return
    _read_track({**row.cells, name: segments}, row.file, row.number, archive, submission)


def _with_annotator(rows: Sequence[Row], submission: Submission) -> list[Row]:
    """Rows that carry whose they are where only the file's name or submissions.csv tells."""
    told = {"submission_id": submission.id, "annotator_id": submission.annotator, "submitted_at": submission.time}
    if not any(told.values()):
        return list(rows)
    return [row._replace(cells={**{name: text for name, text in told.items() if text}, **row.cells}) for row in rows]


def read_json(file: Path, shown: str, archive: Archive, submission: Submission) -> bool:
    """JAMS, and objects of tracks with their submissions or segments; False for JSON of other shapes."""
    text = text_of(file)
    if file.suffix.lower() in (".jsonl", ".ndjson"):
        return _read_lines(text, shown, archive, submission)
    value = parsed(text)
    if is_jams(value):
        _read_jams(value, shown, archive, submission)
        return True
    if isinstance(value, dict) and isinstance(value.get("tracks"), (list, dict)):
        value = value["tracks"]
    if isinstance(value, dict) and not _is_track(value) and all(isinstance(each, dict) for each in value.values()):
        value = [{"track_id": name, **each} for name, each in value.items() if any(map(_is_track, value.values()))]
    objects = value if isinstance(value, list) else [value]
    if not objects or not all(isinstance(each, dict) and _is_track(each) for each in objects):
        return False
    for number, each in enumerate(objects, start=1):
        _read_track(each, shown, number, archive, submission)
    return True


def _read_lines(text: str, shown: str, archive: Archive, submission: Submission) -> bool:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    for number, line in lines:
        try:
            value = parsed(line)
        except UnreadableError as problem:
            archive.faults.append(Fault(None, None, f"{shown} row {number}", str(problem)))
            continue
        if not isinstance(value, dict):
            archive.faults.append(Fault(None, None, f"{shown} row {number}", "should be an object. Correct it."))
            continue
        _read_track(value, shown, number, archive, submission, must_be_named=True)
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
    submission: Submission,
    *,
    must_be_named: bool = False,
) -> None:
    """One object: facts, and the values of its submissions or its own."""
    cells = flattened(value)
    (row,) = _with_annotator([Row(cells, shown, number)], submission)
    track = named_recording(row.first(TRACK_NAMES)) or ("" if must_be_named else submission.track)
    if not track:
        message = f'should have a "track_id"{nearest("track_id", cells)}. Add it.'
        archive.faults.append(Fault(None, None, row.place, message))
        return
    listed = next((name for name in SUBMISSION_LISTS if name in cells), None)
    if listed is None:
        _read_submission(row, track, archive)
        return
    submissions = cells[listed]
    facts = {name: cell for name, cell in cells.items() if name != listed}
    read_rows([Row(facts, shown, number)], archive, track)
    if not isinstance(submissions, list) or not all(isinstance(each, dict) for each in submissions):
        archive.faults.append(Fault(track, listed, row.place, "should be a list of objects. Correct it."))
        return
    for each in submissions:
        inner = flattened(each)
        inner.setdefault("submission_id", inner.pop("id", None))
        _read_submission(Row(inner, shown, number), track, archive)


def _read_submission(row: Row, track: str, archive: Archive) -> None:
    """One submission: a list of segments, each with its attributes, or values for the whole track, or both."""
    try:
        submission = submission_of(row, track)
    except CellError as problem:
        archive.faults.append(Fault(track, "submitted_at", row.place, str(problem)))
        return
    name = next((name for name in SEGMENT_LISTS if isinstance(row.cells.get(name), list)), None)
    whole = {key: cell for key, cell in row.cells.items() if key != name}
    read_rows([row._replace(cells=whole)], archive, track, is_named=False)
    entries = row.cells[name] if name else []
    if entries and all(isinstance(each, dict) for each in entries):
        told = {"submission_id": submission.id, "annotator_id": submission.annotator, "submitted_at": submission.time}
        rows = [
            Row(flattened(each) | told, place, at)
            for at, each in enumerate(entries, start=1)
            for place in [f"{row.place}, {submission.id or submission.annotator or name}, segment"]
        ]
        read_rows(rows, archive, track, is_named=False)
    elif entries:
        for entry in read_object({"segments": entries}, row.place, track):
            archive.statements.append(Statement(submission, entry, _stated(entry)))


def _read_jams(value: Mapping[str, Any], shown: str, archive: Archive, submission: Submission) -> None:
    """A JAMS file: one submission, or one for each annotator and time that its annotations state.

    A title that is the file's own name, as GiantSteps' are, is none.
    """
    metadata = value["file_metadata"] if isinstance(value.get("file_metadata"), dict) else {}
    for fact in ("title", "artist"):
        text = str(metadata.get(fact) or "").strip()
        if text and recording_of(Path(text), Path(text)) != submission.track:
            archive.tell(submission.track, fact, text, shown)
    groups: dict[Submission, list[Any]] = {}
    for number, each in enumerate(value["annotations"], start=1):
        try:
            mine = _jams_submission(each, shown, number, submission)
        except CellError as problem:
            archive.faults.append(
                Fault(submission.track, "submitted_at", f"{shown}, annotation {number}", str(problem))
            )
            continue
        groups.setdefault(mine, []).append(each)
    problems = []
    for mine, its in groups.items():
        try:
            for entry in read_jams({"file_metadata": metadata, "annotations": its}, shown, mine.track):
                whose = submission if entry.field == "duration_s" else mine
                is_one_of_several = isinstance(entry, Found) and entry.several
                stated = _as_json(_namespaces(its, str(entry.field))) if is_one_of_several else _stated(entry)
                archive.statements.append(Statement(whose, entry, stated))
        except UnreadableError as problem:
            problems.append(str(problem))
        archive.passed_over.update(f"{name} (.jams)" for name in spare_namespaces(its))
    if problems and len(problems) == len(groups):
        archive.faults.append(Fault(submission.track, None, shown, problems[0]))


def _jams_submission(annotation: Any, shown: str, number: int, submission: Submission) -> Submission:
    metadata = annotation.get("annotation_metadata") if isinstance(annotation, dict) else None
    sandbox = annotation.get("sandbox") if isinstance(annotation, dict) else None
    told = {**(metadata if isinstance(metadata, dict) else {}), **(sandbox if isinstance(sandbox, dict) else {})}
    annotator = told.pop("annotator", None)
    if isinstance(annotator, dict):
        told["annotator_id"] = next((annotator[name] for name in ("id", "name", "email") if annotator.get(name)), None)
    found = submission_of(Row(told, shown, number), submission.track)
    return Submission(
        found.track, found.id or submission.id, found.annotator or submission.annotator, found.time or submission.time
    )


def _namespaces(annotations: Sequence[Any], field: str) -> list[Any]:
    """The data of all annotations of a field."""
    return [each.get("data") for each in annotations if each.get("namespace") in NAMESPACES.get(field, ())]


def _stated(entry: Found | Fault) -> Any:
    """The value of an entry as the history keeps it."""
    return None if isinstance(entry, Fault) else _as_json(entry.value)


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    return float(value) if hasattr(value, "as_tuple") else str(value)


def known_submissions(file: Path, root: Path, archive: Archive) -> Iterator[tuple[str, Submission]]:
    """The files that submissions.csv lists, each with its track, annotator and time."""
    shown = shown_path(file, root)
    lines = cells_of(text_of(file))
    columns = [cell.casefold().replace(" ", "_") for cell in lines[0].cells]
    if "file" not in columns:
        found = ", ".join(lines[0].cells)[:80]
        raise UnreadableError(f'has no column "file", found {found}. It tells annotator_id and submitted_at of each.')
    for line in lines[1:]:
        row = Row(dict(zip(columns, line.cells, strict=False)), shown, line.number)
        path = file_inside(row.first(("file",)), [(root, root)])
        if path is None:
            message = f'"{row.first(("file",))}" is no file of the archive. Correct the path.'
            archive.faults.append(Fault(None, "file", row.place, message))
            continue
        named = next((text for name in TRACK_NAMES if name != "file" and (text := row.first((name,)))), "")
        try:
            submission = submission_of(row, named or file_submission(path, root).track)
        except CellError as problem:
            archive.faults.append(Fault(named or recording_of(path, root), "submitted_at", row.place, str(problem)))
            continue
        if not submission.annotator:
            submission = submission._replace(annotator=file_submission(path, root).annotator)
        yield path.relative_to(root).as_posix(), submission
