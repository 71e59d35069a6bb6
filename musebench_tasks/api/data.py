"""A task with its items and its gold, loaded once for everything that needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from musebench_tasks.errors import InputError
from musebench_tasks.items import load_items, load_references, select
from musebench_tasks.records import BenchmarkBlock, Item, Reference, TaskConfig


@dataclass(frozen=True)
class TaskData:
    """What is asked of one task, and what is right. Only scoring and progress look at `references`."""

    task: TaskConfig
    items: tuple[Item, ...]
    """The selected items, sorted by id."""
    references: Mapping[str, Reference]
    references_sha256: str
    benchmark: BenchmarkBlock


def load_data(task: TaskConfig, selection: str | None = None, *, offline: bool = False) -> TaskData:
    """Items and references of `task`; InputError where the data are wrong or the selection leaves nothing."""
    loaded = load_items(task, offline=offline)
    items = select(loaded.items, selection, task.slices)
    if not items:
        raise InputError(f"{task.task}: no items are left to ask (filter, limit or sample leaves none).")
    gold = load_references(task, offline=offline)
    benchmark = BenchmarkBlock(
        name=items[0].benchmark,
        version=loaded.version,
        split=task.test_split,
        data_sha256=loaded.data_sha256,
        selection=selection,
    )
    return TaskData(task, items, gold.references, gold.references_sha256, benchmark)
