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
LEVEL_RMS = 0.1
"""Every recording is analysed at this level, so that its own does not matter."""
ZERO_CROSSINGS = 7
"""Of the low-pass filter on each side; it is down by 50 dB a tenth of the rate above its edge."""
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
    up, down = ANALYSIS_RATE // common, sample_rate // common
    window: Any = _low_pass(max(up, down))
    resampled = signal.resample_poly(mono, up, down, window=window)
    return np.asarray(resampled, dtype=np.float32)


def is_silent(mono: Curve) -> bool:
    """Whether there is nothing to hear: no samples, or a level below `SILENCE_RMS`."""
    return mono.size == 0 or float(np.std(mono, dtype=np.float64)) < SILENCE_RMS


def at_common_level(mono: Curve) -> Curve:
    """`mono` at the level `LEVEL_RMS`; silence stays as it is."""
    rms = float(np.sqrt(np.mean(mono.astype(np.float64) ** 2))) if mono.size else 0.0
    return mono if rms == 0 else np.asarray(mono * np.float32(LEVEL_RMS / rms), dtype=np.float32)


def magnitudes(mono: Curve, size: int, hop: int, bins: slice = slice(None)) -> Iterator[Curve]:
    """|S| of Hann-windowed frames that lie wholly inside the signal, in blocks (frames, bins)."""
    if mono.size < size:
        return
    window = signal.get_window("hann", size).astype(np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(mono, size)[::hop]
    block = max(1, _BLOCK_VALUES // size)
    for start in range(0, len(frames), block):
        yield np.abs(fft.rfft(frames[start : start + block] * window, axis=1)[:, bins])


def log_spectra(mono: Curve, size: int, hop: int, *, gain: float = 1.0, bins: slice = slice(None)) -> Iterator[Curve]:
    """log(1 + gain·|S|) of the same frames."""
    for block in magnitudes(mono, size, hop, bins):
        yield np.log1p(np.float32(gain) * block)


def bin_frequencies(size: int) -> NDArray[np.float64]:
    """Centre frequency in Hz of each bin of a transform of `size` samples."""
    return np.asarray(fft.rfftfreq(size, 1 / ANALYSIS_RATE))


def _low_pass(ratio: int) -> Curve:
    """Kaiser-windowed sinc whose edge is a `ratio`-th of half the rate."""
    taps = signal.firwin(2 * ZERO_CROSSINGS * ratio + 1, 1 / ratio, window=("kaiser", 5.0))
    return np.asarray(taps, dtype=np.float32)


def _as_float(samples: NDArray[Any]) -> Curve:
    if np.issubdtype(samples.dtype, np.integer):
        limits = np.iinfo(samples.dtype)
        half = (float(limits.max) - limits.min + 1) / 2
        return np.asarray((samples - (limits.min + half)) / half, dtype=np.float32)
    floats = np.asarray(samples, dtype=np.float32)
    finite = bool(np.isfinite(np.sum(floats, dtype=np.float64)))
    return floats if finite else np.nan_to_num(floats, nan=0.0, posinf=0.0, neginf=0.0)
