"""Metrics of structure: which stretches of a recording share a label, by exact durations (music_metrics.md 5.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.measurement import Measurement, mean_over_items
from musebench_tasks.records import Segment
from musebench_tasks.scoring import Structure, pairwise_score, v_measure


def mub_structure(cases: Sequence[Case]) -> list[Measurement]:
    """Pairwise F and V-measure, averaged over the recordings whose segments are known."""
    scored = [case for case in cases if _segments(case) is not None and compared_duration_s(case) > 0]
    rows = []
    for name, score in (("pairwise_f", pairwise_score), ("v_measure", v_measure)):
        values = np.array([_score(case, score) for case in scored], dtype=np.float64)
        rows.append(mean_over_items(f"mub.segments.{name}", "1", scored, values, binary=False))
    return rows


def compared_duration_s(case: Case) -> float:
    """Seconds over which structure is compared: the recording's, or up to the reference's end where that is unknown."""
    return case.item.window_s or max((each.end_s for each in _segments(case) or ()), default=0.0)


def _score(case: Case, score: Callable[..., Structure]) -> float:
    found = score(
        reference=_segments(case) or (),
        prediction=case.values.get("segments"),
        duration_s=compared_duration_s(case),
    )
    return found.f


def _segments(case: Case) -> tuple[Segment, ...] | None:
    return None if case.reference.music is None else case.reference.music.segments
