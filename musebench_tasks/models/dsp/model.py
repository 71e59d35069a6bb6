"""The model specs `dsp` and `dsp:paper`: each recording is analysed once, and every request of it gets one JSON text.

A field that cannot be told from the audio (silence, too little of it) is null, never a default.
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import MUSIC_FIELDS, Kind, Limits, Modality, Response
from musebench_tasks.base.text import nearest
from musebench_tasks.models.dsp import key, metre, onsets, paper, pitches, pulse, segments, tempo
from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve, at_common_level, is_silent, to_analysis_rate
from musebench_tasks.models.protocol import answered
from musebench_tasks.values.key import PitchKey, key_name

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup

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
    curves = onsets.onset_curves(mono) if tempo.long_enough(mono) else np.zeros((onsets.CURVES, 0), np.float32)
    if not onsets.anything_begins(curves):
        return None, None
    found = pulse.find_pulse(curves, salience)
    if found is None:
        return None, None
    return tempo.refine(curves, found.bpm), metre.time_signature(found, len(mono) / ANALYSIS_RATE)


def analyse_as_the_paper(mono: Curve) -> dict[str, Any]:
    """Tempo, key and metre by the paper's heuristic, never segments; `mono` at the analysis rate."""
    if is_silent(mono):
        return dict(NO_ANSWER)
    levelled = at_common_level(mono)
    periodicity = paper.flux_periodicity(levelled)
    bpm = None if periodicity is None else paper.strongest_tempo(periodicity)
    signature = None if periodicity is None or bpm is None else paper.beats_in_bar(periodicity, bpm)
    return _values(bpm, paper.mean_chroma_key(levelled), signature)


def _values(bpm: float | None, found: PitchKey | None, signature: str | None) -> dict[str, Any]:
    return {
        "tempo": None if bpm is None else round(bpm, TEMPO_DECIMALS),
        "key": None if found is None else key_name(found),
        "time_signature": signature,
        "segments": None,
    }
