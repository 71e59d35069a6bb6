"""What was asked, resolved: a suite, a selection of items, and the run's name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from musebench_tasks.api.settings import RunSettings
from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import folder_name, write_text
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import Chunking, Condition, Modality, Suite, TaskConfig
from musebench_tasks.base.text import nearest
from musebench_tasks.base.validation import first_phrase
from musebench_tasks.inference.run_folder import SUITE_FILE
from musebench_tasks.models import model_slug
from musebench_tasks.tasks import is_path, load_suite, load_tasks
from musebench_tasks.tasks.yaml_tree import read_file
from musebench_tasks.values.frame_rule import parse_frame_rule, scorer_place, with_scorer_place

DEFAULT_SUITE = "demo"
LISTS = ("tasks", "models", "conditions")


def resolve(
    suite: str | Path | None,
    tasks: Sequence[str],
    models: Sequence[str],
    conditions: Sequence[str],
    selection: str | None,
) -> tuple[Suite, list[TaskConfig]]:
    """What is asked as a suite, and its tasks, groups replaced by what they name. Nothing named = the demo suite.

    What is given beside a suite goes before what stands in it. Task files are named by their whole path.
    """
    if suite is None and bool(tasks) != bool(models):
        missing = "--model" if tasks else "--tasks"
        raise InputError(f"{missing} is missing: name tasks and a model, or a --suite, or nothing for the demo.")
    base = load_suite(suite or DEFAULT_SUITE) if suite is not None or not tasks else None
    named = tuple(tasks) or (base.tasks if base else ())
    configs = load_tasks(named)
    name = base.suite if base else "-".join([*map(_file_name, tasks), *(model_slug(each) for each in models)])
    asked = Suite(
        suite=name,
        tasks=tuple(dict.fromkeys(name for each in named for name in _lasting_names(each))),
        models=tuple(models) or (base.models if base else ()),
        conditions=read_conditions(conditions) or (base.conditions if base else (Condition.FULL,)),
        selection=selection or (base.selection if base else None),
        frames=base.frames if base else None,
        chunk=base.chunk if base else None,
    )
    return asked, configs


def selection_of(limit: int | None, sample: str | None) -> str | None:
    """How run.yaml spells which items are asked: None (all), `limit:N` or `stratified:N`."""
    if limit is not None and sample is not None:
        raise InputError("--limit and --sample cannot be used together.")
    return f"limit:{limit}" if limit is not None else sample


def run_name(asked: Suite) -> str:
    """The folder name of a run that is given none."""
    kind, _, number = (asked.selection or "").partition(":")
    suffix = {"limit": f"-limit{number}", "stratified": f"-sample{number}"}.get(kind, "")
    return folder_name(f"{asked.suite}{suffix}")


def write_suite(folder: Path, asked: Suite) -> None:
    """suite.yaml: what was asked. Asking more of the same folder adds to it."""
    path = folder / SUITE_FILE
    content = asked.model_dump(mode="json", exclude_none=True)
    if path.is_file():
        before = _read_suite(path)
        for field in LISTS:
            content[field] = list(dict.fromkeys([*before.get(field, []), *content[field]]))
        content["suite"] = before.get("suite", content["suite"])
    write_text(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True))


def _read_suite(path: Path) -> dict[str, Any]:
    try:
        before = read_file(path).plain()
    except InputError as problem:
        raise InputError(f"{problem.text} Remove it; it is written anew.") from problem
    if not isinstance(before, dict) or not all(isinstance(before.get(each, []), list) for each in LISTS):
        raise InputError(f"{path}: not a suite. Remove it; it is written anew.")
    return before


def _lasting_names(task: str) -> list[str]:
    """What finds a task or the tasks of a group again, from any folder."""
    if is_path(task):
        return [str(Path(task).resolve())]
    return [config.task for config in load_tasks([task])]


def names_of(given: str | Sequence[str], what: str) -> tuple[str, ...]:
    """One name or several, without repetition; InputError for anything that is no name."""
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"{what}: {name!r} is no name. Give a name, or a list of names.")
    return tuple(dict.fromkeys(names))


def read_conditions(names: Sequence[str]) -> tuple[Condition, ...]:
    """Conditions by name, `all` for every one; InputError for a name that is none."""
    if "all" in names:
        return tuple(CONDITIONS.values())
    for name in names:
        if name not in CONDITIONS:
            known = ", ".join(CONDITIONS)
            raise InputError(f'condition "{name}" is not known{nearest(name, CONDITIONS)}: {known}, all.')
    return tuple(CONDITIONS[name] for name in names)


def _file_name(task: str) -> str:
    """The name of a task that may be given as a YAML file."""
    return Path(task).stem if is_path(task) else task


def with_settings(asked: Suite, settings: RunSettings) -> Suite:
    """What is asked, with the frames and parts of sound that a run's settings name in place of the suite's."""
    frames, chunk = settings.frames or asked.frames, settings.chunk or asked.chunk
    place = scorer_place(frames or "")
    if frames and place and Path(place).exists():
        frames = with_scorer_place(frames, str(Path(place).resolve()))
    try:
        return Suite.model_validate({**asked.model_dump(), "frames": frames, "chunk": chunk})
    except ValidationError as problem:
        raise InputError(f"chunk {chunk}: {first_phrase(problem)}.") from problem


def with_protocol(task: TaskConfig, asked: Suite) -> TaskConfig:
    """The task as the run asks it: frames and parts of sound as the run says, where the task has such streams."""
    changed: dict[str, Any] = {}
    if asked.frames is not None:
        try:
            parse_frame_rule(asked.frames)
        except ValueError as problem:
            raise InputError(f"frames: {reason(problem)}.") from problem
        changed |= {"frames": asked.frames} if Modality.VIDEO in task.modalities else {}
    if asked.chunk is not None and Modality.AUDIO in task.modalities:
        before = task.protocol.chunking or Chunking()
        changed["chunking"] = None if asked.chunk == "none" else before.model_copy(update={"seconds": asked.chunk})
    return task.model_copy(update={"protocol": task.protocol.model_copy(update=changed)}) if changed else task
