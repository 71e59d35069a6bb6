"""What a model is asked: media parts, messages, settings, and the key that names the answer."""

import hashlib
from typing import Any, Literal

from musebench_tasks.records.base import Record, canonical_json
from musebench_tasks.records.enums import Condition, Kind, Modality
from musebench_tasks.records.items import MediaSource
from musebench_tasks.records.options import LETTERS, Option


class Limits(Record):
    """What a model can take. None = no limit of its own."""

    modalities: frozenset[Modality] = frozenset()
    max_frames: int | None = None
    max_audio_s: float | None = None
    sample_rate: int | None = None
    """Hz that the model wants its audio in; None = any."""


class MediaPart(Record):
    """One stream of one window under one condition, and how it is decoded."""

    modality: Modality
    source: MediaSource
    start_s: float | None = None
    end_s: float | None = None
    condition: Condition = Condition.FULL
    fps: float | None = None
    """Frames per second wanted (video)."""
    max_frames: int | None = None
    """Upper bound of frames, spread evenly when it binds (video)."""
    max_pixels: int | None = None
    """Upper bound of pixels a frame, aspect kept (video)."""
    sample_rate: int | None = None
    """Hz (audio); None = the stream's own rate."""
    max_audio_s: float | None = None
    """Seconds kept from the window's start (audio)."""
    seed: int = 42
    """Seed of `noise` and `shuffled_frames`."""

    @property
    def identity(self) -> str:
        """All that can change what is decoded, as canonical JSON; content by its hash, never by where it lies."""
        return self.model_copy(update={"source": MediaSource(path=self.source.content)}).canonical_json()


class Generation(Record):
    """How text is generated."""

    max_tokens: int = 16
    temperature: float = 0.0
    top_p: float | None = None
    seed: int | None = None


class Request(Record):
    """One question to one model: everything that can change its answer, and nothing else."""

    item_id: str
    run: int
    condition: Condition
    kind: Kind
    option_order: tuple[str, ...] | None = None
    """Option ids as shown, first = A; None for music."""
    question: str | None = None
    options: tuple[Option, ...] = ()
    """As shown: same order as `option_order`."""
    fields: tuple[str, ...] = ()
    """Fields asked for (music)."""
    parts: tuple[MediaPart, ...] = ()
    audio_route: Literal["native", "transcript", "none"] = "none"
    system: str | None = None
    prompt: str
    """The rendered text; media come before it."""
    generation: Generation = Generation()
    media_s: float = 0.0
    """Seconds of media in the window: what work and time left are reckoned in."""
    key: str
    """SHA-256 over all that can change the answer (architecture, nouns)."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Letters of the options as shown."""
        return tuple(LETTERS[: len(self.options)])


def request_key(content: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of `content`, 64 hex digits."""
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()
