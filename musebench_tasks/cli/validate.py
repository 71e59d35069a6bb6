"""Check files of a run, a submission, a task or a suite against their schemas."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import lines
from musebench_tasks.base.text import counted
from musebench_tasks.cli.plain import exact_json

if TYPE_CHECKING:
    from musebench_tasks.submissions.validate import Found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench validate` takes."""
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE|DIR",
        help="a file of a run, submission or board, errata.yaml, a task or suite; or a whole run or submission",
    )
    parser.add_argument(
        "--as",
        dest="kind",
        choices=["submission"],
        help="check a folder as the pull request of a submission is checked",
    )
    parser.add_argument("--json", action="store_true", help="print what was found as JSON, problems too")
    parser.add_argument("--task", metavar="TASK", help="the task, where run.yaml of a submission names one of your own")


def main(options: argparse.Namespace) -> int:
    """Check every file; say what it is, or all that is wrong."""
    from musebench_tasks.submissions.validate import validate_each

    told: list[dict[str, object]] = []
    faulty = 0
    for file in options.files:
        found = []
        for each in validate_each(file, as_submission=options.kind is not None, task=options.task):
            found.append(each)
            faulty += bool(each.problems)
            if options.json:
                about = {"is": list(each.words), "problems": lines(each.problems)}
                told.append({"path": str(each.path), "valid": not each.problems, **about})
            else:
                _tell(file, each)
        gathered = [each for each in found if each.is_submission]
        if len(found) > 1 and not options.json:
            wrong = sum(bool(each.problems) for each in gathered)
            print(f"{file}: {counted(len(gathered), 'submission')}, {wrong or 'none'} with faults")
    if options.json:
        print(exact_json(told))
    return InputError.exit_code if faulty else 0


def _tell(file: Path, found: Found) -> None:
    if found.problems:
        problems = "\n".join(lines(found.problems))
        print(f"musebench: {problems}", file=sys.stderr)
    elif len(found.words) == 1 and found.path == file:
        print(f"{file}: {found.words[0]}")
    else:
        print("\n".join(found.words))
