"""Pulse: which beat and which metre explain together what repeats.

Seven curves say when something begins: onsets in three bands, accents low and high, changes of harmony, notes that
enter below middle C. How well they repeat at parts (a sixth to three quarters) and multiples (up to eight) of a
supposed beat are the features of that beat. Each metre weighs them in its own way: 6/8 expects thirds of the beat and
bars of two, 4/4 halves and bars of four. That a third or an octave of the right beat repeats nearly as well is thus
known and weighed, where a salience curve with a preferred tempo mistakes 6/8 at 70 for 105 and 174 for 87.

The weights stand in weights.json. They are those of a conditional logit (the probability of a beat and metre is the
exponential of its weighted sum, as a share of that of all beats and metres), fitted with an L2 penalty by

    python -m benchmarks.dsp_training.fit --soundfont MuseScore_General_Lite.sf3 --recordings DIRECTORY --out FILE

on 2,148 pieces in no benchmark and 373 short crops of them: metronomes, drum loops straight and swung, chord
progressions and songs with timing errors and drift, dance tunes that no demo holds under another soundfont than the
demos', and the 28 MIT-licensed recordings of immich-memories-music 0.1.0.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.models.dsp.onsets import CURVES, FRAME_RATE, LOG_CURVES, above_local_mean, loudening, smoothed
from musebench_tasks.models.dsp.periodicity import (
    LAGS_S,
    STEPS_PER_OCTAVE,
    Autocorrelation,
    autocorrelation,
    repetition,
)
from musebench_tasks.models.dsp.pitches import FRAME_RATE as PITCH_RATE
from musebench_tasks.models.dsp.pitches import LOWEST_MIDI, pitch_classes, without_overtones
from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve

WEIGHTS_FILE = Path(__file__).parent / "weights.json"
SLOWEST_BPM, FASTEST_BPM = 38.0, 225.0
RATIOS = (1 / 6, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 5 / 4, 4 / 3, 3 / 2, 5 / 3, 2, 5 / 2, 3, 4, 5, 6, 7, 8)
"""Parts and multiples of the beat at which repetition is read."""
_WHOLE_BEATS = [RATIOS.index(beats) for beats in range(1, 9)]
BEATS_IN_BAR = {"2/4": 2, "3/4": 3, "4/4": 4, "6/8": 2, "9/8": 3, "12/8": 4, "5/4": 5, "7/4": 7}
ONSET_MEAN_S, HARMONY_MEAN_S = 0.5, 1.5
HARMONY_SPAN = 2
"""Frames before and after which are compared."""
BASS_BELOW_MIDI = 60
REFERENCE_BPM = 100.0
PREFERRED_BPM, PREFERENCE_OCTAVES = 110.0, 1.1
"""The pieces fitted on have tempi of all kinds alike; music prefers the middle. Wider than the recipe's 0.9."""
WEAKEST_PROBABILITY = 0.13
"""Of about 140 tempi; noise and unrelated onsets leave the likeliest below it."""
ENOUGH_S, WEAKEST_WHEN_SHORT = 20.0, 0.35
"""In less audio than this more repeats by chance, and more is asked for, up to a limit."""


class Pulse(NamedTuple):
    """The likeliest beat, and the metre likeliest with it; probabilities among those considered."""

    bpm: float
    metre: str
    probability: float
    metre_probability: float
    unevenness: float
    """How much better onsets repeat at one number of beats, 1 to 8, than at another; 0: no beat differs."""


class Weights(NamedTuple):
    """What each metre makes of the features; rows in the order of `BEATS_IN_BAR`."""

    features: NDArray[np.float64]
    """(metres, curves × ratios)."""
    tempo: NDArray[np.float64]
    """(metres, 3): of `tempo_features`."""


def find_pulse(onsets: Curve, salience: Curve) -> Pulse | None:
    """The beat and metre of a recording, from its onset curves and its sounding semitones; None if none stands out."""
    features = beat_features(repetitions(onsets, salience))
    return decide(features, onsets.shape[1] / FRAME_RATE, weights())


def repetitions(onsets: Curve, salience: Curve) -> NDArray[np.float64]:
    """(curves, lags) how well each of the seven curves repeats at each of `LAGS_S`."""
    return np.array([repetition(curve, rate) for curve, rate in _curves(onsets, salience)])


def beat_features(repeats: NDArray[np.floating]) -> NDArray[np.floating]:
    """(tempi, curves, ratios) of the same, where the parts and multiples of each tempo considered lie."""
    _, steps = candidates()
    return repeats[:, steps].transpose(1, 0, 2)


def decide(features: NDArray[np.floating], duration_s: float, fitted: Weights) -> Pulse | None:
    """The beat and metre that `fitted` finds likeliest; None if none stands out."""
    bpm, _ = candidates()
    probabilities = _probabilities(features, bpm, fitted)
    beats = np.convolve(probabilities.sum(axis=1), np.ones(3), mode="same")
    best = int(np.argmax(beats))
    if beats[best] < least_probability(duration_s):
        return None
    metres = probabilities[max(0, best - 1) : best + 2].sum(axis=0)
    metre = int(np.argmax(metres))
    return Pulse(
        bpm=float(bpm[best]),
        metre=list(BEATS_IN_BAR)[metre],
        probability=float(beats[best]),
        metre_probability=float(metres[metre] / metres.sum()),
        unevenness=float(np.ptp(features[best][:CURVES, _WHOLE_BEATS], axis=1).max()),
    )


