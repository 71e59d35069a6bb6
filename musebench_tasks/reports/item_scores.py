"""What every single item scored: the ground on which systems and conditions are compared with one another.

Values are means over an item's runs; items stand in the order of the plan (by id), each with its cluster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, compress

import numpy as np

from musebench_tasks.base.records import Condition, Interval, Scorecard, ScoreRow, Status, TaskConfig, slice_value
from musebench_tasks.evaluation.baselines import baseline_cases
from musebench_tasks.evaluation.cases import Case, make_cases
from musebench_tasks.evaluation.join import join
from musebench_tasks.evaluation.measurement import FloatArray, Measurement, drawn_sums
from musebench_tasks.evaluation.metrics.registry import headline_metric, measure
from musebench_tasks.evaluation.scorecard import as_it_was_asked, field_status, with_orders
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.statistics import PairedComparison, interval_of_difference, paired_comparison
from musebench_tasks.statistics.bootstrap import SEED, percentile_interval
from musebench_tasks.statistics.errors import image, interval_of_mean
from musebench_tasks.tasks import planned


@dataclass(frozen=True)
class ItemScores:
    """One metric of one system under one condition, item by item.

    A mean has one column. A metric with a `statistic` (balanced accuracy, micro F1, ...) has no value an item of its
    own: it is a function of the sums of its columns.
    """

    metric: str
    """`name/version`."""
    item_ids: tuple[str, ...]
    clusters: tuple[str, ...]
    columns: FloatArray
    """Items x columns."""
    statistic: Callable[[FloatArray], FloatArray] | None = None
    is_expectation: bool = False
    """Whether these are what guessing is expected to score: known without error."""
    strata: tuple[str, ...] = ()
    """The class of each item, where the statistic averages over classes."""

    @property
    def is_mean(self) -> bool:
        """Whether every item has a score of its own."""
        return self.statistic is None

    @property
    def values(self) -> FloatArray:
        """The score of each item; only where `is_mean`."""
        return self.columns[:, 0]

    @property
    def value(self) -> float | None:
        """The number over all items; None where there are none or it is undefined."""
        if not len(self.columns):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            found = float(_total(self, self.columns.sum(axis=0, keepdims=True), len(self.columns))[0])
        return found if np.isfinite(found) else None

    def only(self, item_ids: Iterable[str]) -> ItemScores:
        """The same on some items: a slice, or what two systems share."""
        wanted = item_ids if isinstance(item_ids, frozenset) else frozenset(item_ids)
        kept = [item_id in wanted for item_id in self.item_ids]
        return ItemScores(
            self.metric,
            tuple(compress(self.item_ids, kept)),
            tuple(compress(self.clusters, kept)),
            self.columns[np.array(kept, dtype=bool)],
            self.statistic,
            strata=tuple(compress(self.strata, kept)),
        )


def cases_of(answers: TaskAnswers, part: PartAnswers, condition: Condition) -> list[Case]:
    """What a part was asked and answered under a condition, in the plan's order; what was not answered is there too.

    Read once: the part keeps them.
    """
    if condition not in part.cases:
        part.cases[condition] = _read_cases(answers, part, condition)
    return part.cases[condition]


def _read_cases(answers: TaskAnswers, part: PartAnswers, condition: Condition) -> list[Case]:
    items = {item.id: item for item in part.items}
    task = as_it_was_asked(answers.task, part.part.config)
    plan = [key for key in planned(task, items, part.part.config.protocol.conditions) if key[2] is condition]
    here = [part.predictions[key] for key in plan if key in part.predictions]
    joined = join(plan, part.items, here, str(part.part.folder))
    return with_orders(task, make_cases(joined, items, answers.references))


def item_scores(
    answers: TaskAnswers, part: PartAnswers, condition: Condition = Condition.FULL, metric: str | None = None
) -> ItemScores | None:
    """One metric (an id with or without version; None = the headline) of a part under a condition, item by item.

    None where the metric is not measured here, or is no function of items (a spread over runs).
    """
    cases = cases_of(answers, part, condition)
    if metric is None:
        return next(_scores(measure(headline_metric(answers.task), cases)), None)
    return next((each for each in measured(answers.task, cases) if _is_named(each, metric)), None)


def all_item_scores(
    answers: TaskAnswers, part: PartAnswers, condition: Condition = Condition.FULL
) -> dict[str, ItemScores]:
    """Every metric of the task by `name/version`."""
    return {each.metric: each for each in measured(answers.task, cases_of(answers, part, condition))}


def baseline_item_scores(
    answers: TaskAnswers, part: PartAnswers, condition: Condition = Condition.FULL
) -> dict[str, dict[str, ItemScores]]:
    """The same of the baselines that answer (not of `chance`, which is an expectation), by the baseline's name."""
    named = baseline_cases(cases_of(answers, part, condition))
    return {name: {each.metric: each for each in measured(answers.task, cases)} for name, cases in named}


