"""Collects what is wrong with a dataset, so that everything is told at once."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.errors import InputError

MOST_LINES = 50
"""Problems that are spelled out; the rest is counted."""


class CellError(ValueError):
    """What is wrong with one cell, and the fix, as one sentence or two; several faults of a cell are several texts."""

    args: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.args)


class Problems:
    """The problems found so far, one line each."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.places: list[str] = []
        """Where each line is about."""
        self._told: set[str] = set()

    def add(self, place: str, column: str | None, message: object) -> None:
        """Note `message` about `column` at `place` (`FILE row N`), once."""
        named = f', column "{column}"' if column else ""
        line = f"{place}{named}: {message}"
        if line not in self._told:
            self._told.add(line)
            self.lines.append(line)
            self.places.append(place)

    def add_all(self, place: str, column: str | None, error: CellError) -> None:
        """Note each fault of a cell."""
        for message in error.args:
            self.add(place, column, message)

    def refuse(self) -> None:
        """Raise InputError with every line if there are any."""
        if self.lines:
            raise InputError("\n".join(few_lines(self.lines)))


def few_lines(lines: Sequence[str]) -> list[str]:
    """The first of `lines`, and how many there are beside them."""
    rest = len(lines) - MOST_LINES
    more = [f"and {rest} more problem{'' if rest == 1 else 's'}."] if rest > 0 else []
    return [*lines[:MOST_LINES], *more]
