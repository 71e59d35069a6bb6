"""Any multiple-choice benchmark as a dataset: a task's `columns` say what the sheet holds, the items room reads it.

The repo has the names that tasks read without any mapping, so that its own task needs no `columns`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.drafts import RIGHTS, Draft
from musebench_tasks.assembly.rules.cells import rights_flaws
from musebench_tasks.assembly.schemas import Column, ColumnType, Schema
from musebench_tasks.assembly.sheet import Faults, media_sources
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problems
from musebench_tasks.base.records import Cells, Columns, Item, Modality, Reference, TaskConfig
from musebench_tasks.items import cells
from musebench_tasks.items.derived import with_derived_columns
from musebench_tasks.items.filters import chosen_rows
from musebench_tasks.items.mapping import Mapping, map_columns
from musebench_tasks.items.rows import BuiltItem, build_references, read_items
from musebench_tasks.items.tables import Table

UNNAMED = "unnamed"
_TEXT, _FLOAT = ColumnType.STRING, ColumnType.FLOAT


def choice_schema(name: str, *, is_film: bool) -> Schema:
    """The columns of a choice benchmark called `name`."""
    return Schema(
        name,
        "id",
        (
            Column("id", _TEXT),
            Column("video", ColumnType.VIDEO) if is_film else Column("audio", ColumnType.AUDIO),
            Column("start_s", _FLOAT),
            Column("end_s", _FLOAT),
            Column("cluster_id", _TEXT),
            Column("category", _TEXT, nullable=True),
            Column("subdomain", _TEXT, nullable=True),
            Column("difficulty", _TEXT, nullable=True),
            Column("kind", _TEXT),
            Column("question", _TEXT),
            Column("options", ColumnType.OPTIONS),
            Column("transcript", _TEXT, nullable=True),
            Column("alignment", _TEXT, nullable=True),
            Column("answer", ColumnType.STRINGS, is_gold=True),
            Column("license", _TEXT),
            Column("attribution", _TEXT),
            Column("version", _TEXT),
        ),
    )


def task_schema(task: TaskConfig) -> Schema:
    """The schema of the dataset that a task's sheet becomes."""
    if task.kind != "choice":
        raise InputError(f"{task.task}: is of kind {task.kind}. Build recordings with --as mub.")
    if not task.modalities & {Modality.VIDEO, Modality.AUDIO}:
        raise InputError(f"{task.task}: its protocol names no media. Add `media: [audio]` or `media: [video, audio]`.")
    return choice_schema(task.task, is_film=Modality.VIDEO in task.modalities)


def task_table(task: TaskConfig, table: Table) -> Table:
    """The rows of a sheet that a task looks at, with the columns that it makes of others."""
    return chosen_rows(task, with_derived_columns(task, table))


def repository_task(task: TaskConfig, directory: Path) -> TaskConfig:
    """The task on the repository that its sheet became: names are those of this package, and all rows are asked."""
    place = {"dataset_path": str(directory.absolute()), "revision": None, "dataset_name": None, "test_split": "test"}
    written = {"columns": Columns(), "cells": Cells(), "rows": {}, "exclude": (), "filter": {}}
    return task.model_copy(update={**place, **written})


def read_choice_drafts(
    task: TaskConfig, table: Table, about: About, faults: Faults, *, links: bool = False
) -> list[Draft]:
    """The rows of a sheet that a task describes; what is wrong with them is added to `faults`.

    With `links`, a row may name no medium.
    """
    problems = Problems()
    mapping = map_columns(task, table)
    medium = mapping.get("media", ("",))[0]
    options = mapping.get("options") or (*mapping.get("answer", ()), *mapping.get("distractors", ()))
    faults.names = {**mapping, "options": options, "audio": (medium,), "video": (medium,)}
    read = read_items(task, task.task, _with_names(table, medium) if links else table, problems)
    references = build_references(task, task.task, table, read.by_id, problems, read.faulty)
    _take_over(problems, table, faults)
    sources = media_sources(table, medium, faults, may_lack=links)
    _add_rights_faults(mapping, table, about, faults)
    return [
        Draft(each.position, _row(each, references.get(each.item.id), about), sources[each.position])
        for each in read.sound
    ]


def _add_rights_faults(mapping: Mapping, table: Table, about: About, faults: Faults) -> None:
    """What is wrong with licences and credits: once of those in about.yaml, and of every row's own."""
    said = {"license": about.license, "attribution": _credited(about)}
    of_all = {name: text for name, text in said.items() if text is not None}
    for flaw in rights_flaws(of_all):
        if flaw.column in of_all:
            faults.add(None, flaw.column, replace(flaw, found=f"about.yaml: {flaw.found}"))
    for position, row in enumerate(table.rows):
        own: dict[str, Any] = {name: row.get(column) for name in RIGHTS for column in mapping.get(name, ())}
        own = {name: cell for name, cell in own.items() if cell not in (None, "")}
        told = {name for name in of_all if name not in own} | {name for name in own if not _is_readable(own[name])}
        for flaw in rights_flaws({**of_all, **own}):
            if flaw.column not in told:
                faults.add(position, flaw.column, flaw)


def _is_readable(cell: Any) -> bool:
    try:
        cells.text(cell)
    except InputError:
        return False
    return True


def _credited(about: About) -> str | None:
    return "; ".join(about.creators) or None


def _with_names(table: Table, medium: str) -> Table:
    """The table with a name in place of each medium that it does not name, so that its other cells are read."""
    rows = [row if row.get(medium) or medium in table.embedded else {**row, medium: UNNAMED} for row in table.rows]
    return table._replace(rows=rows)


def _take_over(problems: Problems, table: Table, faults: Faults) -> None:
    """The problems that the items room tells, by the row that they are about."""
    positions = {(table.shown(file), row + 1): number for number, (file, row) in enumerate(table.origins)}
    for each in problems:
        faults.add(positions.get((each.place, each.row or 0)), each.column, each)


def _row(built: BuiltItem, reference: Reference | None, about: About) -> dict[str, Any]:
    item: Item = built.item
    return {
        "id": item.id,
        "start_s": item.start_s,
        "end_s": item.end_s,
        "cluster_id": item.cluster_id or None,
        "category": item.category,
        "subdomain": item.subdomain,
        "difficulty": item.difficulty,
        "kind": item.kind.value,
        "question": item.question,
        "options": [option.model_dump() for option in item.options],
        "transcript": item.transcript,
        "alignment": item.alignment,
        "answer": list(reference.answer or ()) if reference is not None else [],
        "license": item.license or about.license,
        "attribution": item.attribution or _credited(about),
        "version": about.version or "1.0",
    }
