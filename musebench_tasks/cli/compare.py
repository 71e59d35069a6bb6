"""Compare two systems on the same items: paired differences, slices, and which items flipped."""

from __future__ import annotations

import argparse
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.cli.arguments import name, names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench compare` takes."""
    parser.add_argument("first", metavar="RUN", help="a run folder, or one MODEL/TASK folder in it")
    parser.add_argument("second", metavar="RUN|baseline:NAME", help="another one, or a baseline such as prior:constant")
    parser.add_argument(
        "--tasks", nargs="+", type=name, default=[], metavar="TASK", help="only these (default: all that both have)"
    )
    parser.add_argument(
        "--conditions", type=names, default=["full"], metavar="A,B|all", help="what the models got (default: full)"
    )
    parser.add_argument(
        "--metric", metavar="ID", help="what slices and flipped items follow (default: the task's headline)"
    )
    parser.add_argument("--all", action="store_true", help="show every item that flipped")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there, unrounded")


def main(options: argparse.Namespace) -> int:
    """Compare, print, and write the file if asked."""
    from musebench_tasks.api import read_conditions
    from musebench_tasks.reports import MOST_FLIPS, compare_pair, pairs, print_comparisons, write_comparisons

    conditions = read_conditions(options.conditions)
    found = [
        comparison
        for pair in pairs(options.first, options.second, options.tasks)
        for comparison in compare_pair(pair, conditions, options.metric)
    ]
    if not found:
        raise InputError(
            f"The two were not both asked under {', '.join(options.conditions)}. Name other --conditions, or all."
        )
    print_comparisons(found, most_flips=None if options.all else MOST_FLIPS)
    if options.json is not None:
        write_comparisons(options.json, found)
        print(f"comparison  {options.json}")
    return 0
