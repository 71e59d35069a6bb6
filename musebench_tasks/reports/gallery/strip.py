"""An item's medium on paper: a few frames with their times, and the outline of the sound."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.records import Item, MediaPart, Modality, TaskConfig
from musebench_tasks.media import shared_cache
from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, shared_process
from musebench_tasks.media.fetch import Fetcher
from musebench_tasks.pages.numbers import seconds_text

N_FRAMES = 5
FRAMES_A_SECOND = 4.0
FRAME_PIXELS = 256 * 144
OUTLINE_RATE = 8000
OUTLINE_COLUMNS = 240
OUTLINE_HEIGHT = 40


@dataclass(frozen=True)
class Frame:
    """One frame: a data URL, and its time as text."""

    address: str
    time: str


@dataclass(frozen=True)
class Strip:
    """Frames and sound of a window; `outline` is an SVG path in a box of OUTLINE_COLUMNS x OUTLINE_HEIGHT."""

    frames: tuple[Frame, ...] = ()
    outline: str | None = None
    missing: str | None = None
    """Why the medium cannot be shown."""


def make_strip(task: TaskConfig, item: Item) -> Strip:
    """The strip of an item; what cannot be decoded is said instead of shown."""
    if item.media is None:
        return Strip()
    try:
        return Strip(
            frames=_frames(item) if Modality.VIDEO in task.modalities else (),
            outline=_outline(item) if Modality.AUDIO in task.modalities else None,
        )
    except MuseError as problem:
        return Strip(missing=str(problem))


def _fetcher() -> Fetcher:
    return Fetcher(shared_cache(), shared_process(), DEFAULT_TIMEOUT_S)


def _part(item: Item, modality: Modality) -> MediaPart:
    assert item.media is not None
    return MediaPart(
        modality=modality,
        source=item.media,
        start_s=item.start_s,
        end_s=item.end_s,
        fps=FRAMES_A_SECOND if modality is Modality.VIDEO else None,
        max_pixels=FRAME_PIXELS if modality is Modality.VIDEO else None,
    )


def _frames(item: Item) -> tuple[Frame, ...]:
    entry = _fetcher().frames(_part(item, Modality.VIDEO), N_FRAMES)
    return tuple(
        Frame(f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}", seconds_text(time))
        for jpeg, time in zip(entry.parts, entry.details["times_s"], strict=True)
    )


def _outline(item: Item) -> str:
    """The loudest moment of each column, mirrored about the middle, on a scale of decibels down to -48."""
    samples = np.abs(np.frombuffer(_fetcher().audio(_part(item, Modality.AUDIO), OUTLINE_RATE, None).parts[0], "<f4"))
    if not len(samples):
        return ""
    edges = np.linspace(0, len(samples), OUTLINE_COLUMNS + 1).astype(int)
    peaks = [float(samples[start : max(end, start + 1)].max()) for start, end in pairwise(edges)]
    loudness = np.clip(1 + 20 * np.log10(np.maximum(peaks, 1e-6)) / 48, 0, 1)
    middle = OUTLINE_HEIGHT / 2
    return "".join(
        f"M{column}.5 {middle - reach:.1f}V{middle + reach:.1f}"
        for column, reach in enumerate(np.maximum(loudness * (middle - 1), 0.5))
    )
