"""Metre: which multiple of the beat does the music repeat at? (music_metrics.md 10, step 5)"""

import numpy as np

from musebench_tasks.models.dsp.key import chromagram
from musebench_tasks.models.dsp.periodicity import Autocorrelation, autocorrelation
from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve
from musebench_tasks.models.dsp.tempo import Onsets

NOVELTY_HOP = 440
NOVELTY_SPAN = 6
"""Frames before and after which are compared."""
NOVELTY_WEIGHT = 1.5
LONGEST_S = 15.5
BEATS_IN_BAR = (2, 3, 4)


def time_signature(mono: Curve, onsets: Onsets, bpm: float) -> str:
    """The metre, given the tempo: compound if the beat divides by three, triple if three beats repeat best."""
    beat_s = 60 / bpm
    harmony = harmonic_periodicity(mono)
    strength = {beats: _repetition(onsets, harmony, beats * beat_s) for beats in BEATS_IN_BAR}
    triple = strength[3] > max(strength[2], strength[4])
    if divides_by_three(onsets.full, beat_s):
        return "9/8" if triple else "6/8"
    return "3/4" if triple else "4/4"


def divides_by_three(periodicity: Autocorrelation, beat_s: float) -> bool:
    """Whether onsets repeat better at thirds of the beat than at halves."""
    thirds = (periodicity.at_one(beat_s / 3) + periodicity.at_one(2 * beat_s / 3)) / 2
    return thirds > periodicity.at_one(beat_s / 2)


def harmonic_periodicity(mono: Curve) -> Autocorrelation | None:
    """Autocorrelation of how much the pitch classes change from moment to moment."""
    chroma = chromagram(mono, NOVELTY_HOP)
    if len(chroma) <= 2 * NOVELTY_SPAN:
        return None
    unit = chroma / np.maximum(np.linalg.norm(chroma, axis=1, keepdims=True), 1e-9)
    novelty = 1 - np.sum(unit[: -2 * NOVELTY_SPAN] * unit[2 * NOVELTY_SPAN :], axis=1)
    return autocorrelation(novelty, ANALYSIS_RATE / NOVELTY_HOP)


def _repetition(onsets: Onsets, harmony: Autocorrelation | None, lag_s: float) -> float:
    """Mean, over one and two bars of `lag_s`, of the three periodicities together."""
    lags = [multiple * lag_s for multiple in (1, 2) if multiple * lag_s < min(LONGEST_S, onsets.full.max_lag_s)]
    if not lags:
        return 0.0
    return float(np.mean([_evidence(onsets, harmony, lag) for lag in lags]))


def _evidence(onsets: Onsets, harmony: Autocorrelation | None, lag_s: float) -> float:
    low = onsets.low.at_one(lag_s) if onsets.low else 0.0
    change = harmony.at_one(lag_s) if harmony else 0.0
    return onsets.full.at_one(lag_s) + low + NOVELTY_WEIGHT * change
