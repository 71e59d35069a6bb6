"""The sheet that a dataset is built from, whatever its columns: those of a dataset, or those that a task maps."""

from __future__ import annotations

from pathlib import Path

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.choice_rows import read_choice_drafts, task_schema, task_table
from musebench_tasks.assembly.drafts import Draft, read_drafts
from musebench_tasks.assembly.schemas import Schema, dataset_schema
from musebench_tasks.assembly.sheet import Faults, read_sheet
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.base.text import nearest
from musebench_tasks.items.tables import Table


def read_source(source: Path, target: str | TaskConfig) -> tuple[Schema, Table]:
    """The schema that a sheet is to become, and its rows.

    `target`: musebench, hummusqa or mub, whose columns the sheet has; or a choice task, which maps them.
    """
    table = read_sheet(source)
    if isinstance(target, str):
        return dataset_schema(target), table
    return task_schema(target), task_table(target, table)


def source_drafts(
    schema: Schema, target: str | TaskConfig, table: Table, about: About, faults: Faults, *, may_lack: bool
) -> list[Draft]:
    """The rows of a sheet; what is wrong with them is added to `faults`. With `may_lack`, a row may name no medium."""
    if isinstance(target, str):
        drafts = read_drafts(schema, table, about, faults, links=may_lack)
    else:
        drafts = read_choice_drafts(target, table, about, faults, links=may_lack)
    names = [str(draft.cells[schema.id_column]) for draft in drafts]
    for each in about.label_like if drafts else ():
        if each not in names:
            text = f'names "{each}", which is the id of no row{nearest(each, names)}. Correct it, or leave it out.'
            faults.add(None, "label_like", Problem(f"about.yaml {text}", code="LABEL_LIKE_OPTION"))
    return drafts
