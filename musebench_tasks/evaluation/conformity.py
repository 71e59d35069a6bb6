"""Whether a prediction says what a prediction of its item can say: options, fields, values, status.

Files come from others too, and a line that contradicts itself would be counted as answered or as missing by accident.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from musebench_tasks.base.records import MUSIC_FIELDS, Item, Kind, Prediction, Status
from musebench_tasks.base.text import counted, nearest, shown
from musebench_tasks.evaluation.read_answers import line_status
from musebench_tasks.measures import probability_problem
from musebench_tasks.values import parse_key_name, parse_metre

Problems = Iterator[tuple[str, str]]
"""(field, what is wrong with it)."""


def first_problem(prediction: Prediction, item: Item) -> tuple[str, str] | None:
    """The first field of `prediction` that does not suit `item`, and why; None if all do."""
    return next(_problems(prediction, item), None)


def _problems(prediction: Prediction, item: Item) -> Problems:
    if prediction.status is Status.MISSING:
        yield "status", '"missing" is given by the scorer. Remove the line.'
    if prediction.parsed is not None and not prediction.status.is_answer:
        yield "parsed", f"holds an answer, but the status is {prediction.status}. Correct one of the two."
    if item.kind is Kind.MUSIC:
        yield from _music(prediction)
    else:
        known = item.option_ids
        yield from _order(prediction, item, known)
        yield from _choice(prediction, item, known)
        yield from _probabilities(prediction, item, known)


def _order(prediction: Prediction, item: Item, known: tuple[str, ...]) -> Problems:
    order = prediction.option_order
    if order is None or order == known:
        return
    yield from _unknown("option_order", order, item, known)
    if sorted(order) != sorted(known):
        yield "option_order", f'should show each of the {len(item.options)} options of item "{item.id}" once.'


def _choice(prediction: Prediction, item: Item, known: tuple[str, ...]) -> Problems:
    parsed = prediction.parsed
    if isinstance(parsed, dict):
        yield "parsed", f'should be a list of option ids, found music fields. "{item.id}" is a choice item.'
        return
    if (parsed is not None) != (prediction.status is Status.OK):
        found = "null" if parsed is None else "an answer"
        yield "parsed", f"is {found}, but the status is {prediction.status}: an answer goes with ok, and only with ok."
    if parsed is None:
        return
    yield from _unknown("parsed", parsed, item, known)
    if len(set(parsed)) < len(parsed):
        yield "parsed", "names an option twice. Keep one."
    if item.kind is Kind.SINGLE and len(parsed) != 1:
        yield "parsed", f"holds {counted(len(parsed), 'option')}; a single-select answer is exactly one, else unparsed."


def _probabilities(prediction: Prediction, item: Item, known: tuple[str, ...]) -> Problems:
    """One distribution over the options of a single-select item; of others nothing is measured."""
    if not prediction.option_probabilities or item.kind is not Kind.SINGLE:
        return
    problem = probability_problem(prediction.option_probabilities, known)
    if problem is not None:
        yield "option_probabilities", problem


def _unknown(field: str, options: tuple[str, ...], item: Item, known: tuple[str, ...]) -> Problems:
    for option in options:
        if option not in known:
            yield field, f'"{option}" is no option of item "{item.id}"{nearest(option, known)}.'


def _music(prediction: Prediction) -> Problems:
    parsed = prediction.parsed
    if isinstance(parsed, tuple):
        yield "parsed", "should hold music fields, found a list of options."
        return
    for name, answer in (parsed or {}).items():
        if name not in MUSIC_FIELDS:
            yield "parsed", f'"{name}" is no music field{nearest(name, MUSIC_FIELDS)}.'
        elif answer.status is not Status.OK and answer.value is not None:
            yield f"parsed.{name}", f"has a value, but the status is {answer.status}. Correct one of the two."
        elif answer.status is Status.OK and not _is_value(name, answer.value):
            yield f"parsed.{name}", f"{shown(answer.value)} is no {name.replace('_', ' ')}."
    if parsed is None and prediction.status is Status.OK:
        yield "parsed", "is null, but the status is ok."
    if parsed and (told := line_status(parsed)) is not prediction.status:
        yield "status", f"is {prediction.status}, but the fields make the line {told}."


def _is_value(field: str, value: Any) -> bool:
    """Whether `value` has the form in which answers of `field` are kept."""
    if field == "tempo":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if field == "segments":
        return isinstance(value, list) and all(isinstance(each, dict) for each in value)
    if not isinstance(value, str):
        return False
    return (parse_key_name(value) if field == "key" else parse_metre(value)) is not None
