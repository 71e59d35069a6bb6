"""Tries of checkpoints on a terminal: a line each, and below it what is wrong and why."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from musebench_tasks.models.smoke import CHECKS, Trial
from musebench_tasks.reports.terminal import make_console, print_trimmed

HEADINGS = {
    "moved by pictures": "moved by\npictures",
    "moved by sound": "\nsound",
    "shared prefix": "shared\nprefix",
}
NOTE = (
    "seen, heard: frames and sound that arrive of a film of 8 s. moved by: how far other pictures, another sound "
    "move the probabilities of letters. shared prefix: how far these are from prompts read whole."
)
WIDEST = 100


def print_trials(trials: Sequence[Trial], console: Console | None = None) -> None:
    """Print the table, what is wrong, and the sum of it."""
    console = console or make_console()
    print_trimmed(console, lambda: _print(trials, console))


def _print(trials: Sequence[Trial], console: Console) -> None:
    width = min(console.width, WIDEST)
    console.print()
    console.print(_table(trials))
    console.print()
    for trial in trials:
        for problem in trial.problems:
            console.print(_indented(trial.name, problem), width=width)
    if not all(trial.is_fine for trial in trials):
        console.print()
    console.print(Text(NOTE, style="dim"), width=width)
    console.print(Text(_summary(trials)), width=width)


def _table(trials: Sequence[Trial]) -> Table:
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column("\n", overflow="fold")
    for name in CHECKS:
        grid.add_column(HEADINGS.get(name, f"\n{name}"), justify="right", no_wrap=True)
    grid.add_column("\n", no_wrap=True)
    for trial in trials:
        verdict = Text("ok") if trial.is_fine else Text("no", style="bold yellow")
        grid.add_row(trial.name, *(_cell(trial, name) for name in CHECKS), verdict)
    return grid


def _indented(name: str, problem: str) -> Table:
    """What is wrong with whom, further lines below the first."""
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold", ratio=1)
    grid.add_row(Text(name, style="bold"), problem)
    return grid


def _cell(trial: Trial, name: str) -> Text:
    check = trial.checks.get(name)
    if check is None:
        return Text("–", style="dim")
    return Text(check.told, style="bold yellow" if check.problem else "")


def _summary(trials: Sequence[Trial]) -> str:
    fine = sum(trial.is_fine for trial in trials)
    seconds = sum(trial.seconds for trial in trials)
    return f"{fine} of {len(trials)} ok in {seconds:.0f} s"
