"""Fills the papers' tables from scorecards, and marks what stands out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, Scorecard, ScoreRow, Status
from musebench_tasks.reports.layouts import (
    COVERAGE,
    MOST_ACROSS,
    Group,
    Layout,
    Wanted,
    further_layouts,
    main_layout,
    without_details,
)
from musebench_tasks.reports.table import (
    Cell,
    Column,
    Row,
    Table,
    condition_label,
    condition_name,
    marked,
    spokesman,
    system_name,
    whole_counts,
)

__all__ = [
    "Cell",
    "Column",
    "Evidence",
    "Row",
    "Table",
    "comparable",
    "condition_label",
    "condition_name",
    "main_condition",
    "make_tables",
    "ranked",
    "report_tables",
    "spokesman",
    "system_name",
    "whole_counts",
]

CHUNKS = "chunks of"
"""How `media.truncation` begins where it tells the parts that sound comes in."""
Place = tuple[str, Condition, str | None, str | None]
"""Metric id, condition, slice dimension and slice value of a row."""


class Evidence(Protocol):
    """What stands behind scorecards item by item, where it is at hand."""

    def is_distinct(self, first: Scorecard, second: Scorecard, row: ScoreRow) -> bool | None:
        """Whether two systems differ in the number of `row`; None where their items are not known."""

    def rates(
        self, card: Scorecard, condition: Condition, dimension: str | None, value: str | None, field: str | None
    ) -> tuple[float | None, float | None, int] | None:
        """Coverage, answered and planned requests in a slice; None where the items are not known."""


def make_tables(cards: Iterable[Scorecard], *, is_main_only: bool = False) -> list[Table]:
    """The main table of each task and condition, tasks in the order of the scorecards: what a terminal shows.

    `is_main_only`: of the condition that headlines come from alone.

    Systems that were asked other items, on another track or with less of the sound never share a table (MU-08).
    """
    tables = []
    for group, terms in comparable(cards):
        for condition in [main_condition(group)] if is_main_only else CONDITIONS.values():
            asked = _asked(group, condition)
            if asked:
                layout = without_details(main_layout(spokesman(asked), condition))
                tables.append(_table(_titled(layout, terms), asked, None))
    return tables


def report_tables(cards: Sequence[Scorecard], terms: str = "", evidence: Evidence | None = None) -> list[Table]:
    """Every table of comparable systems on one task (one entry of `comparable`), the main one first."""
    cards = ranked(cards)
    main = main_condition(cards)
    layouts = [main_layout(spokesman(_asked(cards, main)), main), *further_layouts(cards, main)]
    return [_table(_titled(layout, terms), cards, evidence) for layout in layouts]


def compact_table(cards: Sequence[Scorecard], terms: str = "", evidence: Evidence | None = None) -> Table:
    """The main table of comparable systems with the columns that a line of a leaderboard has room for."""
    main = main_condition(cards)
    layout = without_details(main_layout(spokesman(_asked(cards, main)), main))
    return _table(_titled(layout, terms), ranked(cards), evidence)


def comparable(cards: Iterable[Scorecard]) -> list[tuple[list[Scorecard], str]]:
    """Scorecards that may share a table, with the words that tell them from others of their task where there are such.

    What two systems must share beside the task: data, selection, track, and how much of the sound they got (MU-08).
    """
    groups: dict[tuple[str | None, ...], list[Scorecard]] = {}
    for card in cards:
        groups.setdefault((card.task, *terms_of(card)), []).append(card)
    terms: dict[str, list[tuple[str | None, ...]]] = {}
    for task, *of_group in groups:
        terms.setdefault(str(task), []).append(tuple(of_group))
    return [(group, _terms(group[0], terms[group[0].task])) for group in groups.values()]


def terms_of(card: Scorecard) -> tuple[str | None, ...]:
    """What two systems on a task must share to stand side by side: data, selection, track and length of sound."""
    return (card.hashes.data_sha256, card.selection, card.track, heard(card.truncation))


def heard(truncation: str | None) -> str | None:
    """What of the sound is left out; parts that follow one another leave nothing out."""
    words = [each for each in (truncation or "").split("; ") if each and not each.startswith(CHUNKS)]
    return "; ".join(words) or None


def ranked(cards: Sequence[Scorecard]) -> list[Scorecard]:
    """Comparable systems by their headline, the best first; those without one last, equals as they came."""
    condition = main_condition(cards)
    headlines = [card.row(card.headline, condition=condition) for card in cards]
    values = [row.value if row is not None and row.value is not None else float("-inf") for row in headlines]
    return [cards[position] for position in sorted(range(len(cards)), key=lambda position: -values[position])]


def main_condition(cards: Sequence[Scorecard]) -> Condition:
    """`full` where any system was asked it: headlines come from there; else the first that was asked."""
    asked = {count.condition for card in cards for count in card.counts}
    return next(each for each in CONDITIONS.values() if each in asked)


def _terms(card: Scorecard, of_groups: Sequence[tuple[str | None, ...]]) -> str:
    """The terms of a group in words, as far as they differ among the groups of its task."""
    words = (
        f"data {card.hashes.data_sha256[:8]}",
        card.selection or "all items",
        (card.track or "no tools").replace("_", " "),
        f"no {left_out}" if (left_out := heard(card.truncation)) else "all of the sound",
    )
    differing = [len({terms[place] for terms in of_groups}) > 1 for place in range(len(words))]
    return ", ".join(word for word, differs in zip(words, differing, strict=True) if differs)


def _titled(layout: Layout, terms: str) -> Layout:
    if not terms:
        return layout
    heading = f"{layout.heading} ({terms})" if layout.heading else ""
    return replace(layout, title=f"{layout.title} ({terms})", heading=heading)


def _asked(cards: Sequence[Scorecard], condition: Condition) -> list[Scorecard]:
    return [card for card in cards if any(count.condition is condition for count in card.counts)]


def _table(layout: Layout, cards: Sequence[Scorecard], evidence: Evidence | None) -> Table:
    indexed = {id(card): _index(card.scores) for card in cards}
    groups = [(group, asked) for group in layout.groups if (asked := _asked(cards, group.condition))]
    wanted = _with_items(layout, groups, indexed)
    if not groups[0][0].label:
        wanted = _with_available(wanted, groups[0], indexed)
    rows: list[Row] = []
    for group, asked in groups:
        # Beside other conditions a system that was not asked stands too, with nothing in its cells.
        shown = cards if layout.name == "conditions" else asked
        told = {id(card): _system_row(card, group, wanted, indexed[id(card)], evidence) for card in asked}
        rows += _marked([told.get(id(card)) or _unasked(card, group, wanted) for card in shown], shown, evidence)
        if group.label and layout.name != "conditions":
            rows += _baseline_rows(asked[0], wanted, group, layout.baselines)
    first = groups[0][1][0]
    if layout.name == "conditions" or not groups[0][0].label:
        rows += _baseline_rows(first, wanted, replace(groups[0][0], label=""), layout.baselines)
    return Table(
        title=layout.title,
        task=first.task,
        columns=tuple(_columns(wanted, groups, rows, indexed[id(first)])),
        rows=tuple(rows),
        notes=tuple(dict.fromkeys(note for card in cards for note in (*card.warnings, *_how_asked(card)))),
        endings=tuple(line for card in groups[0][1] for line in _endings(card, groups[0][0].condition)),
        name=layout.name,
        heading=layout.heading,
        of_rows=layout.of_rows,
        measures_down=layout.measures_down and len(rows) <= MOST_ACROSS,
    )


def _index(rows: Iterable[ScoreRow]) -> dict[Place, ScoreRow]:
    return {(row.metric, row.condition, row.slice, row.slice_value): row for row in rows}


def _place(wanted: Wanted, group: Group, metric: str | None = None) -> Place:
    dimension, value = (wanted.dimension, wanted.value) if wanted.dimension else (group.dimension, group.value)
    return (metric or wanted.metric, group.condition, dimension, value)


def _with_items(
    layout: Layout, groups: Sequence[tuple[Group, list[Scorecard]]], indexed: Mapping[int, Mapping[Place, ScoreRow]]
) -> list[Wanted]:
    """The columns that are over any items at all, in any group."""
    kept = []
    for wanted in layout.wanted:
        rows = [indexed[id(cards[0])].get(_place(wanted, group)) for group, cards in groups]
        if wanted.is_rate or any(row is None or row.n > 0 for row in rows):
            kept.append(wanted)
    return kept


def _with_available(
    wanted: list[Wanted], asked: tuple[Group, list[Scorecard]], indexed: Mapping[int, Mapping[Place, ScoreRow]]
) -> list[Wanted]:
    """A second first column, over what was available, where the media of some items were not."""
    group, cards = asked
    rows = [indexed[id(card)].get(_place(wanted[0], group)) for card in cards] if wanted else []
    if not any(row is not None and row.available is not None for row in rows):
        return wanted
    first = wanted[0]
    return [first, replace(first, measure=f"{first.measure}, available", spread=None, available=True), *wanted[1:]]


def _system_row(
    card: Scorecard,
    group: Group,
    wanted: Sequence[Wanted],
    rows: Mapping[Place, ScoreRow],
    evidence: Evidence | None,
) -> Row:
    cells = []
    for each in wanted:
        _, condition, dimension, value = _place(each, group)
        coverage, answered, planned = _rates(card, condition, dimension, value, each.field, evidence)
        if each.is_rate:
            cells.append(Cell(coverage if each.metric == COVERAGE else answered, n=planned))
        else:
            cells.append(replace(_cell(rows, each, group), coverage=coverage, answered=answered))
    return Row(system_name(card), tuple(cells), kind=card.system_type, tier=card.tier, group=group.label)


def _unasked(card: Scorecard, group: Group, wanted: Sequence[Wanted]) -> Row:
    cells = tuple(Cell() for _ in wanted)
    return Row(system_name(card), cells, kind=card.system_type, tier=card.tier, group=group.label)


def _how_asked(card: Scorecard) -> Iterator[str]:
    """What a reader must know of how a system got the medium, beside its row (MU-08)."""
    name = system_name(card)
    if card.tools:
        yield f"{name} works with {', '.join(card.tools)}."
    for words in (card.truncation or "").split("; "):
        if words.startswith(CHUNKS):
            yield f"{name} gets sound that is longer in {words}, one after the other."
        elif words:
            yield f"{name} gets no {words}: of what is longer it hears the beginning."
    if card.frames:
        rule, colon, rest = card.frames.partition(":")
        yield f"{name}: frames chosen by {rule.replace('_', ' ')}{colon}{rest}."


def _rates(
    card: Scorecard,
    condition: Condition,
    dimension: str | None,
    value: str | None,
    field: str | None,
    evidence: Evidence | None,
) -> tuple[float | None, float | None, int | None]:
    """Coverage, answered and planned; of a slice only where the items are at hand."""
    if dimension is None:
        count = whole_counts(card, condition, field)
        return count.coverage, count.answered, count.planned
    return (evidence and evidence.rates(card, condition, dimension, value, field)) or (None, None, None)


def _cell(rows: Mapping[Place, ScoreRow], wanted: Wanted, group: Group) -> Cell:
    row = rows.get(_place(wanted, group))
    if row is None:
        return Cell()
    if wanted.available:
        only = row.available
        whole = Cell() if row.system is not None else Cell(row.value, row.interval, row.n)
        return Cell(only.value, n=only.n) if only else whole
    spread = rows.get(_place(wanted, group, wanted.spread)) if wanted.spread else None
    found = (row,) if spread is None else (row, spread)
    return Cell(row.value, row.interval, row.n, spread.value if spread else None, rows=found)


def _columns(
    wanted: Sequence[Wanted],
    groups: Sequence[tuple[Group, list[Scorecard]]],
    rows: Sequence[Row],
    first: Mapping[Place, ScoreRow],
) -> Iterator[Column]:
    """The columns; their n where all rows are over the same items."""
    is_grouped = len(groups) > 1
    for position, each in enumerate(wanted):
        found = [row.cells[position].n for row in rows if not row.is_baseline and row.cells[position].n is not None]
        n = found[0] if found and not (each.available or is_grouped) else None
        row = next((row for group, _ in groups if (row := first.get(_place(each, group))) is not None), None)
        metric = f"{row.metric}/{row.version}" if row else None
        note = row.note if row and not is_grouped else None
        yield Column(each.measure, each.group, n, None if each.available else metric, note, each.is_rate)


def _endings(card: Scorecard, condition: Condition) -> Iterator[str]:
    """`model: 3 unparsed, 1 timeout of 24`; a music field only where it ended otherwise than the whole requests."""
    whole = whole_counts(card, condition).statuses
    for count in (each for each in card.counts if each.condition is condition):
        others = {status: found for status, found in count.statuses.items() if status != Status.OK.value}
        if others and (count.field is None or count.statuses != whole):
            field_name = f", {count.field.replace('_', ' ')}" if count.field else ""
            ended = ", ".join(f"{found} {status.replace('_', ' ')}" for status, found in others.items())
            yield f"{system_name(card)}{field_name}: {ended} of {count.planned}"


def _baseline_rows(
    card: Scorecard, wanted: Sequence[Wanted], group: Group, names: Sequence[str] | None
) -> Iterator[Row]:
    """The baselines; they look at no media, so they are the same under every condition."""
    condition = card.baselines[0].condition if card.baselines else group.condition
    here = replace(group, condition=condition)
    found = dict.fromkeys(str(row.system) for row in card.baselines)
    for name in (each for each in found if names is None or each in names):
        rows = _index(row for row in card.baselines if row.system == name)
        cells = tuple(_cell(rows, each, here) if _answers(name, each) else Cell() for each in wanted)
        if any(cell.value is not None for cell in cells):
            yield Row(name, cells, is_baseline=True, kind="baseline", group=group.label)


def _answers(baseline: str, wanted: Wanted) -> bool:
    """Whether a baseline says anything to this: the constant prior names no segments, and nobody asks a baseline."""
    return not wanted.is_rate and not (baseline == "prior:constant" and wanted.field == "segments")


def _marked(rows: Sequence[Row], cards: Sequence[Scorecard], evidence: Evidence | None) -> list[Row]:
    """The rows of one group with the best and second of each column marked; people are no competitors."""
    models = [position for position, row in enumerate(rows) if row.kind == "model"]
    cells = [list(row.cells) for row in rows]
    for column in range(len(rows[0].cells)):
        scored = [cells[position][column] for position in models]
        if not any(cell.rows for cell in scored):
            continue

        def distinct(first: int, second: int, scored: Sequence[Cell] = scored) -> bool | None:
            if evidence is None or not scored[first].rows:
                return None
            return evidence.is_distinct(cards[models[first]], cards[models[second]], scored[first].rows[0])

        for position, cell in zip(models, marked(scored, distinct), strict=True):
            cells[position][column] = cell
    return [replace(row, cells=tuple(each)) for row, each in zip(rows, cells, strict=True)]
