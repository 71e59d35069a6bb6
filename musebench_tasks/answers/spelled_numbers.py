"""Numbers in English words, as far as a tempo needs them: `one hundred and twenty` is 120."""

import re

_UNITS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_SMALL = {word: number for number, word in enumerate(_UNITS, 1)}
_TENS = {
    word: 10 * number
    for number, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)
}
_DIGIT = "|".join(_UNITS[:9])
_LONGEST_FIRST = "|".join(sorted(_UNITS, key=len, reverse=True))
_BELOW_HUNDRED = rf"(?:(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<unit>{_DIGIT}))?|(?P<small>{_LONGEST_FIRST}))"
_SPELLED = re.compile(
    rf"\b(?:(?P<hundreds>a|{_DIGIT})[ -]hundred(?:[ -](?:and[ -])?{_BELOW_HUNDRED})?"
    rf"|{_BELOW_HUNDRED.replace('?P<', '?P<lone_')})\b(?!-)",
    re.IGNORECASE,
)
_HINT = re.compile(r"hundred|ty\b|ty-|ten\b|teen\b|eleven|twelve", re.IGNORECASE)


def with_digits(text: str) -> str:
    """`text` with numbers in words from ten on written in digits."""
    return _SPELLED.sub(_digits, text) if _HINT.search(text) else text


def _digits(found: re.Match[str]) -> str:
    hundreds = (found["hundreds"] or "").lower()
    value = 100 * _SMALL.get(hundreds, 1) if hundreds else 0
    for name in ("", "lone_"):
        tens, unit, small = (found[name + part] for part in ("tens", "unit", "small"))
        value += _TENS.get((tens or "").lower(), 0) + sum(_SMALL.get((each or "").lower(), 0) for each in (unit, small))
    return str(value) if value >= 10 else found[0]
