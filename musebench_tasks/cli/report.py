"""Write the page of one or several runs."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench report` takes."""
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    parser.add_argument("--embed", action="store_true", help="put the media into the one file")


def main(options: argparse.Namespace) -> int:
    """Write the report, say where it lies."""
    from musebench_tasks.reports import write_report

    print(f"report  {write_report(options.runs, embed=options.embed)}")
    return 0
