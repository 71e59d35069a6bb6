"""Labels: single letters that may name an option, not articles, pitches or initials (answers.md 3.1)."""

import re
from collections.abc import Callable
from typing import NamedTuple

from musebench_tasks.answers.finder import Finder

_WORD = "0-9A-Za-z\u00aa-\u02af\u0370-\u03ff\u0400-\u058f"
"""Letters and digits that join a Latin letter into a word. CJK characters do not: `答案是B`."""

_NOT_AFTER = (
    rf"(?<![{_WORD}#♯♭\\])(?<![A-Za-z]')(?<![A-Za-z0-9]-)(?<!^[A-Za-z]\.)(?<![^A-Za-z][A-Za-z]\.)(?<!\d\.)(?<!@)"
)
_NOT_BEFORE = rf"(?![{_WORD}#♯♭])(?!'[A-Za-z])(?!-[A-Za-z0-9])(?!\.[A-Za-z]\b)(?! ?= ?\d)(?!\+(?![A-Za-z ]))"
_LETTER = re.compile(rf"{_NOT_AFTER}(?!N/A\b)([A-Za-z]){_NOT_BEFORE}")
_FREE = re.compile(rf"{_NOT_AFTER}(?<!/)([A-Z]|(?<=[(\[{{【「])[a-z](?=[)\]}}】」])){_NOT_BEFORE}(?!/)")
_CAPITAL = re.compile(rf"[A-Z](?![{_WORD}])")
_CAPITAL_OR_BRACKETED = re.compile(rf"[A-Z](?![{_WORD}])|[(\[{{【「][a-z](?=[)\]}}】」])")
_OPENING_BRACKET = re.compile(r"[(\[{【「]")
_RUN = re.compile(rf"(?<![{_WORD}#♯♭/-])(?<![A-Za-z]')([A-Z]{{2,26}})(?![{_WORD}#♯♭/-])(?!'[A-Za-z])")
_RANGE = re.compile(
    rf"{_NOT_AFTER}([A-Za-z])[)\]]? ?(?:-|~|to|through|thru|bis|至|到) ?[(\[]?([A-Za-z])(?![{_WORD}#♯♭-])(?!'[A-Za-z])"
)

_MUSICAL = re.compile(
    r"[ -]?(?:flat|sharp|natural|double|harmonic|melodic|major|minor|maj|min|dur|moll|dorian|phrygian|lydian|mixolydian"
    r"|aeolian|locrian|ionian|majeur|mineur|mayor|menor|maggiore|minore|chords?|triads?|string|clef|sections?|phrases?|strains?)\b",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r"([ \n][\"']?)([^\W\d_][\w']*)")
_FUNCTION_WORDS = (
    "is are was and or nor because since as fits seems sounds matches would but not due given based the this that it"
    " its which then with for by plus also along ist est es é è adalah und oder et ou y o e dan atau than vs versus"
    " applies apply does doesn't might could should isn't"
)
_AFTER_LABEL = frozenset(_FUNCTION_WORDS.split())
"""Words that never follow an article: `A is`, `A because` name option A."""
_AFTER_ROMAN_ONE = frozenset({"is", "and", "or", "nor", "because", "since", "as", "fits"})
_OTHER_THING = Finder(
    r"\b(?:copyright|sections?|figures?|figs?|appendix|appendices|channels?|parts?|themes?|grades?|plans?|vitamins?|tables?"
    r"|chapters?|exhibits?|columns?|rows?|phrases?|strains?|strings?|notes?|pitch|pitches|chords?|tones?|types?|class"
    r"|classes|groups?|sides?|segments?|motifs?|motives?|speakers?|persons?|players?|characters?|teams?|scenes?|samples?"
    r"|hepatitis|zones?|gates?|studio|middle|key of|keys of|area|letter grade|bars?|measures?|subject|melody)"
    r"\.?[ \n]?[(\[\"']?\Z"
    r"|\b(?:phase|tracks?|takes?|clips?|cameras?|voices?|layers?|volume|discs?|blocks?|stages?|cases?|gnu)[ \n]\Z"
    r"|\b(?:copyright|grade|key|tonic|confidence|rating|score|level|mark|tuning|blood type|section|part|side|note"
    r"|root): ?\Z",
    re.IGNORECASE,
)
_REACH = 18


