"""What metrics are computed from: one case a planned (item, run), with its answer or without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.records import FieldAnswer, Item, Kind, Prediction, Reference, Status
from musebench_tasks.measures import SetCounts, set_counts
from musebench_tasks.statistics.clusters import ClusterNames

if TYPE_CHECKING:
    from musebench_tasks.evaluation.join import PlannedKey  # Joining looks into the records of measures.


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

    def answering(self, chosen: frozenset[str] | None) -> Case:
        """The same case with another answer, made without looking: it gives no probabilities."""
        other = object.__new__(Case)
        object.__setattr__(other, "__dict__", {**self.__dict__, "chosen": chosen, "probabilities": None})
        return other


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


class Places(NamedTuple):
    """Which item each case is of, items in order of first appearance."""

    item_ids: tuple[str, ...]
    clusters: ClusterNames
    """The cluster of each item."""
    first: NDArray[np.intp]
    """The first case of each item."""
    where: NDArray[np.intp]
    """The item of each case."""


class _Known:
    """What several metrics ask of the same cases, each worked out once; for a part it is cut out of the whole's.

    Apart from `Cases`, which keep their parts: a part that held its whole would be a cycle, left to the collector.
    """

    def __init__(
        self,
        cases: Sequence[Case] = (),
        *,
        like: _Known | None = None,
        of: _Known | None = None,
        at: NDArray[np.intp] | None = None,
        chosen: Sequence[frozenset[str]] | None = None,
    ) -> None:
        self._cases, self._like, self._of, self._at, self._chosen = cases, like, of, at, chosen

    @cached_property
    def cases(self) -> Sequence[Case]:
        if self._of is not None and self._at is not None:
            return tuple(map(self._of.cases.__getitem__, self._at.tolist()))
        if self._like is not None and self._chosen is not None:
            return tuple(case.answering(each) for case, each in zip(self._like.cases, self._chosen, strict=True))
        return self._cases

    @cached_property
    def chosen(self) -> Sequence[frozenset[str] | None]:
        return [case.chosen for case in self.cases] if self._chosen is None else self._chosen

    @cached_property
    def gold(self) -> Sequence[frozenset[str]]:
        return [case.gold for case in self.cases] if self._like is None else self._like.gold

    @cached_property
    def places(self) -> Places:
        if self._like is not None:
            return self._like.places
        if self._of is not None:
            return _places_of_part(self._of.places, self._at)
        position: dict[str, int] = {}
        where = np.array([position.setdefault(case.item.id, len(position)) for case in self.cases], dtype=np.intp)
        first = np.arange(len(where)) if len(position) == len(where) else np.unique(where, return_index=True)[1]
        clusters = ClusterNames(self.cases[place].item.cluster_id for place in first.tolist())
        return Places(tuple(position), clusters, first, where)

    @cached_property
    def kinds(self) -> NDArray[np.str_]:
        if self._like is not None:
            return self._like.kinds
        if self._of is not None:
            return self._of.kinds[self._at]
        return np.array([case.item.kind.value for case in self.cases])

    @cached_property
    def n_options(self) -> NDArray[np.int64]:
        if self._like is not None:
            return self._like.n_options
        if self._of is not None:
            return self._of.n_options[self._at]
        return np.array([len(case.item.options) for case in self.cases], dtype=np.int64)

    @cached_property
    def runs(self) -> NDArray[np.int64]:
        if self._like is not None:
            return self._like.runs
        if self._of is not None:
            return self._of.runs[self._at]
        return np.array([case.run for case in self.cases], dtype=np.int64)

    @cached_property
    def set_counts(self) -> SetCounts:
        if self._of is not None:
            return SetCounts(*(each[self._at] for each in self._of.set_counts))
        return set_counts(self.chosen, self.gold)

    @cached_property
    def hits(self) -> NDArray[np.float64]:
        if self._of is not None:
            return self._of.hits[self._at]
        return np.array(list(map(eq, self.chosen, self.gold)), dtype=np.float64)


class Cases(Sequence[Case]):
    """Cases that are measured together. What several metrics ask of them is worked out once, and cut out for a part.

    `like`: cases of the same items and runs in the same order, answered otherwise. `of` and `at`: the whole that these
    are a part of, and where they stand in it, ascending. `chosen`: what those of `like` are answered with instead. The
    cases of a part, and of other answers, are made only where somebody looks at one.
    """

    def __init__(
        self,
        cases: Iterable[Case] = (),
        *,
        like: Cases | None = None,
        of: Cases | None = None,
        at: NDArray[np.intp] | None = None,
        chosen: Sequence[frozenset[str]] | None = None,
    ) -> None:
        self._like = like
        self._known: _Known = _Known(
            tuple(cases),
            like=None if like is None else like._known,
            of=None if of is None else of._known,
            at=at,
            chosen=chosen,
        )
        made = at if at is not None else chosen if chosen is not None else self._known.cases
        self._size = len(made)
        self._of_kind: dict[Kind, Cases | None] = {}
        """The cases of each kind asked for; None = all of these."""

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> Case: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Case]: ...

    def __getitem__(self, place: int | slice) -> Case | Sequence[Case]:
        return self._known.cases[place]

    def __iter__(self) -> Iterator[Case]:
        return iter(self._known.cases)

    def answering(self, chosen: Sequence[frozenset[str]]) -> Cases:
        """The same cases with other answers, made without looking."""
        return Cases(like=self, chosen=chosen)

    def part(self, at: NDArray[np.intp], like: Cases | None = None) -> Cases:
        """The cases at these places, ascending. `like`: the same part of those that these are like."""
        return Cases(like=like, of=self, at=at)

    def of_kind(self, kind: Kind) -> Cases:
        """The cases whose items are of `kind`."""
        if kind not in self._of_kind:
            at = np.flatnonzero(self.kinds == kind.value)
            like = None if self._like is None else self._like.of_kind(kind)
            self._of_kind[kind] = None if len(at) == len(self) else self.part(at, like)
        found = self._of_kind[kind]
        return self if found is None else found

    @property
    def places(self) -> Places:
        """Items and clusters."""
        return self._known.places

    @property
    def kinds(self) -> NDArray[np.str_]:
        """The kind of each case's item."""
        return self._known.kinds

    @property
    def n_options(self) -> NDArray[np.int64]:
        """How many options each case's item has."""
        return self._known.n_options

    @property
    def runs(self) -> NDArray[np.int64]:
        """The run of each case."""
        return self._known.runs

    @property
    def set_counts(self) -> SetCounts:
        """Options answered and right, answered, right, of each case; every case has a right option."""
        return self._known.set_counts

    @property
    def hits(self) -> NDArray[np.float64]:
        """1 where the set answered is the set that is right, else 0; no answer is 0 (MB-52)."""
        return self._known.hits