def least_probability(duration_s: float) -> float:
    """The probability from which a beat stands out, in audio of so many seconds."""
    return min(WEAKEST_WHEN_SHORT, WEAKEST_PROBABILITY * max(1.0, ENOUGH_S / duration_s))


@cache
def candidates() -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The tempi considered, and (tempi, ratios) where their parts and multiples lie on `LAGS_S`."""
    tempi = 60 / LAGS_S
    considered = np.flatnonzero((tempi >= SLOWEST_BPM) & (tempi <= FASTEST_BPM))
    away = np.round(np.log2(RATIOS) * STEPS_PER_OCTAVE).astype(np.intp)
    return tempi[considered], np.clip(considered[:, None] + away, 0, len(LAGS_S) - 1)


@cache
def weights() -> Weights:
    """The fitted weights, read once."""
    return read_weights(WEIGHTS_FILE)


def read_weights(path: Path) -> Weights:
    """The weights of a file that `benchmarks/dsp_training` wrote."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return Weights(
        features=np.array([rows[metre]["features"] for metre in BEATS_IN_BAR]).reshape(len(BEATS_IN_BAR), -1),
        tempo=np.array([rows[metre]["tempo"] for metre in BEATS_IN_BAR]),
    )


def tempo_features(bpm: NDArray[np.float64]) -> NDArray[np.float64]:
    """(tempi, 3) log2(BPM/100), its square, and 1."""
    octaves = np.log2(bpm / REFERENCE_BPM)
    return np.stack([octaves, octaves**2, np.ones_like(octaves)], axis=1)


def _probabilities(features: NDArray[np.floating], bpm: NDArray[np.float64], fitted: Weights) -> NDArray[np.float64]:
    """(tempi, metres), in sum 1."""
    scores = features.reshape(len(bpm), -1) @ fitted.features.T + tempo_features(bpm) @ fitted.tempo.T
    scores -= 0.5 * (np.log2(bpm / PREFERRED_BPM) / PREFERENCE_OCTAVES)[:, None] ** 2
    likelihood = np.exp(scores - scores.max())
    return np.asarray(likelihood / likelihood.sum())


def _curves(onsets: Curve, salience: Curve) -> list[tuple[NDArray[np.float64], float]]:
    """Onsets and accents, changes of harmony, entries of low notes: each with its frames a second."""
    cleaned = without_overtones(salience)
    pitched = (harmony_change(cleaned), low_entries(cleaned))
    bands = [above_local_mean(smoothed(band), FRAME_RATE, ONSET_MEAN_S) for band in onsets]
    bands[:LOG_CURVES] = [np.sqrt(band) for band in bands[:LOG_CURVES]]
    notes = [np.sqrt(above_local_mean(curve, PITCH_RATE, HARMONY_MEAN_S)) for curve in pitched]
    return [*((band, FRAME_RATE) for band in bands), *((note, PITCH_RATE) for note in notes)]


def harmony_change(salience: Curve) -> NDArray[np.float64]:
    """1 − cosine of the pitch classes before and after each frame."""
    classes = pitch_classes(salience)
    unit = classes / np.maximum(np.linalg.norm(classes, axis=1, keepdims=True), 1e-9)
    if len(unit) <= 2 * HARMONY_SPAN:
        return np.zeros(len(unit))
    change = 1 - np.sum(unit[: -2 * HARMONY_SPAN] * unit[2 * HARMONY_SPAN :], axis=1)
    return np.pad(change, HARMONY_SPAN)


def low_entries(salience: Curve) -> NDArray[np.float64]:
    """How much more sounds below middle C after each frame than before it."""
    low = salience[:, : BASS_BELOW_MIDI - LOWEST_MIDI].astype(np.float64)
    return np.pad(np.maximum(low[2:] - low[:-2], 0).sum(axis=1), 1) if len(low) > 2 else np.zeros(len(low))


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


FEWEST_BARS = 2
WEAKEST_METRE = 0.25
"""Among eight metres; below it nothing speaks for this one."""
LEAST_UNEVENNESS = 0.1
"""A metronome repeats as well after 3 beats as after 4; music differs by 0.2 and more."""


def time_signature(pulse: Pulse, duration_s: float) -> str | None:
    """The metre, or None where not two bars of it are heard or nothing tells it from others."""
    bar_s = BEATS_IN_BAR[pulse.metre] * 60 / pulse.bpm
    told = pulse.metre_probability >= WEAKEST_METRE and pulse.unevenness >= LEAST_UNEVENNESS
    return pulse.metre if told and duration_s >= FEWEST_BARS * bar_s else None
