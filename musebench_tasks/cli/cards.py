"""Make a gallery of example items, a pair for each category."""

from __future__ import annotations

import argparse
from pathlib import Path

from musebench_tasks.cli.arguments import folder, name, positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench cards` takes."""
    parser.add_argument(
        "--task", default="musebench_demo", metavar="TASK", help="whose items (default: musebench_demo)"
    )
    parser.add_argument(
        "--category",
        nargs="+",
        type=name,
        default=[],
        dest="categories",
        metavar="NAME",
        help="only these (default: all)",
    )
    parser.add_argument("--pairs", type=positive, default=1, metavar="N", help="pairs a category (default: 1)")
    parser.add_argument("--seed", type=int, default=42, metavar="N", help="another draw of examples (default: 42)")
    parser.add_argument("--out", type=folder, metavar="DIR", help="where to write (default: cards/TASK)")
    parser.add_argument("--png", action="store_true", help="draw each example as a picture too (needs a Chromium)")
    parser.add_argument("--offline", action="store_true", help="never ask the Hub")


def main(options: argparse.Namespace) -> int:
    """Write the gallery, say where it lies."""
    from musebench_tasks.reports.gallery import write_gallery, write_pictures
    from musebench_tasks.tasks import load_task

    task = load_task(options.task)
    page = write_gallery(
        task,
        options.out or Path("cards") / task.task,
        options.categories,
        pairs=options.pairs,
        seed=options.seed,
        offline=options.offline,
    )
    print(f"gallery   {page}")
    if options.png:
        for picture in write_pictures(page):
            print(f"picture   {picture}")
    return 0
