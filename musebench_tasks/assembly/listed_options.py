"""Options and gold of a musebench row whose sheet lists them: as texts, or with ids of its own.

The answer names options by text, by the sheet's own id, or by letter (counted as listed); `correct_answer` may say the
same in texts. Strategies are a list in the order of the wrong options, or {id, strategy} for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from musebench_tasks.assembly.schemas import choice_columns
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Option, option_id
from musebench_tasks.base.text import shown
from musebench_tasks.items import cells, choice

Given = Mapping[str, tuple[str, Any]]
"""Our column: the sheet's, and its cell."""
Blame = Callable[..., None]
"""Told of our columns that cannot be read, the sheet's column, and the problems."""
CHOICES = ("options", "answer", "correct_answer", "distractor_strategies")
_GOLD = CHOICES[1:]
STAND_IN = "(the right option is not known)"
"""An option in the place of one that is missing, to which no rule objects."""
_MADE_ID = re.compile(r"[0-9a-f]{8}")


def listed_choices(item_id: str, given: Given, blame: Blame) -> dict[str, Any]:
    """The columns of CHOICES; None where a cell cannot be read."""
    unread: dict[str, Any] = dict.fromkeys(CHOICES)
    column, cell = given["options"]
    try:
        options = cells.options(item_id, cell)
    except InputError as error:
        advice = "Write a list of texts, as JSON."
        blame(CHOICES, column, *(replace(each, advice=f"{each.advice} {advice}".lstrip()) for each in error.problems))
        return unread
    repeated = next((each.text for each in options if [one.text for one in options].count(each.text) > 1), None)
    if repeated is not None:
        blame(CHOICES, column, Problem(f"{shown(repeated)} stands twice.", "Reword one.", "DUPLICATE_OPTIONS"))
        return unread
    _refuse_ids(item_id, options, column, blame)
    right = _right(options, given, blame)
    if right is None:
        return unread | {"options": choice_columns(item_id, tuple(each.text for each in options), {})["options"]}
    wrong = [each for each in options if each.text not in right]
    strategies = _strategies(wrong, *given["distractor_strategies"], blame)
    made = choice_columns(item_id, tuple(right), {each.text: (strategies or {}).get(each.text, "") for each in wrong})
    if strategies is None:
        made["distractor_strategies"] = None
    return made | _told_texts(given["correct_answer"], blame)


def _refuse_ids(item_id: str, options: tuple[Option, ...], column: str, blame: Blame) -> None:
    """Ids must be the sheet's own, or those that this package makes of this very item and text."""
    ids = [each.id for each in options]
    twice = next((each for each in ids if ids.count(each) > 1), None)
    if twice is not None:
        advice = "Give each option its own, or none."
        blame((), column, Problem(f"the id {shown(twice)} stands twice.", advice, "CELL_TYPE"))
    foreign = [each for each in options if _MADE_ID.fullmatch(each.id) and each.id != option_id(item_id, each.text)]
    if foreign:
        found = f"{shown(foreign[0].text)} has the id {foreign[0].id} of another item's option, or was reworded."
        advice = "Leave the ids out: they are made of the texts."
        blame((), column, Problem(found, advice, "STEM_OPTIONS_MISMATCH"))


def _right(options: tuple[Option, ...], given: Given, blame: Blame) -> list[str] | None:
    """The texts of the right options; None where the row names none, or others."""
    name = "answer" if given["answer"][1] is not None else "correct_answer"
    column, cell = given[name]
    if cell is None:
        blame(_GOLD, given["answer"][0], choice.NOTHING_RIGHT)
        return None
    try:
        found = choice.resolve(choice.gold_entries(cell), options, letters=False)
    except InputError as error:
        blame(_GOLD, column, *error.problems)
        return None
    texts = {each.id: each.text for each in options}
    return [texts[each] for each in found]


def _told_texts(given: tuple[str, Any], blame: Blame) -> dict[str, Any]:
    """`correct_answer` as the row has it, which the rules hold against the answer; nothing where it has none."""
    column, cell = given
    if cell is None:
        return {}
    try:
        return {"correct_answer": list(cells.texts(cell))}
    except InputError as error:
        blame({"correct_answer"}, column, *error.problems)
        return {"correct_answer": None}


def _strategies(wrong: list[Option], column: str, cell: Any, blame: Blame) -> dict[str, str] | None:
    """The strategy of each wrong option's text; None where they cannot be read."""
    if cell is None:
        return None
    try:
        entries = cells.listed(cell)
        named = [(each.get("id"), cells.text(each.get("strategy"))) for each in entries if isinstance(each, dict)]
        plain = [cells.text(each) for each in entries if not isinstance(each, dict)]
    except InputError as error:
        blame({"distractor_strategies"}, column, *(replace(each, code="STRATEGY") for each in error.problems))
        return None
    if plain and not named and len(plain) == len(wrong):
        return {each.text: strategy for each, strategy in zip(wrong, plain, strict=True)}
    known = {name: each.text for each in wrong for name in (each.id, each.text)}
    found = {known[name]: strategy for name, strategy in named if name in known}
    if plain or len(named) != len(wrong) or len(found) != len(wrong):
        advice = "Write a list of their strategies, in the order of the options."
        blame({"distractor_strategies"}, column, Problem("does not name each wrong option once.", advice, "STRATEGY"))
        return None
    return found
