"""Tables of scores as data: which number stands in which cell, with all that belongs beside it. No medium here.

A cell holds value, interval and n; a cell without a value was not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from musebench_tasks.base.records import Condition, Counts, Interval, Modality, Scorecard, ScoreRow

FULL_NAMES = {"hummusqa": "true", "mub": "native audio"}
"""What `full` is called in each benchmark's paper, where it stands beside other conditions."""
WITH_TOOLS = "audio and tools"
"""What `full` of MUB is called on the track that its paper keeps apart from native audio (MU-08)."""


@dataclass(frozen=True)
class Cell:
    """One number. `spread` is a standard deviation over runs, which is no sampling error."""

    value: float | None = None
    interval: Interval | None = None
    n: int | None = None
    spread: float | None = None
    best: bool = False
    second: bool = False
    rows: tuple[ScoreRow, ...] = ()
    """The rows of the scorecard that the numbers are from: that of `value`, and that of `spread`."""
    coverage: float | None = None
    answered: float | None = None


@dataclass(frozen=True)
class Column:
    """One column: a group (for example a category), the measure, and over how many items."""

    measure: str
    group: str = ""
    n: int | None = None
    metric: str | None = None
    """`name/version` of the definition; None for coverage and answered."""
    note: str | None = None
    """What the scorer adds to this number."""
    is_rate: bool = False
    """Whether it is a share of requests, not a score."""


@dataclass(frozen=True)
class Row:
    """One system or baseline, in one group of rows (a category, a condition) where the table has such."""

    name: str
    cells: tuple[Cell, ...]
    is_baseline: bool = False
    kind: str = "model"
    tier: str | None = None
    group: str = ""


@dataclass(frozen=True)
class Table:
    """Systems on one task."""

    title: str
    task: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())
    endings: tuple[str, ...] = field(default=())
    """One line a system with requests that did not end in a readable answer: how many ended how."""
    name: str = "scores"
    """The name of its files: TASK-NAME.csv."""
    heading: str = ""
    """What it shows beside the main table; empty for the main one."""
    of_rows: str = "system"
    """What the groups of rows are: condition, category."""
    measures_down: bool = False
    """Whether measures stand down the side and systems beside one another: for few systems and many measures."""

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Groups of neighbouring columns and how many columns each has; the name is empty for all items."""
        found = groupby(self.columns, key=lambda column: "" if column.group == "all" else column.group)
        return [(name, len(list(members))) for name, members in found]

    @property
    def has_groups(self) -> bool:
        """Whether any columns stand under a group's name."""
        return any(name for name, _ in self.groups)

    @property
    def row_groups(self) -> list[tuple[str, tuple[Row, ...]]]:
        """Groups of neighbouring rows, baselines of all items aside; one without a name where there are none."""
        rows = [row for row in self.rows if row.group or not row.is_baseline]
        return [(name, tuple(members)) for name, members in groupby(rows, key=lambda row: row.group)]

    @property
    def baselines(self) -> tuple[Row, ...]:
        """The baselines that stand below all groups."""
        return tuple(row for row in self.rows if row.is_baseline and not row.group)

    @property
    def is_one_system(self) -> bool:
        """Whether every group of rows holds one row, so that the groups can name the rows."""
        return all(name and len(rows) == 1 for name, rows in self.row_groups)

    def tiers(self, rows: tuple[Row, ...]) -> list[tuple[str, tuple[Row, ...]]]:
        """Rows by tier, in the order of first appearance; those of none last."""
        found = sorted(dict.fromkeys(row.tier or "" for row in rows), key=lambda tier: not tier)
        names = {tier: tier or ("other" if len(found) > 1 else "") for tier in found}
        return [(name, tuple(row for row in rows if (row.tier or "") == tier)) for tier, name in names.items()]

    def shared_n(self, first: int, width: int) -> int | None:
        """How many items the columns of a group have, where all have the same."""
        found = {column.n for column in self.columns[first : first + width]}
        return found.pop() if len(found) == 1 else None

    def group_n(self, rows: tuple[Row, ...], position: int) -> int | None:
        """How many items a column has in a group of rows; None where the rows differ, or there are none."""
        found = {row.cells[position].n for row in rows if row.cells[position].n}
        return found.pop() if len(found) == 1 else None


def whole_counts(card: Scorecard, condition: Condition, field_name: str | None = None) -> Counts:
    """The counts of whole requests, or of one music field, under `condition`."""
    found = {count.field: count for count in card.counts if count.condition is condition}
    return found.get(field_name) or found[None]


