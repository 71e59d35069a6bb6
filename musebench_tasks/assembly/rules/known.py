"""Rows of which some cells cannot be read: each rule says what the others tell, so that all faults come at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from musebench_tasks.base.problems import Problem


class UnknownCellError(Exception):
    """A rule looks at a cell that could not be read; what is wrong there is told elsewhere."""


class KnownCells(dict[str, Any]):
    """The cells of a row that could be read; to look at another is an UnknownCellError."""

    def __missing__(self, column: str) -> Any:
        raise UnknownCellError(column)


def known_cells(row: Mapping[str, Any], unknown: Collection[str]) -> KnownCells:
    """The row without the cells that could not be read."""
    return KnownCells({column: cell for column, cell in row.items() if column not in unknown})


def as_known(*rules: Callable[[], Iterable[Problem]]) -> Iterator[Problem]:
    """What each rule says, as far as the cells that it looks at are known."""
    for rule in rules:
        try:
            yield from rule()
        except UnknownCellError:
            continue
