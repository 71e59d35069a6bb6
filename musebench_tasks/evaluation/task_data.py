"""A task with its items and its gold, loaded once for everything that needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import BenchmarkBlock, Erratum, Item, Reference, TaskConfig
from musebench_tasks.evaluation.errata import erratum_since, load_errata
from musebench_tasks.items import load_items, load_references, select_without


@dataclass(frozen=True)
class TaskData:
    """What is asked of one task, and what is right. Only scoring and progress look at `references`."""

    task: TaskConfig
    items: tuple[Item, ...]
    """The selected items, sorted by id."""
    references: Mapping[str, Reference]
    references_sha256: str
    benchmark: BenchmarkBlock
    erratum: Erratum | None = None
    """What led to these data from those that were asked, where they are others."""
    is_whole: bool = True
    """Whether the items are all that the task has."""

    def missing_media(self) -> tuple[list[str], int]:
        """Paths of the items' media files that are not here, sorted, and how many files there should be."""
        sources = {item.media.path: item.media for item in self.items if item.media and item.media.row is None}
        return sorted(path for path, source in sources.items() if source.sha256 is None), len(sources)


def load_data(
    task: TaskConfig, selection: str | None = None, *, offline: bool = False, asked_on: str | None = None
) -> TaskData:
    """Items and references of `task`; InputError where the data are wrong or the selection leaves nothing.

    `asked_on`: SHA-256 of the data that were asked. Where those here are others, and their errata.yaml leads from the
    one to the other, the items are those that were asked without the retired ones.
    """
    loaded = load_items(task, offline=offline)
    erratum = None
    if asked_on is not None and asked_on != loaded.data_sha256:
        erratum = erratum_since(load_errata(task, offline=offline), asked_on)
    retired = erratum.retired if erratum else ()
    items = select_without(loaded.items, selection, task.slices, retired)
    whole = select_without(loaded.items, None, task.slices, retired)
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
    return TaskData(
        task, items, gold.references, gold.references_sha256, benchmark, erratum, is_whole=len(items) == len(whole)
    )
