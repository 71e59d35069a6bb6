"""How figures look: colours, sizes, fonts; and what a figure is once it is drawn, with the words that come with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from markupsafe import Markup


@dataclass(frozen=True)
class Words:
    """What a figure says beside its drawing."""

    name: str
    """Part of its file's name."""
    title: str
    """Its message, a sentence."""
    description: str
    """Its numbers in words, for who does not see the drawing."""
    caption: str
    """What is drawn and how."""


@dataclass(frozen=True)
class Figure:
    """One drawing with one message."""

    name: str
    """Part of its file's name."""
    title: str
    """The message, a sentence. Foreign names may stand in it: it is text, not markup."""
    svg: Markup
    """To stand in a page: text and axes in `currentColor`, no styles, no scripts, nothing from elsewhere."""
    standalone_svg: str
    """The same as a file, title above: black on white."""
    description: str
    """Its numbers in words."""
    caption: str
    """What is drawn and how."""


WIDTH = 380.0
"""Of every figure, in points: text stays readable at the width of a phone."""
TEXT = 10.0
SMALL = 9.0
INK = (0.0, 0.0, 0.0, 1.0)
QUIET = (0.0, 0.0, 0.0, 0.72)
AXIS = (0.0, 0.0, 0.0, 0.45)
GRID = (0.0, 0.0, 0.0, 0.13)
GREY = "#8c8c8c"
"""Baselines and chance."""

BLUE, VERMILION, GREEN = "#0072b2", "#d55e00", "#009e73"
PURPLE, SKY, ORANGE = "#cc79a7", "#56b4e9", "#e69f00"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")
_DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))


@dataclass(frozen=True)
class Look:
    """How one system is drawn wherever it appears in a task's figures."""

    colour: str
    marker: str
    dash: str | tuple[int, tuple[float, ...]]


def look_of(number: int) -> Look:
    """The look of the system with this number, from 0; twelve of them differ in marker, six in colour."""
    return Look(
        colour=PALETTE[number % len(PALETTE)],
        marker=_MARKERS[number % len(_MARKERS)],
        dash=_DASHES[number % len(_DASHES)],
    )


def short(name: str, letters: int = 26) -> str:
    """A name as wide as `letters` letters at most, its middle left out: both ends tell systems apart."""
    if _breadth(name) <= letters:
        return name
    start, end = len(name) // 2, len(name) - len(name) // 2
    while start + len(name) - end > 1 and _breadth(name[:start]) + _breadth(name[end:]) + 1 > letters:
        if _breadth(name[:start]) >= _breadth(name[end:]):
            start -= 1
        else:
            end += 1
    return f"{name[:start]}…{name[end:]}"


def tell_apart(names: Sequence[str], letters: int = 16) -> list[str]:
    """Names that `short` leaves different; as they are where it does so already, or where two of them are equal.

    What all share at head and tail is dropped, at signs such as `:` and then `_`; where that is not enough, a
    number goes first.
    """
    for signs in (None, "([:/ ])", "([:/ ._-])"):
        found = list(names) if signs is None else _without_shared([re.split(signs, name) for name in names])
        if len({short(name, letters) for name in found}) == len(names):
            return found
    whole = len(set(names)) == len(names)
    return [f"{number} {name}" for number, name in enumerate(names, start=1)] if whole else list(names)


def _without_shared(names: Sequence[list[str]]) -> list[str]:
    head = _n_shared(names)
    tail = _n_shared([name[head:][::-1] for name in names])
    parts = [name[: len(name) - tail] for name in names]
    start = max(0, head - head % 2 - 2) if any(len("".join(each[head:])) < 3 for each in parts) else head
    return ["".join(each[start:]) or "".join(name) for each, name in zip(parts, names, strict=True)]


def _n_shared(names: Sequence[list[str]]) -> int:
    """How many parts from the first on all names share."""
    shared = [len(set(parts)) == 1 for parts in zip(*names, strict=False)]
    return [*shared, False].index(False)


def _breadth(name: str) -> int:
    """How many Latin letters are about as wide: Chinese, Japanese and Korean ones count twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in name)


def spread(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Places near `wanted` that lie at least `gap` apart between `low` and `high`, in the order of `wanted`."""
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    gap = min(gap, (high - low) / max(1, len(order) - 1))
    blocks: list[tuple[float, int]] = []
    for index in order:
        centre, size = wanted[index], 1
        while blocks and blocks[-1][0] + gap * (blocks[-1][1] + size) / 2 > centre:
            other, others = blocks.pop()
            centre, size = (other * others + centre * size) / (others + size), size + others
        reach = gap * (size - 1) / 2
        blocks.append((min(max(centre, low + reach), high - reach), size))
    placed = [centre + gap * (n - (size - 1) / 2) for centre, size in blocks for n in range(size)]
    result = [0.0] * len(wanted)
    for index, place in zip(order, _apart(placed, gap, high), strict=True):
        result[index] = place
    return result


def _apart(placed: list[float], gap: float, high: float) -> list[float]:
    """Places pushed apart where blocks that were held inside the limits met."""
    for index in range(1, len(placed)):
        placed[index] = max(placed[index], placed[index - 1] + gap)
    for index in range(len(placed) - 1, -1, -1):
        most = high if index == len(placed) - 1 else placed[index + 1] - gap
        placed[index] = min(placed[index], most)
    return placed
