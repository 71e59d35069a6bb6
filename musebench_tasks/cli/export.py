"""Write a run for other tools: Every Eval Ever records, or tasks of Label Studio."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from musebench_tasks.cli.arguments import folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench export` takes."""
    parser.add_argument("run", type=Path, metavar="RUN", help="a run, or one MODEL/TASK folder")
    parser.add_argument("--to", required=True, choices=["every_eval_ever", "label_studio"], help="what to write")
    parser.add_argument("--out", type=folder, metavar="DIR", help="the folder (default: export/TARGET in the run)")
    parser.add_argument("--task", metavar="TASK", help="the task, where run.yaml names one that is not known here")
    parser.add_argument("--offline", action="store_true", help="never ask the Hub")
    records = parser.add_argument_group("every_eval_ever")
    records.add_argument("--organization", default="unknown", metavar="NAME", help="who evaluated (default: unknown)")
    records.add_argument(
        "--relationship",
        default="other",
        choices=["first_party", "third_party", "collaborative", "other"],
        help="what they are to the model (default: other)",
    )
    records.add_argument("--with-gold", action="store_true", help="let sample records say what is right")
    tasks = parser.add_argument_group("label_studio")
    tasks.add_argument(
        "--media-url",
        metavar="PREFIX",
        help="what stands before a medium's file name (default: Label Studio's local files, media/)",
    )


def main(options: argparse.Namespace) -> int:
    """Write, say where."""
    from musebench_tasks import api

    given = {} if options.media_url is None else {"media_address": options.media_url}
    written = api.export_run(
        options.run,
        options.to,
        out=options.out,
        task=options.task,
        organization=options.organization,
        relationship=options.relationship,
        with_gold=options.with_gold,
        offline=options.offline,
        **given,
    )
    for problem in written.problems:
        print(problem, file=sys.stderr)
    for file in written.files:
        print(file)
    return 0
