"""Periodicity of a curve: its autocorrelation at any lag in seconds, or on an axis on which multiples are steps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft, ndimage

MAX_LAG_S = 40.0
MIN_OVERLAP = 0.25
"""Share of the curve that must still overlap itself at the longest lag used."""

STEPS_PER_OCTAVE = 53
"""With 53 steps an octave, lags 3 times as long are 84.003 steps away and 5 times as long 123.06."""
SHORTEST_LAG_S = 0.055
LAGS_S = SHORTEST_LAG_S * 2 ** (np.arange(418) / STEPS_PER_OCTAVE)
"""Seconds of each step: 0.055 to 12.9."""
WINDOW_S, WINDOW_STEP_S = 24.0, 12.0
"""Players drift: periodicity is taken within windows and averaged over them."""
WINDOW_OVERLAP = 0.2
READINGS_PER_STEP = 8
HALVED_LAG_SHARE = 0.9
"""What a lag that the audio is too short for is worth, as a share of the lag half as long."""


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
        """Values at lags in seconds by linear interpolation; 0 beyond the longest."""
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
    """Unbiased autocorrelation (each lag divided by its overlap), or None of a constant or empty curve."""
    lags = min(int(MAX_LAG_S * rate), int(len(curve) * (1 - MIN_OVERLAP)))
    values = _unbiased(np.asarray(curve, np.float64), lags) if lags >= 2 else None
    return None if values is None else Autocorrelation(values, rate)


def repetition(curve: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """How well a curve repeats at each of `LAGS_S`: the highest autocorrelation within about a step, window by window.

    1 is perfect, 0 is chance. Lags that the audio is too short for take their value from half the lag.
    """
    length = min(len(curve), int(WINDOW_S * rate))
    lags = int((1 - WINDOW_OVERLAP) * length)
    windows = [_unbiased(curve[start : start + length], lags) for start in _window_starts(len(curve), length, rate)]
    heard = [values for values in windows if values is not None]
    if not heard:
        return np.zeros(len(LAGS_S))
    inside = int(np.searchsorted(LAGS_S, (lags - 1) / rate))
    found = np.zeros(len(LAGS_S))
    found[:inside] = np.mean([_read(values, rate, inside) for values in heard], axis=0)
    for step in range(max(inside, STEPS_PER_OCTAVE), len(LAGS_S)):
        found[step] = HALVED_LAG_SHARE * found[step - STEPS_PER_OCTAVE]
    return found


def _window_starts(frames: int, length: int, rate: float) -> list[int]:
    starts = list(range(0, frames - length + 1, int(WINDOW_STEP_S * rate)))
    return starts if starts[-1] + length == frames else [*starts, frames - length]


def _read(values: NDArray[np.float64], rate: float, steps: int) -> NDArray[np.float64]:
    """The highest value around each of the first `steps` lags."""
    offsets = (np.arange(steps * READINGS_PER_STEP) - READINGS_PER_STEP // 2 + 0.5) / READINGS_PER_STEP
    fine = SHORTEST_LAG_S * 2 ** (offsets / STEPS_PER_OCTAVE)
    readings = np.interp(fine * rate, np.arange(len(values)), values)
    return np.asarray(ndimage.maximum_filter1d(readings.reshape(steps, READINGS_PER_STEP).max(axis=1), 3))


def _unbiased(curve: NDArray[np.float64], lags: int) -> NDArray[np.float64] | None:
    """Autocorrelation at lags 0 to `lags`, each divided by its overlap, as a share of that at 0."""
    frames = len(curve)
    centred = curve - curve.mean()
    size = fft.next_fast_len(frames + lags + 1, real=True)
    sums = fft.irfft(np.abs(fft.rfft(centred, size)) ** 2, size)[: lags + 1]
    values = sums / (frames - np.arange(lags + 1))
    return values / values[0] if values[0] > 1e-12 else None


def _vertex(left: float, middle: float, right: float) -> float:
    """Offset, within half a frame, of the top of the parabola through three neighbours."""
    curvature = left - 2 * middle + right
    return 0.0 if curvature >= 0 else float(np.clip(0.5 * (left - right) / curvature, -0.5, 0.5))
