"""Which tasks and groups there are, and in which file each is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import shown_path
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.resources import yaml_configs
from musebench_tasks.base.text import nearest
from musebench_tasks.tasks.yaml_tree import Tree, read_tree

ENVIRONMENT = "MUSEBENCH_TASKS"
"""Folders of a user's own task files, separated as in PATH."""
SUFFIXES = (".yaml", ".yml")
NO_TASK = "no_task"
"""Code of the problem that a task is not known."""
OF_A_RUN = "run.yaml"
"""Lies in every folder of answers; the YAML files there name a task and are none of the user's."""
OF_DATA = frozenset({"about.yaml", "errata.yaml", "eval.yaml"})
"""Lie beside rows and say what these are: no tasks, unless they say so."""
DATA_CARD = "README.md"
"""Lies in every repository of data."""


class TaskEntry(NamedTuple):
    """A task or a group of tasks, and where it is written."""

    name: str
    path: Path
    kind: Literal["task", "group"]
    description: str | None


def list_tasks(include_paths: Iterable[str | Path] = ()) -> list[TaskEntry]:
    """All tasks and groups by name: the package's own, those in $MUSEBENCH_TASKS and those in `include_paths`.

    Reads YAML and imports nothing heavy. A name written in two files, or a file that is no YAML, is an InputError.
    """
    entries, problems = _scan(include_paths)
    if problems:
        raise InputError(*problems)
    return list(entries.values())


def find(name: str, include_paths: Iterable[str | Path] = ()) -> TaskEntry:
    """The task or group called `name`; InputError with the nearest known name if there is none."""
    entries, problems = _scan(include_paths)
    concerned = [each for each in problems if name in each.items]
    if concerned or (name not in entries and problems):
        raise InputError(*(concerned or problems))
    if name not in entries:
        advice = (
            "`musebench tasks list` names them all; a task of your own is given as its YAML file (for `score`: "
            f"--task FILE) or lies in a folder of ${ENVIRONMENT}."
        )
        raise InputError(Problem(f'There is no task "{name}"{nearest(name, entries)}.', advice, NO_TASK))
    return entries[name]


def is_path(name: str | Path) -> bool:
    """Whether `name` is meant as a file: a Path, or text that ends as YAML files do."""
    return isinstance(name, Path) or name.endswith(SUFFIXES)


def leads_elsewhere(name: str) -> bool:
    """Whether `name`, from a file of others, could lead to a file of this machine instead of a task known by name."""
    return is_path(name) or "/" in name or "\\" in name


def entry_of(path: Path, tree: Tree) -> TaskEntry | None:
    """The task or group that a file defines; None for other files (suites, parts to be included)."""
    for kind in ("group", "task"):
        name = tree.get(kind)
        if isinstance(name, str):
            description = tree.get("description") or tree.get("metadata", "description")
            text = " ".join(description.split()) if isinstance(description, str) else None
            return TaskEntry(name, path, "group" if kind == "group" else "task", text)
    return None


def yaml_files(folder: Path) -> list[Path]:
    """The YAML files below `folder`, sorted; those that runs wrote, that belong to data, and hidden ones left out."""
    found = (path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    return sorted(path for path in found if not _is_of_others(path, folder))


def _is_of_others(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return hidden or (path.parent / OF_A_RUN).is_file() or (path.name in OF_DATA and not _defines(path))


def _defines(path: Path) -> bool:
    """Whether a file says that it defines a task, a group or a suite."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return any(line.startswith(("task:", "group:", "suite:")) for line in lines)


def named_files(name: str | Path) -> list[Path]:
    """The task files that `name` stands for: a file, the files of a folder, or a task or group by its name.

    A name of a task counts for more than a folder of that name with its data. InputError where it stands for nothing.
    """
    path = Path(name)
    if not path.is_dir():
        return [path] if is_path(name) or path.is_file() or len(path.parts) > 1 else [find(str(name)).path]
    files = yaml_files(path)
    if not files or (path / DATA_CARD).is_file():
        known = _scan(())[0].get(str(name))
        files = [known.path] if known is not None else files
    if not files:
        raise InputError(
            f"{shown_path(path)}: holds no task file. Give the YAML file of the task, or a name of "
            "`musebench tasks list`. Data themselves are looked over by `musebench data check`."
        )
    return files


def is_part(path: Path) -> bool:
    """Whether a file is only there to be included: its name begins with `_`."""
    return path.name.startswith("_")


def _scan(include_paths: Iterable[str | Path]) -> tuple[dict[str, TaskEntry], list[Problem]]:
    entries: dict[str, TaskEntry] = {}
    problems: list[Problem] = []
    for path in _files(include_paths):
        try:
            entry = entry_of(path, read_tree(path))
        except InputError as error:
            problems += error.problems
            continue
        if entry is None:
            continue
        if entry.name in entries:
            problems.append(duplicate(entry.name, entries[entry.name].path, path))
        else:
            entries[entry.name] = entry
    return dict(sorted(entries.items())), problems


def duplicate(name: str, first: Path, second: Path) -> Problem:
    """One name in two files."""
    found = f'the name "{name}" stands in {shown_path(first)} already.'
    return Problem(found, "Rename one of the two.", place=str(shown_path(second)), items=(name,))


def _files(include_paths: Iterable[str | Path]) -> Iterator[Path]:
    seen: set[Path] = set()
    for path in _places(include_paths):
        for file in yaml_files(path) if path.is_dir() else [path]:
            if file.resolve() not in seen and not is_part(file):
                seen.add(file.resolve())
                yield file


def _places(include_paths: Iterable[str | Path]) -> Iterator[Path]:
    yield yaml_configs() / "tasks"
    for text in filter(None, os.environ.get(ENVIRONMENT, "").split(os.pathsep)):
        yield _existing(Path(text).expanduser(), f"${ENVIRONMENT} names")
    for each in include_paths:
        yield _existing(Path(each).expanduser(), "asked to read")


def _existing(path: Path, who: str) -> Path:
    if not path.exists():
        raise InputError(f"{who} {path}, which does not exist. Correct the path.")
    return path
