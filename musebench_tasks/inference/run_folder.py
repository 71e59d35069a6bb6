"""The run folder: where things lie, run.yaml written first and compared ever after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import folder_name, write_text
from musebench_tasks.base.records import (
    BenchmarkBlock,
    Condition,
    DecodingBlock,
    HarnessBlock,
    Item,
    Prediction,
    PromptBlock,
    ProtocolBlock,
    RunConfig,
    TaskConfig,
)
from musebench_tasks.inference.locks import locked
from musebench_tasks.inference.media_protocol import media_block, tools_of, track_of
from musebench_tasks.models import Model, model_slug, system_block
from musebench_tasks.models.registry import context_tokens
from musebench_tasks.prompts import prompt_identity
from musebench_tasks.tasks import load_task
from musebench_tasks.tasks.schema import record_of
from musebench_tasks.tasks.yaml_tree import read_file
from musebench_tasks.version import __version__

RUN_FILE = "run.yaml"
PREDICTIONS_FILE = "predictions.jsonl"
SCORES_FILE = "scores.json"
SUITE_FILE = "suite.yaml"
TASK_FILE = "task.yaml"
LOCK_FILE = ".finish.lock"
DECODING = "PyAV; sound mixed to mono by the mean (surround: ITU-R BS.775), then resampled by soxr in high quality"
PACKAGES = ("av", "numpy", "soxr", "torch", "transformers")


def task_folder(run: Path, model: str, task: str) -> Path:
    """The MODEL/TASK folder of a run."""
    return run / model_slug(model) / folder_name(task)


def make_run_config(
    task: TaskConfig,
    model: Model,
    conditions: tuple[Condition, ...],
    *,
    benchmark: BenchmarkBlock,
    items: Sequence[Item] = (),
) -> RunConfig:
    """What run.yaml records: everything that was asked of `items`, nothing of how it went."""
    identity = prompt_identity(task)
    settings = task.generation_kwargs
    protocol = task.protocol
    return RunConfig(
        task=task.task,
        benchmark=benchmark,
        system=system_block(model),
        prompt=PromptBlock(id=identity.id, sha256=identity.sha256, system=task.system, template=f"{identity.id}.jinja"),
        decoding=DecodingBlock(
            answering=getattr(model, "answering", "text"),
            temperature=settings.temperature if settings.do_sample else 0.0,
            top_p=settings.top_p,
            max_tokens=settings.max_gen_toks,
            seed=settings.seed,
            context_tokens=context_tokens(model),
            reasoning=getattr(model, "reasoning", None),
            prefix=getattr(model, "prefix", None),
        ),
        media=media_block(task, items, model, conditions),
        protocol=ProtocolBlock(
            track=track_of(task, model),
            tools=tools_of(task, model),
            conditions=conditions,
            runs=protocol.runs,
            option_order=protocol.option_order,
            seed=protocol.seed,
        ),
        harness=HarnessBlock(version=__version__, packages=dict(_packages()), decoding=DECODING),
    )


def require_same(folder: Path, config: RunConfig, advice: str | None = None) -> None:
    """Make sure that a run.yaml that may lie in `folder` asks the same; InputError names the first difference.

    `advice`: what to do, where it is no run that is asked anew.
    """
    path = folder / RUN_FILE
    if not path.exists():
        return
    difference = first_difference(read_run_config(path), config)
    if difference is not None:
        field, old, new = difference
        before, now = ("nothing" if value is None else value for value in (old, new))
        advice = advice or f"Choose another --out; with --reuse {folder} what is unaffected is kept."
        raise InputError(
            f"{folder}: {RUN_FILE} differs from what you ask now in {field} ({before}, now {now}). {advice}"
        )


def start(folder: Path, config: RunConfig, task: TaskConfig) -> None:
    """Write run.yaml where none is yet; it is never changed. task.yaml beside it is the task as it was understood.

    To be called under `finishing`; InputError where another process just wrote a run.yaml that asks something else.
    """
    require_same(folder, config)
    path = folder / RUN_FILE
    if not path.exists():
        write_text(path, yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True))
    understood = task.model_dump(mode="json", exclude_none=True)
    write_text(folder / TASK_FILE, yaml.safe_dump(understood, sort_keys=False, allow_unicode=True))


def read_task(folder: Path, config: RunConfig) -> TaskConfig:
    """The task of a MODEL/TASK folder: as it was understood then, or the known one that run.yaml names."""
    path = folder / TASK_FILE
    if not path.is_file():
        return load_task(config.task)
    advice = "Remove it, or name the task with --task."
    try:
        return TaskConfig.model_validate(read_file(path).plain())
    except InputError as problem:
        raise InputError(f"{problem.text} {advice}") from problem
    except ValidationError as problem:
        raise InputError(f"{path}: not a task of this version. {advice}") from problem


def read_run_config(path: Path) -> RunConfig:
    """A run.yaml; InputError names file, line and key of what is wrong with it."""
    return record_of(read_file(path), RunConfig)


def first_difference(before: RunConfig, now: RunConfig) -> tuple[str, Any, Any] | None:
    """The first field, in the order of the file, in which two configurations ask different things."""
    old, new = (dict(_flat(config.model_dump(mode="json", exclude={"harness"}))) for config in (before, now))
    for field in {**old, **new}:
        if old.get(field) != new.get(field):
            return field, old.get(field), new.get(field)
    return None


def write_predictions(folder: Path, predictions: Iterable[Prediction]) -> None:
    """Replace predictions.jsonl: one canonical line a prediction, in the order given."""
    write_predictions_file(folder / PREDICTIONS_FILE, predictions)


def write_predictions_file(path: Path, predictions: Iterable[Prediction]) -> None:
    """Replace a predictions file: one canonical line a prediction, in the order given."""
    write_text(path, "".join(f"{each.canonical_json()}\n" for each in predictions))


@contextmanager
def finishing(run: Path) -> Iterator[None]:
    """Only one process at a time writes run.yaml, predictions, scores and report of a run."""
    with locked(run / LOCK_FILE):
        yield


def run_folders(path: Path) -> list[Path]:
    """The MODEL/TASK folders that `path` stands for: itself, or all below a run, in the order of its suite.

    InputError if there are none.
    """
    if (path / RUN_FILE).is_file():
        return [path]
    found = sorted((file.parent for file in path.glob(f"*/*/{RUN_FILE}")), key=_place_in_suite(path))
    found = found or sorted(file.parent for file in path.glob(f"*/{RUN_FILE}"))
    if not found:
        below = sorted({str(file.parents[2]) for file in path.glob(f"*/*/*/{RUN_FILE}")})
        hint = f" Runs lie below it: {', '.join(below[:5])}." if below else ""
        raise InputError(f"{path}: no run lies there (no {RUN_FILE} in it, nor in MODEL/TASK folders below it).{hint}")
    return found


def _place_in_suite(run: Path) -> Callable[[Path], tuple[int, int, str]]:
    """A sorting key: tasks in the order in which they were asked, in each the models; the unknown come last."""
    tasks = {task: place for place, task in enumerate(_listed(run / SUITE_FILE, "tasks"))}
    models = {model_slug(model): place for place, model in enumerate(_listed(run / SUITE_FILE, "models"))}
    return lambda folder: (
        tasks.get(folder.name, len(tasks)),
        models.get(folder.parent.name, len(models)),
        str(folder),
    )


def _listed(suite: Path, key: str) -> list[str]:
    """The names that a suite.yaml lists under `key`; none where there is no such file, or it cannot be read."""
    try:
        found = read_file(suite).get(key)
    except InputError:
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _packages() -> Iterator[tuple[str, str]]:
    for name in PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(each, f"{name}.{key}" if name else key)
    else:
        yield name, value
