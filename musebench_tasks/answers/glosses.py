"""Glosses: what a list says of its members one by one ("A (sadness) and C (tension)", "A, because …, and C").

A gloss is passed over only where a further member follows in the same sentence. A verdict ("B (incorrect)") is told
apart from a gloss, and so is doubt ("maybe D", "D (perhaps)"): a member denied or in doubt is not asserted (3.1).
"""

import re
from typing import NamedTuple

_WORD = r"(?:and/or|and|or|plus|as well as|&|und|oder|et|ou|sowie)"
_FURTHER = (
    rf"(?:[,;] ?(?:{_WORD} )?(?:also )?| {_WORD} (?:also )?)(?:(?:maybe|perhaps|possibly) )?"
    r"(?:options? )?[(\[\"']?(?-i:[A-Z])(?![\w'#])[)\]\"']?"
)
_IN_BRACKETS = r" ?(?:\((?:[^()\n]|\([^()\n]{0,60}\)){1,160}\)|\[[^\[\]\n]{1,160}\])"
_BRACKETED = rf"{_IN_BRACKETS}(?={_FURTHER})"
_OF_ONE = r"(?:(?!\b(?:(?-i:[A-H])|not|unlike|neither|nor|than|but|whereas|while)\b)[^\n;.!?])"
"""What is said of one member names no other."""
_DASHED = rf" ?[-:=] ?{_OF_ONE}{{1,120}}?(?={_FURTHER} ?(?:(?:[\w' ]{{1,40}}? )?[-:=] |[.!]?(?:\n|$)))"
_REASON = r",? (?:because|since|as|for|due to|given|where|which|with)\b"
_REASONED = rf"{_REASON}{_OF_ONE}{{1,200}}?(?={_FURTHER}(?:{_REASON}|[.!]?(?:\n|$)))"
_GLOSS = re.compile(f"{_BRACKETED}|{_DASHED}|{_REASONED}", re.IGNORECASE)
_BEFORE_TEXT = re.compile(
    rf"{_IN_BRACKETS}(?P<joint>[,;] ?(?:{_WORD} )?(?:the |an? )?| {_WORD} (?:the |an? )?)", re.IGNORECASE
)
_DOUBTED = r"maybe|perhaps|possibly|unsure|uncertain|not sure|doubtful|\?"
_VERDICT = re.compile(
    r" ?(?:\(|\[|[:=-] ?|-> ?)(?:"
    r"(?P<no>no|not (?:correct|right|true|present|heard|audible|selected|applicable)|incorrect|wrong|false|absent"
    rf"|rejected|excluded|eliminated|(?:does not|doesn't)(?: apply| fit| match)?|{_DOUBTED})"
    r"|(?P<yes>yes|correct|right|true|present|selected|applies))"
    r"(?:[)\]]|(?=[,;.\n]|$| and\b)|(?<=\w)[,:;] ?[^()\n]{1,80}\))",
    re.IGNORECASE,
)
_NEXT = re.compile(_FURTHER, re.IGNORECASE)
_DOUBT = re.compile(r" ?(?:maybe|perhaps|possibly)(?: also)? ", re.IGNORECASE)


class MemberVerdict(NamedTuple):
    """A verdict on one member: where it ends, whether it affirms, and whether a further member follows."""

    end: int
    affirms: bool
    goes_on: bool


def past_gloss(text: str, position: int, limit: int) -> int:
    """Where the gloss at `position` ends if another member follows it, else `position`."""
    match = _GLOSS.match(text, position, limit)
    return match.end() if match else position


def before_text(text: str, position: int, limit: int) -> tuple[int, int] | None:
    """Where the bracketed gloss at `position` ends, and where the text that is joined to it starts."""
    match = _BEFORE_TEXT.match(text, position, limit)
    return None if match is None else (match.start("joint"), match.end())


def verdict_at(text: str, position: int, limit: int) -> MemberVerdict | None:
    """The verdict on the member that ends at `position`."""
    match = _VERDICT.match(text, position, limit)
    return (
        None
        if match is None
        else MemberVerdict(match.end(), match["yes"] is not None, _NEXT.match(text, match.end(), limit) is not None)
    )


def past_doubt(text: str, position: int, limit: int) -> int:
    """Where words of doubt at `position` end, else `position`."""
    match = _DOUBT.match(text, position, limit)
    return match.end() if match else position
