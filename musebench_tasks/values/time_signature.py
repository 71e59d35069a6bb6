"""Time signature: a numerator and a denominator, never reduced (6/8 is not 3/4; music_metrics.md 3)."""

import re
import unicodedata
from typing import Any, NamedTuple

MOST_BEATS = 32
DENOMINATORS = frozenset({1, 2, 4, 8, 16, 32})

_WORDS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight"),
    *("nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
)
NUMBER_WORDS = {word: number for number, word in enumerate(_WORDS, 1)} | {"thirty-two": 32}
_LONGEST_TEXT = 64
_NUMBER = r"\d{1,3}|" + "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_FRACTION = re.compile(
    rf"(?P<top>{_NUMBER})(?P<between>\s?[/:⁄∕-]\s?|\s+over\s+|\s+)(?P<bottom>{_NUMBER})(?:[\s-]time)?",
    re.IGNORECASE,
)
_COMMON = re.compile(r"[Cc]|𝄴|common(?:[\s-]time)?", re.IGNORECASE)
_CUT = re.compile(r"[Cc]\||¢|𝄵|cut(?:[\s-](?:time|common))?|alla[\s-]breve", re.IGNORECASE)
_DASHES = re.compile("[\u2010-\u2015\u2212]")


class Metre(NamedTuple):
    """A time signature: `numerator` beats of a `denominator`-th note."""

    numerator: int
    denominator: int


def is_admissible(numerator: int, denominator: int) -> bool:
    """Whether 1 ≤ numerator ≤ 32 and the denominator is a power of two up to 32."""
    return 1 <= numerator <= MOST_BEATS and denominator in DENOMINATORS


def read_fraction(value: Any) -> tuple[int, int] | None:
    """Numerator and denominator of a whole string (`6/8`, `six-eight`, `common time`) or pair, admissible or not."""
    if isinstance(value, (list, tuple)):
        return _read_pair(value)
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT:
        return None
    text = _DASHES.sub("-", unicodedata.normalize("NFKC", value)).strip()
    if _CUT.fullmatch(text):
        return 2, 2
    if _COMMON.fullmatch(text):
        return 4, 4
    match = _FRACTION.fullmatch(text)
    if match is None or (match["top"].isdigit() and not match["between"].strip()):
        return None
    return _number(match["top"]), _number(match["bottom"])


def parse_metre(value: Any) -> Metre | None:
    """The time signature that the whole of `value` (a string or a pair) is, or None. Never reduced or completed."""
    fraction = read_fraction(value)
    return Metre(*fraction) if fraction is not None and is_admissible(*fraction) else None


def metre_name(metre: Metre) -> str:
    """`6/8`."""
    return f"{metre.numerator}/{metre.denominator}"


def _read_pair(value: list[Any] | tuple[Any, ...]) -> tuple[int, int] | None:
    if len(value) != 2:
        return None
    numbers = [_integer(each) for each in value]
    return (numbers[0], numbers[1]) if numbers[0] is not None and numbers[1] is not None else None


def _integer(value: Any) -> int | None:
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"\s*\d{1,3}\s*", value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(text: str) -> int:
    return int(text) if text.isdigit() else NUMBER_WORDS[text.lower()]
