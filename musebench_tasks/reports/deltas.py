"""Differences on the same items: what a condition changes, what guessing would give, and system against system.

Always paired, item by item, errors clustered (statistics.md 3.3). Means: Student's t over clusters and the p of the
cluster sign-flip permutation; other statistics: bootstrap over clusters with the same draws for both, no p. No interval
below 10 items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from musebench_tasks.base.records import Condition, Interval, Kind, Scorecard
from musebench_tasks.evaluation.metrics.registry import headline_metric, measure
from musebench_tasks.measures import chance_exact_match
from musebench_tasks.pages import PlainTable, interval_text
from musebench_tasks.pages.text import p_text, signed_text, value_text
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.item_scores import ItemEvidence, ItemScores, compared, difference, shared, within_reach
from musebench_tasks.reports.layouts import MUSIC, asked_conditions
from musebench_tasks.reports.tables import comparable, condition_label, main_condition, ranked, system_name
from musebench_tasks.statistics import FEWEST_ITEMS, design_effect, holm, minimum_detectable_effect

ALL_PAIRS_UP_TO = 4
"""So many systems are compared each with each; more are compared each with the next by the headline."""


@dataclass(frozen=True)
class Difference:
    """One number minus another on the same items."""

    system: str
    condition: str
    """As tables name it; `asked` is the condition itself."""
    against: str
    metric: str
    """`name/version`."""
    value: float | None
    interval: Interval | None
    p_value: float | None
    n: int
    n_clusters: int
    p_holm: float | None = None
    detectable: float | None = None
    """The smallest true difference that so many items show with probability 0.8."""
    asked: Condition = Condition.FULL


@dataclass(frozen=True)
class Differences:
    """One family of differences: its table's name and words."""

    name: str
    title: str
    rows: tuple[Difference, ...]
    note: str = ""


def all_differences(evidence: ItemEvidence) -> list[Differences]:
    """The families that there are numbers for; systems that may not share a table are in families apart (MU-08)."""
    metrics = compared_metrics(evidence.answers)
    groups = comparable(part.part.card for part in evidence.answers.parts)
    families = [
        replace(family, title=f"{family.title} ({terms})" if terms else family.title)
        for make in (_condition_changes, _between_systems, _against_baselines)
        for cards, terms in groups
        for family in [make(evidence, ranked(cards), metrics)]
    ]
    return [family for family in families if family.rows]


def compared_metrics(answers: TaskAnswers) -> list[str]:
    """The headline; of music, the main measure of every field too. As `name/version`."""
    first = measure(headline_metric(answers.task), [])[0]
    wanted = [f"{first.metric}/{first.version}"]
    if answers.task.kind == "music" and answers.parts:
        rows = answers.parts[0].part.card.scores
        mains = {metric for _, _, metric, is_detail in MUSIC if not is_detail and "hit_rate" not in metric}
        wanted += [f"{row.metric}/{row.version}" for row in rows if row.metric in mains and row.n]
    return list(dict.fromkeys(wanted))


def differences_table(family: Differences) -> PlainTable:
    """A family as a table of words and numbers; columns that would be empty or all alike are left out."""
    rows = family.rows
    measures = len({each.metric for each in rows}) > 1
    conditions = family.name == "deltas" or len({each.condition for each in rows}) > 1
    words = {
        "system": [each.system for each in rows],
        **({"condition": [each.condition for each in rows]} if conditions else {}),
        "minus": [each.against for each in rows],
        **({"measure": [measure_name(each.metric) for each in rows]} if measures else {}),
    }
    difference_head = "difference" if measures else f"{measure_name(rows[0].metric)}, difference"
    numbers = {
        difference_head: [signed_text(each.value) for each in rows],
        "95 % interval": [interval_text(each.interval) for each in rows],
        "p": [p_text(each.p_value) for each in rows],
        "p (Holm)": [p_text(each.p_holm) for each in rows],
        "detectable": [value_text(each.detectable, 2) for each in rows],
        "n": [str(each.n) for each in rows],
        "clusters": [str(each.n_clusters) for each in rows],
    }
    optional = {"p": "p_value", "p (Holm)": "p_holm", "detectable": "detectable"}
    kept = {
        head: texts
        for head, texts in numbers.items()
        if head not in optional or any(getattr(each, optional[head]) is not None for each in rows)
    }
    columns = {**words, **kept}
    body = tuple(zip(*columns.values(), strict=True))
    return PlainTable(family.title, tuple(columns), body, n_words=len(words))


def measure_name(metric: str) -> str:
    """`key symmetric/2` for `mub.key.symmetric/2`, `accuracy` for `accuracy/1`: a version is said from 2 on."""
    name = metric.removeprefix("mub.").replace(".", " ").replace("_", " ")
    return name.removesuffix("/1")


def _condition_changes(evidence: ItemEvidence, cards: Sequence[Scorecard], metrics: Sequence[str]) -> Differences:
    rows = tuple(_changes(evidence, cards, metrics))
    return Differences("deltas", "What a condition changes", rows)


