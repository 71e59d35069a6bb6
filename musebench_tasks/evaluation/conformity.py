"""Whether a prediction says what a prediction of its item can say: options, fields, values, status.

Files come from others too, and a line that contradicts itself would be counted as answered or as missing by accident.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import MUSIC_FIELDS, Item, Kind, Prediction, Status
from musebench_tasks.base.text import counted, nearest, shown
from musebench_tasks.evaluation.read_answers import line_status
from musebench_tasks.measures import probability_problem
from musebench_tasks.values import parse_key_name, parse_metre


def first_problem(prediction: Prediction, item: Item) -> Problem | None:
    """What is wrong with the first field of `prediction` that does not suit `item`; None if all do."""
    return next(_problems(prediction, item), None)


def _problems(prediction: Prediction, item: Item) -> Iterator[Problem]:
    if prediction.status is Status.MISSING:
        yield Problem('"missing" is given by the scorer.', "Remove the line.", column="status")
    if prediction.parsed is not None and not prediction.status.is_answer:
        yield Problem(
            f"holds an answer, but the status is {prediction.status}. Correct one of the two.", column="parsed"
        )
    if item.kind is Kind.MUSIC:
        yield from _music(prediction)
    else:
        known = item.option_ids
        yield from _order(prediction, item, known)
        yield from _choice(prediction, item, known)
        yield from _probabilities(prediction, item, known)


def _order(prediction: Prediction, item: Item, known: tuple[str, ...]) -> Iterator[Problem]:
    order = prediction.option_order
    if order is None or order == known:
        return
    yield from _unknown("option_order", order, item, known)
    if sorted(order) != sorted(known):
        yield Problem(
            f'should show each of the {len(item.options)} options of item "{item.id}" once.', column="option_order"
        )


def _choice(prediction: Prediction, item: Item, known: tuple[str, ...]) -> Iterator[Problem]:
    parsed = prediction.parsed
    if isinstance(parsed, dict):
        yield Problem(
            f'should be a list of option ids, found music fields. "{item.id}" is a choice item.', column="parsed"
        )
        return
    if (parsed is not None) != (prediction.status is Status.OK):
        found = "null" if parsed is None else "an answer"
        yield Problem(
            f"is {found}, but the status is {prediction.status}: an answer goes with ok, and only with ok.",
            column="parsed",
        )
    if parsed is None:
        return
    yield from _unknown("parsed", parsed, item, known)
    if len(set(parsed)) < len(parsed):
        yield Problem("names an option twice.", "Keep one.", column="parsed")
    if item.kind is Kind.SINGLE and len(parsed) != 1:
        yield Problem(
            f"holds {counted(len(parsed), 'option')}; a single-select answer is exactly one, else unparsed.",
            column="parsed",
        )


def _probabilities(prediction: Prediction, item: Item, known: tuple[str, ...]) -> Iterator[Problem]:
    """One distribution over the options of a single-select item; of others nothing is measured."""
    if not prediction.option_probabilities or item.kind is not Kind.SINGLE:
        return
    problem = probability_problem(prediction.option_probabilities, known)
    if problem is not None:
        yield Problem(problem, column="option_probabilities")


def _unknown(field: str, options: tuple[str, ...], item: Item, known: tuple[str, ...]) -> Iterator[Problem]:
    for option in options:
        if option not in known:
            yield Problem(f'"{option}" is no option of item "{item.id}"{nearest(option, known)}.', column=field)


def _music(prediction: Prediction) -> Iterator[Problem]:
    parsed = prediction.parsed
    if isinstance(parsed, tuple):
        yield Problem("should hold music fields, found a list of options.", column="parsed")
        return
    for name, answer in (parsed or {}).items():
        if name not in MUSIC_FIELDS:
            yield Problem(f'"{name}" is no music field{nearest(name, MUSIC_FIELDS)}.', column="parsed")
        elif answer.status is not Status.OK and answer.value is not None:
            yield Problem(
                f"has a value, but the status is {answer.status}. Correct one of the two.", column=f"parsed.{name}"
            )
        elif answer.status is Status.OK and not _is_value(name, answer.value):
            yield Problem(f"{shown(answer.value)} is no {name.replace('_', ' ')}.", column=f"parsed.{name}")
    if parsed is None and prediction.status is Status.OK:
        yield Problem("is null, but the status is ok.", column="parsed")
    if parsed and (told := line_status(parsed)) is not prediction.status:
        yield Problem(f"is {prediction.status}, but the fields make the line {told}.", column="status")


def _is_value(field: str, value: Any) -> bool:
    """Whether `value` has the form in which answers of `field` are kept."""
    if field == "tempo":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if field == "segments":
        return isinstance(value, list) and all(isinstance(each, dict) for each in value)
    if not isinstance(value, str):
        return False
    return (parse_key_name(value) if field == "key" else parse_metre(value)) is not None
