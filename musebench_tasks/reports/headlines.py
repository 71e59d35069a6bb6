"""What a task's scores say, in a sentence, and all tasks at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from musebench_tasks.base.records import Condition, Scorecard, ScoreRow
from musebench_tasks.base.text import counted
from musebench_tasks.evaluation.metrics.registry import number_of
from musebench_tasks.pages.text import interval_text, value_text
from musebench_tasks.reports.layouts import main_layout
from musebench_tasks.reports.tables import Cell, condition_label, main_condition, ranked, system_name

BASELINES = {
    "chance": "guessing",
    "prior:constant": "the constant prior",
    "prior:heldout": "the prior fitted on other recordings",
}
"""The baselines that a headline is held against, first the one that is preferred, with their words."""
MOST_NAMED = 3


@dataclass(frozen=True)
class Overview:
    """All systems on all tasks: one row a system, one column a table of comparable systems."""

    heads: tuple[tuple[str, str, str, int | None], ...]
    """Anchor, task, measure and n of each column; n is None where the systems differ in it."""
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    baselines: tuple[tuple[str, Cell], ...]
    """For each column the name of the baseline it is held against, and its number."""


def headline_sentence(cards: Sequence[Scorecard], terms: str = "") -> str:
    """`dsp reads 0.81 of the keys (0.68 to 0.90), the constant prior 0.08.`: comparable systems, the best first.

    `terms` tell them from others of their task.
    """
    condition = main_condition(cards)
    rows = [(system_name(card), row) for card in cards if (row := headline_row(card, condition)) is not None]
    scored = sorted((each for each in rows if each[1].value is not None), key=lambda each: -(each[1].value or 0.0))
    if not scored:
        return ""
    name, first = scored[0]
    deed = number_of(first.metric).sentence or "reaches {} in " + first.metric.replace("_", " ")
    shown = [f"{name} {deed.format(_number(first))}{_sureness(first)}"]
    shown += [f"{name} {_number(row)}{_sureness(row)}" for name, row in scored[1:MOST_NAMED]]
    if len(scored) > MOST_NAMED:
        last = scored[-1][1]
        shown.append(f"{counted(len(scored) - MOST_NAMED, 'other')} down to {_number(last)}")
    baseline = headline_baseline(cards[0], condition, first)
    if baseline is not None:
        shown.append(f"{BASELINES[str(baseline.system)]} {_number(baseline)}")
    asked = (
        ""
        if condition is Condition.FULL
        else f' Asked under the condition "{condition_label(condition, cards[0])}" alone.'
    )
    return f"{f'{terms}: ' if terms else ''}{', '.join(shown)}.{asked}"


def headline_row(card: Scorecard, condition: Condition) -> ScoreRow | None:
    """The number a task is known by, over all items."""
    return card.row(card.headline, condition=condition)


def headline_baseline(card: Scorecard, condition: Condition, row: ScoreRow) -> ScoreRow | None:
    """The baseline that the headline is held against."""
    same = {each.system: each for each in card.baselines if (each.metric, each.slice) == (row.metric, None)}
    return next((same[name] for name in BASELINES if name in same and same[name].value is not None), None)


def make_overview(groups: Sequence[tuple[str, Sequence[Scorecard]]], terms: Sequence[str] = ()) -> Overview | None:
    """The overview of several tasks; `groups`: the anchor of comparable systems and they. None for one.

    `terms`: for each group what tells it from others of its task, "" for nothing.
    """
    if len(groups) < 2:
        return None
    names = dict.fromkeys(system_name(card) for _, cards in groups for card in ranked(cards))
    columns = [_column(cards, main_condition(cards)) for _, cards in groups]
    sizes = [{cell.n for cell in column.values() if cell.n is not None} for column in columns]
    heads = tuple(
        (anchor, f"{cards[0].task} ({told})" if told else cards[0].task, _measure(cards[0]), _only(size))
        for (anchor, cards), size, told in zip(groups, sizes, terms or [""] * len(groups), strict=True)
    )
    rows = tuple((name, tuple(column.get(name, Cell()) for column in columns)) for name in names)
    return Overview(heads, rows, tuple(_baseline(cards) for _, cards in groups))


def _only(sizes: set[int]) -> int | None:
    """The one size there is; None where there are several."""
    return next(iter(sizes)) if len(sizes) == 1 else None


def _column(cards: Sequence[Scorecard], condition: Condition) -> dict[str, Cell]:
    return {system_name(card): _cell(headline_row(card, condition)) for card in cards}


def _cell(row: ScoreRow | None) -> Cell:
    return Cell() if row is None else Cell(row.value, row.interval, row.n)


def _measure(card: Scorecard) -> str:
    """The headline as the main table names it."""
    metric = card.headline.rpartition("/")[0]
    layout = main_layout(card, main_condition([card]))
    wanted = next(each for each in layout.wanted if each.metric == metric and each.dimension is None)
    return " ".join(filter(None, (wanted.group, wanted.measure)))


def _baseline(cards: Sequence[Scorecard]) -> tuple[str, Cell]:
    condition = main_condition(cards)
    row = headline_row(cards[0], condition)
    found = headline_baseline(cards[0], condition, row) if row is not None else None
    if found is None:
        return "", Cell()
    return BASELINES[str(found.system)].removeprefix("the "), _cell(found)


def _number(row: ScoreRow) -> str:
    return value_text(row.value)


def _sureness(row: ScoreRow) -> str:
    return f" ({interval_text(row.interval)})" if row.interval is not None else f" (n {row.n})"
