"""What a condition makes of frames and sound, the same on every machine: all chance comes from the medium's content.

`noise`: white Gaussian noise of the sound's length and rate at -20 dBFS RMS (HQ-14); `silence`: zeros;
`frozen_frame`: the middle frame at every time; `shuffled_frames`: the same frames in another order at the same times.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.records import Condition

NOISE_RMS = 0.1
"""-20 dBFS with full scale 1."""


def content_seed(content: str, seed: int) -> int:
    """A seed that follows from what names the content (a hash, a window) and the protocol's seed."""
    return int.from_bytes(hashlib.sha256(f"{content}|{seed}".encode()).digest()[:8], "big")


def conditioned_audio(samples: NDArray[np.float32], condition: Condition, seed: int) -> NDArray[np.float32]:
    """The sound that a model gets under `condition`: same length, same rate."""
    if condition is Condition.SILENCE:
        return np.zeros_like(samples)
    if condition is Condition.NOISE:
        noise = np.random.default_rng(seed).standard_normal(len(samples))
        return np.asarray(noise * (NOISE_RMS / np.sqrt(np.mean(noise**2))), dtype=np.float32)
    return samples


def frame_order(count: int, condition: Condition, seed: int) -> NDArray[np.int64]:
    """Which frame stands at each of `count` times under `condition`."""
    order = np.arange(count, dtype=np.int64)
    if condition is Condition.FROZEN_FRAME:
        return np.full(count, count // 2, dtype=np.int64)
    if condition is Condition.SHUFFLED_FRAMES:
        shuffled = np.random.default_rng(seed).permutation(order)
        return np.roll(order, 1) if np.array_equal(shuffled, order) else shuffled
    return order
