"""Build a leaderboard from a folder of submissions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench leaderboard` takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    words = "Check and score every submission below a folder, and write one page and a CSV."
    build = actions.add_parser("build", help=words, description=words)
    build.add_argument("folder", type=Path, metavar="DIR", help="submissions, as `musebench submit` lays them out")
    build.add_argument("--out", type=Path, metavar="DIR", help="folder of the page (default: DIR/leaderboard)")
    build.add_argument("--title", metavar="TEXT", help="what the page is called")
    build.add_argument(
        "--task", nargs="+", default=(), metavar="FILE", help="YAML files of tasks that are not known by name here"
    )
    build.add_argument("--hidden", nargs="+", default=(), metavar="TASK", help="tasks whose answers nobody can look up")
    build.add_argument("--offline", action="store_true", help="never ask the Hub")


def main(options: argparse.Namespace) -> int:
    """Write the page; every submission that is left out is named, and makes the exit code 1."""
    from musebench_tasks.api.leaderboard import build_leaderboard

    outcome = build_leaderboard(
        options.folder,
        out=options.out,
        title=options.title,
        tasks=options.task,
        hidden=options.hidden,
        offline=options.offline,
        tell=lambda line: print(f"musebench: left out: {line}", file=sys.stderr),
    )
    for each in outcome.moved:
        print(f"scored anew, the data changed since: {each}")
    print(f"leaderboard  {outcome.page} ({outcome.n_submissions} submissions)")
    return 1 if outcome.refused else 0
