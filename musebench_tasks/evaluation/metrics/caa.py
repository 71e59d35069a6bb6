"""Chance-adjusted accuracy of single-select items, per item and in aggregate form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from musebench_tasks import measures
from musebench_tasks.base.records import Kind
from musebench_tasks.evaluation.baselines import expected
from musebench_tasks.evaluation.cases import Case, Cases, as_cases
from musebench_tasks.evaluation.measurement import FloatArray, Measurement, mean_over_items
from musebench_tasks.evaluation.metrics.record import Definition, Measure, Number


def caa(cases: Sequence[Case]) -> list[Measurement]:
    """Chance-adjusted accuracy on single-select items, per item and in aggregate form (MB-51, statistics.md 2.1)."""
    single = as_cases(cases).of_kind(Kind.SINGLE)
    correct, n_options = single.hits, single.n_options
    bounds = measures.chance_adjusted_bounds(n_options) if single else (0.0, 1.0)
    scores = measures.chance_adjusted_accuracy(correct, n_options)
    adjusted = mean_over_items("caa", "1", single, scores, binary=False, bounds=bounds)
    if single:
        chance = 1.0 / n_options[single.places.first]
        share = (float(np.mean(1 / (1 - chance))), -float(np.mean(chance / (1 - chance))))
        adjusted = replace(adjusted, image_of_share=share)
    columns = np.column_stack(
        [
            mean_over_items("caa_aggregate", "1", single, correct).columns,
            mean_over_items("caa_aggregate", "1", single, 1.0 / np.maximum(n_options, 1)).columns,
            np.ones((len(adjusted.columns), 1)),
        ]
    )
    aggregate = Measurement(
        "caa_aggregate", "1", columns, adjusted.clusters, statistic=_aggregate_caa, item_ids=adjusted.item_ids
    )
    return [adjusted, aggregate]


def _aggregate_caa(sums: FloatArray) -> FloatArray:
    accuracy_, chance = sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2]
    result: FloatArray = (accuracy_ - chance) / (1 - chance)
    return result


def _chance_of_caa(cases: Cases) -> list[Measurement]:
    single = cases.of_kind(Kind.SINGLE)
    return [expected(name, single, np.zeros(len(single))) for name in ("caa", "caa_aggregate") if single]


MEASURES = (
    Measure(
        "caa",
        caa,
        (
            Number(
                "caa",
                label="CAA",
                meaning="Chance-adjusted accuracy of items with one correct option: 1 is perfect, 0 is guessing, "
                "below 0 is worse.",
                bounds=(-1.0, 1.0),
                sentence="reaches a chance-adjusted accuracy of {}",
                caption="CAA is accuracy adjusted for chance on items with one right option: 0 is guessing",
            ),
            Number("caa_aggregate", bounds=(-1.0, 1.0)),
        ),
        "Choice questions",
        (
            Definition("Chance-adjusted accuracy", ("caa/1",), measures.chance_adjusted_accuracy),
            Definition("Aggregate form", ("caa_aggregate/1",), measures.aggregate_chance_adjusted_accuracy),
        ),
        chance=_chance_of_caa,
    ),
)
