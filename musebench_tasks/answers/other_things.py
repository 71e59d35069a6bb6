"""Announcements of something else than an answer: "Grade: A", "The key is: C", "The chord is, D." (answers.md 3.1).

A closed list of what letters name besides options, part of the parser's version.
"""

import re

_NOUN = (
    r"(?:time signature|met(?:er|re)|rhyme scheme|tonality|tonics?|chords?|(?<!answer )keys?|scale|mode|pitch(?:es)?"
    r"|notes?|tuning|root|clef|bass note|degree|grades?|ratings?|scores?|marks?|quality|difficulty|level|confidence"
    r"|certainty|rank|tier|vitamins?|blood type|figure|fig|table|appendix|exhibit|page|section|part|theme|channel|track"
    r"|plan|string|register|drawbar|side|verse|rehearsal (?:letter|mark))"
)
_FURTHER = r"(?: (?:of|in|for|at|on)(?: [^\s:,]{1,20}){0,5})?"
_ENDS = r"(?:is|are|was|were|would be|must be|seems to be|sounds like|reads|equals)"
_BEFORE_MARK = re.compile(rf"\b{_NOUN}{_FURTHER}(?: {_ENDS})?[ \"']*\Z", re.IGNORECASE)
_BEFORE_COMMA = re.compile(rf"\b{_NOUN}(?:{_FURTHER} {_ENDS}| of)\Z", re.IGNORECASE)
_ANSWERS = re.compile(
    r"\b(?:answers?|options?|choice|pick|guess|best|correct|right|select\w*|choose|final answer)\b", re.IGNORECASE
)
_STOPS = ".;!?\n:"
_LONGEST = 80


def names_something_else(text: str, start: int) -> bool:
    """Whether what starts at `start` is announced, before a colon, an equals sign or a comma, as no answer."""
    end = len(text[max(0, start - 8) : start].rstrip(" ([\"'{")) + max(0, start - 8)
    if not end or text[end - 1] not in ":=,":
        return False
    pattern = _BEFORE_COMMA if text[end - 1] == "," else _BEFORE_MARK
    low = max(0, end - _LONGEST)
    low = max(low, *(text.rfind(stop, low, end - 1) + 1 for stop in _STOPS))
    heading = text[low : end - 1].rstrip()
    return pattern.search(heading) is not None and _ANSWERS.search(heading) is None
