"""`compare`: two systems on the same items, always paired: differences, slices, and the items that flipped.

Means: Student's t over clusters of the item differences, p by cluster sign flips (statistics.md 3.3). Other
statistics (balanced accuracy, micro F1): percentile bootstrap over clusters with the same draws for both, no p. The
p-values of a dimension's slices are adjusted by Holm's rule over that dimension.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Interval, Item
from musebench_tasks.base.text import nearest
from musebench_tasks.reports.answers import TaskAnswers, read_task
from musebench_tasks.reports.item_scores import ItemScores, compared, difference, shared, within_reach
from musebench_tasks.reports.pairs import Pair, Side, baseline_side, music_field, system_side
from musebench_tasks.reports.tables import condition_name
from musebench_tasks.statistics import holm, minimum_detectable_effect
from musebench_tasks.statistics.errors import FEWEST_ITEMS, design_effect


@dataclass(frozen=True)
class Line:
    """One number of both systems and their difference. `p_holm` only of slices."""

    name: str
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    p_value: float | None
    n: int
    n_clusters: int
    p_holm: float | None = None


@dataclass(frozen=True)
class Slices:
    """The headline by the values of one dimension."""

    dimension: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Flip:
    """An item on which the headline's score differs, and what each said, run by run."""

    item_id: str
    facts: str
    first: float
    second: float
    first_said: str
    second_said: str


@dataclass(frozen=True)
class Comparison:
    """Two systems on one task under one condition; differences are first minus second."""

    task: str
    condition: str
    first: str
    second: str
    headline: str
    measures: tuple[Line, ...]
    slices: tuple[Slices, ...]
    only_first: tuple[Flip, ...]
    """Items where the first scored higher, the largest difference first."""
    only_second: tuple[Flip, ...]
    n_alike: int
    """Items on which both scored the same."""
    n_unshared: int
    """Items that only one of them was asked: they are left out."""
    detectable: float | None
    """The smallest true difference of the headline that so many items show with 80 % power."""
    notes: tuple[str, ...]


def compare_pair(
    pair: Pair, conditions: Sequence[Condition] = (Condition.FULL,), metric: str | None = None
) -> list[Comparison]:
    """The comparisons of a pair under those of `conditions` that both were asked; empty if there is none.

    Slices and flipped items follow `metric` (an id, with or without version), by default the task's headline.
    InputError where it is not measured, or the data here are not those that were asked.
    """
    answers = read_task(pair.first.card.task, pair.parts)
    if len(answers.parts) != len(pair.parts):
        raise InputError(
            f"{pair.parts[0].folder}: predictions.jsonl is missing. Finish the run: give its command again."
        )
    first, second = answers.parts[0], answers.parts[-1]
    asked = [each for each in conditions if each in first.conditions and each in second.conditions]
    return [_compare(answers, pair, condition, metric) for condition in asked]


def _compare(answers: TaskAnswers, pair: Pair, condition: Condition, metric: str | None) -> Comparison:
    first, second = _sides(answers, pair, condition)
    common = first.item_ids & second.item_ids
    ours, others = first.scores(common), second.scores(common)
    both = {name: (scores, others[name]) for name, scores in ours.items() if name in others}
    one, other = _followed(metric or pair.first.card.headline, both)
    items = {item.id: item for item in answers.items}
    flips = list(_flips(items, first, second, one, other)) if one.is_mean else []
    return Comparison(
        task=answers.task.task,
        condition=condition_name(condition, pair.first.card),
        first=pair.first_name,
        second=pair.second_name,
        headline=one.metric,
        measures=tuple(_line(name, *scores) for name, scores in both.items()),
        slices=tuple(_by_slice(answers.task.slices, items, one, other)),
        only_first=tuple(flip for flip in flips if flip.first > flip.second),
        only_second=tuple(flip for flip in flips if flip.second > flip.first),
        n_alike=len(one.item_ids) - len(flips) if one.is_mean else 0,
        n_unshared=len(first.item_ids ^ second.item_ids),
        detectable=_detectable(one, other),
        notes=pair.notes,
    )


def _sides(answers: TaskAnswers, pair: Pair, condition: Condition) -> tuple[Side, Side]:
    first = system_side(answers, answers.parts[0], condition)
    if pair.baseline is not None:
        return first, baseline_side(answers, answers.parts[0], condition, pair.baseline)
    return first, system_side(answers, answers.parts[-1], condition)


def _followed(metric: str, both: Mapping[str, tuple[ItemScores, ItemScores]]) -> tuple[ItemScores, ItemScores]:
    """The metric that slices and flips follow: by its id, with or without version, or by its name in task files."""
    for name, scores in both.items():
        if metric in (name, name.rpartition("/")[0]):
            return scores
    for name, scores in both.items():
        if name.startswith(metric.replace("mub_", "mub.", 1) + "."):
            return scores
    raise InputError(
        f'metric "{metric}" is not measured for both{nearest(metric, list(both))}. Measured: {", ".join(both)}.'
    )


def _line(name: str, first: ItemScores, second: ItemScores) -> Line:
    one, other = shared(first, second)
    found, interval = difference(one, other)
    paired = compared(one, other)
    return Line(
        name=name,
        first=one.value,
        second=other.value,
        difference=found,
        interval=within_reach(interval, one, other),
        p_value=paired.p_value if paired else None,
        n=len(one.item_ids),
        n_clusters=len(set(one.clusters)),
    )


def _by_slice(
    dimensions: Sequence[str], items: Mapping[str, Item], first: ItemScores, second: ItemScores
) -> Iterator[Slices]:
    """Slices of every dimension with two or more values; adjusted p-values over each dimension."""
    for dimension in dimensions:
        values: dict[str, list[str]] = {}
        for item_id in first.item_ids:
            found = getattr(items[item_id], dimension, None)
            if found is not None:
                values.setdefault(str(found), []).append(item_id)
        if len(values) > 1:
            lines = [_line(value, first.only(ids), second.only(ids)) for value, ids in values.items()]
            yield Slices(dimension, tuple(_adjusted(lines)))


def _adjusted(lines: Sequence[Line]) -> list[Line]:
    tested = [line for line in lines if line.p_value is not None and line.n >= FEWEST_ITEMS]
    adjusted = dict(zip((line.name for line in tested), holm([line.p_value or 0.0 for line in tested]), strict=True))
    return [replace(line, p_holm=adjusted.get(line.name)) for line in lines]


def _flips(items: Mapping[str, Item], first: Side, second: Side, one: ItemScores, other: ItemScores) -> Iterator[Flip]:
    field = music_field(one.metric)
    order = sorted(range(len(one.item_ids)), key=lambda place: (-abs(one.values[place] - other.values[place]), place))
    for place in order:
        item = items[one.item_ids[place]]
        if one.values[place] == other.values[place]:
            continue
        yield Flip(
            item_id=item.id,
            facts=" · ".join(each for each in (item.category, item.subdomain, item.difficulty) if each),
            first=float(one.values[place]),
            second=float(other.values[place]),
            first_said=first.said(item, field),
            second_said=second.said(item, field),
        )


def _detectable(first: ItemScores, second: ItemScores) -> float | None:
    if not (first.is_mean and second.is_mean) or len(first.item_ids) < FEWEST_ITEMS:
        return None
    differences = first.values - second.values
    effect = design_effect(differences, list(first.clusters))
    variance = float(np.var(differences, ddof=1))
    return minimum_detectable_effect(len(differences), variance=variance, design_effect=effect) if effect else None
