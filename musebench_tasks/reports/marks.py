"""Which number is the best of its column, and which the second: only where the difference can be told from none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from musebench_tasks.reports.table import Cell, Column, Table

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
