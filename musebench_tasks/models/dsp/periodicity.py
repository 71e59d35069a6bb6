"""Periodicity of a curve: its autocorrelation, read at any lag in seconds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft

MAX_LAG_S = 16.0
MIN_OVERLAP = 0.25
"""Share of the curve that must still overlap itself at the longest lag used."""


@dataclass(frozen=True)
class Autocorrelation:
    """Autocorrelation of a curve of `rate` frames a second; `values[0]` is 1."""

    values: NDArray[np.float64]
    rate: float

    @property
    def max_lag_s(self) -> float:
        """Longest lag that can be read, in seconds."""
        return (len(self.values) - 1) / self.rate

    def at(self, lags_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values at `lags_s`, linear between frames; 0 beyond the longest lag."""
        return np.interp(lags_s * self.rate, np.arange(len(self.values)), self.values, right=0.0)

    def at_one(self, lag_s: float) -> float:
        """The value at one lag."""
        return float(self.at(np.array([lag_s]))[0])

    def peak_near(self, lag_s: float, tolerance: float) -> float:
        """Lag in seconds of the highest value within ±`tolerance` (a share of `lag_s`), refined by a parabola."""
        low = max(1, int(np.ceil(lag_s * (1 - tolerance) * self.rate)))
        high = min(len(self.values) - 2, int(lag_s * (1 + tolerance) * self.rate))
        if high < low:
            return lag_s
        best = low + int(np.argmax(self.values[low : high + 1]))
        return (best + _vertex(*self.values[best - 1 : best + 2])) / self.rate


def autocorrelation(curve: NDArray[np.floating], rate: float) -> Autocorrelation | None:
    """Unbiased autocorrelation (each lag divided by its overlap) up to 16 s, or None of a constant or empty curve."""
    frames = len(curve)
    lags = min(int(MAX_LAG_S * rate), int(frames * (1 - MIN_OVERLAP)))
    if lags < 2:
        return None
    centred = curve - np.mean(curve, dtype=np.float64)
    size = fft.next_fast_len(frames + lags + 1, real=True)
    power = np.abs(fft.rfft(centred, size)) ** 2
    sums = fft.irfft(power, size)[: lags + 1]
    values = sums / (frames - np.arange(lags + 1))
    if values[0] <= 0:
        return None
    return Autocorrelation(values / values[0], rate)


def _vertex(left: float, middle: float, right: float) -> float:
    """Offset, within half a frame, of the top of the parabola through three neighbours."""
    curvature = left - 2 * middle + right
    return 0.0 if curvature >= 0 else float(np.clip(0.5 * (left - right) / curvature, -0.5, 0.5))
