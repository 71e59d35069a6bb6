"""Gather submissions in a folder, and build a leaderboard from them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.text import counted
from musebench_tasks.cli.arguments import name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench leaderboard` takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    words = "Check and score every submission below a folder, and write one page and a CSV."
    build = actions.add_parser("build", help=words, description=words)
    build.add_argument("folder", type=Path, metavar="DIR", help="submissions, as `musebench submit` lays them out")
    build.add_argument("--out", type=Path, metavar="DIR", help="folder of the page (default: DIR/leaderboard)")
    build.add_argument("--title", metavar="TEXT", help="what the page is called")
    build.add_argument(
        "--task",
        nargs="+",
        type=name,
        default=(),
        metavar="FILE",
        help="YAML files of tasks that are not known by name here",
    )
    build.add_argument(
        "--hidden", nargs="+", type=name, default=(), metavar="TASK", help="tasks whose answers nobody can look up"
    )
    build.add_argument("--force", action="store_true", help="write over an index.html that is no board's page")
    build.add_argument("--offline", action="store_true", help="never ask the Hub")
    words = "Put a run into a folder of submissions, checked and scored as `musebench submit` does."
    add = actions.add_parser("add", help=words, description=words)
    add.add_argument("run", type=Path, metavar="RUN", help="a run, or one MODEL/TASK folder of it")
    add.add_argument("folder", type=Path, metavar="DIR", help="the folder of submissions")
    add.add_argument("--submitter", required=True, metavar="NAME", help="who hands it in")
    add.add_argument("--notes", default="", metavar="TEXT", help="what should be known of it, such as its cost")


def main(options: argparse.Namespace) -> int:
    """Do what the action says."""
    return _add(options) if options.action == "add" else _build(options)


def _add(options: argparse.Namespace) -> int:
    """Write the submissions, and say where."""
    from musebench_tasks.submissions.leaderboard import add_to_leaderboard

    places = add_to_leaderboard(
        options.run, options.folder, submitter=options.submitter, notes=options.notes, tell=_warn
    )
    for place in places:
        print(f"submission  {place}")
    return 0


def _warn(line: str) -> None:
    print(f"musebench: {line}", file=sys.stderr)


def _build(options: argparse.Namespace) -> int:
    """Write the page; every submission that is left out is named, and makes the exit code 1, or 2 where none holds."""
    from musebench_tasks.submissions.leaderboard import build_leaderboard

    outcome = build_leaderboard(
        options.folder,
        out=options.out,
        title=options.title,
        tasks=options.task,
        hidden=options.hidden,
        offline=options.offline,
        force=options.force,
        tell=lambda line: _warn(f"left out: {line}"),
    )
    for each in outcome.moved:
        print(f"scored anew, the data changed since: {each}")
    left_out = f", {outcome.n_left_out} left out" if outcome.n_left_out else ""
    print(f"leaderboard  {outcome.page} ({counted(outcome.n_submissions, 'submission')}{left_out})")
    if not outcome.n_submissions:
        return InputError.exit_code
    return MuseError.exit_code if outcome.refused else 0
