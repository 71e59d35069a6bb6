"""What the metric `mub` takes and gives: rows of predictions and recordings in, every headline out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from musebench_tasks import measures
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import MUSIC_FIELDS
from musebench_tasks.base.text import nearest
from musebench_tasks.evaluation.estimated import Estimate
from musebench_tasks.evaluation.recordings import Recording, RecordingScores, field_of, score_recordings
from musebench_tasks.measures import KEY_VERSIONS, TEMPO_VERSIONS
from musebench_tasks.measures.key import HEADLINE_VERSION as KEY_VERSION
from musebench_tasks.measures.tempo import HEADLINE_VERSION as TEMPO_VERSION
from musebench_tasks.metric_modules import results
from musebench_tasks.metric_modules.inputs import (
    Kind,
    WrongValue,
    any_text,
    any_text_or_none,
    key_reference,
    metre_reference,
    reference_duration,
    require_rows,
    row_values,
    segments,
    segments_or_none,
    tempo_or_none,
    tempo_reference,
)

BESIDE_THE_TRUTH = frozenset(
    {"audio", "beat_unit", "beats_s", "downbeats_s", "multi_valued", "license", "attribution", "version"}
)
"""Columns of a dataset's rows that are not looked at."""

_ROW = 'Give a dictionary with "id" and any of "tempo_bpm", "key", "time_signature", "segments".'


def estimate_row(value: Any) -> dict[str, Any]:
    """One prediction: its recording's id and four fields, None where there is no answer."""
    return _row(value, _ESTIMATE, ())


def recording_row(value: Any) -> dict[str, Any]:
    """One recording: its id and truths, None where it is not annotated, its duration and cluster where known."""
    return _row(value, _RECORDING, BESIDE_THE_TRUTH)


def scores(predictions: Iterable[Mapping[str, Any]], recordings: Any, version: Any) -> RecordingScores:
    """Predictions joined to `recordings` by id, and scored."""
    rows = row_values("recordings", recordings, recording_row)
    require_rows(len(rows))
    known = [Recording(cluster=row.pop("cluster_id"), **row) for row in rows]
    key_version, tempo_version = _versions(version)
    return score_recordings(
        known, [Estimate(**row) for row in predictions], key_version=key_version, tempo_version=tempo_version
    )


def headlines(found: RecordingScores) -> dict[str, Any]:
    """The headline of every field with what stands beside it, by name."""
    first = {field_of(row.metric): row for row in reversed(found.rows)}
    named = {f"mub_{field}": first.get(field) for field in MUSIC_FIELDS}
    named |= {name: found.row(metric) for name, metric in _MORE.items()}
    answered = {each.field: each.answered for each in found.counts if each.field is not None}
    return {
        **{name: None if row is None else row.value for name, row in named.items()},
        "coverage": found.coverage,
        "answered": {field: answered.get(field) for field in MUSIC_FIELDS},
        "n": {name: 0 if row is None else row.n for name, row in named.items()},
        "standard_error": {name: None if row is None else row.standard_error for name, row in named.items()},
        "interval": {name: None if row is None else results.plain(row.interval) for name, row in named.items()},
        "version": {name: None if row is None else f"{row.metric}/{row.version}" for name, row in named.items()},
    }


_MORE = {
    "balanced_accuracy": "mub.time_signature.balanced_accuracy",
    "hit_rate_0.5": "mub.segments.hit_rate_0.5",
    "hit_rate_3": "mub.segments.hit_rate_3",
}


def _identity(value: Any) -> str:
    advice = 'Give the id of a recording as a text, as "id".'
    if not any_text(value, advice):
        raise WrongValue(advice, value)
    return str(value)


def _optional(kind: Kind) -> Kind:
    return lambda value: None if value is None else kind(value)


_ESTIMATE: dict[str, Kind] = {
    "id": _identity,
    "tempo_bpm": tempo_or_none,
    "key": any_text_or_none,
    "time_signature": any_text_or_none,
    "segments": segments_or_none,
}
_RECORDING: dict[str, Kind] = {
    "id": _identity,
    "cluster_id": _optional(_identity),
    "duration_s": _optional(reference_duration),
    "tempo_bpm": _optional(tempo_reference),
    "key": _optional(key_reference),
    "time_signature": _optional(metre_reference),
    "segments": _optional(segments),
}


def _row(value: Any, kinds: Mapping[str, Kind], ignored: Iterable[str]) -> dict[str, Any]:
    if not isinstance(value, Mapping) or "id" not in value:
        raise WrongValue(_ROW, value)
    unknown = next((name for name in value if name not in kinds and name not in ignored), None)
    if unknown is not None:
        raise WrongValue(f"{unknown!r} is unknown{nearest(str(unknown), kinds)}. {_ROW}", value)
    read: dict[str, Any] = {}
    for name, kind in kinds.items():
        try:
            read[name] = kind(value.get(name))
        except WrongValue as problem:
            raise WrongValue(f"This is {name} of id {value['id']!r}. {reason(problem)}", problem.found) from None
    return read


_VERSIONS = 'Give the name of a version, for example "exact/1", or a list of such.'


_ONLY = frozenset(
    {
        *("mub.time_signature.accuracy/1", "mub.time_signature.balanced_accuracy/1"),
        *("mub.segments.iou_f1/1", "mub.segments.hit_rate_0.5/1", "mub.segments.hit_rate_3/1"),
    }
)
"""What results call the numbers of which there is one version: nothing to choose."""


def _version_name(value: Any) -> str:
    return any_text(value, _VERSIONS)


def _versions(version: Any) -> tuple[str, str]:
    """The versions of key and tempo that `version` names, one or several, and the usual ones of the rest."""
    key_version, tempo_version = KEY_VERSION, TEMPO_VERSION
    named = [version] if isinstance(version, str) else version
    for given in [] if named is None else row_values("version", named, _version_name, advice=_VERSIONS):
        name = given.removeprefix("mub.key.").removeprefix("mub.tempo.")
        if name in KEY_VERSIONS:
            key_version = measures.key_version(given)
        elif name in TEMPO_VERSIONS:
            tempo_version = measures.tempo_version(given)
        elif given not in _ONLY:
            known = [*KEY_VERSIONS, *TEMPO_VERSIONS]
            raise InputError(f"Unknown version {given!r}{nearest(name, known)}. Known: {', '.join(known)}.")
    return key_version, tempo_version
