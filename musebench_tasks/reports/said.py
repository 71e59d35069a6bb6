"""What a system answered to an item, in a few characters: letters of the stored order, or the value of a field."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.base.records import Condition, Item, Prediction, Status
from musebench_tasks.base.text import counted, cut
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.pages.card import option_letters
from musebench_tasks.pages.numbers import short_number
from musebench_tasks.reports.answers import PartAnswers

LONGEST = 24


def answer_words(item: Item, part: PartAnswers, condition: Condition, field: str | None = None) -> str:
    """The answers of all runs, one after the other: `B B C B`, `A+C`, `Eb major`; a status where none was read."""
    runs = range(part.part.config.protocol.runs)
    return " ".join(_one(item, part.predictions.get((item.id, run, condition)), field) for run in runs)


def _one(item: Item, prediction: Prediction | None, field: str | None) -> str:
    if prediction is None:
        return Status.MISSING.value
    parsed = prediction.parsed
    if isinstance(parsed, tuple) and prediction.status is Status.OK:
        letters = option_letters(item)
        return "+".join(sorted(letters.get(each, "?") for each in parsed)) or "none"
    if isinstance(parsed, dict) and field in parsed:
        found = parsed[field]
        return _value(found.value) if found.status is Status.OK else found.status.value
    return prediction.status.value


def case_words(item: Item, cases: Sequence[Case], field: str | None = None) -> str:
    """The same of what a baseline says, from its cases in the order of runs."""
    return " ".join(_case(item, case, field) for case in cases)


def _case(item: Item, case: Case, field: str | None) -> str:
    if field is not None:
        return _value(case.values[field]) if field in case.values else Status.MISSING.value
    letters = option_letters(item)
    return "+".join(sorted(letters.get(each, "?") for each in case.chosen or ())) or "none"


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return counted(len(value), "segment")
    text = short_number(value) if isinstance(value, float) else str(value)
    return cut(text, LONGEST)
