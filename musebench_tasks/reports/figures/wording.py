"""Words of figures: numbers with intervals, lists of names, sentences of what was found."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.base.records import TaskConfig
from musebench_tasks.evaluation.metrics import headline_metric
from musebench_tasks.pages.figures import Value
from musebench_tasks.pages.numbers import value_text


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
