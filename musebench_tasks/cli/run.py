"""Put tasks to models, score the answers and write a report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from musebench_tasks.cli.arguments import dollars, folder, frame_rule, part_length, positive, seconds, share
from musebench_tasks.errors import InputError

LONGEST_EXAMPLE = 300


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench run` takes."""
    what = parser.add_argument_group("what is asked (nothing: the demo suite)")
    what.add_argument("--suite", metavar="NAME|FILE", help="a suite of yaml_configs/suites, or a YAML file")
    what.add_argument("--tasks", nargs="+", default=[], metavar="TASK", help="tasks or groups by name, or YAML files")
    what.add_argument(
        "--model",
        nargs="+",
        default=[],
        dest="models",
        metavar="MODEL",
        help="model specs (see `musebench models list`)",
    )
    what.add_argument(
        "--conditions", default="", metavar="A,B|all", help="what of the media a model gets (default: full)"
    )
    some = what.add_mutually_exclusive_group()
    some.add_argument("--limit", type=positive, metavar="N", help="only the first N items")
    some.add_argument("--sample", metavar="stratified:N", help="N items spread over the task's slices")
    how = parser.add_argument_group("how it is done")
    how.add_argument(
        "--out", type=folder, metavar="DIR", help="the run's folder (default: runs/NAME); asking again resumes"
    )
    how.add_argument("--processes", type=positive, default=1, metavar="N", help="worker processes")
    how.add_argument(
        "--reuse", nargs="+", type=Path, default=[], metavar="RUN", help="take answers to equal requests from"
    )
    how.add_argument("--retry", choices=["errors"], help="ask requests again that ended without a model's answer")
    how.add_argument("--max-frames", type=positive, metavar="N", help="frames a model gets at most")
    how.add_argument(
        "--frames", type=frame_rule, metavar="RULE", help="uniform, keyframes, scene_changes or query:SCORER"
    )
    how.add_argument(
        "--chunk", type=part_length, metavar="SECONDS|limit|none", help="parts that sound longer than them comes in"
    )
    how.add_argument("--timeout", type=seconds, metavar="SECONDS", help="time a model has for one answer")
    how.add_argument(
        "--answering", choices=["text", "letters"], help="letters: take option probabilities where a model tells them"
    )
    how.add_argument(
        "--min-coverage", type=share, default=None, metavar="SHARE", help="exit 3 below it (default: 0.98)"
    )
    how.add_argument(
        "--judge", metavar="openai:MODEL@URL", help="a model that reads the choice answers that the rules left unparsed"
    )
    how.add_argument(
        "--prices",
        type=Path,
        metavar="FILE",
        help="US dollars per million tokens of each model: records what answers cost",
    )
    how.add_argument("--budget", type=dollars, metavar="USD", help="ask nothing more once the run has cost this much")
    how.add_argument("--offline", action="store_true", help="never ask the Hub")
    how.add_argument("--no-report", action="store_true", help="write no report")
    how.add_argument("--embed", action="store_true", help="put the media into the report's one file")


def main(options: argparse.Namespace) -> int:
    """Run, print the tables, say where things lie."""
    from musebench_tasks import api
    from musebench_tasks.cli.progress import make_listener
    from musebench_tasks.reports import print_tables, write_report

    settings = api.RunSettings(
        processes=options.processes,
        reuse=tuple(options.reuse),
        retry_errors=options.retry == "errors",
        offline=options.offline,
        judge=options.judge,
        prices=options.prices,
        budget_usd=options.budget,
        frames=options.frames,
        chunk=options.chunk,
        model_options=_model_options(options),
    )
    with make_listener() as listener:
        outcome = api.run(
            options.suite,
            tasks=options.tasks,
            models=options.models,
            out=options.out,
            conditions=[each.strip() for each in options.conditions.split(",") if each.strip()],
            limit=options.limit,
            sample=options.sample,
            settings=settings,
            listener=listener,
        )
    if not outcome.scorecards:
        raise InputError("Nothing could be asked: no model takes any of the tasks (the reasons stand above).")
    print_tables(outcome.scorecards)
    for failure in outcome.failures:
        reason = f"{failure.count} ended as {failure.status}; the first: {_short(failure.example)}"
        print(f"{failure.task} · {failure.model}: {reason}", file=sys.stderr)
    print(f"predictions and scores  {outcome.folder}")
    if not options.no_report:
        print(f"report                  {write_report([outcome.folder], embed=options.embed)}")
    return exit_code(*api.least_covered(outcome.scorecards), options.min_coverage)


def _short(text: str) -> str:
    """The beginning of an error as one line; the whole stands in the journal."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_EXAMPLE else f"{line[:LONGEST_EXAMPLE]}…"


def exit_code(coverage: float, whose: str, asked: float | None) -> int:
    """0, or 3 with a line on standard error where the lowest coverage is below the threshold."""
    from musebench_tasks.api import MIN_COVERAGE

    threshold = MIN_COVERAGE if asked is None else asked
    if coverage >= threshold:
        return 0
    print(
        f"musebench: coverage {coverage:.4f} of {whose} is below {threshold:g}: some requests got no model's answer.",
        file=sys.stderr,
    )
    return 3


def _model_options(options: argparse.Namespace) -> dict[str, object]:
    given = {
        "max_frames": options.max_frames,
        "timeout_s": options.timeout,
        "answering": options.answering,
    }
    return {name: value for name, value in given.items() if value is not None}
