"""Measures of option probabilities, where a system gives them: expected accuracy, Brier score, calibration error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from musebench_tasks import measures
from musebench_tasks.base.records import Kind
from musebench_tasks.evaluation.baselines import chance_of_hit, expected
from musebench_tasks.evaluation.cases import Case, Cases, as_cases
from musebench_tasks.evaluation.measurement import Measurement, mean_over_items, plain_number
from musebench_tasks.evaluation.metrics.record import Definition, Measure, Number
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
    table = measures.option_probabilities(
        [case.probabilities for case in single],
        [next(iter(case.gold)) for case in single],
        [case.item.option_ids for case in single],
    )
    expected = mean_over_items("expected_accuracy", "1", single, measures.expected_accuracy(table), binary=False)
    scores = measures.brier_scores(table)
    note = "" if len(given) == len(single) else f"over the {len(given)} of {len(single)} requests with probabilities"
    known = scores[~np.isnan(scores)]
    brier = mean_over_items("brier", "1", given, known, binary=False, bounds=(0.0, WORST_BRIER))
    brier = replace(brier, note=note or None)
    notes = "; ".join(each for each in (NO_INTERVAL, note) if each)
    return [expected, brier, plain_number("calibration_error", "1", measures.calibration(table).error, brier, notes)]


def _chance_of_probabilities(cases: Cases) -> list[Measurement]:
    single = cases.of_kind(Kind.SINGLE)
    given = as_cases([case for case in single if case.probabilities])
    if not given:
        return []
    return [
        expected("expected_accuracy", single, chance_of_hit(single)),
        expected("brier", given, 1.0 - chance_of_hit(given)),
    ]


MEASURES = (
    Measure(
        "option_probabilities",
        option_probabilities,
        (Number("expected_accuracy"), Number("brier", bounds=(0.0, WORST_BRIER)), Number("calibration_error")),
        "Choice questions",
        (
            Definition("Expected accuracy", ("expected_accuracy/1",), measures.expected_accuracy),
            Definition("Brier score", ("brier/1",), measures.brier_scores),
            Definition("Expected calibration error", ("calibration_error/1",), measures.calibration),
        ),
        chance=_chance_of_probabilities,
    ),
)
