"""Metrics of option probabilities, where a system gives them: expected accuracy, Brier score, calibration error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from musebench_tasks.base.records import Kind
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.measurement import Measurement, mean_over_items, plain_number
from musebench_tasks.measures import brier_scores, calibration, expected_accuracy
from musebench_tasks.measures import option_probabilities as checked
from musebench_tasks.measures.probabilities import BINS

WORST_BRIER = 2.0
NO_INTERVAL = f"{BINS} bins of equal width; biased upwards in small samples, therefore without an interval"


def option_probabilities(cases: Sequence[Case]) -> list[Measurement]:
    """Single-select items. Expected accuracy has the plan for its denominator; the others have what gave probabilities.

    A failure must not better a score of which less is more (faults_scoring.md 9): the Brier score and the calibration
    error are over the requests that came with probabilities, which n and a note tell.
    """
    single = [case for case in cases if case.item.kind is Kind.SINGLE]
    given = [case for case in single if case.probabilities]
    if single and not given:
        return []
    table = checked(
        [case.probabilities for case in single],
        [next(iter(case.gold)) for case in single],
        [case.item.option_ids for case in single],
    )
    expected = mean_over_items("expected_accuracy", "1", single, expected_accuracy(table), binary=False)
    scores = brier_scores(table)
    note = "" if len(given) == len(single) else f"over the {len(given)} of {len(single)} requests with probabilities"
    known = scores[~np.isnan(scores)]
    brier = mean_over_items("brier", "1", given, known, binary=False, bounds=(0.0, WORST_BRIER))
    brier = replace(brier, note=note or None)
    notes = "; ".join(each for each in (NO_INTERVAL, note) if each)
    return [expected, brier, plain_number("calibration_error", "1", calibration(table).error, brier, notes)]
