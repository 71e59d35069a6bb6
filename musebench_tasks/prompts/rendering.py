"""The text of one question, as it follows the media, and what tells two prompts apart in run.yaml.

A template sees an allow-list (MU-04): question, options, transcript, and what kind of answer is wanted.
Ids, titles, tags, file names, the condition's name and anything about the gold are out of its reach.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import (
    LETTERS,
    Chunks,
    Condition,
    Item,
    Kind,
    Modality,
    Option,
    TaskConfig,
    canonical_json,
)
from musebench_tasks.prompts.environment import fill, find_template, list_templates, sources

_MODE_WORD = r"(?i:major|minor|maj|min|dur|moll)\b"


class RenderedPrompt(NamedTuple):
    """What a request says in words."""

    system: str | None
    text: str


class ShownOption(NamedTuple):
    """An option as a template sees it."""

    letter: str
    text: str


def render_prompt(
    task: TaskConfig,
    item: Item,
    options: Sequence[Option],
    *,
    condition: Condition,
    audio_route: str,
    chunks: Chunks | None = None,
) -> RenderedPrompt:
    """The words for `item` with `options` in the order shown.

    `audio_route` (native, transcript, none) says how the model gets the audio that `condition` leaves it, `chunks` the
    parts that it comes in, where it is more than one.
    """
    variables = _variables(task, item, options, condition=condition, audio_route=audio_route)
    variables |= {
        "part_s": f"{chunks.seconds:g}" if chunks else None,
        "shared_s": f"{chunks.overlap_s:g}" if chunks and chunks.overlap_s else None,
    }
    return RenderedPrompt(system=task.system, text=fill(template_path(task), variables))


def template_path(task: TaskConfig) -> Path:
    """The template of `task`: the one it names, else the one of its kind."""
    return find_template(task.doc_to_text or default_template(task))


def is_own_template(task: TaskConfig) -> bool:
    """Whether the template of `task` is one of the package's own."""
    return (task.doc_to_text or default_template(task)) in list_templates()


def default_template(task: TaskConfig) -> str:
    """The package's template for tasks like `task`."""
    if task.kind == "music":
        return "music_json.jinja"
    return "video_choice.jinja" if Modality.VIDEO in task.modalities else "music_choice.jinja"


def has_label_like_options(options: Sequence[Option]) -> bool:
    """Whether an option's text is, or starts with, a bare label letter (answers.md 3.5).

    Key and pitch names, forms such as AABA, numerals such as C; not the article in "A drum".
    """
    letters = LETTERS[: len(options)]
    if not letters:
        return False
    label = re.compile(rf"[{letters}]+$|[{letters.lower()}]$|(?!A\s+\w)[{letters}](?![^\W_]|['’])|A\s+{_MODE_WORD}")
    return any(label.match(option.text.strip()) for option in options)


def _variables(
    task: TaskConfig, item: Item, options: Sequence[Option], *, condition: Condition, audio_route: str
) -> dict[str, Any]:
    """All that a template may know."""
    streams = condition.modalities(task.modalities)
    heard = Modality.AUDIO in streams
    shown = [
        ShownOption(letter, " ".join(option.text.split())) for letter, option in zip(LETTERS, options, strict=False)
    ]
    return {
        "question": item.question,
        "options": shown,
        "answer_str": "\n".join(f"{option.letter}. {option.text}" for option in shown),
        "transcript": _transcript(item) if heard and audio_route == "transcript" else None,
        "has_video": Modality.VIDEO in streams,
        "has_audio": heard and audio_route == "native",
        "kind": str(item.kind),
        "multi": item.kind is Kind.MULTI,
        "label_like": has_label_like_options(options),
        "fields": list(task.fields),
    }


def _transcript(item: Item) -> str:
    """The item's transcript, "" where nobody speaks."""
    if item.transcript is None:
        raise InputError(f"item {item.id}: its audio should come as a transcript, but the item has none.")
    return item.transcript.strip()


class PromptIdentity(NamedTuple):
    """`id` is the template's name without its ending, `sha256` covers template, included parts and system text."""

    id: str
    sha256: str


def prompt_identity(task: TaskConfig) -> PromptIdentity:
    """Which prompt `task` uses; the folder a user's own template lies in plays no part."""
    path = template_path(task)
    content = canonical_json({"system": task.system, "template": path.name, "texts": sources(path)})
    return PromptIdentity(id=path.name.removesuffix(".jinja"), sha256=hashlib.sha256(content.encode()).hexdigest())