def _changes(evidence: ItemEvidence, cards: Sequence[Scorecard], metrics: Sequence[str]) -> Iterator[Difference]:
    for part in _parts(evidence, cards):
        card = part.part.card
        order = asked_conditions([card])
        if Condition.FULL not in part.conditions:
            continue
        for condition in (each for each in order if each is not Condition.FULL):
            for metric in metrics:
                scores = evidence.scores(card, condition, metric)
                full = evidence.scores(card, Condition.FULL, metric)
                if scores is not None and full is not None:
                    yield _difference(card, condition, condition_label(Condition.FULL, card), scores, full)


def _parts(evidence: ItemEvidence, cards: Sequence[Scorecard]) -> list[PartAnswers]:
    """The parts with these scorecards, in their order."""
    parts = {id(part.part.card): part for part in evidence.answers.parts}
    return [parts[id(card)] for card in cards]


def _between_systems(evidence: ItemEvidence, cards: Sequence[Scorecard], metrics: Sequence[str]) -> Differences:
    """Systems that may share a table, each with each, or with the next where they are many."""
    rows: list[Difference] = []
    condition = main_condition(cards)
    for metric in metrics:
        found = [(card, scores) for card in cards if (scores := evidence.scores(card, condition, metric))]
        pairs = combinations(found, 2) if len(found) <= ALL_PAIRS_UP_TO else pairwise(found)
        for (card, scores), (other, others) in pairs:
            row = _difference(card, condition, system_name(other), scores, others)
            rows.append(replace(row, detectable=detectable_difference(scores, others)))
    note = (
        "detectable: the smallest true difference that so many items would show with probability 0.8. "
        f"p (Holm): adjusted for the {len(rows)} comparisons of this table."
    )
    return Differences("systems", "System against system", tuple(_with_holm(rows)), note if len(rows) > 1 else "")


def _with_holm(rows: Sequence[Difference]) -> Iterator[Difference]:
    tested = [row.p_value for row in rows if row.p_value is not None]
    adjusted = iter(holm(tested) if len(tested) > 1 else [None] * len(tested))
    for row in rows:
        yield replace(row, p_holm=next(adjusted)) if row.p_value is not None else row


def detectable_difference(first: ItemScores, second: ItemScores) -> float | None:
    """The smallest true difference of two means that their items would show with probability 0.8; None if unknown."""
    one, other = shared(first, second)
    if not (one.is_mean and other.is_mean) or len(one.item_ids) < FEWEST_ITEMS:
        return None
    differences = one.values - other.values
    variance, effect = float(differences.var(ddof=1)), design_effect(differences, list(one.clusters))
    if not variance or effect is None:
        return None
    return minimum_detectable_effect(len(differences), variance=variance, design_effect=effect)


def _against_baselines(evidence: ItemEvidence, cards: Sequence[Scorecard], metrics: Sequence[str]) -> Differences:
    is_music, parts = evidence.answers.task.kind == "music", _parts(evidence, cards)
    rows = _against_priors(evidence, parts, metrics) if is_music else _against_chance(evidence, parts, metrics[0])
    title = "Against the priors" if is_music else "Against guessing"
    return Differences("baselines", title, tuple(rows))


def _against_chance(evidence: ItemEvidence, parts: Sequence[PartAnswers], metric: str) -> Iterator[Difference]:
    """Each system under each condition minus what uniform guessing is expected to score on each item (HQ-14)."""
    for part in parts:
        card = part.part.card
        for condition in asked_conditions([card]):
            scores = evidence.scores(card, condition, metric)
            expected = _expected(part, scores) if scores is not None else None
            if scores is not None and expected is not None:
                yield _difference(card, condition, "chance", scores, expected)


def _expected(part: PartAnswers, scores: ItemScores) -> ItemScores | None:
    """What guessing is expected to score, item by item; None for a metric that has no such expectation here."""
    if scores.metric.partition("/")[0] not in ("accuracy", "exact_match"):
        return None
    options = {item.id: (len(item.options), item.kind) for item in part.items}
    sizes = [options[item_id] for item_id in scores.item_ids]
    values = [1 / size if kind is Kind.SINGLE else chance_exact_match(size) for size, kind in sizes]
    return replace(scores, columns=np.array(values, dtype=np.float64)[:, None], is_expectation=True)


def _against_priors(
    evidence: ItemEvidence, parts: Sequence[PartAnswers], metrics: Sequence[str]
) -> Iterator[Difference]:
    for part in parts:
        card = part.part.card
        condition = main_condition([card])
        for name, prior in evidence.baseline_scores(card, condition).items():
            for metric in metrics:
                scores, others = evidence.scores(card, condition, metric), prior.get(metric)
                if (
                    scores is not None
                    and others is not None
                    and not (name == "prior:constant" and "segments" in metric)
                ):
                    yield _difference(card, condition, name, scores, others)


def _difference(
    card: Scorecard, condition: Condition, against: str, scores: ItemScores, others: ItemScores
) -> Difference:
    tested = compared(scores, others)
    value, interval = (tested.difference, tested.interval) if tested else difference(scores, others)
    one, _ = shared(scores, others)
    return Difference(
        system=system_name(card),
        condition=condition_label(condition, card),
        asked=condition,
        against=against,
        metric=scores.metric,
        value=value,
        interval=within_reach(interval, scores, others),
        p_value=tested.p_value if tested else None,
        n=len(one.item_ids),
        n_clusters=len(set(one.clusters)),
    )
