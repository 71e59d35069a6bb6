"""Which items of a dataset a task keeps, and whether the dataset has what the task goes by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from musebench_tasks.errors import InputError, nearest
from musebench_tasks.items.rows import BuiltItem
from musebench_tasks.records import Item, TaskConfig, slice_value

_MOST_NAMED = 8


def kept(task: TaskConfig, built: Iterable[BuiltItem]) -> list[BuiltItem]:
    """Those of `built` that pass the task's filter."""
    return [each for each in built if all(_matches(each.item, *wanted) for wanted in task.filter.items())]


def refuse_unmet(task: TaskConfig, items: Sequence[Item], source: str) -> None:
    """InputError if a value of the filter, or a dimension of the slices, belongs to none of all the `items`."""
    lines = [line for field, wanted in task.filter.items() for line in _unmet(task, items, source, field, wanted)]
    for dimension in task.slices:
        if all(slice_value(item, dimension) is None for item in items):
            lines.append(
                f"{source}: no row has a {dimension}, which `slices` of the task {task.task} names. Fill the column "
                f'"{getattr(task.columns, dimension) or dimension}", map another one as columns.{dimension}, or write '
                "`slices` without it."
            )
    if lines:
        raise InputError("\n".join(lines))


def _unmet(task: TaskConfig, items: Sequence[Item], source: str, field: str, wanted: Any) -> Iterable[str]:
    known = {value for item in items for value in _values(item, field)}
    absent = [value for value in _accepted(wanted) if value not in known]
    if absent:
        named = ", ".join(f'"{value}"' for value in absent[:_MOST_NAMED])
        more = f" and {len(absent) - _MOST_NAMED} more" if len(absent) > _MOST_NAMED else ""
        hint = nearest(absent[0], sorted(known)) if isinstance(absent[0], str) else ""
        yield f"{source}: no row has the {field} {named}{more}{hint}. Correct `filter` in the task {task.task}."


def _matches(item: Item, field: str, wanted: Any) -> bool:
    return any(value in _accepted(wanted) for value in _values(item, field))


def _accepted(wanted: Any) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]


def _values(item: Item, field: str) -> tuple[str, ...]:
    value = getattr(item, field)
    return tuple(str(each) for each in (value if isinstance(value, tuple) else (value,)) if each is not None)
