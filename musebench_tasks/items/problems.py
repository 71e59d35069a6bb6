"""Collects what is wrong with a dataset, so that everything is told at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import few_lines

MOST_LINES = 50
"""Problems that are spelled out; the rest is counted."""


class CellError(ValueError):
    """What is wrong with one cell, and the fix, as one sentence or two; several faults of a cell are several texts."""

    args: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.args)


class Problem(NamedTuple):
    """What is wrong, and where."""

    place: str
    """`FILE row N`, or a file."""
    column: str
    """Empty where no column is to blame."""
    message: str

    @property
    def line(self) -> str:
        """All of it in one line."""
        named = f', column "{self.column}"' if self.column else ""
        return f"{self.place}{named}: {self.message}"


class Problems:
    """The problems found so far, each once."""

    def __init__(self) -> None:
        self.found: dict[Problem, None] = {}

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.found)

    @property
    def lines(self) -> list[str]:
        """One line a problem."""
        return [each.line for each in self]

    def add(self, place: str, column: str | None, message: object) -> None:
        """Note `message` about `column` at `place` (`FILE row N`)."""
        self.found[Problem(place, column or "", str(message))] = None

    def add_all(self, place: str, column: str | None, error: CellError) -> None:
        """Note each fault of a cell."""
        for message in error.args:
            self.add(place, column, message)

    def refuse(self) -> None:
        """Raise InputError with every line if there are any."""
        if self.found:
            raise InputError("\n".join(few_lines(self.lines, MOST_LINES)))
