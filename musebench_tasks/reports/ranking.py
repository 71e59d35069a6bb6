"""How sure the order of systems is: ranks with intervals, on the items that all comparable systems share.

Clusters are drawn once for all systems (statistics.md 3.4); beside a rank stands the smallest true difference from the
next system that so many items would show (3.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from musebench_tasks.base.records import Scorecard
from musebench_tasks.pages import PlainTable
from musebench_tasks.pages.text import value_text
from musebench_tasks.reports.deltas import compared_metrics, detectable_difference, measure_name
from musebench_tasks.reports.item_scores import ItemEvidence, ItemScores
from musebench_tasks.reports.tables import comparable, main_condition, ranked, system_name
from musebench_tasks.statistics import FEWEST_ITEMS, rank_systems

NOTE = (
    "Ranks over 10,000 draws of whole clusters, the same for all systems; equal systems share the better rank. Systems "
    "whose 95 % ranks overlap are not put in order by these items. best in: share of draws in which a system is first. "
    "detectable: the smallest true difference from the next system that so many items would show with probability 0.8."
)
HEAD = ("system", "measure", "score", "rank", "95 % ranks", "best in", "detectable", "n")


@dataclass(frozen=True)
class Ranked:
    """The rank of one system by one measure, on the items that all systems ranked share."""

    system: str
    metric: str
    """Id with version."""
    score: float | None
    rank: int
    low: int
    high: int
    best_in: float
    """Share of draws in which the system is first."""
    detectable: float | None
    """The smallest true difference from the next system that would be found; None for the last."""
    n: int
    n_clusters: int
    terms: str = ""
    """What tells the systems ranked together from others of their task."""


def all_ranks(evidence: ItemEvidence) -> list[Ranked]:
    """Ranks of the systems that may share a table, by every main measure; empty where there is nothing to rank."""
    rows: list[Ranked] = []
    for cards, terms in comparable([part.part.card for part in evidence.answers.parts]):
        for metric in compared_metrics(evidence.answers):
            rows += [replace(each, terms=terms) for each in _ranks(evidence, ranked(cards), metric)]
    return rows


def rank_table(rows: Sequence[Ranked]) -> PlainTable:
    """Ranks as people read them: of systems that may share a table."""
    body = (
        (
            each.system,
            measure_name(each.metric),
            value_text(each.score),
            str(each.rank),
            _span(each.low, each.high),
            value_text(each.best_in, 2),
            "" if each.detectable is None else value_text(each.detectable, 2),
            str(each.n),
        )
        for each in rows
    )
    terms = f" ({rows[0].terms})" if rows and rows[0].terms else ""
    return PlainTable(f"Ranks{terms}", HEAD, tuple(body), n_words=2)


def _ranks(evidence: ItemEvidence, cards: Sequence[Scorecard], metric: str) -> Iterator[Ranked]:
    condition = main_condition(cards)
    found = [(card, scores) for card in cards if (scores := evidence.scores(card, condition, metric)) is not None]
    if len(found) < 2 or not all(scores.is_mean for _, scores in found):
        return
    common = frozenset[str].intersection(*(frozenset(scores.item_ids) for _, scores in found))
    systems = sorted(((card, scores.only(common)) for card, scores in found), key=lambda each: -_value(each[1]))
    clusters = systems[0][1].clusters
    if len(common) < FEWEST_ITEMS or len(set(clusters)) < 2:
        return
    ranking = rank_systems(np.column_stack([scores.values for _, scores in systems]), clusters)
    for place, (card, scores) in enumerate(systems):
        following = systems[place + 1][1] if place + 1 < len(systems) else None
        yield Ranked(
            system=system_name(card),
            metric=metric,
            score=scores.value,
            rank=ranking.ranks[place],
            low=ranking.low[place],
            high=ranking.high[place],
            best_in=ranking.p_best[place],
            detectable=None if following is None else detectable_difference(scores, following),
            n=len(common),
            n_clusters=len(set(clusters)),
        )


def _value(scores: ItemScores) -> float:
    return float("-inf") if scores.value is None else scores.value


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}\u2013{high}"
