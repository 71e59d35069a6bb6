"""Score predictions again, from the files of a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from musebench_tasks.cli.arguments import share


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench score` takes."""
    parser.add_argument(
        "path", type=Path, metavar="RUN|PREDICTIONS", help="a run, a MODEL/TASK folder, or predictions.jsonl"
    )
    parser.add_argument("--task", metavar="TASK", help="score as this task instead of the one run.yaml names")
    parser.add_argument(
        "--min-coverage", type=share, default=None, metavar="SHARE", help="exit 3 below it (default: 0.98)"
    )
    parser.add_argument(
        "--judge", metavar="openai:MODEL@URL", help="a model that reads the choice answers that the rules left unparsed"
    )
    parser.add_argument("--offline", action="store_true", help="never ask the Hub")


def main(options: argparse.Namespace) -> int:
    """Score, print the tables."""
    from musebench_tasks import api
    from musebench_tasks.cli.run import exit_code
    from musebench_tasks.reports import print_tables

    cards = api.score_run(options.path, task=options.task, judge=options.judge, offline=options.offline)
    print_tables(cards)
    return exit_code(*api.least_covered(cards), options.min_coverage)
