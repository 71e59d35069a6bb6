"""Columns that a table does not have as such: a key inside cells, and the path of a medium made of columns.

`facts.id` is the key `id` in the cells of the column `facts`, which hold an object or its JSON. `audio/{track}.*` is
the one file whose name begins with what stands in the column `track`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, reason
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.base.text import few, nearest, shown
from musebench_tasks.items import cells
from musebench_tasks.items.tables import Row, Table

PLACE = re.compile(r"\{([^{}]+)\}")
"""A column in a path."""
ANY_ENDING = "*"
"""Stands in the file name of a path for what the columns do not tell."""


class Unreadable(Exception):  # noqa: N818 - no error of the program: it stands in a cell until somebody reads it
    """Stands in a cell that could not be made; readers tell of which column that came, and why."""

    def __init__(self, column: str, *problems: Problem | str) -> None:
        self.problems = InputError(*problems).at(column=column).problems
        super().__init__(*self.problems)


def named_columns(task: TaskConfig) -> tuple[str, ...]:
    """Everything that the task names as a column, without repeats; of a path the columns in it as well."""
    mapped = [getattr(task.columns, field) for field in type(task.columns).model_fields]
    names = [name for each in mapped if each for name in ((each,) if isinstance(each, str) else each)]
    inside = PLACE.findall(task.columns.media) if task.columns.media else []
    return tuple(dict.fromkeys((*inside, *task.rows, *names)))


def with_derived_columns(task: TaskConfig, table: Table) -> Table:
    """`table` with a column for every name of the task that it can be made for; others stay absent."""
    for name in named_columns(task):
        if name not in table.columns:
            made = _inside(name, table) or (_path_of_columns(name, table) if name == task.columns.media else None)
            table = _with_column(table, name, made) if made is not None else table
    return table


def _with_column(table: Table, name: str, made: Callable[[Row], Any]) -> Table:
    rows = [{**row, name: _cell(made, row)} for row in table.rows]
    return table._replace(columns=(*table.columns, name), rows=rows, derived=table.derived | {name})


def _cell(made: Callable[[Row], Any], row: Row) -> Any:
    try:
        return made(row)
    except Unreadable as unreadable:
        return unreadable


def _inside(name: str, table: Table) -> Callable[[Row], Any] | None:
    """Reads `COLUMN.KEY`; None where there is no such column, or no row has the key."""
    column, _, key = name.partition(".")
    if not key or column not in table.columns or column in table.embedded or PLACE.search(name):
        return None

    def read(row: Row) -> Any:
        return _object(column, row.get(column)).get(key)

    return read if any(_has(column, key, row) for row in table.rows) else None


def _has(column: str, key: str, row: Row) -> bool:
    try:
        return key in _object(column, row.get(column))
    except Unreadable:
        return False


def _object(column: str, cell: Any) -> dict[str, Any]:
    if isinstance(cell, str) and cell.strip():
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError) as error:
            raise Unreadable(column, f"should be an object as JSON ({reason(error)}), found {shown(cell)}.") from error
    if cell is None or cell == "":
        return {}
    if not isinstance(cell, dict):
        raise Unreadable(column, f"should be an object with keys, found {shown(cell)}.")
    return cell


def _path_of_columns(pattern: str, table: Table) -> Callable[[Row], Any] | None:
    columns = PLACE.findall(pattern)
    if not columns:
        return None
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise InputError(
            f'{table.called}: no column "{missing[0]}", which columns.media ({pattern}) names'
            f"{nearest(missing[0], table.columns)}. It has: {cells.names_shown(table.columns)}. "
            "Correct `columns` in the task, or the file."
        )
    listings = _Listings(table.directory, columns[-1])

    def path(row: Row) -> str:
        return listings.find(PLACE.sub(lambda match: _part(match[1], row.get(match[1])), pattern))

    return path


def _part(column: str, cell: Any) -> str:
    """A cell as a part of a path."""
    if cell is None or cell == "":
        raise Unreadable(column, "is empty, but a part of the medium's path. Fill it.")
    if isinstance(cell, Unreadable):
        raise cell
    try:
        part = cells.identifier(cell)
    except InputError as error:
        raise Unreadable(column, *error.problems) from error
    if ANY_ENDING in part:
        raise Unreadable(column, f'{shown(part)} holds "*", which no file name to look up may. Rename it.')
    return part


class _Listings:
    """The files of folders, each folder read once."""

    def __init__(self, directory: Path, column: str) -> None:
        self.directory, self.column, self.names = directory, column, dict[str, list[str]]()

    def find(self, path: str) -> str:
        """The one file that fits `path`; `path` itself where none does, or nothing in it is open."""
        folder, _, name = path.rpartition("/")
        start, star, end = name.partition(ANY_ENDING)
        if not star or PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            return path
        fitting = [each for each in self._beginning(folder, start) if each.endswith(end)]
        if len(fitting) > 1:
            raise Unreadable(self.column, f"{path} fits {len(fitting)} files: {few(fitting)}. Keep one.")
        return f"{folder}/{fitting[0]}".lstrip("/") if fitting else path

    def _beginning(self, folder: str, start: str) -> Iterable[str]:
        names = self.names.get(folder)
        if names is None:
            place = self.directory / folder
            names = self.names[folder] = sorted(file.name for file in place.iterdir()) if place.is_dir() else []
        position = bisect_left(names, start)
        while position < len(names) and names[position].startswith(start):
            yield names[position]
            position += 1
