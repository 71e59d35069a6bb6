"""One thing that is wrong with what somebody gave or wrote: where it stands, what was found, what to do.

Whoever finds a problem names its code and says what was found; whoever knows the place adds it (`Problem.at`,
`MuseError.at`). The text is made once, where it is shown (`Problem.text`, `lines`). Code that wants to know what
happened reads the code and the other fields, never a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, IntEnum, StrEnum
from typing import Any

from musebench_tasks.base.text import few_lines, one_line

MOST_LINES = 50
"""Problems that are spelled out at once; the rest is counted."""
Location = tuple[str | int, ...]
"""Keys and positions that lead from the top of a file to a value."""


class Severity(IntEnum):
    """How bad a problem of an item is, the worst first (MB-34)."""

    CRITICAL = 0
    HIGH = 1
    MEDIUM = 2
    LOW = 3


class Effect(StrEnum):
    """What a problem leads to, the worst first."""

    STOP = "stop"
    """Nothing is built or run."""
    RUN = "run"
    """A run ends the requests concerned with a status of their own."""
    FLAG = "flag"
    """A person should look."""


@dataclass(frozen=True)
class Problem:
    """What is wrong, as fields. Only what was found is always known."""

    found: str
    """A sentence, or its rest after the place: `"Dolly zoom " is not one of the options (nearest: "Dolly zoom").`"""
    advice: str = ""
    """What to do, as a sentence."""
    code: str = ""
    """What kind of problem it is: a word of a closed list that the finder's room declares. Empty: nobody asks."""
    place: str = ""
    """A file, a model, an option of a command."""
    row: int | None = None
    """The row of the table `place`, from 1."""
    line: int | None = None
    """The line of the text `place`, from 1."""
    column: str = ""
    """The column, field or key."""
    location: Location = ()
    """The same inside nested data; `column` may spell it."""
    noun: str = ""
    """What `column` is called where it stands: column (where nothing else is said), field, key."""
    items: tuple[str, ...] = ()
    """The ids of the items or recordings concerned, where they are known."""
    severity: Severity = Severity.HIGH
    effect: Effect = Effect.STOP

    @property
    def item(self) -> str | None:
        """The id of the first item concerned."""
        return self.items[0] if self.items else None

    @property
    def where(self) -> str:
        """`FILE row N, column "answer"`, as far as it is known."""
        row = f" row {self.row}" if self.row is not None else ""
        line = f" line {self.line}" if self.line is not None else ""
        column = self.column or spelled(self.location)
        named = f'{self.noun or "column"} "{column}"' if column else ""
        return ", ".join(part for part in (f"{self.place}{row}{line}", named) if part)

    @property
    def message(self) -> str:
        """What was found and what to do, without the place."""
        return f"{self.found} {self.advice}".rstrip()

    @property
    def text(self) -> str:
        """All of it in one line."""
        return one_line(f"{self.where}: {self.message}" if self.where else self.message)

    def at(self, **known: Any) -> Problem:
        """The problem with what its finder did not know: fields that are filled already stay."""
        empty = {name: value for name, value in known.items() if getattr(self, name) in ("", None, ())}
        return replace(self, **empty) if empty else self

    def below(self, *above: str | int) -> Problem:
        """The problem, found in a part of nested data that stands at `above`."""
        return replace(self, location=(*above, *self.location))

    def as_json(self, **names: str) -> dict[str, Any]:
        """Some fields as plain values: `as_json(file="place", found="found")`, or all under their own names."""
        fields = names or {name: name for name in self.__dataclass_fields__}
        return {shown: _plain(getattr(self, name)) for shown, name in fields.items()}


class Problems:
    """The problems found so far, each once, in the order in which they were found."""

    def __init__(self, found: Iterable[Problem] = ()) -> None:
        self._found = dict.fromkeys(found)

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found)

    def add(self, *problems: Problem) -> None:
        """Note problems."""
        self._found.update(dict.fromkeys(problems))

    @property
    def lines(self) -> list[str]:
        """One line a problem."""
        return lines(self)

    def refuse(self, error: Callable[..., Exception], most: int = MOST_LINES) -> None:
        """Raise `error` of all problems if there are any; more than `most` are counted."""
        if self._found:
            raise error(*self._found, most=most)


def lines(problems: Iterable[Problem], most: int | None = None) -> list[str]:
    """One line a problem; beyond `most` they are counted."""
    texts = [each.text for each in problems]
    return texts if most is None else few_lines(texts, most)


def spelled(location: Location) -> str:
    """`metric_list[0].metric` for ("metric_list", 0, "metric")."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def reason(error: BaseException) -> str:
    """What a library's exception says, on one line; its kind where it says nothing. For showing, not for deciding."""
    said = getattr(error, "strerror", None) or str(error)
    return " ".join(str(said).split()) or type(error).__name__


def described(error: BaseException) -> str:
    """The kind of an exception and all that it says: of code of others, whose faults are shown whole."""
    return f"{type(error).__name__}: {error}"


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.name if isinstance(value, int) else value.value
    return list(value) if isinstance(value, tuple) else value
