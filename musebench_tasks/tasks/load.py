"""Task files as TaskConfig, groups as the tasks they name, suites as Suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import shown_path
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Suite, TaskConfig
from musebench_tasks.base.resources import yaml_configs
from musebench_tasks.base.text import nearest
from musebench_tasks.tasks.check import TaskGroup, problems_of
from musebench_tasks.tasks.index import NO_TASK, duplicate, find, is_path, list_tasks
from musebench_tasks.tasks.yaml_tree import INCLUDE, Tree, read_tree
from musebench_tasks.values.frame_rule import scorer_place, with_scorer_place

REGISTERED = frozenset({"musebench", "hummusqa", "mub", "musebench_demo", "hummusqa_demo", "mub_demo"})
"""Names of `dataset_path` that stand for a benchmark, wherever its data lie."""


def load_task(name_or_path: str | Path, include_paths: Iterable[str | Path] = ()) -> TaskConfig:
    """The task of that name or in that file, includes merged and every default filled in.

    InputError lists every problem of the file, one line each.
    """
    path, tree = _read(name_or_path, include_paths)
    if tree.get("group") is not None:
        named = tree.get("task")
        members = ", ".join(map(str, named)) if isinstance(named, list) else str(named)
        raise InputError(f'{shown_path(path)}: "{tree.get("group")}" is a group of tasks. Name one of: {members}.')
    return _task(path, tree)


def load_tasks(names: Sequence[str | Path], include_paths: Iterable[str | Path] = ()) -> list[TaskConfig]:
    """The tasks of these names and files, groups replaced by what they name, each task once."""
    found: dict[str, tuple[Path, TaskConfig]] = {}
    for name in names:
        for path, task in _expand(name, tuple(include_paths), ()):
            known = found.setdefault(task.task, (path, task))
            if known[0].resolve() != path.resolve():
                raise InputError(duplicate(task.task, known[0], path))
    return [task for _, task in found.values()]


def load_suite(name_or_path: str | Path) -> Suite:
    """The suite of that name in `yaml_configs/suites`, or in that file; its tasks exist."""
    path = Path(name_or_path)
    if not is_path(name_or_path):
        folder = yaml_configs() / "suites"
        path = folder / f"{name_or_path}.yaml"
        if not path.is_file():
            known = sorted(each.stem for each in folder.glob("*.yaml"))
            raise InputError(
                f'There is no suite "{name_or_path}"{nearest(str(name_or_path), known)}. Known: {", ".join(known)}.'
            )
    tree = read_tree(path)
    _refuse(problems_of(tree, Suite))
    content = tree.plain()
    content["tasks"] = [_beside(path, name) if is_path(name) else name for name in content["tasks"]]
    suite = Suite.model_validate(content)
    known = [entry.name for entry in list_tasks()]
    unknown = [
        tree.problem(f'there is no task "{name}"{nearest(name, known)}.', "tasks", number)
        for number, name in enumerate(suite.tasks)
        if not is_path(name) and name not in known
    ]
    _refuse(unknown)
    return suite


def _refuse(problems: list[Problem]) -> None:
    if problems:
        raise InputError(*problems)


def _read(name: str | Path, include_paths: Iterable[str | Path]) -> tuple[Path, Tree]:
    path = Path(name) if is_path(name) else find(str(name), include_paths).path
    return path, read_tree(path)


def _expand(
    name: str | Path, include_paths: tuple[str | Path, ...], inside: tuple[str, ...]
) -> list[tuple[Path, TaskConfig]]:
    path, tree = _read(name, include_paths)
    if tree.get("group") is None:
        return [(path, _task(path, tree))]
    _refuse(problems_of(tree, TaskGroup))
    group = TaskGroup.model_validate(tree.plain())
    if group.group in inside:
        chain = " -> ".join((*inside, group.group))
        raise InputError(tree.problem(f"groups contain each other: {chain}. Remove one of them.", "task"))
    expanded: list[tuple[Path, TaskConfig]] = []
    for number, member in enumerate(group.task):
        # A file named in a group lies beside the group's own file, as with `include`.
        where = path.parent / member if is_path(member) else member
        try:
            expanded += _expand(where, include_paths, (*inside, group.group))
        except InputError as error:
            if any(problem.code != NO_TASK for problem in error.problems):
                raise
            raise InputError(*(tree.placed(each.below("task", number)) for each in error.problems)) from error
    return expanded


def _task(path: Path, tree: Tree) -> TaskConfig:
    _refuse(problems_of(tree, TaskConfig))
    content: dict[str, Any] = {key: value for key, value in tree.plain().items() if key != INCLUDE}
    if content.get("kind") == "music":
        content["protocol"] = {"answer": "json", **(content.get("protocol") or {})}
    for key in ("dataset_path", "doc_to_text"):
        if content.get(key):
            content[key] = _beside(tree.at((key,)).file, content[key])
    if (content.get("protocol") or {}).get("frames"):
        content["protocol"] = {**content["protocol"], "frames": _scorer_beside(tree)}
    return TaskConfig.model_validate(content)


def _scorer_beside(tree: Tree) -> str:
    """The rule of choosing frames, its scorer's file or folder made absolute where it lies beside the task's file."""
    rule = str(tree.get("protocol", "frames"))
    place = scorer_place(rule)
    return with_scorer_place(rule, _beside(tree.at(("protocol", "frames")).file, place)) if place else rule


def _beside(file: Path, written: str) -> str:
    """`written`, made absolute where it names something beside the file it is written in."""
    there = file.parent / written
    if written in REGISTERED or not there.exists():
        return written
    return str(there.resolve())
