"""The model specs `dsp` and `dsp:paper`: each recording is analysed once, and every request of it gets one JSON text.

A field that cannot be told from the audio (silence, too little of it) is null, never a default.
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from musebench_tasks.errors import InputError, nearest
from musebench_tasks.models.dsp import key, metre, paper, segments, tempo
from musebench_tasks.models.dsp.spectrum import Curve, is_silent, to_analysis_rate
from musebench_tasks.models.protocol import answered
from musebench_tasks.records import MUSIC_FIELDS, Kind, Limits, Modality, Response
from musebench_tasks.values.key import PitchKey, key_name

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup

PARAMETERS = {"": "dsp-1", "paper": "dsp-paper-1"}
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
    onsets = tempo.onset_periodicity(mono)
    bpm = None if onsets is None else tempo.tempo_bpm(onsets)
    signature = None if onsets is None or bpm is None else metre.time_signature(mono, onsets, bpm)
    return _values(bpm, key.estimate_key(mono), signature) | {"segments": segments.find_segments(mono)}


def analyse_as_the_paper(mono: Curve) -> dict[str, Any]:
    """Tempo, key and metre by the paper's heuristic, never segments; `mono` at the analysis rate."""
    if is_silent(mono):
        return dict(NO_ANSWER)
    periodicity = paper.flux_periodicity(mono)
    bpm = None if periodicity is None else paper.strongest_tempo(periodicity)
    signature = None if periodicity is None or bpm is None else paper.beats_in_bar(periodicity, bpm)
    return _values(bpm, paper.mean_chroma_key(mono), signature)


def _values(bpm: float | None, found: PitchKey | None, signature: str | None) -> dict[str, Any]:
    return {
        "tempo": None if bpm is None else round(bpm, TEMPO_DECIMALS),
        "key": None if found is None else key_name(found),
        "time_signature": signature,
        "segments": None,
    }
