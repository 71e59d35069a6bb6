"""Turn the log of another harness into a run: predictions read by our rules, scored by our code."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.base.text import counted
from musebench_tasks.cli.arguments import folder, positive, share

if TYPE_CHECKING:
    from musebench_tasks.base.records import Scorecard

HARNESSES = ("lm_eval", "lmms_eval", "vlmevalkit", "inspect")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench import` takes."""
    parser.add_argument("harness", choices=HARNESSES, help="whose log it is")
    parser.add_argument(
        "logs",
        nargs="+",
        type=Path,
        metavar="LOG",
        help="files; for lm_eval and lmms_eval also the folder of --output_path",
    )
    parser.add_argument("--task", required=True, metavar="TASK", help="the task that was asked")
    parser.add_argument("--out", required=True, type=folder, metavar="RUN", help="the run's folder")
    parser.add_argument("--model", metavar="NAME", help="the system's name (default: as the log says)")
    parser.add_argument("--condition", metavar="CONDITION", help="what of the media it got, where the log does not say")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--limit", type=positive, metavar="N", help="only the first N items were asked")
    which.add_argument("--sample", metavar="stratified:N", help="only such a sample was asked")
    parser.add_argument("--offline", action="store_true", help="never ask the Hub")
    parser.add_argument(
        "--min-coverage", type=share, default=None, metavar="SHARE", help="exit 3 below it (default: 0.98)"
    )


def main(options: argparse.Namespace) -> int:
    """Import, print the table and what is not known."""
    from musebench_tasks import api
    from musebench_tasks.cli.run import exit_code
    from musebench_tasks.reports import print_tables

    imported = api.import_log(
        options.harness,
        options.logs,
        task=options.task,
        out=options.out,
        model=options.model,
        condition=options.condition,
        limit=options.limit,
        sample=options.sample,
        offline=options.offline,
    )
    for line in imported.warnings:
        print(line, file=sys.stderr)
    print_tables([imported.card])
    if imported.errors:
        failed = counted(len(imported.errors), "request")
        print(f"{failed} failed there; the first: {' '.join(imported.errors[0].split())[:200]}", file=sys.stderr)
    print(f"predictions and scores  {imported.folder}")
    _tell_missing(imported.card, is_part=options.limit is not None or options.sample is not None)
    if imported.left_null:
        print(f"not known               {', '.join(imported.left_null)} (null in run.yaml)")
    return exit_code(*api.least_covered([imported.card]), options.min_coverage)


def _tell_missing(card: Scorecard, *, is_part: bool) -> None:
    """How many planned requests the log does not hold; `is_part`: whether it was said which items were asked."""
    from musebench_tasks.base.records import Status

    counts = [each for each in card.counts if each.field is None]
    missing = sum(each.statuses.get(Status.MISSING, 0) for each in counts)
    if not missing:
        return
    planned = counted(sum(each.planned for each in counts), "planned request")
    print(f"not in the log          {missing} of {planned}, wrong here. A submission needs all of them")
    if not is_part:
        print(f"{'':<24}(where only the first items, or a sample, were asked, say so: --limit, --sample)")
