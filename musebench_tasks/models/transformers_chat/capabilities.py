"""What is asked of a checkpoint before any question: what it takes, and how it marks its reasoning.

Configuration and processor tell it, and to load them takes seconds of imports. What they told is kept in the cache, by
the content of the checkpoint and everything that reads it, so that a run in which nothing is open, or whose settings
are refused, needs neither. What cannot be read from there is found out again.
"""

import hashlib
import json
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from pydantic import ValidationError

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.files import write_text
from musebench_tasks.base.records.base import Record
from musebench_tasks.base.resources import cache_directory
from musebench_tasks.models.transformers_chat import loading
from musebench_tasks.models.transformers_chat.families import audio_limit_s, family_of, has_switch, thinking_of
from musebench_tasks.models.transformers_chat.inputs import takes_frames

_READERS = ("transformers", "tokenizers", "torch", "torchvision", "huggingface-hub", "jinja2")
"""Packages on which it may depend what a configuration and a processor tell."""


class Facts(Record):
    """What a checkpoint tells of itself."""

    model_type: str
    revision: str
    """The Hub commit, or a SHA-256 of a directory."""
    context_tokens: int | None
    sees: bool
    hears: bool
    sample_rate: int | None
    audio_limit_s: float | None
    marks_reasoning: bool
    has_switch: bool
    """Whether the chat template turns reasoning on and off."""
    always_reasons: bool
    """Whether the chat template begins the reasoning even so."""


def find_facts(config: Any, processor: Any, revision: str) -> Facts:
    """The facts, from what was loaded; InputError where no class of transformers runs the checkpoint."""
    family = family_of(config.model_type)
    loading.model_class(config, family.loader)
    thinking = thinking_of(family, processor)
    switches = thinking is not None and has_switch(thinking, processor)
    core = getattr(config, "thinker_config", config)
    extractor: Any = getattr(processor, "feature_extractor", None)
    hears = getattr(core, "audio_config", None) is not None and extractor is not None
    return Facts(
        model_type=config.model_type,
        revision=revision,
        context_tokens=loading.context_tokens(config),
        sees=getattr(core, "vision_config", None) is not None and takes_frames(processor),
        hears=hears,
        sample_rate=extractor.sampling_rate if hears else None,
        audio_limit_s=audio_limit_s(family, processor),
        marks_reasoning=thinking is not None,
        has_switch=switches,
        always_reasons=thinking is not None
        and _always_reasons(processor, thinking.start, thinking.end, {thinking.switch: False} if switches else {}),
    )


def kept_facts(place: Path | None) -> Facts | None:
    """What is kept at `place`; None where nothing usable is."""
    if place is None:
        return None
    try:
        return Facts.model_validate_json(place.read_bytes())
    except (OSError, ValidationError):
        return None


def keep_facts(place: Path | None, facts: Facts) -> None:
    """Keep facts; a cache that takes nothing only costs time."""
    if place is not None:
        with suppress(OSError, MuseError):
            place.parent.mkdir(parents=True, exist_ok=True)
            write_text(place, facts.canonical_json())


def place_of(source: str, revision: str | None = None) -> Path | None:
    """Where facts of a checkpoint are kept, by its content; None where that cannot be told."""
    directory = Path(source)
    try:
        content = _content(directory) if directory.is_dir() else _of_hub(source, loading.hub_commit(source, revision))
        told = json.dumps([content, _readers()])
    except OSError:
        return None
    if content is None:
        return None
    return cache_directory() / "checkpoints" / f"{hashlib.sha256(told.encode()).hexdigest()}.json"


def _content(directory: Path) -> list[str]:
    """A digest of a directory, and of what templates lie in folders below it."""
    below = (f"{path.relative_to(directory)} {_digest([path])}" for path in sorted(directory.glob("*/*.j*")))
    return [loading.checkpoint_revision(str(directory)), *below]


def _of_hub(source: str, commit: str | None) -> list[str] | None:
    return None if commit is None else [source, commit]


@lru_cache(maxsize=1)
def _readers() -> list[str]:
    """Versions of the packages and of the code here that read a checkpoint."""
    versions = []
    for name in _READERS:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(name)
    return [*versions, _digest(sorted(Path(__file__).parent.glob("*.py")))]


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _always_reasons(processor: Any, start: str, end: str, extras: dict[str, Any]) -> bool:
    """Whether the chat template has begun the reasoning where the answer should begin."""
    messages = [{"role": "user", "content": [{"type": "text", "text": "?"}]}]
    try:
        prompt = processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False, **extras)
    except TemplateError:
        return False
    return bool(prompt.rfind(start) > prompt.rfind(end))
