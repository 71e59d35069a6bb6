"""The common start of every reading (P1, P6, P11): what of a response is the model's spoken answer."""

from collections.abc import Callable
from typing import NamedTuple

from musebench_tasks.answers.characters import canonical
from musebench_tasks.answers.infrastructure import is_error_text
from musebench_tasks.answers.outcomes import LONGEST
from musebench_tasks.answers.reasoning import without_reasoning
from musebench_tasks.answers.turns import CUT_AT_TURN, next_turn
from musebench_tasks.base.records import Status

CUT_FOR_READING = "cut_for_reading"
"""The flag of an answer that is longer than what is read of it."""
_GAP = "\n...\n"
"""Stands for what is left out; no JSON runs across it."""
_NOTHING = frozenset({"", "null", "undefined", '""', "''"})


class NoReading(NamedTuple):
    """Status and rule of a response in which nothing can be read."""

    status: Status
    rule: str


class VisibleText(NamedTuple):
    """The text to read, or the verdict that there is none; `flags` tell what was done to it."""

    text: str
    verdict: NoReading | None
    flags: tuple[str, ...] = ()


def visible_answer(response: str | None, is_answer: Callable[[str], bool], written: str | None = None) -> VisibleText:
    """Characters in canonical form, reasoning and later turns removed; a verdict where the text is an error, empty or
    cut open.

    `is_answer` tells whether a text holds an answer, so that a question after it is another turn's. `written` saves
    making the canonical form again where it is at hand.
    Of more than a million characters outside reasoning the first and the last half million are read.
    """
    if response is None:
        return VisibleText("", NoReading(Status.UNPARSED, "empty"))
    if len(response) <= LONGEST:
        return _visible(canonical(response) if written is None else written, is_answer)
    text, closed, cut = without_reasoning(response)
    if not closed:
        return VisibleText("", NoReading(Status.TRUNCATED, "open_reasoning"))
    flags = (CUT_AT_TURN,) if cut else ()
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + _GAP + text[-LONGEST // 2 :]
        flags = (CUT_FOR_READING, *flags)
    spoken = _visible(canonical(text), is_answer)
    return spoken._replace(flags=tuple(dict.fromkeys((*flags, *spoken.flags))))


def _visible(text: str, is_answer: Callable[[str], bool]) -> VisibleText:
    if is_error_text(text):
        return VisibleText("", NoReading(Status.BACKEND_ERROR, "error_text"))
    text, closed, cut = without_reasoning(text)
    if not closed:
        return VisibleText("", NoReading(Status.TRUNCATED, "open_reasoning"))
    text = text.strip()
    end = next_turn(text, is_answer)
    if end is not None:
        text, cut = text[:end].rstrip(), True
    flags = (CUT_AT_TURN,) if cut else ()
    if text.lower() in _NOTHING:
        return VisibleText("", NoReading(Status.UNPARSED, "empty"), flags)
    return VisibleText(text, None, flags)
