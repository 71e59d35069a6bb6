"""Errors for people: one line a problem that says which file, row and field, what was found and what to do.

The command line prints the problems of a MuseError without a traceback and exits with its `exit_code`. Any other
exception is a fault of this package and shows its traceback.
"""

from __future__ import annotations

import copy
from typing import Any, Self

from musebench_tasks.base.problems import Problem, lines


class MuseError(Exception):
    """The work failed for a reason that the user can understand (exit 1).

    Made of problems, or of sentences, one a line, where nobody asks for more than the text.
    """

    exit_code = 1

    def __init__(self, *problems: Problem | str, most: int | None = None) -> None:
        self.problems = tuple(
            problem
            for each in problems
            for problem in ([each] if isinstance(each, Problem) else map(Problem, each.split("\n")))
        )
        self._most = most
        super().__init__(*problems)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> list[str]:
        """One line a problem."""
        return lines(self.problems, self._most)

    @property
    def text(self) -> str:
        """All of it, to be shown."""
        return str(self)

    def at(self, **known: Any) -> Self:
        """The error with what those did not know who raised it: `raise error.at(place="x.csv", row=4) from error`."""
        placed = copy.copy(self)
        placed.problems = tuple(problem.at(**known) for problem in self.problems)
        return placed


class InputError(MuseError):
    """What the user gave is wrong (exit 2)."""

    exit_code = 2


class MediaError(MuseError):
    """A medium cannot be read as it should; `code` is one of faults_media.md."""

    def __init__(self, code: str, explanation: str) -> None:
        super().__init__(Problem(explanation, code=code))
        self.code = code
        self.explanation = explanation

    def __str__(self) -> str:
        return f"{self.code}: {self.explanation}"


class MediaUnavailableError(MediaError):
    """Nothing lies where the medium should be."""


class ModelUnusableError(MuseError):
    """The model or its server answers nothing at all, so that asking further is of no use: the run stops."""


class DeviceLostError(ModelUnusableError):
    """The device of this process does nothing more in it; in a new process it may: this one ends."""


class BudgetReachedError(MuseError):
    """What the run may cost is spent; everything answered so far is kept."""


class LeakError(MuseError):
    """Something that only the evaluator may know was about to be sent: the run stops before it is."""


class OfflineError(MuseError):
    """Something tried to reach the network in an offline run: the run stops."""


class BackendError(MuseError):
    """The model or its server failed."""


class BackendTimeoutError(BackendError):
    """The model or its server gave no answer in time."""
