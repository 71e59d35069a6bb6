"""The tables of a leaderboard: who may stand beside whom, in which order, and how sure that order is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from musebench_tasks.base.records import Condition, PublishedRow, Scorecard, ScoreRow
from musebench_tasks.evaluation.errata import changes_words
from musebench_tasks.pages import PlainTable
from musebench_tasks.pages.text import value_text
from musebench_tasks.reports.item_scores import ItemEvidence
from musebench_tasks.reports.layouts import asked_conditions
from musebench_tasks.reports.tables import (
    Cell,
    Column,
    Row,
    Table,
    compact_table,
    comparable,
    condition_label,
    heard,
    main_condition,
    ranked,
    spokesman,
    system_name,
)
from musebench_tasks.statistics import FEWEST_ITEMS, rank_systems
from musebench_tasks.submissions.board.entries import Entry, task_answers
from musebench_tasks.submissions.board.names import shown

OTHER_CONDITIONS = "headline under"
_EQUAL = 1e-12


@dataclass(frozen=True)
class Standing:
    """A rank among the models of a table, with its 95 % interval where the items tell one."""

    rank: int
    low: int | None = None
    high: int | None = None

    @property
    def words(self) -> str:
        """The interval as a table names it; empty where there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"{self.low} to {self.high}"


@dataclass(frozen=True)
class BoardRow:
    """One submission in a table."""

    entry: Entry
    row: Row
    conditions: tuple[Cell, ...]
    standing: Standing | None
    answers: str | None
    """Equal for rows with the very same answers under the condition that ranks are made from."""

    @property
    def name(self) -> str:
        """The system as tables name it."""
        return system_name(self.entry.card)


@dataclass(frozen=True)
class BoardTable:
    """Submissions that may share a table."""

    table: Table
    """Columns, baselines and notes; its rows are those of `rows`."""
    rows: tuple[BoardRow, ...]
    conditions: tuple[Column, ...]
    """The headline under every other condition that anybody was asked under."""
    published: tuple[tuple[PublishedRow, tuple[Cell, ...]], ...]
    terms: str
    changes: PlainTable | None
    """What errata changed: scores and ranks then and now."""

    @property
    def first(self) -> Entry:
        """Any of its submissions: all share data, selection, track and orders."""
        return self.rows[0].entry

    @property
    def is_ranked(self) -> bool:
        """Whether anybody has a rank."""
        return any(each.standing for each in self.rows)

    @property
    def metric(self) -> str:
        """The headline, as `name/version`."""
        return self.first.card.headline


def board_tables(entries: Sequence[Entry], published: Sequence[PublishedRow] = ()) -> list[BoardTable]:
    """One table for each set of comparable submissions: the real benchmarks first, then the demonstrations."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for each in sorted(entries, key=lambda each: (each.is_demo, each.card.task, each.place)):
        groups.setdefault(each.terms, []).append(each)
    words = _words_of_groups(list(groups.values()))
    return [_table(group, terms, published) for group, terms in zip(groups.values(), words, strict=True)]


def _words_of_groups(groups: Sequence[Sequence[Entry]]) -> list[str]:
    """What tells each group from the others of its task, "" for the only one."""
    told = {id(card): terms for cards, terms in comparable(group[0].card for group in groups) for card in cards}
    found = []
    for group in groups:
        card, asked = group[0].card, group[0].config.protocol
        others = [each[0].config.protocol for each in groups if each[0].card.task == card.task]
        differs = len({(each.runs, each.option_order, each.seed) for each in others}) > 1
        orders = f"{asked.runs} runs, {asked.option_order} options, seed {asked.seed}" if differs else ""
        found.append(", ".join(filter(None, (told.get(id(card), ""), orders))))
    return found


def _table(entries: Sequence[Entry], terms: str, published: Sequence[PublishedRow]) -> BoardTable:
    by_card = {id(each.card): each for each in entries}
    cards = ranked([each.card for each in entries])
    condition = main_condition(cards)
    evidence = ItemEvidence(task_answers(entries))
    table = compact_table(cards, terms, evidence)
    asked = [card for card in cards if any(count.condition is condition for count in card.counts)]
    rows = dict(zip(map(id, asked), (row for row in table.rows if not row.is_baseline), strict=True))
    others = [each for each in asked_conditions(cards) if each is not condition]
    answers = {id(each.card): each.answers_sha256(condition) for each in entries}
    standings = _standings(evidence, asked, condition, answers)
    lines = tuple(
        BoardRow(
            by_card[id(card)],
            rows.get(id(card)) or Row(system_name(card), tuple(Cell() for _ in table.columns), kind=card.system_type),
            tuple(_cell(card.row(card.headline, condition=each)) for each in others),
            standings.get(id(card)),
            answers[id(card)],
        )
        for card in cards
    )
    named = tuple(Column(condition_label(each, spokesman(cards)), OTHER_CONDITIONS) for each in others)
    rows_elsewhere = tuple((row, _published_cells(row, table)) for row in published if belongs(row, entries[0]))
    return BoardTable(table, lines, named, rows_elsewhere, terms, _changes(lines))


def _cell(row: ScoreRow | None) -> Cell:
    return Cell() if row is None else Cell(row.value, row.interval, row.n, rows=(row,))


def belongs(row: PublishedRow, entry: Entry) -> bool:
    """Whether a paper's number is of what a table asks: all items of the task, all of the sound, the same track."""
    card = entry.card
    is_whole = card.selection is None and heard(card.truncation) is None
    return is_whole and (row.task, row.track) == (card.task, card.track)