def measured(task: TaskConfig, cases: Sequence[Case]) -> Iterator[ItemScores]:
    """The item scores of `cases` by every metric of the task, the same metric once."""
    found = chain.from_iterable(_scores(measure(metric, cases)) for metric in task.metric_list)
    yield from {each.metric: each for each in found}.values()


def shared(first: ItemScores, second: ItemScores) -> tuple[ItemScores, ItemScores]:
    """Both on the items that both have, in the same order."""
    if first.item_ids == second.item_ids:
        return first, second
    common = set(first.item_ids) & set(second.item_ids)
    return first.only(common), second.only(common)


def difference(first: ItemScores, second: ItemScores) -> tuple[float | None, Interval | None]:
    """`first` minus `second` on the items that both have, with its 95 % interval.

    Means: Student's t over clusters of the differences; hits against an expectation: the interval of the hits. Other
    statistics: percentile bootstrap over clusters with the same draws for both, no interval where all draws are alike:
    that tells nothing of the error. No interval below 10 items.
    """
    one, other = shared(first, second)
    if one.value is None or other.value is None:
        return None, None
    if other.is_expectation and one.is_mean:
        return one.value - other.value, _above_expectation(one, other.value)
    if one.is_mean and other.is_mean:
        differences = one.values - other.values
        return float(differences.mean()), interval_of_difference(one.values, other.values, one.clusters)
    return one.value - other.value, _bootstrapped(one, other)


def compared(first: ItemScores, second: ItemScores) -> PairedComparison | None:
    """`difference` of two means with its permutation p; None where one of them is no mean or no item is shared."""
    one, other = shared(first, second)
    if not (one.is_mean and other.is_mean and one.item_ids):
        return None
    found = paired_comparison(one.values, other.values, list(one.clusters))
    if not other.is_expectation:
        return found
    return found._replace(interval=difference(one, other)[1], p_value=None if _are_alike(one) else found.p_value)


def _above_expectation(scores: ItemScores, expected: float) -> Interval | None:
    """The interval of a mean, moved by what is expected; None where all items came out alike and tell no spread."""
    values, clusters = scores.values, list(scores.clusters)
    is_binary = bool(np.isin(values, (0.0, 1.0)).all())
    if _are_alike(scores) and not is_binary:
        return None
    found = interval_of_mean(values, clusters, binary=is_binary)
    return None if found is None else image(found, slope=1.0, offset=-expected)


def _are_alike(scores: ItemScores) -> bool:
    """Whether no item is right, or every one: what is left to differ is the number of options."""
    return bool((scores.values <= 0).all() or (scores.values == 1).all())


def excludes_zero(interval: Interval | None) -> bool:
    """Whether a difference with this interval can be told from none."""
    return interval is not None and (interval.low > 0 or interval.high < 0)


def _bootstrapped(first: ItemScores, second: ItemScores) -> Interval | None:
    sums = drawn_sums(np.hstack([first.columns, second.columns]), first.clusters, first.strata)
    if sums is None:
        return None
    totals, method = sums
    width = first.columns.shape[1]
    n_items = len(first.item_ids)
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = _total(first, totals[:, :width], n_items) - _total(second, totals[:, width:], n_items)
    found = percentile_interval(drawn, seed=SEED, method=method)
    return None if found is None or found.low == found.high else found


def _total(scores: ItemScores, sums: FloatArray, n_items: int) -> FloatArray:
    return sums[:, 0] / n_items if scores.statistic is None else scores.statistic(sums)


def _scores(measurements: Iterable[Measurement]) -> Iterator[ItemScores]:
    for each in measurements:
        if not each.without_error:
            name = f"{each.metric}/{each.version}"
            yield ItemScores(name, each.item_ids, each.clusters, each.columns, each.statistic, strata=each.strata)


