"""What a scene is: a name, a category, and a way to render its pictures and its sound."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]
Frame = npt.NDArray[np.uint8]

WIDTH, HEIGHT = 480, 272
"""Pixels: whole blocks of 16, as the encoder asks."""
SAMPLE_RATE = 32_000


@dataclass(frozen=True)
class RenderedScene:
    """Pictures (HxWx3) one by one, and the whole sound (mono, -1 to 1)."""

    frames: Iterator[Frame]
    frame_rate: int
    width: int
    height: int
    samples: Samples
    sample_rate: int


@dataclass(frozen=True)
class Scene:
    """A clip drawn by this package: `picture` gives the frame at a time in seconds, `sound` the whole track."""

    name: str
    category: str
    """"Stage Performing" or "Game"."""
    duration_s: float
    frame_rate: int
    picture: Callable[[float], Frame]
    sound: Callable[[], Samples]

    @property
    def frame_count(self) -> int:
        """Frames of the whole clip."""
        return round(self.duration_s * self.frame_rate)

    def frames(self) -> Iterator[Frame]:
        """All frames in order, each drawn when it is asked for."""
        return (self.picture(index / self.frame_rate) for index in range(self.frame_count))

    def render(self) -> RenderedScene:
        """The clip: same code, same pictures and samples."""
        return RenderedScene(self.frames(), self.frame_rate, WIDTH, HEIGHT, self.sound(), SAMPLE_RATE)
