"""What a condition makes of sound and frames, the same on every machine: all chance comes from the medium's content.

A function changes the stream for the condition that it is called after; which streams a condition changes is said by
its record (`base.conditions`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.records import Condition, Modality

Samples = NDArray[np.float32]
ChangeSound = Callable[[Samples, int], Samples]
"""Samples and a seed to as many samples at the same rate."""
OrderFrames = Callable[[int, int], NDArray[np.int64]]
"""A number of frames and a seed to the frame that stands at each of their times."""
SOUND_CHANGES: dict[str, ChangeSound] = {}
FRAME_ORDERS: dict[str, OrderFrames] = {}
NOISE_RMS = 0.1
"""-20 dBFS with full scale 1."""
_Change = TypeVar("_Change")


def changes_sound(function: ChangeSound) -> ChangeSound:
    """Register what the condition of the function's name makes of sound."""
    return SOUND_CHANGES.setdefault(function.__name__, function)


def orders_frames(function: OrderFrames) -> OrderFrames:
    """Register the order of frames under the condition of the function's name."""
    return FRAME_ORDERS.setdefault(function.__name__, function)


@changes_sound
def noise(samples: Samples, seed: int) -> Samples:
    """White Gaussian noise at -20 dBFS RMS (HQ-14)."""
    values = np.random.default_rng(seed).standard_normal(len(samples))
    return np.asarray(values * (NOISE_RMS / np.sqrt(np.mean(values**2))), dtype=np.float32)


@changes_sound
def silence(samples: Samples, seed: int) -> Samples:
    """Zeros."""
    return np.zeros_like(samples)


@orders_frames
def frozen_frame(count: int, seed: int) -> NDArray[np.int64]:
    """The middle frame at every time."""
    return np.full(count, count // 2, dtype=np.int64)


@orders_frames
def shuffled_frames(count: int, seed: int) -> NDArray[np.int64]:
    """The same frames in another order."""
    order = np.arange(count, dtype=np.int64)
    shuffled = np.random.default_rng(seed).permutation(order)
    return np.roll(order, 1) if np.array_equal(shuffled, order) else shuffled


def content_seed(content: str, seed: int) -> int:
    """A seed that follows from what names the content (a hash, a window) and the protocol's seed."""
    return int.from_bytes(hashlib.sha256(f"{content}|{seed}".encode()).digest()[:8], "big")


def conditioned_audio(samples: Samples, condition: Condition, seed: int) -> Samples:
    """The sound that a model gets under `condition`: same length, same rate."""
    if Modality.AUDIO not in condition.changes:
        return samples
    return _change_of(condition, SOUND_CHANGES, "sound")(samples, seed)


def frame_order(count: int, condition: Condition, seed: int) -> NDArray[np.int64]:
    """Which frame stands at each of `count` times under `condition`."""
    if Modality.VIDEO not in condition.changes:
        return np.arange(count, dtype=np.int64)
    return _change_of(condition, FRAME_ORDERS, "frames")(count, seed)


def _change_of(condition: Condition, changes: Mapping[str, _Change], stream: str) -> _Change:
    if condition not in changes:
        raise NotImplementedError(f"condition {condition} changes the {stream}, and no function here does so")
    return changes[condition]
