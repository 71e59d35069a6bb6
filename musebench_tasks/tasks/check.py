"""Checks task files, groups, suites and parts to be included: every problem of them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from pydantic import Field

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Record, Suite, TaskConfig
from musebench_tasks.tasks.index import duplicate, entry_of, is_part, named_files
from musebench_tasks.tasks.rules import rule_problems, suite_problems
from musebench_tasks.tasks.schema import schema_problems
from musebench_tasks.tasks.yaml_tree import Tree, read_tree


class TaskGroup(Record):
    """Tasks under one name, as lm-eval writes them."""

    group: str
    task: Annotated[tuple[str, ...], Field(min_length=1)]
    """Names of tasks or groups, or YAML files beside this one."""
    description: str | None = None


def problems_of(tree: Tree, record: type[Record]) -> list[Problem]:
    """Every problem of a merged file that should hold a `record`, in the order of its lines."""
    problems = schema_problems(tree, record)
    if record is TaskConfig:
        problems += rule_problems(tree)
    if record is Suite:
        problems += suite_problems(tree)
    return list(dict.fromkeys(problems))


def check_file(path: str | Path) -> list[Problem]:
    """Every problem of one YAML file (task, group, suite, or a part whose name begins with `_`); empty = valid."""
    path = Path(path)
    try:
        tree = read_tree(path)
    except InputError as error:
        return list(error.problems)
    if is_part(path):
        return schema_problems(tree, TaskConfig, partial=True)
    if "suite" in tree.value:
        return problems_of(tree, Suite)
    return problems_of(tree, TaskGroup if "group" in tree.value else TaskConfig)


def task_files(paths: Iterable[str | Path]) -> list[Path]:
    """The valid files that `paths` name (`named_files`) and that define a task or a group (no suite, no part)."""
    found = (path for path in _expanded(paths) if not is_part(path) and not check_file(path))
    return [path for path in found if entry_of(path, read_tree(path)) is not None]


def check_files(paths: Iterable[str | Path]) -> list[Problem]:
    """The problems of all files that `paths` name (`named_files`), and every name that two of them share."""
    problems: list[Problem] = []
    names: dict[str, Path] = {}
    for path in _expanded(paths):
        problems += check_file(path)
        try:
            entry = None if is_part(path) else entry_of(path, read_tree(path))
        except InputError:
            continue
        if entry is not None:
            first = names.setdefault(entry.name, path)
            if first.resolve() != path.resolve():
                problems.append(duplicate(entry.name, first, path))
    return problems


def _expanded(paths: Iterable[str | Path]) -> Iterator[Path]:
    yield from dict.fromkeys(file for path in paths for file in named_files(path))
