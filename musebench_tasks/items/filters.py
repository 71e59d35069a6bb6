"""Which items of a dataset a task keeps, and whether the dataset has what the task goes by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Item, TaskConfig, slice_value
from musebench_tasks.base.text import few, nearest, shown
from musebench_tasks.items import cells
from musebench_tasks.items.rows import BuiltItem
from musebench_tasks.items.tables import Row, Table

_MOST_NAMED = 8


def chosen_rows(task: TaskConfig, table: Table, *, gold_only: bool = False) -> Table:
    """The rows that the task looks at (`rows`, `exclude`); InputError where what it names is in no row.

    `gold_only` tables may lack the columns that `rows` goes by: who is asked is settled where the questions are.
    """
    wanted = {column: _accepted(value) for column, value in task.rows.items()}
    if gold_only:
        wanted = {column: values for column, values in wanted.items() if column in table.columns}
    if not wanted and not task.exclude:
        return table
    problems = [line for column, values in wanted.items() for line in _not_there(task, table, column, values)]
    id_column = task.columns.id or "id"
    ids = {_spelled(row.get(id_column)) for row in table.rows}
    problems += [
        f'{table.called}: no row has the id "{name}" (column "{id_column}"), which `exclude` of the task '
        f"{task.task} names{nearest(name, ids)}. Correct it."
        for name in task.exclude
        if name not in ids
    ]
    if problems:
        raise InputError(*problems)

    def chosen(row: Row) -> bool:
        return _spelled(row.get(id_column)) not in task.exclude and all(
            _spelled(row.get(column)) in values for column, values in wanted.items()
        )

    keep = [position for position, row in enumerate(table.rows) if chosen(row)]
    if not keep:
        raise InputError(f"{table.called}: no row passes `rows` and `exclude` of the task {task.task}. Correct them.")
    return table._replace(
        rows=[table.rows[position] for position in keep], origins=[table.origins[position] for position in keep]
    )


def _not_there(task: TaskConfig, table: Table, column: str, values: Sequence[str]) -> Iterable[str]:
    where = f"{table.called}: `rows` of the task {task.task} names"
    if column not in table.columns:
        known = cells.names_shown(table.columns)
        yield f'{where} the column "{column}"{nearest(column, table.columns)}. It has: {known}. Correct it.'
        return
    known_values = {_spelled(row.get(column)) for row in table.rows}
    for value in values:
        if value not in known_values:
            yield f'{where} "{value}" in the column "{column}"{nearest(value, known_values)}, in no row. Correct it.'


def _spelled(cell: Any) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else str(cell)


def kept(task: TaskConfig, built: Iterable[BuiltItem]) -> list[BuiltItem]:
    """Those of `built` that pass the task's filter."""
    return [each for each in built if all(_matches(each.item, *wanted) for wanted in task.filter.items())]


def refuse_unmet(task: TaskConfig, items: Sequence[Item], called: str) -> None:
    """InputError if a value of the filter, or a dimension of the slices, belongs to none of all the `items`."""
    lines = [line for field, wanted in task.filter.items() for line in _unmet(task, items, called, field, wanted)]
    averaged = (metric.macro for metric in task.metric_list if metric.macro is not None)
    for dimension in dict.fromkeys((*task.dimensions, *averaged)):
        if all(slice_value(item, dimension) is None for item in items):
            key = "slices" if dimension in task.slices else "metric_list"
            lines.append(
                f"{called}: no row has a {dimension}, which `{key}` of the task {task.task} names. Fill the column "
                f'"{getattr(task.columns, dimension) or dimension}", map another one as columns.{dimension}, or write '
                f"`{key}` without it."
            )
    if lines:
        raise InputError(*lines)


def _unmet(task: TaskConfig, items: Sequence[Item], called: str, field: str, wanted: Any) -> Iterable[str]:
    known = {value for item in items for value in _values(item, field)}
    absent = [value for value in _accepted(wanted) if value not in known]
    if absent:
        named = few([shown(value) for value in absent], _MOST_NAMED)
        hint = nearest(absent[0], sorted(known)) if isinstance(absent[0], str) else ""
        yield f"{called}: no row has the {field} {named}{hint}. Correct `filter` in the task {task.task}."


def _matches(item: Item, field: str, wanted: Any) -> bool:
    return any(value in _accepted(wanted) for value in _values(item, field))


def _accepted(wanted: Any) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]


def _values(item: Item, field: str) -> tuple[str, ...]:
    value = getattr(item, field)
    return tuple(str(each) for each in (value if isinstance(value, tuple) else (value,)) if each is not None)
