"""What stands behind the tables of a task: the items of every system, read once and kept while the tables are made."""

from __future__ import annotations

from collections import Counter
from functools import cache

from musebench_tasks.base.records import Condition, Scorecard, ScoreRow, Status, slice_value
from musebench_tasks.evaluation.scorecard import field_status
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.item_scores import (
    ItemScores,
    all_item_scores,
    baseline_item_scores,
    difference,
    excludes_zero,
)


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
