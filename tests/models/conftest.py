from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from fakes.openai_server import FakeOpenAIServer

from musebench_tasks.base.records import (
    Condition,
    Generation,
    Kind,
    MediaPart,
    MediaSource,
    Modality,
    Received,
    Request,
    make_options,
    request_key,
)


@dataclass
class FakeSignal:
    samples: np.ndarray
    sample_rate: int
    duration_s: float
    flags: tuple = ()


@dataclass
class FakeFrames:
    pixels: np.ndarray
    times_s: np.ndarray
    available: int = 9
    policy: str = "uniform"
    flags: tuple = ()


@dataclass
class FakeGroup:
    """Stands for media.MediaGroup: two frames and half a second of sound, and a note of what was decoded."""

    requests: tuple
    modalities: frozenset = frozenset(Modality)
    folder: Path | None = None
    error: Exception | None = None
    decoded: list = field(default_factory=list)

    def has(self, modality):
        return modality in self.modalities

    def audio(self, sample_rate=None):
        self.decoded.append("audio")
        if self.error:
            raise self.error
        times = np.arange(8000) / 16_000
        return FakeSignal(np.sin(2 * np.pi * 440 * times).astype(np.float32), sample_rate or 16_000, 0.5)

    def audio_parts(self, sample_rate=None):
        return [self.audio(sample_rate)]

    def frames(self):
        self.decoded.append("frames")
        if self.error:
            raise self.error
        return FakeFrames(np.full((2, 8, 12, 3), [[[[10]]], [[[200]]]], dtype=np.uint8), np.array([0.0, 1.0]))

    def clip(self):
        self.decoded.append("clip")
        path = self.folder / "clip.mp4"
        path.write_bytes(b"masked clip")
        return path

    def received(self):
        heard, route = "audio" in self.decoded, self.requests[0].audio_route
        return Received(
            frames_available=9 if "frames" in self.decoded else None,
            frames_used=2 if "frames" in self.decoded else None,
            frame_policy="uniform" if "frames" in self.decoded else None,
            audio_route="native" if heard else ("none" if route == "native" else route),
            audio_s=0.5 if heard else None,
        )


@pytest.fixture
def make_request():
    def make(
        item_id="item-1",
        kind=Kind.SINGLE,
        texts=("Violin", "Trumpet", "Oboe", "Harp"),
        run=0,
        condition=Condition.FULL,
        prompt="Which instrument leads?\nA. Violin\nB. Trumpet\nC. Oboe\nD. Harp",
        sha256="ab" * 32,
        **more,
    ):
        options = () if kind is Kind.MUSIC else make_options(item_id, texts)
        source = MediaSource(path=f"/data/secret-name-{item_id}.mp4", sha256=sha256)
        values = {
            "fields": ("tempo", "key", "time_signature", "segments") if kind is Kind.MUSIC else (),
            "parts": tuple(MediaPart(modality=each, source=source, start_s=3.0, end_s=33.0) for each in Modality),
            "audio_route": "native",
            "question": None if kind is Kind.MUSIC else "Which instrument leads?",
            "generation": Generation(max_tokens=16),
            "media_s": 30.0,
            **more,
        }
        return Request(
            item_id=item_id,
            run=run,
            condition=condition,
            kind=kind,
            options=options,
            option_order=tuple(option.id for option in options) or None,
            prompt=prompt,
            key=request_key({"item": item_id, "run": run, "condition": condition, "prompt": prompt}),
            **values,
        )

    return make


@pytest.fixture
def make_group(tmp_path):
    def make(*requests, **more):
        return FakeGroup(requests, folder=tmp_path, **more)

    return make


@pytest.fixture
def server():
    with FakeOpenAIServer() as running:
        yield running
