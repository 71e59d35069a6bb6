"""A comparison on a terminal, and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from musebench_tasks.base.files import write_text
from musebench_tasks.base.records import Interval
from musebench_tasks.base.text import counted
from musebench_tasks.pages.text import interval_text, p_text, signed_text, value_text
from musebench_tasks.reports.comparison import Comparison, Flip, Line
from musebench_tasks.reports.layouts import MUSIC
from musebench_tasks.reports.terminal import make_console, print_trimmed

MOST_FLIPS = 10


def print_comparisons(
    comparisons: Iterable[Comparison], *, most_flips: int | None = MOST_FLIPS, console: Console | None = None
) -> None:
    """Print each comparison; of the flipped items at most `most_flips` a side (None: all)."""
    terminal = console or make_console()

    def show() -> None:
        for each in comparisons:
            _print(each, most_flips, terminal)

    print_trimmed(terminal, show)


def write_comparisons(path: Path, comparisons: Sequence[Comparison]) -> None:
    """All of them as one JSON list, numbers unrounded, all flipped items."""
    text = json.dumps([asdict(each) for each in comparisons], indent=1, ensure_ascii=False, default=_plain)
    write_text(path, text + "\n")


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json", exclude_none=True) if isinstance(value, Interval) else str(value)


def _print(comparison: Comparison, most_flips: int | None, console: Console) -> None:
    console.print()
    console.print(Text(f"{comparison.task} · {comparison.condition}", style="bold"))
    console.print(Text(f"{comparison.first} minus {comparison.second}, on the same items", style="dim"))
    console.print(_lines(comparison, comparison.measures, with_holm=False))
    for slices in comparison.slices:
        console.print()
        console.print(Text(f"{short_name(comparison.headline)} by {slices.dimension}"))
        console.print(_lines(comparison, slices.lines, with_holm=True))
    _print_flips(comparison, most_flips, console)
    for note in _notes(comparison):
        console.print(Text(note, style="dim"))
    console.print()


_IN_TABLES = {metric: f"{field} {measure}" for field, measure, metric, _ in MUSIC}


def short_name(metric: str) -> str:
    """`mub.key.symmetric/2` as tables call it: `key symmetric/2`; version 1 is not said."""
    if (known := _IN_TABLES.get(metric.rpartition("/")[0])) is not None:
        return known
    name, _, version = metric.removeprefix("mub.").rpartition("/")
    words = re.sub(r"\.(?!\d)", " ", re.sub(r"_(?=\d+\.)", " ", name)).replace("_", " ")
    return words if version == "1" else f"{words}/{version}"


def _lines(comparison: Comparison, lines: Sequence[Line], *, with_holm: bool) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column("", overflow="fold")
    heads = ("n", comparison.first, comparison.second, "difference", "95 % interval", "p (Holm)" if with_holm else "p")
    for head in heads:
        grid.add_column(Text(head, overflow="fold"), justify="right")
    for line in lines:
        p_value = line.p_holm if with_holm else line.p_value
        told_apart = line.interval is not None and (line.interval.low > 0 or line.interval.high < 0)
        grid.add_row(
            line.name if with_holm else short_name(line.name),
            str(line.n),
            value_text(line.first),
            value_text(line.second),
            Text(signed_text(line.difference), style="bold" if told_apart else ""),
            interval_text(line.interval, 3),
            p_text(p_value),
        )
    return grid


def _print_flips(comparison: Comparison, most: int | None, console: Console) -> None:
    sides = ((comparison.first, comparison.only_first), (comparison.second, comparison.only_second))
    for name, flips in sides:
        if flips:
            console.print()
            measure = short_name(comparison.headline)
            console.print(Text(f"{name} scored higher in {measure} on {len(flips)} of {_n_shared(comparison)} items"))
            console.print(_flip_grid(comparison, flips[:most]))
            if most is not None and len(flips) > most:
                console.print(Text(f"and {len(flips) - most} more: --all shows them", style="dim"))
    console.print()


def _n_shared(comparison: Comparison) -> int:
    return len(comparison.only_first) + len(comparison.only_second) + comparison.n_alike


def _flip_grid(comparison: Comparison, flips: Sequence[Flip]) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("item", comparison.first, comparison.second, ""):
        grid.add_column(head, overflow="fold")
    for flip in flips:
        ours = f"{flip.first_said} ({value_text(flip.first, 2)})"
        others = f"{flip.second_said} ({value_text(flip.second, 2)})"
        grid.add_row(Text(flip.item_id), Text(ours), Text(others), Text(flip.facts, style="dim"))
    return grid


def _notes(comparison: Comparison) -> list[str]:
    notes = list(comparison.notes)
    if comparison.n_unshared:
        notes.append(
            counted(
                comparison.n_unshared,
                "item that only one of them was asked is left out",
                "items that only one of them was asked are left out",
            )
        )
    for slices in comparison.slices:
        n_tested = sum(line.p_holm is not None for line in slices.lines)
        if n_tested > 1:
            notes.append(f"p (Holm) by {slices.dimension} is adjusted for the {n_tested} comparisons of that table")
    if comparison.detectable is not None:
        notes.append(
            f"a true difference of {value_text(comparison.detectable)} in {short_name(comparison.headline)} would be "
            "found on so many items with 80 % power"
        )
    return [f"{note}." for note in notes]
