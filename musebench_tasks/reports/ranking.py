"""How sure the order of systems is: ranks with intervals, on the items that all comparable systems share.

Clusters are drawn once for all systems (statistics.md 3.4); beside a rank stands the smallest true difference from the
next system that so many items would show (3.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from musebench_tasks.pages import PlainTable
from musebench_tasks.pages.numbers import value_text
from musebench_tasks.records import Scorecard
from musebench_tasks.reports.deltas import compared_metrics, detectable_difference, measure_name
from musebench_tasks.reports.evidence import ItemEvidence
from musebench_tasks.reports.item_scores import ItemScores
from musebench_tasks.reports.tables import comparable, main_condition, ranked, system_name
from musebench_tasks.statistics import FEWEST_ITEMS, rank_systems

NOTE = (
    "Ranks over 10,000 draws of whole clusters, the same for all systems; equal systems share the better rank. Systems "
    "whose 95 % ranks overlap are not put in order by these items. best in: share of draws in which a system is first. "
    "detectable: the smallest true difference from the next system that so many items would show with probability 0.8."
)
HEAD = ("system", "measure", "score", "rank", "95 % ranks", "best in", "detectable", "n")


def rank_table(evidence: ItemEvidence) -> PlainTable | None:
    """Ranks of the systems that may share a table, by every main measure; None where there is nothing to rank."""
    rows: list[tuple[str, ...]] = []
    for cards, _ in comparable([part.part.card for part in evidence.answers.parts]):
        for metric in compared_metrics(evidence.answers):
            rows += _ranks(evidence, ranked(cards), metric)
    return PlainTable("Ranks", HEAD, tuple(rows), n_words=2) if rows else None


def _ranks(evidence: ItemEvidence, cards: Sequence[Scorecard], metric: str) -> Iterator[tuple[str, ...]]:
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
        yield (
            system_name(card),
            measure_name(metric),
            value_text(scores.value),
            str(ranking.ranks[place]),
            _span(ranking.low[place], ranking.high[place]),
            value_text(ranking.p_best[place], 2),
            "" if following is None else value_text(detectable_difference(scores, following), 2),
            str(len(common)),
        )


def _value(scores: ItemScores) -> float:
    return float("-inf") if scores.value is None else scores.value


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}\u2013{high}"
