"""The common start of every reading (P1, P6, P11): what of a response is the model's spoken answer."""

from typing import NamedTuple

from musebench_tasks.answers.characters import canonical
from musebench_tasks.answers.infrastructure import is_error_text
from musebench_tasks.answers.reasoning import without_reasoning
from musebench_tasks.records import Status

_NOTHING = frozenset({"", "null", "undefined", '""', "''"})


class Verdict(NamedTuple):
    """Status and rule of a response in which nothing can be read."""

    status: Status
    rule: str


class Spoken(NamedTuple):
    """The text to read, or the verdict that there is none."""

    text: str
    verdict: Verdict | None


def listen(response: str | None) -> Spoken:
    """Characters in canonical form, reasoning removed; a verdict where the text is an error, empty or cut open."""
    if response is None:
        return Spoken("", Verdict(Status.UNPARSED, "empty"))
    text = canonical(response)
    if is_error_text(text):
        return Spoken("", Verdict(Status.BACKEND_ERROR, "error_text"))
    text, closed = without_reasoning(text)
    if not closed:
        return Spoken("", Verdict(Status.TRUNCATED, "open_reasoning"))
    if text.strip().lower() in _NOTHING:
        return Spoken("", Verdict(Status.UNPARSED, "empty"))
    return Spoken(text, None)
