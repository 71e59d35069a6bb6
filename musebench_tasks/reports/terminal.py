"""The tables on a terminal: quiet, aligned, interval and n beside the value."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from musebench_tasks.records import Scorecard
from musebench_tasks.reports.tables import Cell, Column, Row, Table, make_tables

WIDTH_WITHOUT_TERMINAL = 160


def print_tables(cards: Iterable[Scorecard]) -> None:
    """Print one table a task and condition to standard output."""
    console = _console()
    for table in make_tables(cards):
        console.print()
        console.print(Text(table.title, style="bold"))
        console.print(_fitting(table, console))
        for note in table.notes:
            console.print(Text(note, style="dim"))
    console.print()


def _console() -> Console:
    """As wide as the terminal; wide enough for every table where there is none."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL
    return Console(width=width, highlight=False, soft_wrap=False)


def _fitting(table: Table, console: Console) -> Grid:
    """Systems down the side; where that is too wide, measures down the side."""
    grid = _by_system(table)
    return grid if console.measure(grid).minimum <= console.width else _by_measure(table)


def _by_system(table: Table) -> Grid:
    grid = _empty([_heading(column) for column in table.columns])
    for row in table.rows:
        grid.add_row(Text(row.name, style=_style(row)), *(cell_text(cell, _style(row)) for cell in row.cells))
    return grid


def _by_measure(table: Table) -> Grid:
    grid = _empty([Text(row.name, style=_style(row)) for row in table.rows])
    for index, column in enumerate(table.columns):
        name = " ".join(part for part in _heading(column).plain.splitlines() if part)
        grid.add_row(name, *(cell_text(row.cells[index], _style(row)) for row in table.rows))
    return grid


def _empty(headings: Iterable[Text]) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    grid.add_column("", no_wrap=True)
    for heading in headings:
        grid.add_column(heading, justify="right", no_wrap=True)
    return grid


def _heading(column: Column) -> Text:
    group = "" if column.group == "all" else column.group
    return Text("\n".join([group, column.measure, f"n {column.n}" if column.n else ""]))


def _style(row: Row) -> str:
    return "dim" if row.is_baseline else ""


def cell_text(cell: Cell, style: str = "") -> Text:
    """The value, and below it its 95 % interval; `–` for what was not asked.

    A standard deviation over runs stands beside the value as `sd 0.018`.
    """
    if cell.value is None:
        return Text("–", style=style)
    text = Text(f"{cell.value:.3f}", style="bold" if cell.best else style)
    if cell.spread is not None:
        text.append(f" sd {cell.spread:.3f}", style="dim")
    if cell.interval is not None:
        text.append(f"\n{cell.interval.low:.2f} to {cell.interval.high:.2f}", style="dim")
    return text
