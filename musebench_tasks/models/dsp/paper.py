"""The paper's heuristic, as far as its text gives it (MU-13): one peak a question, the denominator always 4."""

import numpy as np

from musebench_tasks.models.dsp import key
from musebench_tasks.models.dsp.onsets import FRAME_RATE, anything_begins, loudening, onset_curves
from musebench_tasks.models.dsp.periodicity import Autocorrelation, autocorrelation
from musebench_tasks.models.dsp.spectrum import Curve
from musebench_tasks.models.dsp.tempo import long_enough
from musebench_tasks.values.key import PitchKey

SLOWEST_BPM, FASTEST_BPM = 40.0, 220.0
BEATS_IN_BAR = (2, 3, 4)


def flux_periodicity(mono: Curve) -> Autocorrelation | None:
    """Autocorrelation of the spectral flux, or None where there is too little audio or nothing begins."""
    if not long_enough(mono):
        return None
    curves = onset_curves(mono)
    return autocorrelation(loudening(curves), FRAME_RATE) if anything_begins(curves) else None


def strongest_tempo(periodicity: Autocorrelation) -> float:
    """Beats a minute at the highest autocorrelation between 40 and 220 BPM, in whole frames."""
    lags = np.arange(int(np.ceil(60 / FASTEST_BPM * periodicity.rate)), int(60 / SLOWEST_BPM * periodicity.rate) + 1)
    lags = lags[lags < len(periodicity.values)]
    best = lags[int(np.argmax(periodicity.values[lags]))]
    return float(60 * periodicity.rate / best)


def beats_in_bar(periodicity: Autocorrelation, bpm: float) -> str:
    """`n/4` for the multiple n of the beat at which the flux repeats best."""
    strengths = [periodicity.at_one(beats * 60 / bpm) for beats in BEATS_IN_BAR]
    return f"{BEATS_IN_BAR[int(np.argmax(strengths))]}/4"


def mean_chroma_key(mono: Curve) -> PitchKey | None:
    """The key whose profile correlates best with the mean chromagram, or None where there is too little audio."""
    return key.key_of_weights(key.chromagram(mono).mean(axis=0)) if long_enough(mono) else None
