"""Metrics of structure: which stretches of a recording share a label, by exact durations (music_metrics.md 5.5)."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.measurement import Measurement, mean_over_items
from musebench_tasks.evaluation.segment_tables import known_segments, segment_tables
from musebench_tasks.measures import label_times, pairwise_of_times, v_measures_of_times
from musebench_tasks.values import to_micros


def mub_structure(cases: Sequence[Case]) -> list[Measurement]:
    """Pairwise F and V-measure, averaged over the recordings whose segments are known."""
    scored = [case for case in cases if known_segments(case) is not None and compared_duration_s(case) > 0]
    durations_s = [compared_duration_s(case) for case in scored]
    reference, prediction = segment_tables(scored, durations_s)
    durations = [to_micros(each) for each in durations_s]
    times = label_times(reference=reference, prediction=prediction, durations=durations)
    return [
        mean_over_items(f"mub.segments.{name}", "1", scored, found.f, binary=False)
        for name, found in (("pairwise_f", pairwise_of_times(times)), ("v_measure", v_measures_of_times(times)))
    ]


def compared_duration_s(case: Case) -> float:
    """Seconds over which structure is compared: the recording's, or up to the reference's end where that is unknown."""
    return case.item.window_s or max((each.end_s for each in known_segments(case) or ()), default=0.0)
