"""Films and questions that the engine is measured on: made on the spot, the same every time."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from musebench_tasks.base.records import Item, Kind, MediaSource, make_options

SECONDS, RATE, SIZE = 60, 25, (320, 240)
SOUND_RATE = 44_100
OPTIONS = ("violin", "piano", "trumpet", "guitar")
QUESTION = "Listen to the audio and watch the video. Which of these options is right? The answer is {letter} {number}"
"""Of words that the tiny models' tokenizer knows, so that a question has about as many tokens as with a real one."""


def write_film(path: Path, seconds: float = SECONDS, seed: int = 0, *, sound: bool = True, size: Any = SIZE) -> Path:
    """A film of moving colours with a melody."""
    width, height = size
    draw = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:height, 0:width]
    grain = draw.integers(0, 40, (height, width, 3))
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", rate=RATE, options={"preset": "veryfast", "crf": "23"})
        video.width, video.height, video.pix_fmt = width, height, "yuv420p"
        track = container.add_stream("aac", rate=SOUND_RATE, layout="stereo") if sound else None
        for number in range(round(seconds * RATE)):
            wave = np.stack([rows + 3 * number, columns + 2 * number, rows + columns - number], axis=-1) % 200
            frame = av.VideoFrame.from_ndarray((wave + grain).astype(np.uint8), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        if track is not None:
            write_sound(container, track, seconds)
    return path


def write_sound(container: Any, track: Any, seconds: float) -> None:
    times = np.arange(round(seconds * SOUND_RATE)) / SOUND_RATE
    notes = 220 * 2 ** ((np.arange(round(seconds * 2)) * 7 % 12) / 12)
    tone = 0.4 * np.sin(2 * np.pi * np.cumsum(notes[np.minimum((times * 2).astype(int), len(notes) - 1)]) / SOUND_RATE)
    for start in range(0, len(tone), 1024):
        both = np.stack([tone[start : start + 1024]] * 2).astype(np.float32)
        frame = av.AudioFrame.from_ndarray(both, format="fltp", layout="stereo")
        frame.sample_rate, frame.pts = SOUND_RATE, start
        container.mux(track.encode(frame))
    container.mux(track.encode(None))


def questions(film: Path, count: int, seconds: float = SECONDS) -> list[Item]:
    """`count` single-select questions about a whole film."""
    source = MediaSource(path=str(film), sha256=hashlib.sha256(film.read_bytes()).hexdigest())
    return [
        Item(
            id=f"q{number}",
            benchmark="engine",
            kind=Kind.SINGLE,
            media=source,
            start_s=0.0,
            end_s=seconds,
            question=QUESTION.format(letter="ABCDEFGH"[number % 8], number=number),
            options=make_options(f"q{number}", OPTIONS),
            cluster_id="film",
        )
        for number in range(count)
    ]
