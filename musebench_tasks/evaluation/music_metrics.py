"""Metrics of recordings: tempo, key, time signature, segments (music_metrics.md).

A field that a reference lacks is not scored on that recording; a field without a readable answer scores 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.measurement import FloatArray, Measurement, mean_over_items
from musebench_tasks.records import MusicTruth, Segment
from musebench_tasks.scoring import key_score, match_intervals, tempo_hit, time_signature_hit
from musebench_tasks.scoring.segments import boundary_hit_rate

KEY_VERSIONS = ("symmetric/2", "exact/1", "mirex_symmetric/1", "mirex_ascending/1")
TEMPO_VERSIONS = ("acc1/1", "acc2/1")
HIT_RATE_WINDOWS_S = (0.5, 3.0)


def mub_tempo(cases: Sequence[Case], version: str | None = None) -> list[Measurement]:
    """Tempo within 4 % (`acc1`), and within 4 % of a metrical multiple (`acc2`), headline first (MU-09)."""
    return [
        _mean("tempo", each, cases, "tempo_bpm", "tempo", _tempo_score(each))
        for each in _ordered(TEMPO_VERSIONS, version)
    ]


def mub_key(cases: Sequence[Case], version: str | None = None) -> list[Measurement]:
    """Key under each version of the definition, headline first (MU-10)."""
    return [_mean("key", each, cases, "key", "key", _key_score(each)) for each in _ordered(KEY_VERSIONS, version)]


def mub_time_signature(cases: Sequence[Case], version: str | None = None) -> list[Measurement]:
    """Time-signature accuracy, and its mean over the classes of the references (MU-15)."""
    scored = [case for case in cases if _truth(case).time_signature is not None]
    hits = np.array([_time_signature_score(case) for case in scored], dtype=np.float64)
    accuracy = mean_over_items("mub.time_signature.accuracy", "1", scored, hits)
    return [accuracy, _balanced(scored, hits)]


def mub_segments(cases: Sequence[Case], version: str | None = None) -> list[Measurement]:
    """Segments matched at IoU 1/2, and boundaries found within 0.5 s and 3 s (MU-11)."""
    scored = [case for case in cases if _truth(case).segments is not None]
    matches = [_match(case) for case in scored]
    rows = [
        mean_over_items(f"mub.segments.{name}", "1", scored, np.array(values, dtype=np.float64), binary=False)
        for name, values in (
            ("iou_f1", [match.f1 for match in matches]),
            ("iou_precision", [match.precision for match in matches]),
            ("iou_recall", [match.recall for match in matches]),
        )
    ]
    for window_s in HIT_RATE_WINDOWS_S:
        rates = np.array([_hit_rate(case, window_s) for case in scored], dtype=np.float64)
        rows.append(mean_over_items(f"mub.segments.hit_rate_{window_s:g}", "1", scored, rates, binary=False))
    return rows


def _mean(
    field: str, version: str, cases: Sequence[Case], truth: str, answer: str, score: Callable[[Any, Any], float]
) -> Measurement:
    """One row of a metric whose version names the definition, for example `mub.key.symmetric`, version 2."""
    name, number = version.split("/")
    scored = [case for case in cases if getattr(_truth(case), truth) is not None]
    scores = np.array([score(getattr(_truth(case), truth), case.values.get(answer)) for case in scored], float)
    return mean_over_items(f"mub.{field}.{name}", number, scored, scores)


def _ordered(versions: Sequence[str], first: str | None) -> list[str]:
    headline = first or versions[0]
    return [headline, *(each for each in versions if each != headline)]


def _tempo_score(version: str) -> Callable[[float, float | None], float]:
    return lambda reference, prediction: float(tempo_hit(reference=reference, prediction=prediction, version=version))


def _key_score(version: str) -> Callable[[str, str | None], float]:
    return lambda reference, prediction: key_score(reference=reference, prediction=prediction, version=version)


def _time_signature_score(case: Case) -> float:
    return float(
        time_signature_hit(reference=_truth(case).time_signature, prediction=case.values.get("time_signature"))
    )


def _balanced(cases: Sequence[Case], hits: FloatArray) -> Measurement:
    """Mean recall over reference classes, as a statistic of hits and items of each class."""
    signatures = [str(_truth(case).time_signature) for case in cases]
    classes = sorted(set(signatures))
    members = np.array([[signature == each for each in classes] for signature in signatures], dtype=np.float64)
    columns = np.column_stack([members * hits[:, None], members]) if len(cases) else np.zeros((0, 2))

    def recall(sums: FloatArray) -> FloatArray:
        n_classes = sums.shape[1] // 2
        result: FloatArray = np.mean(sums[:, :n_classes] / sums[:, n_classes:], axis=1)
        return result

    clusters = tuple(case.item.cluster_id for case in cases)
    note = ", ".join(f"{each}: n {signatures.count(each)}" for each in classes)
    return Measurement("mub.time_signature.balanced_accuracy", "1", columns, clusters, statistic=recall, note=note)


def _match(case: Case) -> Any:
    return match_intervals(
        reference=_plain(_truth(case).segments or ()),
        prediction=case.values.get("segments") or [],
        duration_s=case.item.duration_s,
    )


def _hit_rate(case: Case, window_s: float) -> float:
    answer = case.values.get("segments")
    if not answer:
        return 0.0
    return float(
        boundary_hit_rate(reference=_plain(_truth(case).segments or ()), prediction=answer, window_s=window_s)[2]
    )


def _plain(segments: Sequence[Segment]) -> list[dict[str, Any]]:
    return [segment.model_dump() for segment in segments]


def _truth(case: Case) -> MusicTruth:
    return case.reference.music or MusicTruth()
