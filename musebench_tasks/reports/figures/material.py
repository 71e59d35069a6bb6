"""What the figures of one task are made from: the systems that may stand side by side, with their answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from musebench_tasks.base.records import Condition, Interval, Scorecard, ScoreRow, TaskConfig
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.metrics.registry import headline_metric
from musebench_tasks.pages.figures import Value
from musebench_tasks.pages.figures.look import short, tell_apart
from musebench_tasks.pages.figures.sheet import clean
from musebench_tasks.pages.text import value_text
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.item_scores import ItemScores, cases_of, measured
from musebench_tasks.reports.runs import Part
from musebench_tasks.reports.tables import main_condition, ranked, system_name, terms_of

LONGEST_NAME = 60
"""Letters of a system's or category's name in titles and descriptions."""
MOST_LINES = 6
"""More systems than these are not told apart in one drawing: the first by the headline are drawn."""


@dataclass(frozen=True)
class System:
    """One system of the figures: its scores and, where its predictions lie here, its answers."""

    name: str
    card: Scorecard
    answered: PartAnswers | None = None


@dataclass(frozen=True)
class Material:
    """One task. All systems were asked the same items on the same terms, the best by the headline first; `others` were
    not, and are left out.
    """

    task: str
    systems: tuple[System, ...]
    answers: TaskAnswers | None
    others: tuple[str, ...] = ()
    _cases: dict[tuple[str, Condition], list[Case]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def shown(self) -> tuple[System, ...]:
        """The systems that line drawings show: all of them, or the best by the headline."""
        return self.systems[:MOST_LINES]

    def number(self, system: System) -> int:
        """The system's place among those shown: its look."""
        return self.shown.index(system) if system in self.shown else 0

    @property
    def condition(self) -> Condition:
        """Under which condition systems are compared: `full`, or the first that was asked."""
        return main_condition([system.card for system in self.systems])

    def cases(self, system: System, condition: Condition | None = None) -> list[Case]:
        """What a system was asked and answered; nothing where its answers are not here."""
        wanted = condition or self.condition
        if self.answers is None or system.answered is None or wanted not in system.answered.conditions:
            return []
        key = (system.name, wanted)
        if key not in self._cases:
            self._cases[key] = cases_of(self.answers, system.answered, wanted)
        return self._cases[key]

    def scores(self, system: System, condition: Condition) -> ItemScores | None:
        """The headline of a system under a condition, item by item."""
        cases = self.cases(system, condition)
        if self.answers is None or not cases:
            return None
        task = self.answers.task
        return next(measured(task.model_copy(update={"metric_list": (headline_metric(task),)}), cases), None)

    def prefix(self, name: str) -> str:
        """What begins the ids of a figure: no other on a page begins so."""
        return f"figure-{sha256(self.task.encode()).hexdigest()[:6]}-{re.sub('[^a-z0-9]+', '-', name.lower())}"

    def left_out(self) -> str:
        """Which systems a line drawing does not show; empty where it shows all."""
        hidden = [system.name for system in self.systems if system not in self.shown]
        return f" The best {len(self.shown)} of {len(self.systems)} systems by the headline." if hidden else ""


def make_material(answers: TaskAnswers | None, parts: Sequence[Part]) -> Material:
    """The systems of `parts` on the terms of most (data, selection, track and length of sound, MU-08), the best by
    the headline first, as in the tables.
    """
    sizes = Counter(terms_of(part.card) for part in parts)
    first = max(sizes, key=lambda terms: sizes[terms])
    answered = {str(each.part.folder): each for each in answers.parts} if answers else {}
    names = tell_apart([clean(system_name(part.card)) for part in parts])
    systems = [
        System(short(name, LONGEST_NAME), part.card, answered.get(str(part.folder)))
        for name, part in zip(names, parts, strict=True)
    ]
    comparable = {id(system.card): system for system in systems if terms_of(system.card) == first}
    kept = [comparable[id(card)] for card in ranked([system.card for system in comparable.values()])]
    others = tuple(system.name for system in systems if terms_of(system.card) != first)
    return Material(parts[0].card.task, _distinct(kept), answers, others)


def to_value(row: ScoreRow | None) -> Value | None:
    """A scorecard's number as figures take it; None where there is none."""
    return None if row is None or row.value is None else with_interval(row.value, row.n, row.interval)


def with_interval(value: float, n: int, interval: Interval | None) -> Value:
    """A number with its interval, where it has one."""
    return Value(value, n) if interval is None else Value(value, n, interval.low, interval.high)


def _distinct(systems: Sequence[System]) -> tuple[System, ...]:
    """Names that cleaning made equal get a number."""
    seen: dict[str, int] = {}
    named = []
    for system in systems:
        seen[system.name] = seen.get(system.name, 0) + 1
        again = seen[system.name]
        named.append(System(f"{system.name} {again}" if again > 1 else system.name, system.card, system.answered))
    return tuple(named)


def number_words(value: Value | None, digits: int = 2) -> str:
    """`0.48 (0.32 to 0.60)`, `0.48` without an interval, `–` for None."""
    if value is None:
        return "–"
    text = value_text(value.value, digits)
    if value.low is None or value.high is None:
        return text
    return f"{text} ({value_text(value.low, digits)} to {value_text(value.high, digits)})"


def percent_words(share: float | None) -> str:
    """A share as whole percent."""
    return "–" if share is None else f"{100 * share:.0f}\u00a0%"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def sentence(text: str) -> str:
    """With a capital first letter and a full stop."""
    return text if not text else text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def overlap(first: Value, second: Value) -> bool:
    """Whether two numbers cannot be told apart by their intervals; True where one has none."""
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return True
    return first.low <= second.high and second.low <= first.high


def headline_words(task: TaskConfig) -> str:
    """The task's headline as words: `accuracy`, `key score`."""
    metric = headline_metric(task).metric
    words = metric.removeprefix("mub_").replace("_", " ")
    return f"{words} score" if metric.startswith("mub_") else words
