"""List, show and check tasks, and export them to other harnesses."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import counted, few_lines, lines_of, one_line

if TYPE_CHECKING:
    from musebench_tasks.base.records import TaskConfig
    from musebench_tasks.items import DataCheck

HARNESSES = ("lm_eval", "lmms_eval")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench tasks` takes."""
    verbs = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    verbs.add_parser("list", help="tasks and groups")
    show = verbs.add_parser("show", help="a task as it is understood: includes merged, defaults filled in")
    show.add_argument("task", metavar="TASK")
    check = verbs.add_parser("check", help="every problem of task files and of the data that lie here, one a line")
    check.add_argument(
        "places",
        nargs="*",
        metavar="TASK|FILE|FOLDER",
        help="names, YAML files, folders of such files (default: the package's)",
    )
    export = verbs.add_parser("export", help="write tasks as task files of lm-eval and lmms-eval")
    export.add_argument("tasks", nargs="*", metavar="TASK", help="names or YAML files (default: all of the package)")
    export.add_argument("--harness", choices=HARNESSES, help="for this harness alone (default: for both)")
    export.add_argument(
        "--to",
        metavar="DIR",
        help="write DIR/lm_eval and DIR/lmms_eval (default: in the cache)",
    )
    path = verbs.add_parser("path", help="the folder to give a harness as --include_path")
    path.add_argument("harness", choices=HARNESSES)


def main(options: argparse.Namespace) -> int:
    """List, show, check, export, or name a folder."""
    actions = {"list": _list, "show": _show, "check": _check, "export": _export, "path": _path}
    return actions[options.action](options)


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
    from musebench_tasks.base.problems import MOST_LINES
    from musebench_tasks.base.resources import yaml_configs
    from musebench_tasks.items import check_data
    from musebench_tasks.tasks import check_files

    places = options.places or [yaml_configs() / "tasks"]
    problems = [each.text for each in check_files(places)]
    lines = list(problems)
    tasks, lost = _loaded(places)
    for task in tasks:
        found = check_data(task)
        print(one_line(f"{task.task:<22} {data_text(found)}"))
        known = set(problems)
        told = [line for line in (*found.problems, *_prompt_problems(task)) if line not in known]
        problems += told
        lines += few_lines(told, MOST_LINES)
    if not options.places and not problems:
        lost += _harness_problems()
    for line in (*lines, *lost):
        print(lines_of(line), file=sys.stderr)
    count = len(problems) + len(lost)
    if count:
        raise InputError(f"{counted(count, 'problem')} found.")
    print("No problems found. Media were not decoded: `musebench data check TASK` does that.")
    return 0


def _loaded(places: Sequence[str | Path]) -> tuple[list[TaskConfig], list[str]]:
    """The tasks of all valid files, those of groups included, each once; and why a group's cannot be loaded."""
    from musebench_tasks.tasks import load_tasks, task_files

    tasks: dict[str, TaskConfig] = {}
    lost: list[str] = []
    for file in task_files(places):
        try:
            tasks |= {task.task: task for task in load_tasks([file])}
        except InputError as problem:
            lost += problem.lines
    return list(tasks.values()), lost


def _harness_problems() -> list[str]:
    """Keys that other harnesses do not know in the task files generated for them; says how many files there are."""
    from musebench_tasks.harnesses.export import exported_tree, key_problems, own_tasks, read_generated

    problems: list[str] = []
    tasks = own_tasks()
    for harness in HARNESSES:
        tree = exported_tree(harness, tasks)
        files = {path: read_generated(text) for path, text in tree.items() if path.endswith(".yaml")}
        for path, content in files.items():
            problems += key_problems(harness, f"{harness}/{path}", content)
        print(f"{harness:<22} {sum('task' in content for content in files.values())} generated task files")
    return problems


def _export(options: argparse.Namespace) -> int:
    from musebench_tasks.harnesses.export import chosen_tasks, exported_tree, tree_folder, write_tree
    from musebench_tasks.tasks.index import ENVIRONMENT

    if options.tasks and not options.to:
        raise InputError("The package's own trees hold all of its tasks: name a folder for these alone (--to DIR).")
    tasks, files = chosen_tasks(options.tasks)
    for harness in [options.harness] if options.harness else HARNESSES:
        folder = Path(options.to) / harness if options.to else tree_folder(harness)
        tree = exported_tree(harness, tasks)
        write_tree(folder, tree)
        count = sum(path.endswith(".yaml") and "/" in path and "/_" not in path for path in tree)
        print(f"{folder}: {counted(count, 'task file')} of {counted(len(tasks), 'task')}")
    if files:
        print(f"where the harness runs: export {ENVIRONMENT}={shlex.quote(os.pathsep.join(map(str, files)))}")
    return 0


def _path(options: argparse.Namespace) -> int:
    from musebench_tasks.harnesses.export import tree_folder

    print(tree_folder(options.harness))
    return 0


def _prompt_problems(task: TaskConfig) -> list[str]:
    """Why the task's template cannot be used, if it cannot: not there, or not written as templates are."""
    from musebench_tasks.prompts import prompt_identity

    try:
        prompt_identity(task)
    except InputError as problem:
        return [f"{task.task}: {problem.text}"]
    return []


def data_text(found: DataCheck) -> str:
    """What lies where a task's data should be, in one line."""
    if found.source is None:
        return "data not looked at: they are on the Hub, or not placed yet" if not found.problems else "no data"
    kinds = {"single-select": found.single, "multi-select": found.multi}
    kinds_told = [f"{n} {name}" for name, n in kinds.items() if n]
    kinds_told += [counted(found.music, "recording")] if found.music else []
    media = [f"{counted(found.media_found, 'medium', 'media')} found"]
    if found.media_missing:
        media.append(f"{len(found.media_missing)} missing")
    if found.media_linked:
        media.append(f"{len(found.media_linked)} to be fetched (`musebench data fetch {found.source} --with PROGRAM`)")
    return ", ".join([counted(found.items, "item"), *kinds_told, *media])
