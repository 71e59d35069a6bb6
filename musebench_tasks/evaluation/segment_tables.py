"""References and answers of many recordings as tables of intervals: checked, cleaned, ready for the batch scores."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.base.records import Segment
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.measures import IntervalTable, interval_table
from musebench_tasks.measures.segments import checked_reference, cleaned_prediction


def segment_tables(cases: Sequence[Case], durations_s: Sequence[float | None]) -> tuple[IntervalTable, IntervalTable]:
    """The segments of references and of answers, a recording a case; no or an illegal answer is no answer.

    Both are clipped to `durations_s` where these are known. Raises InputError for an illegal reference.
    """
    pairs = list(zip(cases, durations_s, strict=True))
    right = [checked_reference(known_segments(case) or (), duration) for case, duration in pairs]
    found = [cleaned_prediction(case.values.get("segments"), duration)[0] for case, duration in pairs]
    return interval_table(right), interval_table(found)


def known_segments(case: Case) -> tuple[Segment, ...] | None:
    """The segments of a case's reference; None where they are not annotated."""
    return None if case.reference.music is None else case.reference.music.segments
