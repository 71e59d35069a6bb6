"""What the film demonstration is made of: the manifest (source, windows, hashes) and the questions, as rows.

Clip ids follow from source and window, item ids from the clip, so that they are stable, say nothing, and the three
questions of a clip sort together (their row group then holds the clip once).
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml

from musebench_tasks.assembly import choice_columns, media_cell
from musebench_tasks.assembly.video import SUFFIX, ClipEncoding, ClipFacts
from musebench_tasks.records import DEFAULT_SEED
from musebench_tasks.records.base import Record

FOLDER = Path(__file__).resolve().parent
MANIFEST = FOLDER / "manifest.json"
QUESTIONS = FOLDER / "questions.yaml"
CATEGORY = "Cinematic"
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


class Source(Record):
    """Where the film lies: a file in a zip in a source distribution."""

    distribution: str
    distribution_sha256: str
    archive: str
    """The zip's path in the distribution, without the distribution's own folder."""
    member: str
    file_sha256: str
    frame_rate: int
    license: str
    attribution: str
    changes: str


class Clip(Record):
    """A window of the film, in frames of the source (`end_frame` excluded), and what its clip decodes to."""

    name: str
    """What questions.yaml calls it; stays in this folder."""
    first_frame: int
    end_frame: int
    id: str | None = None
    start_s: float | None = None
    end_s: float | None = None
    bytes: int | None = None
    facts: ClipFacts | None = None


class Manifest(Record):
    """The whole recipe."""

    name: str
    version: str
    seed: int = DEFAULT_SEED
    source: Source
    encoding: ClipEncoding
    clips: tuple[Clip, ...]

    def clip_id(self, clip: Clip) -> str:
        """Ten hex digits over seed, source and window."""
        text = f"{self.seed}|{self.source.file_sha256}|{clip.first_frame}|{clip.end_frame}"
        return hashlib.sha256(text.encode()).hexdigest()[:10]

    def window_s(self, clip: Clip) -> tuple[float, float]:
        """The clip's window in seconds of the source."""
        return clip.first_frame / self.source.frame_rate, clip.end_frame / self.source.frame_rate

    def described(self, clip: Clip, encoded: bytes, facts: ClipFacts) -> Clip:
        """The clip with everything that follows from its window and its encoding."""
        start_s, end_s = (round(each, 6) for each in self.window_s(clip))
        found = {"id": self.clip_id(clip), "start_s": start_s, "end_s": end_s, "bytes": len(encoded), "facts": facts}
        return clip.model_copy(update=found)


class Question(Record):
    """One question, with its gold."""

    clip: str
    subdomain: Literal["Cinematography", "Mise-en-scène", "Editing and Pacing", "Sound"]
    kind: Literal["single", "multi"]
    alignment: Literal["visual", "audio", "audiovisual"]
    question: str
    core_intent: str
    correct: tuple[str, ...]
    distractors: dict[str, Strategy]
    """Text of a wrong option: its strategy."""


def read_manifest(path: Path = MANIFEST) -> Manifest:
    """The recipe as it is committed."""
    return Manifest.model_validate_json(path.read_text(encoding="utf-8"))


def write_manifest(manifest: Manifest, path: Path = MANIFEST) -> None:
    """Write the recipe, readable and in a fixed order."""
    data = manifest.model_dump(mode="json", exclude_none=True)
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_questions(path: Path = QUESTIONS) -> tuple[Question, ...]:
    """All questions, in the order of the file."""
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tuple(Question.model_validate(entry) for entry in entries)


def item_id(clip_id: str, number: int) -> str:
    """The id of the clip's question `number` (from 1)."""
    return f"{clip_id}-{hashlib.sha256(f'{clip_id}|{number}'.encode()).hexdigest()[:4]}"


def make_rows(manifest: Manifest, questions: tuple[Question, ...], media: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """The rows of the `default` config; `media` maps a clip's name to its encoded bytes."""
    rows = []
    for clip in manifest.clips:
        for number, question in enumerate((each for each in questions if each.clip == clip.name), start=1):
            rows.append(make_row(manifest, clip, number, question, media[clip.name]))
    return rows


def make_row(manifest: Manifest, clip: Clip, number: int, question: Question, encoded: bytes) -> dict[str, Any]:
    """One row: the whole clip is the window; nobody speaks in it, so there is no transcript."""
    clip_id = manifest.clip_id(clip)
    name = item_id(clip_id, number)
    return {
        "id": name,
        "video": media_cell(encoded, clip_id + SUFFIX),
        "start_s": 0.0,
        "end_s": (clip.end_frame - clip.first_frame) / manifest.source.frame_rate,
        "cluster_id": clip_id,
        "category": CATEGORY,
        "subdomain": question.subdomain,
        "kind": question.kind,
        "question": question.question,
        **choice_columns(name, question.correct, question.distractors),
        "transcript": None,
        "alignment": question.alignment,
        "core_intent": question.core_intent,
        "license": manifest.source.license,
        "attribution": manifest.source.attribution,
        "version": manifest.version,
    }
