"""Tempo from the periodicity of onsets (music_metrics.md 10, steps 1 to 3).

The tempo is read where eight beats lie, not where one does: an error of a frame is an eighth of a frame a beat,
so there is no grid of possible tempi.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from musebench_tasks.models.dsp.periodicity import Autocorrelation, autocorrelation
from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve, bin_frequencies, log_spectra

FRAME_SIZE = 512
HOP = 110
LOG_GAIN = 100.0
FRAME_RATE = ANALYSIS_RATE / HOP
LOW_BAND_HZ = 180.0
MEAN_HALF_WIDTH_S = 0.5
SLOWEST_BPM, FASTEST_BPM, STEP_BPM = 40.0, 220.0, 0.1
PREFERRED_BPM = 110.0
PREFERENCE_OCTAVES = 0.9
DOTTED_BEATS, PLAIN_BEATS = (1.5, 4.5), (1.0, 2.0, 4.0, 5.0)
"""Multiples that are beats only if the true beat is one and a half times as long, or only if it is not."""
CLEAR_EXCESS = 0.15
"""Difference of mean autocorrelations that says one or the other."""
REFINE_BEATS = (8, 4, 2, 1)
REFINE_TOLERANCE = 0.02
SHORTEST_S = 4.0
"""Less audio than this holds too few beats for an answer."""
WEAKEST_ONSET = 5.0
"""Log magnitude, summed over bins, by which the strongest onset must rise."""


@dataclass(frozen=True)
class Onsets:
    """Autocorrelations of the onset strength: over all frequencies, and below 180 Hz (None without any)."""

    full: Autocorrelation
    low: Autocorrelation | None


def long_enough(mono: Curve) -> bool:
    """Whether there is enough audio to hear a pulse in."""
    return len(mono) >= SHORTEST_S * ANALYSIS_RATE


def onset_curves(mono: Curve) -> tuple[Curve, Curve]:
    """Positive change of log magnitude from frame to frame, summed over all bins and over those below 180 Hz."""
    low_bins = int(np.searchsorted(bin_frequencies(FRAME_SIZE), LOW_BAND_HZ))
    full: list[Curve] = []
    low: list[Curve] = []
    previous: Curve | None = None
    for block in log_spectra(mono, FRAME_SIZE, HOP, gain=LOG_GAIN):
        first = block[:1] if previous is None else previous
        rise = np.maximum(np.diff(block, axis=0, prepend=first), 0)
        full.append(rise.sum(axis=1))
        low.append(rise[:, :low_bins].sum(axis=1))
        previous = block[-1:]
    if not full:
        return np.zeros(0, np.float32), np.zeros(0, np.float32)
    return np.concatenate(full), np.concatenate(low)


def onset_periodicity(mono: Curve) -> Onsets | None:
    """The periodicity of onsets, or None where there is too little audio or nothing begins."""
    if not long_enough(mono):
        return None
    flux, low = onset_curves(mono)
    if flux.max(initial=0.0) < WEAKEST_ONSET:
        return None
    full = autocorrelation(_above_local_mean(flux), FRAME_RATE)
    return None if full is None else Onsets(full, autocorrelation(_above_local_mean(low), FRAME_RATE))


def tempo_bpm(onsets: Onsets) -> float:
    """Beats a minute: the highest salience on a fine grid, checked for 3:2, then refined at eight beats."""
    grid = np.arange(SLOWEST_BPM, FASTEST_BPM + STEP_BPM / 2, STEP_BPM)
    coarse = float(grid[int(np.argmax(salience(onsets, grid)))])
    return refine(onsets.full, without_dotted_error(onsets, coarse))


def salience(onsets: Onsets, bpm: NDArray[np.float64]) -> NDArray[np.float64]:
    """[Σ_{m=1..4} A(mT)/√m + ½ Σ_{m=1,2,4} L(mT)] · exp(−½ (log2(BPM/110)/0.9)²) with T = 60/BPM."""
    beat_s = 60 / bpm
    total = _weighted_mean(onsets.full, beat_s, {m: m**-0.5 for m in (1, 2, 3, 4)})
    if onsets.low is not None:
        total = total + _weighted_mean(onsets.low, beat_s, dict.fromkeys((1, 2, 4), 0.5))
    return total * np.exp(-0.5 * (np.log2(bpm / PREFERRED_BPM) / PREFERENCE_OCTAVES) ** 2)


def without_dotted_error(onsets: Onsets, bpm: float) -> float:
    """`bpm`, or two thirds or three halves of it where a 3:2 error shows (6/8 at 70 read as 105, 4/4 at 156 as 104)."""
    slower, faster = bpm * 2 / 3, bpm * 3 / 2
    if slower >= SLOWEST_BPM and _dotted_excess(onsets, bpm) > CLEAR_EXCESS:
        return slower
    if faster <= FASTEST_BPM and _dotted_excess(onsets, faster) < -CLEAR_EXCESS:
        return faster
    return bpm


def refine(periodicity: Autocorrelation, bpm: float) -> float:
    """`bpm` corrected by the peak within ±2 % of eight beats, or of as many of 4, 2, 1 as the audio holds."""
    beat_s = 60 / bpm
    for beats in REFINE_BEATS:
        lag_s = beats * beat_s
        if lag_s * (1 + REFINE_TOLERANCE) < periodicity.max_lag_s:
            return 60 * beats / periodicity.peak_near(lag_s, REFINE_TOLERANCE)
    return bpm


def _dotted_excess(onsets: Onsets, bpm: float) -> float:
    """How much better onsets repeat at dotted beats than at plain beats of `bpm`."""
    return _mean_repetition(onsets, DOTTED_BEATS, bpm) - _mean_repetition(onsets, PLAIN_BEATS, bpm)


def _mean_repetition(onsets: Onsets, beats: tuple[float, ...], bpm: float) -> float:
    lags_s = np.array(beats) * 60 / bpm
    low = onsets.low.at(lags_s) if onsets.low else 0.0
    return float(np.mean(onsets.full.at(lags_s) + low))


def _weighted_mean(
    periodicity: Autocorrelation, beat_s: NDArray[np.float64], weights: dict[int, float]
) -> NDArray[np.float64]:
    """Weighted sum over beat multiples; multiples longer than the audio allows hand their weight to the others."""
    values = np.zeros_like(beat_s)
    reached = np.zeros_like(beat_s)
    for multiple, weight in weights.items():
        inside = multiple * beat_s <= periodicity.max_lag_s
        values += weight * np.where(inside, periodicity.at(multiple * beat_s), 0.0)
        reached += weight * inside
    return values * sum(weights.values()) / np.maximum(reached, min(weights.values()))


def _above_local_mean(curve: Curve) -> Curve:
    width = 2 * round(MEAN_HALF_WIDTH_S * FRAME_RATE) + 1
    mean = ndimage.uniform_filter1d(curve, width, mode="nearest")
    return np.asarray(np.maximum(curve - mean, 0), dtype=np.float32)
