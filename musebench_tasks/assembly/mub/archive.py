"""An archive of annotations, a folder or a zip file, read whole.

Read are CSV and TSV, JSON and JSON lines, JAMS, .lab and the other files that references may be, and mirdata's indexes.
A file `submissions.csv` at its top may say of files whose they are and when they were handed in.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from musebench_tasks.assembly.mub.assertions import AnnotationSubmission, Archive, Fact, utc_time
from musebench_tasks.assembly.mub.file_names import SUBMISSIONS, known_submissions
from musebench_tasks.assembly.mub.files import read_any
from musebench_tasks.assembly.mub.index import read_index
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import folder_name
from musebench_tasks.base.problems import reason
from musebench_tasks.items.annotations.files import shown_file
from musebench_tasks.items.annotations.folders import SHOWN_SUFFIXES, best_readings, every_annotation_file
from musebench_tasks.items.annotations.raw_values import FilePlace

MOST_UNPACKED_BYTES = 64 * 2**30
"""What a zip file may hold once it is unpacked."""


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """The folder of an archive; a zip file is unpacked beside other temporary files for as long as it is needed."""
    if path.is_dir():
        yield path.resolve()
        return
    if not path.is_file():
        raise InputError(f"{path}: there is no such archive. Give a folder or a zip file of annotations.")
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path}: is no folder and no zip file. Unpack it, and give the folder.")
    with tempfile.TemporaryDirectory(prefix="musebench-mub-") as folder:
        root = Path(folder) / folder_name(path.stem)
        _unpack(path, root)
        inner = [each for each in root.iterdir() if each.name != "__MACOSX"]
        yield (inner[0] if len(inner) == 1 and inner[0].is_dir() else root).resolve()


def _unpack(path: Path, root: Path) -> None:
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(each.file_size for each in packed.infolist())
            free = shutil.disk_usage(root.parent).free
            if size > min(MOST_UNPACKED_BYTES, free):
                raise InputError(
                    f"{path}: unpacks to {size / 2**30:.1f} GB, for which there is no room. Unpack it elsewhere."
                )
            packed.extractall(root)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as problem:
        raise InputError(
            f"{path}: cannot be unpacked ({reason(problem)}). Unpack it, and give the folder."
        ) from problem


def read_archive(root: Path) -> Archive:
    """Everything in the folder of an archive; InputError where there are no annotations at all."""
    files, passed_over = every_annotation_file(root)
    archive = Archive(root, passed_over=passed_over)
    if not files:
        others = f"; found only {', '.join(sorted(passed_over))}" if passed_over else ""
        raise InputError(f"{root}: holds no annotations{others}. Known: {SHOWN_SUFFIXES}, and mirdata's index.json.")
    known: dict[str, AnnotationSubmission] = {}
    done: set[Path] = set()
    present = frozenset(files)
    for file in files:
        if file.parent == root and file.stem.casefold() == SUBMISSIONS and file.suffix.lower() in (".csv", ".tsv"):
            known |= _known(file, root, archive)
            if known:
                done.add(file)
    for file in (each for each in files if each.suffix.lower() == ".json"):
        read = read_index(file, root, archive, known)
        if read is not None:
            done |= {file, *read}
            archive.passed_over.update(kind for path, kind in read.items() if kind and path in present)
    rest = [file for file in files if file not in done]
    for file in best_readings(rest, archive.passed_over, each_annotator=True, read=done):
        read_any(file, root, archive, known)
    name_annotators(archive)
    return archive


def _known(file: Path, root: Path, archive: Archive) -> dict[str, AnnotationSubmission]:
    try:
        return dict(known_submissions(file, root, archive))
    except InputError as error:
        archive.problems += FilePlace(shown_file(file, root), "").problems(error)
        return {}


NUMBERED_NAMES, NUMBERED_TIMES = "annotator{}", "submission_date{}"


def name_annotators(archive: Archive) -> None:
    """Give submissions that know their annotator's number alone the name and the time that the track's facts tell."""
    named: dict[AnnotationSubmission, AnnotationSubmission] = {}
    for number, assertion in enumerate(archive.assertions):
        submission = assertion.submission
        if submission.annotator.isdecimal() and not submission.id and not submission.time:
            if submission not in named:
                named[submission] = _named(submission, archive.facts.get(submission.track, {}), archive)
            archive.assertions[number] = assertion._replace(submission=named[submission])


def _named(submission: AnnotationSubmission, facts: Mapping[str, Fact], archive: Archive) -> AnnotationSubmission:
    name = facts.get(NUMBERED_NAMES.format(submission.annotator))
    told = facts.get(NUMBERED_TIMES.format(submission.annotator))
    time = ""
    if told is not None:
        try:
            time = utc_time(told.value)
        except InputError as error:
            column = NUMBERED_TIMES.format(submission.annotator)
            archive.problems += FilePlace(told.place, submission.track).problems(error, column)
    return submission._replace(annotator=name.value if name else submission.annotator, time=time)
