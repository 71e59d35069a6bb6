"""What a model gets of a medium: frames with their times, and sound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
