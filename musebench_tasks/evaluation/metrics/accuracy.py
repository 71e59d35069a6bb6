"""Accuracy of choice items, and its spread over runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from musebench_tasks import measures
from musebench_tasks.evaluation.baselines import chance_of_hit, expected
from musebench_tasks.evaluation.cases import Case, Cases, as_cases
from musebench_tasks.evaluation.measurement import FloatArray, Measurement, mean_over_items, plain_number
from musebench_tasks.evaluation.metrics.record import Definition, Measure, Number


def accuracy(cases: Sequence[Case]) -> list[Measurement]:
    """Micro average over items, and its standard deviation over runs where there are several (HQ-11)."""
    measured = as_cases(cases)
    scores, runs = measured.hits, measured.runs
    rows = [mean_over_items("accuracy", "1", measured, scores)]
    if len(runs) and runs.min() < runs.max():
        rows.append(_deviation_over_runs(scores, runs, rows[0]))
    return rows


def _deviation_over_runs(scores: FloatArray, runs: np.ndarray, like: Measurement) -> Measurement:
    per_run = np.array([scores[runs == run].mean() for run in np.unique(runs)])
    note = f"standard deviation (ddof 1) of {len(per_run)} runs, no sampling error"
    return plain_number("accuracy_sd", "1", measures.spread_over_runs(per_run), like, note)


def _chance_of_accuracy(cases: Cases) -> list[Measurement]:
    return [expected("accuracy", cases, chance_of_hit(cases))]


MEASURES = (
    Measure(
        "accuracy",
        accuracy,
        (
            Number(
                "accuracy",
                label="accuracy",
                meaning="Share of items whose answer is exactly the correct option, or exactly the correct set of "
                "options.",
                sentence="answers {} of the questions right",
                caption="Accuracy is the share of items answered right",
            ),
            Number("accuracy_sd"),
        ),
        "Choice questions",
        (
            Definition(
                "Sets",
                ("accuracy/1", "exact_match/1", "set_precision/1", "set_recall/1", "set_f1/1"),
                measures.set_scores,
            ),
            Definition("Spread over runs", ("accuracy_sd/1",), measures.spread_over_runs),
            Definition("Chance of accuracy", (), measures.chance_accuracy),
        ),
        chance=_chance_of_accuracy,
    ),
)
