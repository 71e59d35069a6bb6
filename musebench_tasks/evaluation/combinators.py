"""What a task may ask of every measure beside its plain number: its mean over the values of an item field (`macro:`).

A macro measure is one statistic of sums, as micro measures are: each value of the field has columns of its own, so that
errors, intervals and paired comparisons follow by the same code as for every other measure. `by:` needs none of this:
the measure is taken on the items of each value, as under `slices` (see `scorecard`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, starmap

import numpy as np

from musebench_tasks.base.records import MetricConfig, slice_value
from musebench_tasks.base.text import counted
from musebench_tasks.evaluation.cases import Case, Cases
from musebench_tasks.evaluation.measurement import FloatArray, Measurement

Measure = Callable[[MetricConfig, Sequence[Case]], list[Measurement]]


def macro(measure: Measure, metric: MetricConfig, cases: Cases) -> list[Measurement]:
    """Each number of `metric` as the mean of its values on the items of each value of the field `metric.macro`.

    Values count alike, however many items they have; items without the field are left out, and so is a value on whose
    items the number is undefined (CAA where no item has one right answer). Clusters are drawn within their value where
    none spans several (`measurement.drawn_sums`).
    """
    dimension = str(metric.macro)
    plain = metric.model_copy(update={"macro": None})
    values = np.array([slice_value(case.item, dimension) or "" for case in cases])
    groups = [measure(plain, cases.part(np.flatnonzero(values == value))) for value in sorted(set(values) - {""})]
    found: list[Measurement] = []
    for template in measure(plain, cases):
        parts = [each for group in groups for each in group if each.metric == template.metric]
        found.append(_mean_over(template, [each for each in parts if each.value is not None], dimension))
    return found


def _mean_over(template: Measurement, parts: Sequence[Measurement], dimension: str) -> Measurement:
    """The mean of a number over groups of items, as one measurement over all of them."""
    name = f"{template.metric}{MetricConfig.MACRO}{dimension}"
    if not parts:
        return replace(template, metric=name)
    blocks = [_sums_of(each) for each in parts]
    edges = np.cumsum([0, *(block.shape[1] for block in blocks)])
    columns = np.zeros((sum(map(len, blocks)), edges[-1]))
    row = 0
    for block, left in zip(blocks, edges, strict=False):
        columns[row : row + len(block), left : left + block.shape[1]] = block
        row += len(block)
    spans = list(starmap(slice, pairwise(edges.tolist())))
    statistics = [each.statistic or _mean_of_sums for each in parts]

    def mean_of_parts(sums: FloatArray) -> FloatArray:
        values = [statistic(sums[:, span]) for statistic, span in zip(statistics, spans, strict=True)]
        mean: FloatArray = np.mean(values, axis=0)
        return mean

    return Measurement(
        name,
        template.version,
        columns,
        tuple(cluster for each in parts for cluster in each.clusters),
        statistic=mean_of_parts,
        bounds=template.bounds,
        note=f"mean over {counted(len(parts), 'value')} of {dimension}",
        without_error=any(each.without_error for each in parts),
        item_ids=tuple(item_id for each in parts for item_id in each.item_ids),
        strata=tuple(str(place) for place, each in enumerate(parts) for _ in each.clusters),
    )


def _sums_of(part: Measurement) -> FloatArray:
    """Columns whose sums give the number: for a mean its values, and how many there are."""
    if part.statistic is not None:
        return part.columns
    columns: FloatArray = np.column_stack([part.columns[:, 0], np.ones(len(part.columns))])
    return columns


def _mean_of_sums(sums: FloatArray) -> FloatArray:
    mean: FloatArray = sums[:, 0] / sums[:, 1]
    return mean
