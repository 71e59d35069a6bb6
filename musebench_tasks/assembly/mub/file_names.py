"""Whose a file is: its track, annotator and version, as names and the table submissions.csv tell them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from musebench_tasks.assembly.mub.assertions import TIME_NAMES, TRACK_NAMES, AnnotationSubmission, Archive
from musebench_tasks.assembly.mub.rows import ArchiveRow, submission_of
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import shown as quoted
from musebench_tasks.items.annotations.files import shown_file
from musebench_tasks.items.annotations.folders import recording_of, salami_annotator
from musebench_tasks.items.annotations.text import cells_of, column_names, text_of

SUBMISSIONS = "submissions"
_MARK = r"(?:submission|annotator|rater)(?!s$)[-_. ]?"
_FOLDER = re.compile(rf"{_MARK}(?P<id>\w+)", re.IGNORECASE)
_VERSION = re.compile(r".+[-_](?P<id>v\d+)", re.IGNORECASE)
_IN_NAME = re.compile(rf"(?P<track>.+?)[-_. ]+{_MARK}(?P<id>\w+)", re.IGNORECASE)


def file_submission(file: Path, root: Path, track: str | None = None) -> AnnotationSubmission:
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
    return AnnotationSubmission(track, next(filter(None, map(version_of, folders)), ""), annotator)


def version_of(name: str) -> str:
    """The version that the name of a folder or of an entry ends with, as `annotations_v2` does; empty for none."""
    match = _VERSION.fullmatch(name)
    return match["id"].lower() if match else ""


def known_submissions(file: Path, root: Path, archive: Archive) -> Iterator[tuple[str, AnnotationSubmission]]:
    """The files that submissions.csv lists, each with its track, annotator and time."""
    shown = shown_file(file, root)
    lines = cells_of(text_of(file))
    columns = column_names(lines[0])
    if "file" not in columns:
        found = ", ".join(lines[0].cells)[:80]
        advice = "It tells annotator_id and submitted_at of each."
        raise InputError(Problem(f'has no column "file", found {found}.', advice))
    listed: set[Path | None] = set()
    for line in lines[1:]:
        row = ArchiveRow(dict(zip(columns, line.cells, strict=False)), shown, line.number)
        path = file_inside(row.first(("file",)), [(root, root)])
        if path is None:
            found = f"{quoted(row.first(('file',)))} is no file of the archive."
            archive.problems.append(row.of("").problem(found, "Correct the path.", "file"))
            continue
        if path in listed:
            twice = row.of(file_submission(path, root).track)
            found = f"{quoted(row.first(('file',)))} is listed twice."
            archive.problems.append(twice.problem(found, "Remove one of the rows.", "file"))
        listed.add(path)
        named = next((text for name in TRACK_NAMES if name != "file" and (text := row.first((name,)))), "")
        try:
            submission = submission_of(row, named or file_submission(path, root).track)
        except InputError as error:
            archive.problems += row.of(named or recording_of(path, root)).problems(error, TIME_NAMES[0])
            continue
        if not submission.annotator:
            submission = submission._replace(annotator=file_submission(path, root).annotator)
        yield path.relative_to(root).as_posix(), submission


def file_inside(name: str, places: Iterable[tuple[Path, Path]]) -> Path | None:
    """The first file called `name` seen from a folder and inside a root, of pairs (folder, root); None for none.

    Names that lead out of the root, and those that no file could have, name none.
    """
    for folder, root in places:
        with suppress(OSError, ValueError):
            path = (folder / name).resolve()
            if path.is_relative_to(root.resolve()) and path.is_file():
                return path
    return None