class Label(NamedTuple):
    """A letter that may name an option: A = 0. `bracketed` if it stands in full brackets."""

    start: int
    end: int
    option: int
    upper: bool
    bracketed: bool


def label_at(text: str, position: int, limit: int, *, declared: bool) -> Label | None:
    """The label whose letter stands exactly at `position`, or None."""
    match = _LETTER.match(text, position, limit)
    if match is None or not _names_an_option(text, position, declared):
        return None
    return _label(text, position)


def free_labels(
    text: str, ends: list[int] | None = None, ends_an_option: Callable[[int], bool] = lambda _: False
) -> list[Label]:
    """Labels anywhere in prose: capitals, and bracketed small letters; `ends` are those of `letter_ends`.

    `ends_an_option` tells whether an option text ends at a place: in "strings (G)" the letter is then no string's name.
    """
    return [
        _label(text, end - 1)
        for end in (letter_ends(text) if ends is None else ends)
        if _FREE.match(text, end - 1) and _names_an_option(text, end - 1, _stands_by(text, end - 1, ends_an_option))
    ]


def _stands_by(text: str, position: int, ends_an_option: Callable[[int], bool]) -> bool:
    """Whether the letter stands in brackets right after an option text, which it then names."""
    if text[max(0, position - 2) : position] not in (" (", " ["):
        return False
    return ends_an_option(position - 2)


def letter_ends(text: str) -> list[int]:
    """Where letters end that may be labels in prose: a superset, found fast."""
    places = _CAPITAL_OR_BRACKETED if _OPENING_BRACKET.search(text) else _CAPITAL
    return [match.end() for match in places.finditer(text)]


def run_at(text: str, position: int, limit: int) -> re.Match[str] | None:
    """A word of two or more capitals exactly at `position` (`AC`, `FACE`)."""
    return _RUN.match(text, position, limit)


def range_at(text: str, position: int, limit: int) -> tuple[int, int, int] | None:
    """First letter, last letter (A = 0) and end of a range such as `A-C` at `position`."""
    match = _RANGE.match(text, position, limit)
    if match is None or match[1].isupper() != match[2].isupper():
        return None
    return _index(match[1]), _index(match[2]), match.end()


def _label(text: str, position: int) -> Label:
    letter = text[position]
    before = text[position - 1] if position else ""
    after = text[position + 1] if position + 1 < len(text) else ""
    return Label(position, position + 1, _index(letter), letter.isupper(), before + after in _BRACKETS)


_BRACKETS = frozenset({"()", "[]", "{}", "<>", "【】", "「」", "『』", "〔〕"})


def _index(letter: str) -> int:
    return ord(letter.upper()) - ord("A")


def _names_an_option(text: str, position: int, declared: bool) -> bool:
    if _MUSICAL.match(text, position + 1):
        return False
    if text[position] in "AaI" and _is_article(text, position):
        return False
    # After a cue ("the correct part: A") the word before the letter belongs to the cue.
    return declared or not _names_another_thing(text, position)


def _names_another_thing(text: str, position: int) -> bool:
    """Whether the words before make the letter a section, a pitch or the like; they end with a letter or a colon."""
    before = text[max(0, position - 4) : position].rstrip(" ([\"'.")
    if before and not (before[-1].isalnum() or before[-1] == ":"):
        return False
    return _OTHER_THING.search(text, max(0, position - _REACH), position) is not None


def _is_article(text: str, position: int) -> bool:
    """Whether a word follows that makes `A` an article or `I` a pronoun."""
    match = _NEXT_WORD.match(text, position + 1)
    if match is None:
        return False
    word = match[2]
    if match[1] != " " and not (text[position] == "a" and word.islower()):
        return False  # a line of its own, or a text in quotes; but prose may break its line after an article
    if len(word) == 1:
        return word == "I" or (word.islower() and word not in _AFTER_LABEL)
    return word.lower() not in (_AFTER_ROMAN_ONE if text[position] == "I" else _AFTER_LABEL)
