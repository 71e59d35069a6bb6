"""What the demonstration asks: the questions of the clips, as rows of the dataset.

Item ids follow from the clip, so that they are stable, say nothing, and the questions of a clip sort together (their
row group then holds the clip once). The category follows from the sub-domain (MB-01).
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml

from dataset_scripts.musebench.make.manifest import FOLDER, Clip, Manifest
from musebench_tasks.assembly import choice_columns, media_cell
from musebench_tasks.assembly.schemas import SUBDOMAINS
from musebench_tasks.assembly.video import SUFFIX
from musebench_tasks.base.records.base import Record

QUESTIONS = FOLDER / "questions"
CATEGORIES = {subdomain: category for category, subdomains in SUBDOMAINS.items() for subdomain in subdomains}
Strategy = Literal[
    "technical misread",
    "over-simplification",
    "factual error",
    "conceptual confusion",
    "scope error",
    "temporal confusion",
    "partial truth",
]
"""MB-21."""


class Question(Record):
    """One question, with its gold."""

    clip: str
    subdomain: str
    kind: Literal["single", "multi"]
    alignment: Literal["visual", "audio", "audiovisual"]
    question: str
    core_intent: str
    correct: tuple[str, ...]
    distractors: dict[str, Strategy]
    """Text of a wrong option: its strategy."""


def read_questions(folder: Path = QUESTIONS) -> tuple[Question, ...]:
    """All questions: the files of `folder` by name, each in its own order."""
    files = sorted(folder.glob("*.yaml"))
    entries = [entry for file in files for entry in yaml.safe_load(file.read_text(encoding="utf-8")) or ()]
    return tuple(Question.model_validate(entry) for entry in entries)


def item_id(clip_id: str, number: int) -> str:
    """The id of the clip's question `number` (from 1)."""
    return f"{clip_id}-{hashlib.sha256(f'{clip_id}|{number}'.encode()).hexdigest()[:4]}"


def make_rows(manifest: Manifest, questions: tuple[Question, ...], media: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """The rows of the `default` config; `media` maps a clip's name to its encoded bytes, `manifest` is described."""
    rows = []
    for clip in manifest.clips:
        for number, question in enumerate((each for each in questions if each.clip == clip.name), start=1):
            rows.append(make_row(manifest, clip, number, question, media[clip.name]))
    return rows


def make_row(manifest: Manifest, clip: Clip, number: int, question: Question, encoded: bytes) -> dict[str, Any]:
    """One row: the whole clip is the window; nobody speaks in it, so there is no transcript."""
    clip_id, credit = manifest.clip_id(clip), manifest.credit(clip)
    name = item_id(clip_id, number)
    return {
        "id": name,
        "video": media_cell(encoded, clip_id + SUFFIX),
        "start_s": 0.0,
        "end_s": clip.facts.duration_s if clip.facts else None,
        "cluster_id": clip_id,
        "category": CATEGORIES[question.subdomain],
        "subdomain": question.subdomain,
        "kind": question.kind,
        "question": question.question,
        **choice_columns(name, question.correct, question.distractors),
        "transcript": None,
        "alignment": question.alignment,
        "core_intent": question.core_intent,
        "license": credit.license,
        "attribution": credit.attribution,
        "version": manifest.version,
    }
