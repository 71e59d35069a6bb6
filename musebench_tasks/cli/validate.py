"""Check files of a run, a submission, a task or a suite against their schemas."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from musebench_tasks.cli.plain import lines_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench validate` takes."""
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE|DIR",
        help="a file of a run, submission or board, errata.yaml, a task or suite; or a whole run or submission",
    )
    parser.add_argument(
        "--as",
        dest="kind",
        choices=["submission"],
        help="check a folder as the pull request of a submission is checked",
    )
    parser.add_argument("--task", metavar="TASK", help="the task, where run.yaml of a submission names one of your own")


def main(options: argparse.Namespace) -> int:
    """Check every file; say what it is, or all that is wrong."""
    from musebench_tasks.api import validate
    from musebench_tasks.errors import InputError

    code = 0
    for file in options.files:
        try:
            told = validate(file, as_submission=options.kind is not None, task=options.task)
            print(told if "\n" in told else f"{file}: {told}")
        except InputError as problem:
            print(f"musebench: {lines_of(problem)}", file=sys.stderr)
            code = problem.exit_code
    return code
