"""Conditions beside one another on a terminal, as the papers print them, and what each changes item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from musebench_tasks.errors import InputError
from musebench_tasks.pages.numbers import interval_text, p_text, signed_text, value_text
from musebench_tasks.records import Scorecard
from musebench_tasks.reports.answers import read_task
from musebench_tasks.reports.deltas import Difference, all_differences, measure_name
from musebench_tasks.reports.evidence import ItemEvidence
from musebench_tasks.reports.layouts import asked_conditions
from musebench_tasks.reports.runs import Part, read_parts
from musebench_tasks.reports.table import Cell, Column, Table
from musebench_tasks.reports.tables import comparable, report_tables
from musebench_tasks.reports.terminal import GAP, make_console, print_trimmed

Deltas = Mapping[tuple[str, str, str], Difference]
"""By system, condition and measure, as tables name them."""


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
    deltas = _deltas(task, found)
    for group, terms in comparable(part.card for part in found):
        table = next((each for each in report_tables(group, terms) if each.name == "conditions"), None)
        if table is not None:
            console.print(Text(table.title, style="bold"))
            for system in dict.fromkeys(row.name for _, rows in table.row_groups for row in rows):
                console.print(Text(system))
                for grid in _bands(table, system, deltas, console):
                    console.print(grid)
                    console.print()


def _deltas(task: str, parts: Sequence[Part]) -> Deltas:
    """Differences to the whole medium; none where the items are not here any more."""
    try:
        families = all_differences(ItemEvidence(read_task(task, parts)))
    except InputError:
        return {}
    rows = next((family.rows for family in families if family.name == "deltas"), ())
    return {(row.system, row.condition, measure_name(row.metric)): row for row in rows}


def _bands(table: Table, system: str, deltas: Deltas, console: Console) -> Iterator[Grid]:
    """All conditions beside one another, or as many as fit, below one another."""
    names = [name for name, _ in table.row_groups]
    for room in range(len(names), 0, -1):
        grids = [_grid(table, names[at : at + room], system, deltas) for at in range(0, len(names), room)]
        if room == 1 or all(console.measure(grid).maximum <= console.width for grid in grids):
            yield from grids
            return


def _grid(table: Table, names: Sequence[str], system: str, deltas: Deltas) -> Grid:
    """Measures down the side, conditions beside one another, then what guessing is expected to score."""
    found = {name: next((row for row in rows if row.name == system), None) for name, rows in table.row_groups}
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="")
    grid.add_column("", no_wrap=True)
    for name in (*names, *(row.name for row in table.baselines)):
        grid.add_column(Text(name), justify="right", no_wrap=True)
    for position, column in enumerate(table.columns):
        cells = [row.cells[position] if (row := found[name]) else Cell() for name in names]
        guessed = [row.cells[position] for row in table.baselines]
        grid.add_row(_label(column, cells), *map(_cell, (*cells, *guessed)))
        changes = [deltas.get((system, name, column.measure)) for name in names]
        if any(changes):
            against = next(change.against for change in changes if change)
            grid.add_row(Text(f"  minus {against}", style="dim"), *map(_change, changes))
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
