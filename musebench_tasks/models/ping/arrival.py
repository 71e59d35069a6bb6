"""The probe clip: a number in each picture, a beep in each second, drawn and encoded here.

Numbers are drawn by lot, so that none can be guessed from another. One picture a second, so that the first N pictures
and the first N seconds of sound belong together.
"""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from musebench_tasks.models.ping.findings import Ladder, PingCode, Shape, State
from musebench_tasks.models.ping.wire import SAMPLE_RATE, places_told

HEIGHT, WIDTH = 336, 448
"""Multiples of 28 and 16, the patches of common encoders: no encoder needs to round."""
CELL_WIDTH, MARGIN = 128, 32
FONT_SIZE = 220
INK, PAPER = (255, 255, 255), (16, 24, 48)
LOWEST, HIGHEST = 100, 999
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


NEARLY_ALL = 0.95
"""A model that tells so much of it got it all, and misread the rest."""


class Verdict(NamedTuple):
    """A state, the words for it, and the problem to give advice about."""

    state: State
    told: str
    problem: PingCode | None = None


class Arrival:
    """A row of growing amounts in words: pictures with numbers, or seconds with beeps."""

    def __init__(self, ladder: Ladder, places: Sequence[int] | None = None) -> None:
        self.ladder = ladder
        self.places = places
        """Which numbers were read; None for sound, where only their count is told."""

    def verdict(self) -> Verdict:
        """What arrives, in one sentence."""
        growth, whole = self.ladder.growth, self._is_whole()
        if growth.shape is Shape.EVEN:
            return self._even()
        if growth.shape in (Shape.CAPPED, Shape.FALLING):
            return self._smaller() if whole else self._fewer(growth.arrived)
        if whole:
            return Verdict(State.OK, f"all {self._amount} arrive: {self._read()}{self._uncounted()}")
        if growth.shape is Shape.ABSENT and not self.ladder.seen:
            return Verdict(
                State.WARN,
                f"nothing arrives: prompts have as many tokens with {self._amount} as without, {self._read()}",
                self._nothing,
            )
        if self._is_sound and growth.shape is not Shape.ABSENT:
            return Verdict(
                State.NOTE, f"it cannot be told how much of {self._amount} arrives: {self._read()}{self._uncounted()}"
            )
        if growth.shape is Shape.CONSTANT or self.ladder.seen:
            return self._fewer(self.ladder.seen or 1)
        return Verdict(State.NOTE, f"it cannot be told how many of {self._amount} arrive: {self._read()}")

    @property
    def _is_sound(self) -> bool:
        return self.ladder.unit == "seconds"

    @property
    def _amount(self) -> str:
        return f"{self.ladder.sent} s" if self._is_sound else f"{self.ladder.sent} pictures"

    @property
    def _nothing(self) -> PingCode:
        return PingCode.NO_SOUND if self._is_sound else PingCode.NO_PICTURES

    def _is_whole(self) -> bool:
        seen, sent = self.ladder.seen, self.ladder.sent
        return seen is not None and abs(seen - sent) <= sent * (1 - NEARLY_ALL)

    def _each(self) -> str:
        return f"{self.ladder.growth.per_unit or 0:.4g} tokens {'a second' if self._is_sound else 'each'}"

    def _read(self) -> str:
        seen, sent = self.ladder.seen, self.ladder.sent
        if self._is_sound:
            return "no beeps counted" if seen is None else f"{seen} of {sent} beeps counted"
        return f"{places_told(self.places or (), sent)} read" if seen else "none read"

    def _uncounted(self) -> str:
        shape = self.ladder.growth.shape
        if shape is Shape.UNTOLD:
            is_counted = any(point.tokens is not None for point in self.ladder.points)
            return "; too few to tell by tokens" if is_counted else "; the server counts no tokens"
        if shape is Shape.ABSENT:
            return "; the server counts no tokens for them"
        return "; its tokens are counted in large pieces" if shape in (Shape.CONSTANT, Shape.STEPPED) else ""

    def _even(self) -> Verdict:
        told = f"all {self._amount} arrive: {self._each()}, {self._read()}"
        seen = self.ladder.seen
        if seen is None or self._is_whole() or (not self._is_sound and seen * 2 >= self.ladder.sent):
            return Verdict(State.OK, told)
        if self._is_sound:
            return self._heard_in_part(told, seen)
        return Verdict(State.NOTE, f"{told}: the model cannot read them, or sees others")

    def _heard_in_part(self, told: str, seen: int) -> Verdict:
        """Tokens for all, and fewer beeps: a cut where fewer seconds are counted right up to the same number."""
        right = [amount for amount, count in self.ladder.counts.items() if count == amount]
        same = [amount for amount, count in self.ladder.counts.items() if count == seen and amount >= seen]
        if seen and right and same and max(right) <= seen <= min(same):
            told = f"{told}, and as many in {min(same)} s: sound is cut before the model hears it"
            return Verdict(State.WARN, told, PingCode.SHORTER_SOUND)
        return Verdict(State.NOTE if seen == 0 else State.OK, told)

    def _smaller(self) -> Verdict:
        until, points = self.ladder.growth.even_until, self.ladder.points
        first = points[0].tokens or 0
        each = ((points[-1].tokens or 0) - first) / self.ladder.sent
        told = (
            f"all {self._amount} arrive, but with fewer tokens: {self._each()} up to {until}, {each:.4g} at "
            f"{self.ladder.sent}; {self._read()}"
        )
        if self._is_sound:
            return Verdict(State.NOTE, told)
        return Verdict(State.WARN, told, PingCode.SMALLER_PICTURES)

    def _fewer(self, arrived: int | None) -> Verdict:
        growth, seen = self.ladder.growth, self.ladder.seen
        count = arrived if arrived is not None else seen
        until = f"tokens grow evenly up to {growth.even_until}, then less" if growth.even_until else ""
        if growth.shape is Shape.CONSTANT:
            until = "as many tokens for one as for all"
        told = "; ".join(text for text in (until, self._read()) if text)
        problem = PingCode.SHORTER_SOUND if self._is_sound else PingCode.FEWER_PICTURES
        left = "s" if self._is_sound else ""
        return Verdict(
            State.WARN, f"of {self._amount} about {count}{f' {left}' if left else ''} arrive: {told}", problem
        )
