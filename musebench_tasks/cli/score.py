"""Score predictions again, from the files of a run; or a tracker's files against references."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import counted, few_lines
from musebench_tasks.cli.arguments import share

if TYPE_CHECKING:
    from musebench_tasks.api import EstimateScores

FIELDS = ("tempo", "key", "time_signature", "segments")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench score` takes."""
    parser.set_defaults(refuse=parser.error)
    parser.add_argument(
        "path", nargs="?", type=Path, metavar="RUN|PREDICTIONS", help="a run, a MODEL/TASK folder, or predictions.jsonl"
    )
    parser.add_argument("--task", metavar="TASK", help="score as this task instead of the one run.yaml names")
    parser.add_argument(
        "--judge", metavar="openai:MODEL@URL", help="a model that reads the choice answers that the rules left unparsed"
    )
    parser.add_argument("--offline", action="store_true", help="never ask the Hub")
    files = parser.add_argument_group("a tracker's files instead of a run")
    files.add_argument(
        "--estimates", type=Path, metavar="DIR|FILE", help="JAMS, .lab, CSV, JSON or one-value text files"
    )
    files.add_argument("--references", type=Path, metavar="DIR|FILE", help="what is right, in any of the same formats")
    files.add_argument(
        "--fields", nargs="+", choices=FIELDS, metavar="FIELD", help="score only these (default: what both sides have)"
    )
    files.add_argument("--against", choices=["mir_eval"], help="print its values beside ours, and why they differ")
    files.add_argument(
        "--ignore-unknown", action="store_true", help="leave estimates of no reference aside (default: refuse them)"
    )
    files.add_argument("--json", action="store_true", help="print JSON instead of the table")
    files.add_argument(
        "--out", type=Path, metavar="FILE", help="write the scores there: .json (each recording too) or .csv"
    )
    parser.add_argument(
        "--min-coverage", type=share, default=None, metavar="SHARE", help="exit 3 below it (default: 0.98)"
    )


def main(options: argparse.Namespace) -> int:
    """Score, print the tables."""
    of_files = _given(options, ("estimates", "references", "fields", "against", "ignore_unknown", "json", "out"))
    of_runs = _given(options, ("task", "judge", "offline"))
    if options.path is not None and not of_files:
        return _score_run(options)
    if options.path is not None:
        options.refuse(f"{', '.join(of_files)}: not with a run; leave the run out, or these")
    if options.estimates is None or options.references is None:
        options.refuse(
            "the following arguments are required: a run or predictions file, or both --estimates and --references"
        )
    if of_runs:
        options.refuse(f"{', '.join(of_runs)}: only with a run")
    return _score_files(options)


def _given(options: argparse.Namespace, names: tuple[str, ...]) -> list[str]:
    return [f"--{name.replace('_', '-')}" for name in names if getattr(options, name)]


def _score_run(options: argparse.Namespace) -> int:
    from musebench_tasks import api
    from musebench_tasks.cli.run import exit_code
    from musebench_tasks.reports import print_conditions, print_tables

    cards = api.score_run(options.path, task=options.task, judge=options.judge, offline=options.offline)
    is_run = options.path.is_dir()
    print_tables(cards, is_main_only=is_run)
    if is_run:
        print_conditions(options.path, cards)
    return exit_code(*api.least_covered(cards), options.min_coverage)


def _score_files(options: argparse.Namespace) -> int:
    from musebench_tasks import api
    from musebench_tasks.estimates.against_mir_eval import compare_with_mir_eval, without_peer
    from musebench_tasks.estimates.table import print_against, print_scores

    write = api.estimates_writer(options.out)
    scores = api.score_estimates(
        options.estimates, options.references, fields=options.fields, ignore_unknown=options.ignore_unknown
    )
    peers = compare_with_mir_eval(scores) if options.against else []
    for lines in (scores.problems, scores.notes):
        _tell(lines)
    if options.json:
        print(api.estimates_json(scores, peers))
    else:
        recordings = counted(scores.count().planned, "recording")
        title = f"{options.estimates} against {options.references} · {recordings}"
        print_scores(scores, title, scores.remarks)
        if options.against:
            print_against(peers, without_peer(scores))
    if write is not None:
        write(scores, peers)
    return _exit_code(scores, options.min_coverage)


def _tell(lines: Sequence[str]) -> None:
    """The first lines about files, and how many more there are."""
    from musebench_tasks.base.problems import MOST_LINES

    for line in few_lines(lines, MOST_LINES, advice="--json and --out FILE.json hold all."):
        print(line, file=sys.stderr)


def _exit_code(scores: EstimateScores, asked: float | None) -> int:
    """2 where references could not be used, 3 where too few recordings have an estimate, else 0."""
    from musebench_tasks.api import MIN_COVERAGE

    if scores.problems:
        found = counted(len(scores.problems), "problem")
        print(f"musebench: {found} with references (above); the rest is scored.", file=sys.stderr)
        return InputError.exit_code
    threshold = MIN_COVERAGE if asked is None else asked
    coverage, field = scores.least_covered
    if coverage >= threshold:
        return 0
    print(
        f"musebench: coverage {coverage:.4f} of {field} is below {threshold:g}: some recordings have no estimate.",
        file=sys.stderr,
    )
    return 3
