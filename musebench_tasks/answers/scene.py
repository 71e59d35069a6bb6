"""The common start of every reading (P1, P6, P11): what of a response is the model's spoken answer."""

from typing import NamedTuple

from musebench_tasks.answers.characters import canonical
from musebench_tasks.answers.infrastructure import is_error_text
from musebench_tasks.answers.outcomes import CUT_FOR_READING, LONGEST
from musebench_tasks.answers.reasoning import without_reasoning
from musebench_tasks.records import Status

_GAP = "\n...\n"
"""Stands for what is left out; no JSON runs across it."""
_NOTHING = frozenset({"", "null", "undefined", '""', "''"})


class Verdict(NamedTuple):
    """Status and rule of a response in which nothing can be read."""

    status: Status
    rule: str


class Spoken(NamedTuple):
    """The text to read, or the verdict that there is none; `flags` tell what was done to it."""

    text: str
    verdict: Verdict | None
    flags: tuple[str, ...] = ()


def listen(response: str | None, written: str | None = None) -> Spoken:
    """Characters in canonical form, reasoning removed; a verdict where the text is an error, empty or cut open.

    `written` saves making the canonical form again where it is at hand.
    Of more than a million characters outside reasoning the first and the last half million are read.
    """
    if response is None:
        return Spoken("", Verdict(Status.UNPARSED, "empty"))
    if len(response) <= LONGEST:
        return _listen(canonical(response) if written is None else written)
    text, closed = without_reasoning(response)
    if not closed:
        return Spoken("", Verdict(Status.TRUNCATED, "open_reasoning"))
    if len(text) <= LONGEST:
        return _listen(canonical(text))
    return _listen(canonical(text[: LONGEST // 2] + _GAP + text[-LONGEST // 2 :]))._replace(flags=(CUT_FOR_READING,))


def _listen(text: str) -> Spoken:
    if is_error_text(text):
        return Spoken("", Verdict(Status.BACKEND_ERROR, "error_text"))
    text, closed = without_reasoning(text)
    if not closed:
        return Spoken("", Verdict(Status.TRUNCATED, "open_reasoning"))
    text = text.strip()
    if text.lower() in _NOTHING:
        return Spoken("", Verdict(Status.UNPARSED, "empty"))
    return Spoken(text, None)
