"""Frames with their times, and sound, whole or in parts that follow one another: what a model gets of a medium.

Parts are cut out of the whole after decoding and resampling, so that together they are the very samples of the whole
(MU-08).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.records import Chunks, MediaPart

SHORTEST_S = 1.0
"""A last part that would be shorter begins earlier, so that it is so long."""


@dataclass(frozen=True)
class FrameBatch:
    """Frames of a window, all of one size."""

    pixels: NDArray[np.uint8]
    """Frames x height x width x 3 (RGB)."""
    times_s: NDArray[np.float64]
    """When each is on display, in seconds from the window's start."""
    available: int
    """Frames that the window holds at the rate asked for."""
    policy: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class AudioSignal:
    """Mono sound of a window, full scale 1."""

    samples: NDArray[np.float32]
    sample_rate: int
    flags: tuple[str, ...] = ()

    @property
    def duration_s(self) -> float:
        """Seconds."""
        return len(self.samples) / self.sample_rate


def longest_s(part: MediaPart, model_limit_s: float | None) -> float | None:
    """Seconds of a part's sound that a model gets at most; what it takes at once bounds the chunks, where it gets such.

    None = unbounded.
    """
    bounds = (part.max_audio_s, None if part.chunks is not None else model_limit_s)
    return min((each for each in bounds if each is not None), default=None)


def in_chunks(signal: AudioSignal, chunks: Chunks | None) -> list[AudioSignal]:
    """The parts of `signal` in their order; one where it is no longer than a part."""
    count = len(signal.samples)
    size = count if chunks is None else max(1, int(chunks.seconds * signal.sample_rate))
    if chunks is None or count <= size:
        return [signal]
    step = max(1, size - round(chunks.overlap_s * signal.sample_rate))
    starts = [0]
    while starts[-1] + size < count:
        starts.append(starts[-1] + step)
    shortest = min(size, round(SHORTEST_S * signal.sample_rate))
    starts[-1] = min(starts[-1], count - shortest)
    return [AudioSignal(signal.samples[at : at + size], signal.sample_rate, signal.flags) for at in starts]
