"""What several figures are drawn from: numbers with intervals, lines of them, stacks of counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Value:
    """A number over n items, with its 95 % interval where there is one."""

    value: float
    n: int
    low: float | None = None
    high: float | None = None


class Role(StrEnum):
    """What a line or row stands for, which decides how it is drawn."""

    SYSTEM = "system"
    REFERENCE = "reference"
    BASELINE = "baseline"


@dataclass(frozen=True)
class Line:
    """The values of a system, a baseline or the reference along an axis; None where there are none."""

    name: str
    values: tuple[Value | None, ...]
    role: Role = Role.SYSTEM
    number: int = 0
    """The system's place among those drawn, which gives it the same look in every figure."""


@dataclass(frozen=True)
class LinePlot:
    """Lines over ordered groups."""

    groups: tuple[str, ...]
    """One name a place of the horizontal axis; a second line of it is drawn quietly."""
    across: str
    """What the horizontal axis is."""
    upwards: str
    """What the vertical axis is."""
    lines: tuple[Line, ...]
    top: float = 1.0
    in_percent: bool = False


@dataclass(frozen=True)
class Panel:
    """One measure by category, for systems and the strongest baseline."""

    measure: str
    counts: tuple[int, ...]
    """Items of each category."""
    systems: tuple[Line, ...]
    baselines: tuple[Line, ...] = ()
    chance: tuple[float | None, ...] = ()
    """What guessing is expected to reach in each category; empty where that is not known."""


@dataclass(frozen=True)
class Profile:
    """What systems reach in each category, by one measure or two."""

    categories: tuple[str, ...]
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Stack:
    """How the answers of one system fall into classes: counts in the order of the classes."""

    name: str
    counts: tuple[int, ...]
    detail: str = ""
    """What of the system, in a second line: a condition, a field."""


@dataclass(frozen=True)
class Stacks:
    """Bars of the same classes. A mark is a baseline's share on the scale of the first class."""

    classes: tuple[str, ...]
    rows: tuple[Stack, ...]
    tones: tuple[str, ...]
    """The colour of each class."""
    mark: float | None = None
    mark_name: str = ""


@dataclass(frozen=True)
class Spot:
    """A place in a square from 0 to 1, for example recall and precision."""

    name: str
    across: Value
    upwards: Value
    role: Role = Role.SYSTEM
    number: int = 0
    """As in `Line`."""


@dataclass(frozen=True)
class Circle:
    """How the keys a system answered lie around the right ones, on the circle of fifths.

    The right key stands at the top of the outer ring. `same_mode` and `other_mode` count answers by steps clockwise, a
    step a fifth: the outer ring by tonic, the inner ring (of the other mode) by key signature, so that the relative key
    stands at the top too.
    """

    name: str
    same_mode: tuple[int, ...]
    """Twelve counts."""
    other_mode: tuple[int, ...]
    """Twelve counts."""
    summary: tuple[str, ...]
    """Lines below the circle."""


@dataclass(frozen=True)
class Stretch:
    """A labelled stretch of time, in seconds."""

    start_s: float
    end_s: float
    label: str = ""


@dataclass(frozen=True)
class Track:
    """The stretches of the reference or of one system, with what is said at its end."""

    name: str
    stretches: tuple[Stretch, ...]
    note: str = ""
    role: Role = Role.SYSTEM


@dataclass(frozen=True)
class Recording:
    """One recording: a heading and its tracks, the reference first."""

    heading: str
    length_s: float
    tracks: tuple[Track, ...]


@dataclass(frozen=True)
class Change:
    """A difference, and whose."""

    name: str
    value: Value


@dataclass(frozen=True)
class Changes:
    """Differences under one heading, for example all systems under one condition."""

    heading: str
    rows: tuple[Change, ...]
