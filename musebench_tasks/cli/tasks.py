"""List, show and check tasks."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from musebench_tasks.items import DataCheck
    from musebench_tasks.records import TaskConfig


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench tasks` takes."""
    verbs = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    verbs.add_parser("list", help="tasks and groups")
    show = verbs.add_parser("show", help="a task as it is understood: includes merged, defaults filled in")
    show.add_argument("task", metavar="TASK")
    check = verbs.add_parser("check", help="every problem of task files and of the data that lie here, one a line")
    check.add_argument("files", nargs="*", metavar="FILE", help="YAML files or folders (default: all known tasks)")


def main(options: argparse.Namespace) -> int:
    """List, show or check."""
    return {"list": _list, "show": _show, "check": _check}[options.action](options)


def _list(_: argparse.Namespace) -> int:
    from musebench_tasks.tasks import list_tasks

    entries = list_tasks()
    width = max(len(entry.name) for entry in entries)
    for entry in entries:
        print(f"{entry.name:<{width}}  {entry.kind:<5}  {entry.description or ''}".rstrip())
    return 0


def _show(options: argparse.Namespace) -> int:
    import yaml

    from musebench_tasks.tasks import load_tasks

    tasks = load_tasks([options.task])
    shown = [task.model_dump(mode="json", exclude_none=True) for task in tasks]
    print(yaml.safe_dump_all(shown, sort_keys=False, allow_unicode=True), end="")
    return 0


def _check(options: argparse.Namespace) -> int:
    from musebench_tasks.errors import InputError
    from musebench_tasks.items import check_data
    from musebench_tasks.resources import yaml_configs
    from musebench_tasks.tasks import check_files, load_task, task_files

    places = options.files or [yaml_configs() / "tasks"]
    problems = check_files(places)
    if not problems:
        for task in map(load_task, task_files(places)):
            found = check_data(task)
            problems += [*found.problems, *_prompt_problems(task)]
            print(f"{task.task:<22} {data_text(found)}")
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        raise InputError(f"{len(problems)} problem{'s' if len(problems) > 1 else ''} found.")
    print("No problems found. Media were not decoded: `musebench data check TASK` does that.")
    return 0


def _prompt_problems(task: TaskConfig) -> list[str]:
    """Why the task's template cannot be used, if it cannot: not there, or not written as templates are."""
    from musebench_tasks.errors import InputError
    from musebench_tasks.prompts import prompt_identity

    try:
        prompt_identity(task)
    except InputError as problem:
        return [f"{task.task}: {problem}"]
    return []


def data_text(found: DataCheck) -> str:
    """What lies where a task's data should be, in one line."""
    if found.source is None:
        return "data not looked at: they are on the Hub, or not placed yet" if not found.problems else "no data"
    kinds = {"single-select": found.single, "multi-select": found.multi, "recordings": found.music}
    media = f"{found.media_found} media found"
    if found.media_missing:
        media += f", {len(found.media_missing)} missing (the first: {found.media_missing[0]})"
    return ", ".join([f"{found.items} items", *(f"{n} {name}" for name, n in kinds.items() if n), media])
