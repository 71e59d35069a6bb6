"""The probe clip: a number in each picture, a beep in each second, drawn and encoded here.

Numbers are drawn by lot, so that none can be guessed from another. One picture a second, so that the first N pictures
and the first N seconds of sound belong together.
"""

from __future__ import annotations

import io
import random
from functools import cache
from typing import Any, NamedTuple

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

HEIGHT, WIDTH = 336, 448
"""Multiples of 28 and 16, the patches of common encoders: no encoder needs to round."""
CELL_WIDTH, MARGIN = 128, 32
FONT_SIZE = 220
INK, PAPER = (255, 255, 255), (16, 24, 48)
LOWEST, HIGHEST = 100, 999
SAMPLE_RATE = 16_000
BEEP_HZ, BEEP_S, FADE_S, LEVEL = 880.0, 0.15, 0.005, 0.5
_X264 = {"crf": "18", "preset": "ultrafast", "bf": "0"}


class Probe(NamedTuple):
    """What is sent: pictures and sound of which it is known what they hold."""

    numbers: tuple[int, ...]
    """One a picture, none twice."""
    frames: NDArray[np.uint8]
    """Pictures x HEIGHT x WIDTH x 3, one a second."""
    samples: NDArray[np.float32]
    """Mono at SAMPLE_RATE."""
    beeps: int

    @property
    def seconds(self) -> float:
        """Length of the sound."""
        return len(self.samples) / SAMPLE_RATE


def make_probe(seed: int, frames: int, seconds: int, *, beeps: int | None = None) -> Probe:
    """The probe of `seed`: as many pictures and seconds of sound as asked; a beep each second, or the first `beeps`."""
    numbers = tuple(random.Random(seed).sample(range(LOWEST, HIGHEST + 1), frames))
    pictures = [draw_number(number) for number in numbers] or [np.empty((0, HEIGHT, WIDTH, 3), np.uint8)]
    counted = seconds if beeps is None else beeps
    return Probe(numbers, np.stack(pictures) if numbers else pictures[0], beep_each_second(seconds, counted), counted)


def draw_number(number: int) -> NDArray[np.uint8]:
    """A picture of three large digits."""
    return np.concatenate([_blank(MARGIN), *(draw_digit(int(each)) for each in str(number)), _blank(MARGIN)], axis=1)


@cache
def draw_digit(digit: int) -> NDArray[np.uint8]:
    """One digit in the middle of a cell, HEIGHT x CELL_WIDTH x 3."""
    image = Image.new("RGB", (CELL_WIDTH, HEIGHT), PAPER)
    font = ImageFont.load_default(size=FONT_SIZE)
    ImageDraw.Draw(image).text((CELL_WIDTH / 2, HEIGHT / 2), str(digit), fill=INK, font=font, anchor="mm")
    return np.asarray(image, dtype=np.uint8)


def _blank(width: int) -> NDArray[np.uint8]:
    return np.full((HEIGHT, width, 3), PAPER, dtype=np.uint8)


def beep_each_second(seconds: int, beeps: int) -> NDArray[np.float32]:
    """`seconds` of silence with a beep at the beginning of each of the first `beeps`."""
    times = np.arange(round(BEEP_S * SAMPLE_RATE)) / SAMPLE_RATE
    edges = np.clip(np.minimum(times, BEEP_S - times) / FADE_S, 0.0, 1.0)
    beep = (LEVEL * edges * np.sin(2 * np.pi * BEEP_HZ * times)).astype(np.float32)
    samples = np.zeros(seconds * SAMPLE_RATE, dtype=np.float32)
    for second in range(beeps):
        samples[second * SAMPLE_RATE :][: len(beep)] = beep
    return samples


def encode_clip(
    frames: NDArray[np.uint8], samples: NDArray[np.float32] | None = None, *, frames_per_second: int = 1
) -> bytes:
    """An MP4 of H.264, and AAC where there is sound: every picture shown equally long."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        video: Any = container.add_stream("libx264", rate=frames_per_second, options=_X264)
        video.height, video.width, video.pix_fmt = HEIGHT, WIDTH, "yuv420p"
        audio: Any = None
        if samples is not None:
            audio = container.add_stream("aac", rate=SAMPLE_RATE, layout="mono", options={"b": "96k"})
        for pixels in frames:
            container.mux(video.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(video.encode(None))
        if audio is not None and samples is not None:
            sound = av.AudioFrame.from_ndarray(samples[None], format="fltp", layout="mono")
            sound.sample_rate, sound.pts = SAMPLE_RATE, 0
            container.mux(audio.encode(sound))
            container.mux(audio.encode(None))
    return buffer.getvalue()
