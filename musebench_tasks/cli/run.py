"""Put tasks to models, score the answers and write a report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import cut
from musebench_tasks.cli.arguments import (
    dollars,
    folder,
    frame_rule,
    name,
    names,
    part_length,
    positive,
    seconds,
    share,
)

if TYPE_CHECKING:
    from musebench_tasks.api import RunOutcome

LONGEST_EXAMPLE = 300
REPORT_PAGE = "report/index.html"
LEADER_TAKES_S = 60.0
"""How long the other processes of a launcher wait for the first one's tables and report before they fail."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench run` takes."""
    what = parser.add_argument_group("what is asked (nothing: the demo suite)")
    what.add_argument("--suite", type=name, metavar="NAME|FILE", help="a suite of yaml_configs/suites, or a YAML file")
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
        "--conditions", type=names, default=(), metavar="A,B|all", help="what of the media a model gets (default: full)"
    )
    some = what.add_mutually_exclusive_group()
    some.add_argument("--limit", type=positive, metavar="N", help="only the first N items")
    some.add_argument("--sample", metavar="stratified:N", help="N items spread over the task's slices")
    _add_how(parser.add_argument_group("how it is done"))


def _add_how(how: argparse._ArgumentGroup) -> None:
    """Declare what is beside the question."""
    how.add_argument(
        "--out", type=folder, metavar="DIR", help="the run's folder (default: runs/NAME); asking again resumes"
    )
    how.add_argument("--processes", type=positive, default=1, metavar="N", help="worker processes")
    how.add_argument(
        "--reuse", nargs="+", type=folder, default=[], metavar="RUN", help="take answers to equal requests from"
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
        "--unit-timeout",
        type=seconds,
        metavar="SECONDS",
        help="time without an answer after which a worker is taken to hang at a medium (default: by its length)",
    )
    how.add_argument(
        "--answering", choices=["text", "letters"], help="letters: take option probabilities where a model tells them"
    )
    how.add_argument(
        "--prefix",
        choices=["shared", "sequential", "plain"],
        help="how prompts about a medium are read: what they share once, then together (default) or in turn; or whole",
    )
    how.add_argument(
        "--verify-prefix", type=positive, default=0, metavar="K", help="ask K requests again, read whole, and compare"
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
        unit_timeout_s=options.unit_timeout,
        may_end_process=True,
        verify_prefix=options.verify_prefix,
        model_options=_model_options(options),
    )
    with api.stopped_in_order(), make_listener() as listener:
        outcome = api.run(
            options.suite,
            tasks=options.tasks,
            models=options.models,
            out=options.out,
            conditions=options.conditions,
            limit=options.limit,
            sample=options.sample,
            settings=settings,
            listener=listener,
        )
    if not outcome.scorecards:
        raise InputError("Nothing could be asked: no model takes a task under these conditions (reasons above).")
    least = api.least_covered(outcome.scorecards)
    if not api.leads():
        return _end_after_the_leader(outcome, *least, options.min_coverage)
    return _tell(outcome, least, options)


def _tell(outcome: RunOutcome, least: tuple[float, str], options: argparse.Namespace) -> int:
    """Print the tables, what went otherwise and where things lie; the exit code."""
    from musebench_tasks import api
    from musebench_tasks.reports import print_conditions, print_tables

    print_tables(outcome.scorecards, is_main_only=True)
    print_conditions(outcome.folder, outcome.scorecards)
    for failure in outcome.failures:
        reason = f"{failure.count} ended as {failure.status}; the first: {cut(failure.example, LONGEST_EXAMPLE)}"
        print(f"{failure.task} · {failure.model}: {reason}", file=sys.stderr)
    usages = api.read_usage(outcome.folder, _models(outcome))
    for where, text in (
        *api.remarks(usages),
        *api.prefix_lines(outcome.folder, _models(outcome), outcome.prefix_checks),
    ):
        print(f"{where}: {text}", file=sys.stderr)
    if outcome.stopped is not None:
        print(f"musebench: {outcome.stopped}", file=sys.stderr)
    for topic, text in api.usage_lines(usages):
        print(f"{topic:<22}  {text}")
    print(f"predictions and scores  {outcome.folder}")
    if not options.no_report:
        print(f"report                  {_report(outcome, options.embed)}")
    code = exit_code(*least, options.min_coverage)
    outcome.sharing.tell_end()
    return code


def _report(outcome: RunOutcome, embed: bool) -> Path:
    """Write the report, unless another process in the folder just did."""
    from musebench_tasks.base.files import sha256_of
    from musebench_tasks.inference.run_folder import SCORES_FILE
    from musebench_tasks.reports import write_report

    with outcome.sharing.turn("report", [embed, sha256_of(outcome.folder / SCORES_FILE)]) as mine:
        page = outcome.folder / REPORT_PAGE
        return write_report([outcome.folder], embed=embed) if mine or not page.is_file() else page


def _end_after_the_leader(outcome: RunOutcome, coverage: float, whose: str, asked: float | None) -> int:
    """The exit code of a process that says nothing. A launcher stops all when one fails, so a failure waits."""
    code = 0 if coverage >= _threshold(asked) else 3
    if code:
        outcome.sharing.await_end(LEADER_TAKES_S)
    return code


def exit_code(coverage: float, whose: str, asked: float | None) -> int:
    """0, or 3 with a line on standard error where the lowest coverage is below the threshold."""
    threshold = _threshold(asked)
    if coverage >= threshold:
        return 0
    print(
        f"musebench: coverage {coverage:.4f} of {whose} is below {threshold:g}: some requests got no model's answer.",
        file=sys.stderr,
    )
    return 3


def _threshold(asked: float | None) -> float:
    from musebench_tasks.api import MIN_COVERAGE

    return MIN_COVERAGE if asked is None else asked


def _models(outcome: RunOutcome) -> list[str]:
    """Specs of the models that were asked, in order."""
    return list(dict.fromkeys(card.system for card in outcome.scorecards))


def _model_options(options: argparse.Namespace) -> dict[str, object]:
    given = {
        "max_frames": options.max_frames,
        "timeout_s": options.timeout,
        "answering": options.answering,
        "prefix": options.prefix,
    }
    return {name: value for name, value in given.items() if value is not None}
