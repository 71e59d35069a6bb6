"""What a model is asked: media parts, messages, settings, and the key that names the answer."""

import hashlib
from typing import Any, Final, Literal

from musebench_tasks.base.conditions import Condition, Modality
from musebench_tasks.base.records.base import Record, canonical_json
from musebench_tasks.base.records.enums import Kind
from musebench_tasks.base.records.items import MediaSource
from musebench_tasks.base.records.options import LETTERS, Option

AudioRoute = Literal["native", "transcript", "none"]
"""How a model gets the sound: itself, as words, or not at all."""
NATIVE: Final = "native"
TRANSCRIPT: Final = "transcript"
NO_ROUTE: Final = "none"


class Limits(Record):
    """What a model can take. None = no limit of its own."""

    modalities: frozenset[Modality] = frozenset()
    max_frames: int | None = None
    max_audio_s: float | None = None
    sample_rate: int | None = None
    """Hz that the model wants its audio in; None = any."""


class FramePolicy(Record):
    """Which frames of a window stand for it, where they are not spread evenly (MB-59)."""

    name: Literal["keyframes", "scene_changes", "query"]
    threshold: float | None = None
    """Share of the picture that a cut must change (scene_changes)."""
    scorer: str | None = None
    """`python:FILE_OR_MODULE:FUNCTION` or `transformers:ID_OR_DIR`: what tells how well a frame fits a text (query)."""
    scorer_revision: str | None = None
    """What tells two versions of the scorer apart, wherever it lies."""
    text: str | None = None
    """What frames are chosen by: the question's words, never its options (query)."""


class Chunks(Record):
    """How sound is cut into parts that follow one another, for models that take no more at once."""

    seconds: float
    """Of each part; the last may be shorter."""
    overlap_s: float = 0.0
    """Seconds of a part that the next one repeats."""


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
    """Seed of what a condition leaves to chance."""
    frame_policy: FramePolicy | None = None
    """How frames are chosen (video); None = spread evenly."""
    chunks: Chunks | None = None
    """The parts that the sound comes in (audio); None = one."""

    @property
    def identity(self) -> str:
        """All that can change what a model gets, as canonical JSON; content by its hash, never by where it lies."""
        content = self.model_copy(update={"source": MediaSource(path=self.source.content)}).model_dump(mode="json")
        del content["source"]["declared"]
        if self.frame_policy is not None:
            del content["frame_policy"]["scorer"]
        # What is not asked for is not named, so that answers from before it could be asked for still serve.
        unasked = [name for name in ("frame_policy", "chunks") if content[name] is None]
        return canonical_json({name: value for name, value in content.items() if name not in unasked})


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
    audio_route: AudioRoute = "none"
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
