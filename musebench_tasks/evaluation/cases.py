"""What metrics are computed from: one case a planned (item, run), with its answer or without one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.evaluation.join import PlannedKey
from musebench_tasks.records import FieldAnswer, Item, Prediction, Reference, Status


@dataclass(frozen=True)
class Case:
    """One item in one run: what was right, what was answered."""

    item: Item
    reference: Reference
    run: int
    shown: tuple[str, ...] = ()
    """Option ids in the order shown; empty for music."""
    chosen: frozenset[str] | None = None
    """Option ids answered; None = no readable answer."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Music fields that were read; a field that is absent got no answer."""
    probabilities: Mapping[str, float] | None = None
    """Probability of each option by its id; None where the system gave none."""

    @cached_property
    def gold(self) -> frozenset[str]:
        """Option ids that are right."""
        return frozenset(self.reference.answer or ())


def make_cases(
    joined: Mapping[PlannedKey, Prediction | None], items: Mapping[str, Item], references: Mapping[str, Reference]
) -> list[Case]:
    """The cases of one condition, in the plan's order."""
    return [
        make_case(items[item_id], references[item_id], run, prediction)
        for (item_id, run, _), prediction in joined.items()
    ]


def make_case(item: Item, reference: Reference, run: int, prediction: Prediction | None) -> Case:
    """The case of one planned request; `prediction` None = missing."""
    if prediction is None:
        return Case(item, reference, run)
    probabilities = prediction.option_probabilities or None
    if prediction.parsed is None:
        return Case(item, reference, run, probabilities=probabilities)
    shown = prediction.option_order or item.option_ids
    if isinstance(prediction.parsed, dict):
        return Case(item, reference, run, values=_readable(prediction.parsed))
    chosen = frozenset(prediction.parsed) if prediction.status is Status.OK else None
    return Case(item, reference, run, shown=shown, chosen=chosen, probabilities=probabilities)


def _readable(fields: Mapping[str, FieldAnswer]) -> dict[str, Any]:
    return {name: answer.value for name, answer in fields.items() if answer.status is Status.OK}


def item_means(cases: Sequence[Case], scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """Mean score of each item over its runs, with item ids and cluster ids, in order of first appearance."""
    position: dict[str, int] = {}
    clusters: list[str] = []
    for case in cases:
        if case.item.id not in position:
            position[case.item.id] = len(position)
            clusters.append(case.item.cluster_id)
    where = np.array([position[case.item.id] for case in cases], dtype=np.intp)
    totals = np.bincount(where, weights=scores, minlength=len(position))
    counts = np.bincount(where, minlength=len(position))
    return totals / np.maximum(counts, 1), list(position), clusters


def by_item(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """Cases by item id, each list in the order of runs."""
    grouped: dict[str, list[Case]] = {}
    for case in cases:
        grouped.setdefault(case.item.id, []).append(case)
    return {item_id: sorted(group, key=lambda case: case.run) for item_id, group in grouped.items()}
