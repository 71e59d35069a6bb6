"""A media group without files: what a model sees of one, held in memory."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from musebench_tasks.base.records import Condition, Generation, Kind, Modality, Received, Request


@dataclass(frozen=True)
class FakeAudio:
    samples: np.ndarray
    sample_rate: int
    duration_s: float
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class FakeFrames:
    pixels: np.ndarray
    times_s: np.ndarray
    available: int
    policy: str = "even"
    flags: tuple[str, ...] = ()


@dataclass
class FakeGroup:
    """The methods of `media.MediaGroup` that models use; counts how often each stream is decoded."""

    requests: tuple[Request, ...]
    sound: FakeAudio | None = None
    picture: FakeFrames | None = None
    decoded: dict[str, int] = field(default_factory=dict)
    planned: tuple[Request, ...] = ()
    chunk_samples: int | None = None
    """Samples of a part of the sound; None = one part."""

    def __post_init__(self) -> None:
        self.planned = self.planned or self.requests

    def has(self, modality: Modality) -> bool:
        return (self.sound if modality is Modality.AUDIO else self.picture) is not None

    def audio(self, sample_rate: int | None = None) -> FakeAudio:
        assert self.sound is not None
        assert sample_rate in (None, self.sound.sample_rate)
        self.decoded["audio"] = self.decoded.get("audio", 0) + 1
        return self.sound

    def audio_parts(self, sample_rate: int | None = None) -> list[FakeAudio]:
        whole = self.audio(sample_rate)
        size = self.chunk_samples or len(whole.samples)
        cuts = [whole.samples[at : at + size] for at in range(0, len(whole.samples), size)]
        return [sound(cut, whole.sample_rate) for cut in cuts]

    def frames(self) -> FakeFrames:
        assert self.picture is not None
        self.decoded["video"] = self.decoded.get("video", 0) + 1
        return self.picture

    def received(self) -> Received:
        received = Received(audio_route="native" if self.sound else "none")
        if "audio" in self.decoded:
            received = received.model_copy(update={"audio_s": self.sound.duration_s})
        if "video" in self.decoded:
            used = {"frames_available": self.picture.available, "frames_used": len(self.picture.pixels)}
            received = received.model_copy(update={**used, "frame_policy": self.picture.policy})
        return received


def sound(samples: np.ndarray, sample_rate: int) -> FakeAudio:
    return FakeAudio(samples, sample_rate, len(samples) / sample_rate)


def picture(frames: int, seconds: float, height: int = 56, width: int = 84, seed: int = 0) -> FakeFrames:
    pixels = np.random.default_rng(seed).integers(0, 256, (frames, height, width, 3), dtype=np.uint8)
    return FakeFrames(pixels, np.arange(frames) * seconds / frames, available=int(seconds))


def make_request(number: int = 0, prompt: str = "Which one?", **details: Any) -> Request:
    fields = {
        "kind": Kind.MUSIC,
        "condition": Condition.FULL,
        "run": 0,
        "generation": Generation(max_tokens=4),
        "key": f"{number:064x}",
    } | details
    return Request(item_id=f"item-{number}", prompt=prompt, **fields)


def with_prompt(request: Request, prompt: str) -> Request:
    return request.model_copy(update={"prompt": prompt})


__all__ = ["FakeGroup", "make_request", "picture", "replace", "sound", "with_prompt"]
