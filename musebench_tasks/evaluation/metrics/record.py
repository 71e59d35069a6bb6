"""The record of a measure: everything that is said of it, in the file that computes it.

Tables, headlines, baselines, exports and the page of definitions ask these records; a number is described nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from musebench_tasks.evaluation.cases import Cases
from musebench_tasks.evaluation.measurement import Measurement


@dataclass(frozen=True)
class Number:
    """One number that a measure gives, and its words."""

    metric: str
    """Its id without version, as it stands in scores.json."""
    label: str = ""
    """The head of its column; a number without one is in no table unless it is the headline."""
    meaning: str = ""
    """A sentence that says what it is, below tables."""
    bounds: tuple[float, float] = (0.0, 1.0)
    """Its lowest and its highest value."""
    sentence: str = ""
    """What a system does that reaches it, with {} where its value stands."""
    caption: str = ""
    """What it is, in the caption of a figure."""
    short: str = ""
    """Its label where no music field stands above it."""
    is_detail: bool = False
    """Left out where there is little room."""


@dataclass(frozen=True)
class Definition:
    """An entry of docs/definitions.md: the ids, with version, that one function computes."""

    title: str
    ids: tuple[str, ...]
    function: Callable[..., Any]


@dataclass(frozen=True)
class Measure:
    """What a task's `metric_list` names: how it is taken on cases, and the numbers it gives, its headline first."""

    name: str
    function: Callable[..., list[Measurement]]
    """From cases, and a version where `tasks.METRICS` has several, to measurements; of no cases, an empty headline."""
    numbers: tuple[Number, ...]
    chapter: str
    """The heading in docs/definitions.md under which its definitions stand."""
    definitions: tuple[Definition, ...]
    chance: Callable[[Cases], list[Measurement]] | None = None
    """What uniform guessing is expected to score on choice items."""
    has_baselines: bool = True
    """Whether an answer that looks at no question says anything by it."""
