"""A ping on a terminal: what arrives, line by line, then the counted tokens; readable at 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from musebench_tasks.base.text import counted, one_line
from musebench_tasks.models.ping import Ladder, Ping, State
from musebench_tasks.reports.terminal import make_console, print_trimmed

STYLES = {State.OK: "", State.NOTE: "dim", State.WARN: "bold yellow"}
WIDEST = 100


def print_ping(found: Ping, console: Console | None = None) -> None:
    """Print what was found out about one address."""
    console = console or make_console()
    print_trimmed(console, lambda: _print(found, console))


def _print(found: Ping, console: Console) -> None:
    width = min(console.width, WIDEST)
    told = [found.server and one_line(found.server), f"{found.max_model_len:,} tokens" if found.max_model_len else None]
    beside = ", ".join(each for each in told if each)
    console.print(
        Text.assemble((one_line(found.model), "bold"), f" at {found.address}", (f"  {beside}" if beside else "", "dim"))
    )
    if found.sends:
        console.print(Text(f"a run sends media as {' and '.join(found.sends)}", style="dim"))
    console.print()
    console.print(_findings(found), width=width)
    sent = [ladder for ladder in found.ladders if ladder.sent]
    for unit in ("pictures", "seconds"):
        rows = [ladder for ladder in sent if ladder.unit == unit]
        if rows:
            console.print()
            console.print(_tokens(rows, unit))
    if found.latency_s:
        console.print()
        times = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in found.latency_s.items())
        console.print(Text(f"time of the first answer: {times}", style="dim"), width=width)
    console.print()
    console.print(Text(_summary(found)), width=width)


def _findings(found: Ping) -> Table:
    """One row a finding; what to do below what is wrong."""
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for finding in found.findings:
        style = STYLES[finding.state]
        text = Text(one_line(finding.told))
        if finding.advice:
            text.append(f"\n{finding.advice}", style="italic")
        grid.add_row(Text(finding.state, style=style), Text(finding.topic), text)
    return grid


def _tokens(ladders: Sequence[Ladder], unit: str) -> Table:
    """Prompt tokens by how much was sent; a dash where it was refused or not told."""
    amounts = sorted({point.amount for ladder in ladders for point in ladder.points})
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column(f"prompt tokens by {unit}")
    for amount in amounts:
        grid.add_column(str(amount), justify="right", no_wrap=True)
    for ladder in ladders:
        told = {point.amount: point.tokens for point in ladder.points}
        cells = (told.get(amount) for amount in amounts)
        grid.add_row(ladder.way, *("–" if cell is None else f"{cell:,}" for cell in cells))
    return grid


def _summary(found: Ping) -> str:
    warnings = sum(finding.state is State.WARN for finding in found.findings)
    if not warnings:
        return "All that a run sends arrives."
    return f"{counted(warnings, 'thing')} would change scores: see the lines that begin with warn."
