"""Tempo: the beat that `pulse` finds, refined at many beats (music_metrics.md 10, step 3).

The tempo is read where 8, 16 and 32 beats lie, not where one does: an error of a frame is a small part of a frame a
beat, so there is no grid of possible tempi.
"""

from musebench_tasks.models.dsp.onsets import FRAME_RATE, above_local_mean, loudening, smoothed
from musebench_tasks.models.dsp.periodicity import Autocorrelation, autocorrelation
from musebench_tasks.models.dsp.pulse import ONSET_MEAN_S
from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve

SHORTEST_S = 4.0
"""Less audio than this holds too few beats for an answer."""
FIRST_TOLERANCE = 0.02
"""Share of the first lag within which its peak is sought; it halves as the lag doubles."""
FIRST_BEATS, LATER_BEATS = (1, 2, 4), (8, 16, 32)
STILL_REPEATS = 0.5
"""A longer lag counts only if it repeats at least this much as well as the one before: players drift apart."""


def long_enough(mono: Curve) -> bool:
    """Whether there is enough audio to hear a pulse in."""
    return len(mono) >= SHORTEST_S * ANALYSIS_RATE


def refine(onsets: Curve, bpm: float) -> float:
    """`bpm`, a percent or so off, corrected by the peaks of the autocorrelation at ever more beats."""
    curve = above_local_mean(smoothed(loudening(onsets)), FRAME_RATE, ONSET_MEAN_S)
    periodicity = autocorrelation(curve, FRAME_RATE)
    return bpm if periodicity is None else _follow(periodicity, 60 / bpm)


def _follow(periodicity: Autocorrelation, beat_s: float) -> float:
    """Beats a minute: from the peak near the longest of 1, 2 or 4 beats that fits, then from those near 8, 16, 32."""
    strength, tolerance = 0.0, FIRST_TOLERANCE
    first = max((beats for beats in FIRST_BEATS if _fits(periodicity, beats * beat_s)), default=0)
    for beats in (first, *LATER_BEATS) if first else ():
        if not _fits(periodicity, beats * beat_s):
            break
        peak_s = periodicity.peak_near(beats * beat_s, tolerance)
        height = periodicity.at_one(peak_s)
        if height <= STILL_REPEATS * strength:
            break
        beat_s, strength, tolerance = peak_s / beats, height, tolerance / 2
    return 60 / beat_s


def _fits(periodicity: Autocorrelation, lag_s: float) -> bool:
    return lag_s * (1 + FIRST_TOLERANCE) < periodicity.max_lag_s
