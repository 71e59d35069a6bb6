"""Write the page of one or several runs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench report` takes."""
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of the page (default: report/ in the first run)"
    )
    parser.add_argument("--embed", action="store_true", help="put the media into the one file")


def main(options: argparse.Namespace) -> int:
    """Write the report, say where it lies and what in the runs needs repair."""
    from musebench_tasks.reports import write_report

    page = write_report(options.runs, embed=options.embed, out=options.out, tell=_warn)
    print(f"report  {page}")
    return 0


def _warn(problem: str) -> None:
    print(f"musebench: {problem}", file=sys.stderr)
