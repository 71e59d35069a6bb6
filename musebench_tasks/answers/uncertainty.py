"""Uncertainty: what "cannot determine whether", "not sure if" and the like govern is not asserted (answers.md 3.1)."""

import re
from bisect import bisect_right

from musebench_tasks.answers.finder import Finder

_STOP = (
    r"(?:but|however|yet|though|although|so|therefore|thus|hence|nevertheless|still|while|whereas|because|since"
    r"|i(?:'d| would| think| guess| believe| choose| pick)|my (?:best )?(?:answer|guess|choice|pick))\b"
)
_PIECE = rf"(?:(?!\b{_STOP})[^,.;:!?\n]){{0,160}}"
_DOUBT = (
    r"(?:(?:can(?:not| not|'t)|could(?: not|n't)|(?:unable|not able) to|(?:do|did)(?: not|n't)|don't"
    r"|hard to|difficult to|impossible to|tough to|no way to)(?: (?:really|reliably|quite|clearly|actually|fully"
    r"|confidently|definitively|easily|exactly|possibly))?"
    r" (?:determine|tell|say|know|decide|judge|confirm|verify|establish|make out|discern|be (?:sure|certain)))"
)
_UNSURE = (
    r"(?:(?:not|(?:is|was|are|were)n't)(?: (?:\d{1,3} ?%|entirely|completely|quite|really|fully|totally|absolutely"
    r"|at all|very|too))?"
    r" (?:sure|certain|clear|known|obvious)|unsure|uncertain|unclear|unknown|doubtful|debatable)"
)
_UNCERTAIN = Finder(
    rf"\b(?:{_DOUBT}|{_UNSURE}) (?:whether|if|about|which of|(?:(?<=sure )|(?<=certain ))(?:that|of))(?: or not)?\b"
    rf"{_PIECE}(?:(?:,(?! {_STOP}){_PIECE}){{0,6}}?,? or\b{_PIECE})?",
    re.IGNORECASE,
)
_HELD = (
    *("whether", " if ", " about ", " which of "),
    *("sure that ", "sure of ", "certain that ", "certain of "),
)
"""One of these is in every match."""


def doubted_stretches(text: str) -> list[tuple[int, int]]:
    """Start and end of the stretches of `text` that words of not knowing govern, in order."""
    if not any(map(text.lower().__contains__, _HELD)):
        return []
    return [match.span() for match in _UNCERTAIN.finditer(text)]


def is_within(stretches: list[tuple[int, int]], position: int) -> bool:
    """Whether `position` lies in one of the `stretches` (in order, apart from each other)."""
    place = bisect_right(stretches, (position, len(stretches) and stretches[-1][1]))
    return place > 0 and position < stretches[place - 1][1]


def is_supposed(text: str, start: int) -> bool:
    """Whether what starts at `start` only may be there ("there might be drums")."""
    return _SUPPOSED.search(text, max(0, start - 48), start) is not None


_SUPPOSED = Finder(
    r"\b(?:there|it|that|this|they|i|we)(?: (?:also|possibly))? (?:might|may|could)"
    r"(?: (?:also|possibly|perhaps|even|well))* (?:be|have been|include|contain|have|hear|have heard)"
    r"(?: (?:the|an?|some|faint|soft|quiet))* ?[(\[\"']?\Z",
    re.IGNORECASE,
)
