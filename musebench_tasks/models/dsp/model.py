"""The model specs `dsp` and `dsp:paper`: each recording is analysed once, and every request of it gets one JSON text.

A field that cannot be told from the audio (silence, too little of it) is null, never a default. `dsp:paper` is the
paper's heuristic, as far as its text gives it (MU-13): one peak a question, the denominator always 4.
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import MUSIC_FIELDS, Kind, Limits, Modality, Response
from musebench_tasks.base.text import nearest
from musebench_tasks.models.dsp import key, onsets, pitches, pulse, segments
from musebench_tasks.models.dsp.onsets import FRAME_RATE, anything_begins, loudening, onset_curves
from musebench_tasks.models.dsp.periodicity import Autocorrelation, autocorrelation
from musebench_tasks.models.dsp.pulse import long_enough
from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve, at_common_level, is_silent, to_analysis_rate
from musebench_tasks.models.protocol import answered
from musebench_tasks.values.key import PitchKey, key_name

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup


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


PARAMETERS = {"": "dsp-3", "paper": "dsp-paper-2"}
"""Version of each variant's parameters; any change to a constant or a step of this room makes a new one."""
NO_ANSWER: Mapping[str, Any] = dict.fromkeys(MUSIC_FIELDS)
TEMPO_DECIMALS = 3


class DspModel:
    """Reads tempo, key, metre and segments from audio; keeps nothing from one recording to the next."""

    def __init__(self, variant: str = "") -> None:
        self.name = f"dsp:{variant}" if variant else "dsp"
        self.revision = PARAMETERS[variant]
        self.kinds = frozenset({Kind.MUSIC})
        self.limits = Limits(modalities=frozenset({Modality.AUDIO}))
        self._analyse = analyse_as_the_paper if variant == "paper" else analyse

    def answer(self, group: "MediaGroup") -> Iterator[Response]:
        """One JSON object a request, holding the fields it asks for."""
        values = NO_ANSWER
        if group.has(Modality.AUDIO):
            audio = group.audio(None)
            values = self._analyse(to_analysis_rate(audio.samples, audio.sample_rate))
        received = group.received()
        for request in group.requests:
            fields = [field for field in MUSIC_FIELDS if field in request.fields or not request.fields]
            raw = json.dumps({field: values[field] for field in fields})
            yield answered(request, raw, received=received, finish_reason="stop")


def load(argument: str = "") -> DspModel:
    """The model `dsp` (empty `argument`) or `dsp:paper`; takes no options."""
    if argument not in PARAMETERS:
        raise InputError(
            f'model "dsp:{argument}": unknown variant{nearest(argument, PARAMETERS)}. Use dsp or dsp:paper.'
        )
    return DspModel(argument)


def analyse(mono: Curve) -> dict[str, Any]:
    """Tempo, key, metre and segments by the project's recipe; `mono` at the analysis rate."""
    if is_silent(mono):
        return dict(NO_ANSWER)
    levelled = at_common_level(mono)
    salience = pitches.sounding_semitones(levelled)
    bpm, signature = tempo_and_metre(levelled, salience)
    return _values(bpm, key.estimate_key(salience), signature) | {"segments": segments.find_segments(levelled)}


def tempo_and_metre(mono: Curve, salience: Curve) -> tuple[float | None, str | None]:
    """Beats a minute and metre, or None where there is too little audio, nothing begins or nothing repeats."""
    curves = onsets.onset_curves(mono) if pulse.long_enough(mono) else np.zeros((onsets.CURVES, 0), np.float32)
    if not onsets.anything_begins(curves):
        return None, None
    found = pulse.find_pulse(curves, salience)
    if found is None:
        return None, None
    return pulse.refine(curves, found.bpm), pulse.time_signature(found, len(mono) / ANALYSIS_RATE)


def analyse_as_the_paper(mono: Curve) -> dict[str, Any]:
    """Tempo, key and metre by the paper's heuristic, never segments; `mono` at the analysis rate."""
    if is_silent(mono):
        return dict(NO_ANSWER)
    levelled = at_common_level(mono)
    periodicity = flux_periodicity(levelled)
    bpm = None if periodicity is None else strongest_tempo(periodicity)
    signature = None if periodicity is None or bpm is None else beats_in_bar(periodicity, bpm)
    return _values(bpm, mean_chroma_key(levelled), signature)


def _values(bpm: float | None, found: PitchKey | None, signature: str | None) -> dict[str, Any]:
    return {
        "tempo": None if bpm is None else round(bpm, TEMPO_DECIMALS),
        "key": None if found is None else key_name(found),
        "time_signature": signature,
        "segments": None,
    }
