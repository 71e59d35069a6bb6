"""The tables on a terminal: quiet, aligned, interval and n beside the value, nothing cut off at any width."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TextIO

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from musebench_tasks.base.records import Scorecard
from musebench_tasks.pages.text import interval_text, value_text
from musebench_tasks.reports.tables import Column, Row, Table, make_tables

WIDTH_WITHOUT_TERMINAL = 160
GAP = 2
NARROWEST_NAME = 20


def print_tables(cards: Iterable[Scorecard], console: Console | None = None, *, is_main_only: bool = False) -> None:
    """Print one table a task and condition, to standard output unless a console is given.

    `is_main_only`: leave conditions out that `print_conditions` shows beside one another.
    """
    console = console or make_console()
    print_trimmed(console, lambda: _print(make_tables(cards, is_main_only=is_main_only), console))


def print_trimmed(console: Console, show: Callable[[], object]) -> None:
    """What `show` prints on the console, without the blanks that pad columns: in a file they are only in the way."""
    with console.capture() as printed:
        show()
    console.file.write("".join(f"{line.rstrip()}\n" for line in printed.get().splitlines()))
    console.file.flush()


def _print(found: Iterable[Table], console: Console) -> None:
    tables: list[Table | None] = [*found, None]
    for table, following in pairwise(tables):
        if table is None:
            continue
        console.print()
        console.print(Text(table.title, style="bold"))
        for number, grid in enumerate(_fitting(table, console.width)):
            if number:
                console.print()
            console.print(grid)
        for line in table.endings:
            console.print(Text(line))
        if following is None or (following.task, following.notes) != (table.task, table.notes):
            for note in table.notes:
                console.print(Text(note, style="dim"))
    console.print()


def make_console() -> Console:
    """As wide as the terminal or as $COLUMNS says; wide enough for most tables where nothing tells."""
    is_told = is_terminal(sys.stdout) or os.environ.get("COLUMNS", "").strip("0").isdigit()
    width = shutil.get_terminal_size().columns if is_told else WIDTH_WITHOUT_TERMINAL
    return Console(width=width, highlight=False, soft_wrap=False)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody may be looking; a service has no standard output at all."""
    return stream is not None and stream.isatty()


def _fitting(table: Table, width: int) -> Iterator[Grid]:
    """Systems down the side; where that is too wide, measures down the side; else in bands below one another.

    Long names are folded before columns are moved into another band.
    """
    names = max(len(_name(row)) for row in table.rows)
    widths = _widths(table)
    room = width - sum(each + GAP for each in widths)
    if room >= min(names, NARROWEST_NAME):
        yield _by_system(table, range(len(widths)), min(names, room))
    elif _width_by_measure(table) <= width:
        yield _by_measure(table)
    else:
        names = min(names, max(NARROWEST_NAME, width // 3))
        for band in _bands(table, widths, width - names):
            yield _by_system(table, band, names)


def _bands(table: Table, widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Positions of columns that fit beside one another; the columns of a group stay together where they can."""
    band: list[int] = []
    left = room
    for unit in _units(table, widths, room):
        needed = sum(widths[position] + GAP for position in unit)
        if band and needed > left:
            yield band
            band, left = [], room
        band += unit
        left -= needed
    yield band


def _units(table: Table, widths: Sequence[int], room: int) -> Iterator[list[int]]:
    for _, members in groupby(range(len(widths)), key=lambda position: _together(table, position)):
        unit = list(members)
        fits = sum(widths[position] + GAP for position in unit) <= room
        yield from [unit] if fits else [[position] for position in unit]


def _together(table: Table, position: int) -> str | int:
    """Equal for neighbouring columns that belong together: those of a slice, and the two rates."""
    column = table.columns[position]
    return position if column.group == "all" else column.group


def _widths(table: Table) -> list[int]:
    return [
        max(_longest(_heading(table, position)), *(_longest(_cell(table, row, position)) for row in table.rows))
        for position in range(len(table.columns))
    ]


def _width_by_measure(table: Table) -> int:
    labels = max(len(_label(column)) for column in table.columns)
    positions = range(len(table.columns))
    columns = (max(len(_name(row)), *(_longest(_cell(table, row, each)) for each in positions)) for row in table.rows)
    return labels + sum(each + GAP for each in columns)


def _longest(text: Text) -> int:
    return max(line.cell_len for line in text.split("\n", allow_blank=True))


def _by_system(table: Table, positions: Sequence[int], names: int) -> Grid:
    with_groups = any(table.columns[position].group not in ("", "all") for position in positions)
    headings = [_heading(table, position, first=position == positions[0]) for position in positions]
    grid = _empty(headings if with_groups else [heading[1:] for heading in headings], names)
    apart = False
    for row in table.rows:
        if row.is_baseline and all(row.cells[position].value is None for position in positions):
            continue
        if row.is_baseline and not apart:
            apart = True
            grid.add_row(Text("\nbaselines", style="dim"))
        cells = (_cell(table, row, position) for position in positions)
        grid.add_row(Text(_name(row), style=_style(row)), *cells)
    return grid


def _by_measure(table: Table) -> Grid:
    said = "\nbaseline" if any(row.is_baseline for row in table.rows) else ""
    names = [Text(f"{_name(row)}{said if row.is_baseline else ''}", style=_style(row)) for row in table.rows]
    grid = _empty(names, None)
    for position, column in enumerate(table.columns):
        grid.add_row(_label(column), *(_cell(table, row, position) for row in table.rows))
    return grid


def _empty(headings: Iterable[Text], names: int | None) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="")
    grid.add_column("", max_width=names, overflow="fold", no_wrap=names is None)
    for heading in headings:
        grid.add_column(heading, justify="right", no_wrap=True)
    return grid


def _heading(table: Table, position: int, *, first: bool = False) -> Text:
    """Group, measure and n; the group only above the first of its columns."""
    column = table.columns[position]
    before = table.columns[position - 1].group if position and not first else None
    group = "" if column.group in ("all", before) else column.group
    size = f"n {column.n}" if column.n is not None else ""
    return Text.assemble(f"{group}\n{column.measure}\n", (size, "dim"))


def _label(column: Column) -> str:
    group = "" if column.group == "all" else column.group
    return " ".join(part for part in (group, column.measure, f"n {column.n}" if column.n is not None else "") if part)


def _name(row: Row) -> str:
    return row.name if row.kind in ("model", "baseline") else f"{row.name} ({row.kind})"


def _style(row: Row) -> str:
    return "dim" if row.is_baseline else ""


def _cell(table: Table, row: Row, position: int) -> Text:
    """The value, below it its 95 % interval, the standard deviation over runs, and n where the heading has another."""
    cell, style = row.cells[position], "dim" if row.is_baseline else ""
    text = Text.assemble((value_text(cell.value), "bold" if cell.best else "underline" if cell.second else style))
    if cell.value is None:
        return text
    if cell.interval is not None:
        text.append(f"\n{interval_text(cell.interval)}", style="dim")
    if cell.spread is not None:
        text.append(f"\nsd {value_text(cell.spread)}", style="dim")
    if not row.is_baseline and cell.n not in (None, table.columns[position].n):
        text.append(f"\nn {cell.n}", style="dim")
    return text
