"""JAMS files as submissions: each annotator's, and each time's, apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.mub.assertions import (
    TIME_NAMES,
    AnnotationSubmission,
    Archive,
    Assertion,
    as_json,
    stated_value,
)
from musebench_tasks.assembly.mub.rows import ArchiveRow, flattened, submission_of
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.items.annotations import RawValue
from musebench_tasks.items.annotations.folders import recording_of
from musebench_tasks.items.annotations.jams import NAMESPACES, read_jams, spare_namespaces
from musebench_tasks.items.annotations.raw_values import FilePlace


def read_submissions(value: Mapping[str, Any], shown: str, archive: Archive, submission: AnnotationSubmission) -> None:
    """A JAMS file: one submission, or one for each annotator and time that its annotations state.

    A title that is the file's own name, as GiantSteps' are, is none.
    """
    whole = FilePlace(shown, submission.track)
    metadata = value["file_metadata"] if isinstance(value.get("file_metadata"), dict) else {}
    for fact in ("title", "artist"):
        text = str(metadata.get(fact) or "").strip()
        if text and _recording(text) not in (submission.track, _recording(shown)):
            archive.add_fact(fact, text, whole)
    groups: dict[AnnotationSubmission, list[dict[str, Any]]] = {}
    for number, each in enumerate(value["annotations"], start=1):
        place = FilePlace(f"{shown}, annotation {number}", submission.track)
        if not isinstance(each, dict):
            archive.problems.append(place.problem("should be an object.", "Correct it."))
            continue
        try:
            mine = _submission_of(each, submission)
        except InputError as error:
            archive.problems += place.problems(error, TIME_NAMES[0])
            continue
        groups.setdefault(mine, []).append(each)
    unread: list[Problem] = []
    for mine, its in groups.items():
        try:
            for entry in read_jams({"file_metadata": metadata, "annotations": its}, FilePlace(shown, mine.track)):
                field, several = (entry.field, entry.several) if isinstance(entry, RawValue) else ("", False)
                stated = as_json(_data_of(its, field)) if several else stated_value(entry)
                whose = submission if field == "duration_s" else mine
                archive.assertions.append(Assertion(whose, entry, stated))
        except InputError as error:
            unread += whole.problems(error)
        archive.passed_over.update(f"{name} (.jams)" for name in spare_namespaces(its))
    if len(unread) == len(groups):
        nothing = whole.problem("holds no annotation that can be read.", "Add one, or remove the file.")
        archive.problems += [*unread, nothing][:1]


def _recording(name: str) -> str:
    return recording_of(Path(name), Path(name))


def _submission_of(annotation: Mapping[str, Any], submission: AnnotationSubmission) -> AnnotationSubmission:
    """Whose an annotation is by its sandbox and metadata, and by its file's name."""
    told: dict[str, Any] = {}
    for part in (annotation.get("annotation_metadata"), annotation.get("sandbox")):
        told |= part if isinstance(part, dict) else {}
    found = submission_of(ArchiveRow(flattened(told), "", 1), submission.track)
    return AnnotationSubmission(*(mine or files for mine, files in zip(found, submission, strict=True)))


def _data_of(annotations: Sequence[Mapping[str, Any]], field: str) -> list[Any]:
    """The data of all annotations of a field."""
    return [each.get("data") for each in annotations if each.get("namespace") in NAMESPACES[field]]