def _published_cells(row: PublishedRow, table: Table) -> tuple[Cell, ...]:
    """The numbers of a paper in the columns over all items; where it names none, nothing stands."""
    named = [(column.metric or "").rpartition("/")[0] if not column.group else "" for column in table.columns]
    return tuple(Cell(row.scores.get(metric)) for metric in named)


def _standings(
    evidence: ItemEvidence, cards: Sequence[Scorecard], condition: Condition, answers: Mapping[int, str | None]
) -> dict[int, Standing]:
    """The rank of every model by the headline under all media; people and baselines are no competitors.

    Where nobody was asked under all media, nobody has a rank.
    Models with the very same answers are one competitor, whatever they are called: they take one place together, so
    that nobody moves others down by being handed in several times.
    """
    if condition is not Condition.FULL:
        return {}
    models = [card for card in cards if card.system_type == "model" and _value(card, condition) is not None]
    competitors = list({answers[id(card)]: card for card in reversed(models)}.values())[::-1]
    found = dict(
        zip((answers[id(card)] for card in competitors), _ranks(evidence, competitors, condition), strict=True)
    )
    return {id(card): found[answers[id(card)]] for card in models}


def _ranks(evidence: ItemEvidence, cards: Sequence[Scorecard], condition: Condition) -> list[Standing]:
    """The ranks of competitors, with intervals where their items tell them."""
    values = [_value(card, condition) or 0.0 for card in cards]
    plain = [Standing(1 + sum(other > value + _EQUAL for other in values)) for value in values]
    found = [evidence.scores(card, condition, card.headline) for card in cards]
    scores = [each for each in found if each is not None and each.is_mean]
    if len(cards) > 1 and len(scores) == len(cards):
        common = frozenset[str].intersection(*(frozenset(each.item_ids) for each in scores))
        shared = [each.only(common) for each in scores]
        if len(common) >= FEWEST_ITEMS and len(set(shared[0].clusters)) > 1:
            drawn = rank_systems(np.column_stack([each.values for each in shared]), shared[0].clusters)
            ends = zip(plain, drawn.low, drawn.high, strict=True)
            return [Standing(each.rank, min(low, each.rank), max(high, each.rank)) for each, low, high in ends]
    return plain


def _value(card: Scorecard, condition: Condition) -> float | None:
    row = card.row(card.headline, condition=condition)
    return None if row is None else row.value


def _changes(rows: Sequence[BoardRow]) -> PlainTable | None:
    """Scores and ranks as they were handed in and as they are now, where data or answers changed in between."""
    if not any(each.entry.has_moved for each in rows):
        return None
    condition = main_condition([each.entry.card for each in rows])
    models = [
        each
        for each in rows
        if each.entry.card.system_type == "model" and _value(each.entry.card, condition) is not None
    ]
    competitors = {each.answers: each for each in models}.values()
    before = [value for each in competitors if (value := _value(each.entry.stored, condition)) is not None]
    return PlainTable(
        "What errata changed",
        ("system", "score then", "score now", "rank then", "rank now", "data then", "data now"),
        tuple(_change(each, condition, before) for each in models),
        n_words=1,
    )


def _change(row: BoardRow, condition: Condition, before: Sequence[float]) -> tuple[str, ...]:
    then, now = _value(row.entry.stored, condition), _value(row.entry.card, condition)
    rank = "–" if then is None or row.standing is None else str(1 + sum(other > then + _EQUAL for other in before))
    return (
        shown(row.name),
        value_text(then),
        value_text(now),
        rank,
        str(row.standing.rank) if row.standing else "–",
        row.entry.stored.hashes.data_sha256[:8],
        row.entry.card.hashes.data_sha256[:8],
    )


def errata_words(table: BoardTable) -> Iterator[str]:
    """Which items were retired or re-keyed on the way to the data of a table."""
    for erratum in dict.fromkeys(erratum for each in table.rows for erratum in each.entry.errata):
        reason = f" {erratum.reason}" if erratum.reason else ""
        yield f"Since data {erratum.from_data_sha256[:8]}: {changes_words(erratum)}.{reason}"
