"""Conditions beside one another on a terminal, as the papers print them, and what each changes item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Scorecard
from musebench_tasks.pages.text import interval_text, p_text, signed_text, value_text
from musebench_tasks.reports.answers import read_task
from musebench_tasks.reports.deltas import Difference, all_differences
from musebench_tasks.reports.item_scores import ItemEvidence
from musebench_tasks.reports.layouts import asked_conditions
from musebench_tasks.reports.runs import Part, read_parts
from musebench_tasks.reports.table import Cell, Column, Row, Table
from musebench_tasks.reports.tables import comparable, condition_label, report_tables, spokesman
from musebench_tasks.reports.terminal import GAP, make_console, print_trimmed

UNBOUNDED = 10_000
Deltas = Mapping[tuple[str, str, str], Difference]
"""By system and condition, as tables name them, and the metric's `name/version`."""


def print_conditions(run: Path, cards: Sequence[Scorecard], console: Console | None = None) -> None:
    """A table for each task of `run` that any of `cards` was asked under several conditions; else nothing."""
    asked = {card.task for card in cards if len(asked_conditions([card])) > 1}
    if not asked:
        return
    terminal = console or make_console()
    parts, _ = read_parts([run])
    systems = {(card.task, card.system) for card in cards}

    def show() -> None:
        for task in dict.fromkeys(card.task for card in cards if card.task in asked):
            _print_task([part for part in parts if (part.card.task, part.card.system) in systems], task, terminal)

    print_trimmed(terminal, show)


def _print_task(parts: Sequence[Part], task: str, console: Console) -> None:
    found = [part for part in parts if part.card.task == task]
    changes = _changes(task, found)
    for group, terms in comparable(part.card for part in found):
        table = next((each for each in report_tables(group, terms) if each.name == "conditions"), None)
        if table is not None:
            console.print(Text(table.title, style="bold"))
            named = spokesman(group)
            deltas = {(each.system, condition_label(each.asked, named), each.metric): each for each in changes}
            for system in dict.fromkeys(row.name for _, rows in table.row_groups for row in rows):
                console.print(Text(system))
                for grid in _bands(table, system, deltas, console):
                    console.print(grid)
                    console.print()


def _changes(task: str, parts: Sequence[Part]) -> list[Difference]:
    """Differences to the whole medium; none where the items are not here any more."""
    try:
        families = all_differences(ItemEvidence(read_task(task, parts)))
    except InputError:
        return []
    return [row for family in families if family.name == "deltas" for row in family.rows]


def _bands(table: Table, system: str, deltas: Deltas, console: Console) -> Iterator[Grid]:
    """All conditions and what guessing scores beside one another, or as many as fit, below one another."""
    rows = {name: next((row for row in found if row.name == system), None) for name, found in table.row_groups}
    columns = [*rows.items(), *((row.name, row) for row in table.baselines)]
    for room in range(len(columns), 0, -1):
        grids = [_grid(table, columns[at : at + room], system, deltas) for at in range(0, len(columns), room)]
        if room == 1 or all(_width(grid, console) <= console.width for grid in grids):
            yield from grids
            return


def _width(grid: Grid, console: Console) -> int:
    """How wide the grid would like to be."""
    return console.measure(grid, options=console.options.update(max_width=UNBOUNDED)).maximum


def _grid(table: Table, columns: Sequence[tuple[str, Row | None]], system: str, deltas: Deltas) -> Grid:
    """Measures down the side; a column for each of `columns`, which are conditions or baselines with their numbers."""
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="")
    grid.add_column("", no_wrap=True)
    for name, _ in columns:
        grid.add_column(Text(name), justify="right", no_wrap=True)
    for position, measure in enumerate(table.columns):
        cells = [row.cells[position] if row else Cell() for _, row in columns]
        grid.add_row(_label(measure, cells), *map(_cell, cells))
        changes = [deltas.get((system, name, measure.metric or "")) for name, _ in columns]
        if any(changes):
            against = next(change.against for change in changes if change)
            is_asked = [row is None or not row.is_baseline for _, row in columns]
            texts = (_change(change) if asked else "" for change, asked in zip(changes, is_asked, strict=True))
            grid.add_row(Text(f"  minus {against}", style="dim"), *texts)
    return grid


def _label(column: Column, cells: Sequence[Cell]) -> Text:
    sizes = {cell.n for cell in cells if cell.n is not None}
    return Text.assemble(column.measure, (f"  n {sizes.pop()}" if len(sizes) == 1 else "", "dim"))


def _cell(cell: Cell) -> Text:
    text = Text(value_text(cell.value))
    if cell.interval is not None:
        text.append(f"\n{interval_text(cell.interval)}", style="dim")
    if cell.spread is not None:
        text.append(f"\nsd {value_text(cell.spread)}", style="dim")
    return text


def _change(change: Difference | None) -> Text:
    """The difference, its 95 % interval and p; bold where the interval leaves out 0."""
    if change is None:
        return Text("–", style="dim")
    told_apart = change.interval is not None and not change.interval.low <= 0 <= change.interval.high
    text = Text(signed_text(change.value), style="bold" if told_apart else "")
    if change.interval is not None:
        text.append(f"\n{interval_text(change.interval)}", style="dim")
    if change.p_value is not None:
        text.append(f"\np {p_text(change.p_value)}", style="dim")
    return text