def _places_of_part(whole: Places, at: NDArray[np.intp] | None) -> Places:
    items, first, where = np.unique(whole.where[at], return_index=True, return_inverse=True)
    codes = whole.clusters.numbered[0][items]
    _, appeared, part = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(appeared), dtype=np.int64)
    rank[np.argsort(appeared)] = np.arange(len(appeared))
    named = items.tolist()
    clusters = ClusterNames(map(whole.clusters.__getitem__, named))
    clusters.__dict__["numbered"] = (rank[part], len(rank))
    return Places(tuple(map(whole.item_ids.__getitem__, named)), clusters, first, where)


def as_cases(cases: Sequence[Case]) -> Cases:
    """`cases` with what is known of them."""
    return cases if isinstance(cases, Cases) else Cases(cases)


def item_means(
    cases: Sequence[Case], scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], tuple[str, ...], ClusterNames]:
    """Mean score of each item over its runs, with item ids and cluster ids, in order of first appearance."""
    places = as_cases(cases).places
    if len(places.item_ids) == len(scores):
        return np.asarray(scores, dtype=np.float64), places.item_ids, places.clusters
    totals = np.bincount(places.where, weights=scores, minlength=len(places.item_ids))
    counts = np.bincount(places.where, minlength=len(places.item_ids))
    return totals / np.maximum(counts, 1), places.item_ids, places.clusters


def by_item(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """Cases by item id, each list in the order of runs."""
    grouped: dict[str, list[Case]] = {}
    for case in cases:
        grouped.setdefault(case.item.id, []).append(case)
    return {item_id: sorted(group, key=lambda case: case.run) for item_id, group in grouped.items()}
