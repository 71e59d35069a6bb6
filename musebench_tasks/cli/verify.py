"""Score a run or a submission again and compare with its scores.json, byte for byte."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench verify` takes."""
    parser.add_argument(
        "path", type=Path, metavar="RUN|SUBMISSION", help="a run, a MODEL/TASK folder of it, or a submission"
    )
    parser.add_argument("--task", metavar="TASK", help="the task, where run.yaml names one that is not known here")
    parser.add_argument("--offline", action="store_true", help="never ask the Hub")


def main(options: argparse.Namespace) -> int:
    """Say what was verified; the first difference is an error."""
    from musebench_tasks.api import verify

    for line in verify(options.path, task=options.task, offline=options.offline):
        print(line)
    return 0
