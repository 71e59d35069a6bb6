"""Collects what is wrong with a dataset, so that everything is told at once."""

from __future__ import annotations

from musebench_tasks.errors import InputError

MOST_LINES = 50
"""Problems that are spelled out; the rest is counted."""


class CellError(ValueError):
    """What is wrong with one cell, and the fix, as one sentence or two."""


class Problems:
    """The problems found so far, one line each."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, place: str, column: str | None, message: object) -> None:
        """Note `message` about `column` at `place` (`FILE row N`)."""
        named = f', column "{column}"' if column else ""
        line = f"{place}{named}: {message}"
        if line not in self.lines[-MOST_LINES:]:
            self.lines.append(line)

    def refuse(self) -> None:
        """Raise InputError with every line if there are any."""
        if not self.lines:
            return
        rest = len(self.lines) - MOST_LINES
        more = [f"and {rest} more problems."] if rest > 0 else []
        raise InputError("\n".join(self.lines[:MOST_LINES] + more))
