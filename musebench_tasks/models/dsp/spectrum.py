"""Spectra: any audio to one channel at 11,025 Hz, and from there to log magnitudes, frame after frame.

A recording of any length is worked on in blocks, so memory follows the curves and not the spectrograms.
"""

from collections.abc import Iterator
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft, signal

ANALYSIS_RATE = 11_025
"""Hz; every time below is counted at this rate."""
SILENCE_RMS = 1e-4
"""Full scale = 1; −80 dB below it nothing is analysed."""
_BLOCK_VALUES = 1 << 20

Curve = NDArray[np.float32]


def to_analysis_rate(samples: NDArray[Any], sample_rate: int) -> Curve:
    """One channel at `ANALYSIS_RATE`, without constant offset, by polyphase resampling.

    `samples` are (time,) or (time, channels); integers are scaled to ±1 by the range of their type.
    Values that are not finite count as 0.
    """
    mono = _as_float(samples)
    if mono.ndim == 2:
        mono = mono.mean(axis=1, dtype=np.float32)
    if mono.size == 0:
        return mono
    mono = mono - np.mean(mono, dtype=np.float64).astype(np.float32)
    if sample_rate == ANALYSIS_RATE:
        return mono
    common = gcd(sample_rate, ANALYSIS_RATE)
    resampled = signal.resample_poly(mono, ANALYSIS_RATE // common, sample_rate // common)
    return np.asarray(resampled, dtype=np.float32)


def is_silent(mono: Curve) -> bool:
    """Whether there is nothing to hear: no samples, or a level below `SILENCE_RMS`."""
    return mono.size == 0 or float(np.std(mono, dtype=np.float64)) < SILENCE_RMS


def log_spectra(mono: Curve, size: int, hop: int, *, gain: float = 1.0, bins: slice = slice(None)) -> Iterator[Curve]:
    """log(1 + gain·|S|) of Hann-windowed frames that lie wholly inside the signal, in blocks (frames, bins)."""
    if mono.size < size:
        return
    window = signal.get_window("hann", size).astype(np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(mono, size)[::hop]
    block = max(1, _BLOCK_VALUES // size)
    for start in range(0, len(frames), block):
        magnitudes = np.abs(fft.rfft(frames[start : start + block] * window, axis=1)[:, bins])
        yield np.log1p(np.float32(gain) * magnitudes)


def bin_frequencies(size: int) -> NDArray[np.float64]:
    """Centre frequency in Hz of each bin of a transform of `size` samples."""
    return np.asarray(fft.rfftfreq(size, 1 / ANALYSIS_RATE))


def _as_float(samples: NDArray[Any]) -> Curve:
    if np.issubdtype(samples.dtype, np.integer):
        limits = np.iinfo(samples.dtype)
        half = (float(limits.max) - limits.min + 1) / 2
        return np.asarray((samples - (limits.min + half)) / half, dtype=np.float32)
    return np.nan_to_num(samples.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
