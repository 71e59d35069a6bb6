"""Which task is put to which model under which conditions; other cells of the suite are never planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from musebench_tasks.api.settings import Listener
from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, RunConfig
from musebench_tasks.evaluation.task_data import TaskData
from musebench_tasks.inference import unsupported
from musebench_tasks.inference.media_protocol import notices
from musebench_tasks.inference.run_folder import make_run_config, require_same, task_folder
from musebench_tasks.models import Model


@dataclass(frozen=True)
class ModelTaskPair:
    """One task put to one model."""

    spec: str
    model: Model
    data: TaskData
    conditions: tuple[Condition, ...]
    folder: Path
    """MODEL/TASK."""
    config: RunConfig


def make_pairs(
    run: Path,
    models: Mapping[str, Model],
    data: Sequence[TaskData],
    conditions: Sequence[Condition],
    listener: Listener,
) -> list[ModelTaskPair]:
    """The pairs that can be asked, model by model; says what cannot be and why.

    Nothing is written. InputError where a folder of the run holds answers to something else.
    """
    pairs = []
    for spec, model in models.items():
        for each in data:
            found = set(_possible(spec, model, each, conditions, listener))
            # In the order of the records: conditions asked in another order are the same question.
            possible = tuple(condition for condition in CONDITIONS.values() if condition in found)
            if not possible:
                continue
            config = make_run_config(each.task, model, possible, benchmark=each.benchmark, items=each.items)
            folder = task_folder(run, spec, each.task.task)
            require_same(folder, config)
            for notice in notices(each.task, each.items, model, possible):
                listener.noticed(each.task.task, notice)
            pairs.append(ModelTaskPair(spec, model, each, possible, folder, config))
    return pairs


def _possible(
    spec: str, model: Model, data: TaskData, conditions: Sequence[Condition], listener: Listener
) -> Iterator[Condition]:
    """The conditions under which `model` can be asked the task."""
    allowed = data.task.protocol.conditions
    for condition in conditions:
        if condition in allowed:
            reason = unsupported(data.task, data.items, model, condition)
        elif set(conditions) == set(CONDITIONS):
            continue
        else:
            reason = f"the task allows {', '.join(allowed)}"
        if reason is None:
            yield condition
        else:
            listener.skipped(spec, data.task.task, condition, reason)