def _is_named(scores: ItemScores, metric: str) -> bool:
    return metric in (scores.metric, scores.metric.rpartition("/")[0])


def within_reach(interval: Interval | None, first: ItemScores, second: ItemScores) -> Interval | None:
    """The interval without what no difference can be: scores between 0 and 1 differ by 1 at most."""
    if interval is None or not first.is_mean or min(first.values.min(), second.values.min()) < 0:
        return interval
    return interval.model_copy(update={"low": max(interval.low, -1.0), "high": min(interval.high, 1.0)})


class ItemEvidence:
    """Item scores and endings of a task's systems, found by their scorecards."""

    def __init__(self, answers: TaskAnswers) -> None:
        self.answers = answers
        self._parts = {id(each.part.card): each for each in answers.parts}
        self._all = cache(self._measure)
        self._baselines = cache(self._measure_baselines)
        self._inside = cache(self._items_of)
        self._sliced = cache(self._slice)
        self._endings = cache(self._count)

    def scores(
        self, card: Scorecard, condition: Condition, metric: str, dimension: str | None = None, value: str | None = None
    ) -> ItemScores | None:
        """A metric (`name/version`) of a system, item by item; None where its items are not at hand."""
        return self._sliced(id(card), condition, metric, dimension, value) if id(card) in self._parts else None

    def baseline_scores(self, card: Scorecard, condition: Condition) -> dict[str, dict[str, ItemScores]]:
        """The answering baselines on a system's items, by name and `name/version`."""
        return self._baselines(id(card), condition) if id(card) in self._parts else {}

    def is_distinct(self, first: Scorecard, second: Scorecard, row: ScoreRow) -> bool | None:
        """Whether two systems differ in the number of `row` on the items both have; None where items are unknown."""
        place = (row.condition, f"{row.metric}/{row.version}", row.slice, row.slice_value)
        one, other = self.scores(first, *place), self.scores(second, *place)
        if one is None or other is None:
            return None
        return excludes_zero(difference(one, other)[1])

    def rates(
        self, card: Scorecard, condition: Condition, dimension: str | None, value: str | None, field: str | None
    ) -> tuple[float | None, float | None, int] | None:
        """Coverage, answered and planned requests in a slice; None where the items are not known."""
        part = self._parts.get(id(card))
        if part is None:
            return None
        statuses = self._endings(id(card), condition, dimension, field).get(value, Counter[Status]())
        planned = statuses.total()
        if not planned:
            return None, None, 0
        covered = sum(count for status, count in statuses.items() if status.is_answer)
        return covered / planned, statuses[Status.OK] / planned, planned

    def _measure(self, card: int, condition: Condition) -> dict[str, ItemScores]:
        return all_item_scores(self.answers, self._parts[card], condition)

    def _measure_baselines(self, card: int, condition: Condition) -> dict[str, dict[str, ItemScores]]:
        return baseline_item_scores(self.answers, self._parts[card], condition)

    def _slice(
        self, card: int, condition: Condition, metric: str, dimension: str | None, value: str | None
    ) -> ItemScores | None:
        found = self._all(card, condition).get(metric)
        return found.only(self._inside(dimension, value)) if found and dimension else found

    def _count(
        self, card: int, condition: Condition, dimension: str | None, field: str | None
    ) -> dict[str | None, Counter[Status]]:
        """How the requests ended, by the values of a slice dimension."""
        part = self._parts[card]
        found: dict[str | None, Counter[Status]] = {}
        for item in part.items:
            counter = found.setdefault(slice_value(item, dimension) if dimension else None, Counter())
            for run in range(part.part.config.protocol.runs):
                counter[_status(part, (item.id, run, condition), field)] += 1
        return found

    def _items_of(self, dimension: str | None, value: str | None) -> frozenset[str]:
        items = self.answers.items
        return frozenset(item.id for item in items if dimension is None or slice_value(item, dimension) == value)


def _status(part: PartAnswers, key: tuple[str, int, Condition], field: str | None) -> Status:
    prediction = part.predictions.get(key)
    if field is not None:
        return field_status(prediction, field)
    return Status.MISSING if prediction is None else prediction.status
