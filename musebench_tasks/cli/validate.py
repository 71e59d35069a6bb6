"""Check one file of a run, a task or a suite against its schema."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench validate` takes."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="run.yaml, predictions.jsonl, scores.json, a task or suite"
    )


def main(options: argparse.Namespace) -> int:
    """Check the file; say what it is."""
    from musebench_tasks.api import validate

    print(f"{options.file}: {validate(options.file)}")
    return 0