def condition_name(condition: Condition, card: Scorecard) -> str:
    """The condition as tables name it: by the paper's label where there is one."""
    return _streams(condition, card) if _is_film(card) and condition.is_removal else condition.label


def condition_label(condition: Condition, card: Scorecard) -> str:
    """`condition_name` beside other conditions, where `full` has the paper's name too."""
    if condition is not Condition.FULL:
        return condition_name(condition, card)
    if _is_film(card):
        return _streams(condition, card)
    if card.audio_route == "transcript":
        return "transcript"
    if card.tools and card.benchmark.startswith("mub"):
        return WITH_TOOLS
    known = (name for benchmark, name in FULL_NAMES.items() if card.benchmark.startswith(benchmark))
    return next(known, condition.label)


def _is_film(card: Scorecard) -> bool:
    return card.benchmark.startswith("musebench")


def _streams(condition: Condition, card: Scorecard) -> str:
    """What is left of a film, as MuseBench's paper writes it: `V+A+T`, `V+T+transcript` for those who read (MB-56)."""
    is_read = card.audio_route == "transcript"
    heard = Modality.AUDIO in condition.keeps
    given = {
        "V": Modality.VIDEO in condition.keeps,
        "A": heard and not is_read,
        "T": True,
        "transcript": heard and is_read,
    }
    return "+".join(name for name, is_given in given.items() if is_given)


def spokesman(cards: Sequence[Scorecard]) -> Scorecard:
    """The card that a condition of several systems is named by: one that gets the sound itself, where any does.

    Systems that get a transcript in its place are told by their own names.
    """
    return next((card for card in cards if card.audio_route != "transcript"), cards[0])


def system_name(card: Scorecard) -> str:
    """The system as tables name it."""
    return f"{card.system} (audio as transcript)" if card.audio_route == "transcript" else card.system


RULE = (
    "Bold: the best, underlined: the second, each only where the paired 95\u00a0% interval of its difference to the "
    "next system, on the same items, does not hold 0. Baselines are never marked."
)
RULE_OF_INTERVALS = (
    "Bold: the best, underlined: the second, each only where its interval lies above those of all systems below it. "
    "Baselines are never marked."
)

Distinct = Callable[[int, int], bool | None]
"""Whether the systems at two positions differ, the first being better; None where their items are not at hand."""


def marked(cells: Sequence[Cell], distinct: Distinct) -> list[Cell]:
    """The cells of one column, one a system, the best and the second marked where they can be told apart.

    The best is marked where it differs from the next; the second where there is a best and it differs from the third.
    """
    found = list(cells)
    order = [position for position, cell in enumerate(cells) if cell.value is not None]
    order.sort(key=lambda position: -(cells[position].value or 0.0))
    if len(order) < 2 or not _above(cells, order, distinct):
        return found
    found[order[0]] = replace(cells[order[0]], best=True)
    if len(order) > 2 and _above(cells, order[1:], distinct):
        found[order[1]] = replace(cells[order[1]], second=True)
    return found


def above_all_systems(table: Table) -> Iterator[str]:
    """A sentence for each baseline that scores higher than every system of a table, with the measures it does so in."""
    systems = [row for row in table.rows if not row.is_baseline and not row.group]
    for baseline in table.baselines:
        measures = [
            _in_words(column)
            for place, column in enumerate(table.columns)
            if not column.is_rate and _is_above(baseline.cells[place], [row.cells[place] for row in systems])
        ]
        if measures:
            yield f"{baseline.name} scores higher than every system: {', '.join(measures)}."


def _is_above(cell: Cell, others: Sequence[Cell]) -> bool:
    """Whether a number is higher than all others that there are, and there are some."""
    values = [other.value for other in others if other.value is not None]
    return cell.value is not None and bool(values) and cell.value > max(values)


def _in_words(column: Column) -> str:
    return " ".join(part for part in (column.group if column.group != "all" else "", column.measure) if part)


def _above(cells: Sequence[Cell], order: Sequence[int], distinct: Distinct) -> bool:
    """Whether the first of `order` stands out from the next, or by its interval from all others."""
    told = distinct(order[0], order[1])
    if told is not None:
        return told
    return all(_interval_above(cells[order[0]], cells[other]) for other in order[1:])


def _interval_above(cell: Cell, other: Cell) -> bool:
    return cell.interval is not None and other.interval is not None and cell.interval.low > other.interval.high
