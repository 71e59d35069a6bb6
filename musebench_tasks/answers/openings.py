"""Finds the matches of a long pattern fast: it is tried only where one of its matches can begin.

How matches can begin is read off the pattern itself (its first letters, and whether a word must start there), so that
the two cannot part when the pattern changes. What is found is exactly what `re.finditer` finds.
"""

import importlib
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from musebench_tasks.answers.characters import fold

_ROOM = 10
"""Letters of a beginning that are looked at."""
_FEW = 16
"""So many words are looked for one by one faster than by a pattern."""
_WIDEST_CLASS, _MOST_REPEATS, _MOST_BEGINNINGS = 24, 3, 2_000
"""Larger sets of letters, more repetitions and more beginnings are not spelled out."""
_TAIL = 3
"""Letters of an end that are looked at."""
_WORD_END = "\b"
"""Ends a beginning after which no word goes on."""
_IRREGULAR_CASE = re.compile(
    "[\u0130\u0131\u017f\u0345\u03c2\u03d0-\u03f5\u1c80-\u1c8a\u1e9b\u1e9e\u1fbe\u1fd3\u1fe3\u2126\u212a\u212b\ufb05\ufb06]"
)
"""Letters that equal others where case is ignored although their lower case differs."""


class Finder:
    """A pattern whose matches are looked for in whole responses."""

    def __init__(self, pattern: str, flags: int = 0, *, after: str | None = None) -> None:
        """`after` is a pattern for what stands before every match that is not at the start of the text."""
        self._pattern = re.compile(pattern, flags)
        self._after = after

    @cached_property
    def _scans(self) -> tuple["_Scans", "_Scans"] | None:
        """For ASCII and for any text; None where the pattern does not tell how its matches begin."""
        words, others = _words_and_others(self._pattern)
        if "" in others:
            return None
        in_ascii = _scans(self._after or "[^a-z0-9_]", filter(str.isascii, words), filter(str.isascii, others))
        return in_ascii, _scans(self._after or r"\W", words, others)

    @cached_property
    def _held(self) -> tuple[str, ...]:
        """Words of which every match in ASCII holds one, where they are few."""
        held = _held(self._pattern.pattern, self._pattern.flags)
        return held if len(held) <= _FEW else ()

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in order, as `re.finditer` gives them."""
        is_ascii = text.isascii()
        if self._scans is None or not (is_ascii or _IRREGULAR_CASE.search(text) is None):
            yield from self._pattern.finditer(text)
            return
        folded = fold(text)
        if is_ascii and self._held and not _holds_one(folded, self._held):
            return
        position, match_at = 0, self._pattern.match
        for place in self._scans[not is_ascii].places(folded):
            if place >= position and (match := match_at(text, place)) is not None:
                yield match
                position = max(match.end(), place + 1)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return next(self.finditer(text), None)


class Ending:
    """A pattern looked for at the end of short stretches of text.

    It is tried only where one of its matches can end and where a word stands that all of them hold.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern = re.compile(pattern, flags)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Words of which every match in ASCII holds one; empty where that cannot be told."""
        return _held(self._pattern.pattern, self._pattern.flags)

    @cached_property
    def _tails(self) -> frozenset[str]:
        """The last two or three letters of all matches; empty where those cannot be told."""
        return _tails(self._pattern.pattern, self._pattern.flags)

    @cached_property
    def _begins(self) -> re.Pattern[str] | None:
        """Where a match in ASCII may begin, in lower case behind a line end; None where that cannot be told."""
        words, others = _words_and_others(self._pattern)
        if "" in others:
            return None
        scans = _scan("[^a-z0-9_]", filter(str.isascii, words)), _scan("", filter(str.isascii, others))
        return re.compile("|".join(each.pattern for each in scans if each is not None))

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """The first match in `text[start:end]`, as `re.search` finds it."""
        if self._tails:
            tail = text[max(start, end - _TAIL) : end].lower()
            if tail.isascii() and tail not in self._tails and tail[-2:] not in self._tails:
                return None
        stretch = text[start:end]
        if stretch.isascii():
            folded = stretch.lower()
            if self.words and not _holds_one(folded, self.words):
                return None
            if self._begins is not None and not self._begins.search("\n" + folded):
                return None
        return self._pattern.search(text, start, end)


def _words_and_others(pattern: re.Pattern[str]) -> tuple[set[str], set[str]]:
    """The beginnings of its matches that are those of words, and the others; "" among these where unknown."""
    found = _beginnings(pattern.pattern, pattern.flags)
    words = {each for each in found if each.at_word and is_word_letter(each.text[:1])}
    return {each.text for each in words}, {each.text for each in found - words}


class _Scans(NamedTuple):
    """Patterns for the character before a word that may begin a match, and for other beginnings."""

    words: re.Pattern[str] | None
    others: re.Pattern[str] | None
    other_texts: tuple[str, ...]
    """Where these are few: one of them is there if anything but a word begins a match."""

    def places(self, folded: str) -> list[int]:
        """Where a match may begin, in order."""
        at_words = [] if self.words is None else [match.end() - 1 for match in self.words.finditer("\n" + folded)]
        if self.others is None or not (_holds_one(folded, self.other_texts) or not self.other_texts):
            return at_words
        others = [match.start() for match in self.others.finditer(folded)]
        return sorted({*at_words, *others}) if others else at_words


def _scans(before_word: str, words: Iterable[str], others: Iterable[str]) -> _Scans:
    texts = sorted(others)
    marks = {text if is_word_letter(text[0]) else text[0] for text in texts}
    few = tuple(sorted(marks)) if len(marks) <= _FEW and not any(_WORD_END in text for text in texts) else ()
    return _Scans(_scan(before_word, words), _scan("", texts), few)


def _holds_one(text: str, words: Iterable[str]) -> bool:
    return any(map(text.__contains__, words))


class _Beginning(NamedTuple):
    """The first letters of some matches; `open` if what follows them is known too, `at_word` if no word letter stands
    before them."""

    text: str
    open: bool
    at_word: bool


_EMPTY = _Beginning("", True, False)
_UNKNOWN = _Beginning("", False, False)


def is_word_letter(character: str) -> bool:
    """Whether a character is one of a word, as patterns see it."""
    return character == "_" or character.isalnum()


def _beginnings(pattern: str, flags: int) -> set[_Beginning]:
    """How the matches of a pattern can begin, in lower case; `_UNKNOWN` among them where that cannot be told."""
    try:
        parser = importlib.import_module("re._parser")
    except ImportError:
        return {_UNKNOWN}
    return _of_sequence(parser.parse(pattern, flags), _ROOM)


def _tails(pattern: str, flags: int) -> frozenset[str]:
    """The last letters of the matches of a pattern that ends with `\\Z`, in lower case; none where unknown or short."""
    try:
        parser = importlib.import_module("re._parser")
    except ImportError:
        return frozenset()
    backwards = _reversed(parser.parse(pattern, flags))
    if str(backwards[0][1]) != "AT_END_STRING":
        return frozenset()
    tails = frozenset(each.text.removesuffix(_WORD_END)[::-1] for each in _of_sequence(backwards, _TAIL))
    return tails if all(len(each) > 1 for each in tails) else frozenset()


def _reversed(items: Iterable[Any]) -> list[tuple[Any, Any]]:
    """The items of a parsed pattern from its end to its start."""
    turned: list[tuple[Any, Any]] = []
    for name, argument in items:
        if str(name) == "BRANCH":
            argument = (argument[0], [_reversed(branch) for branch in argument[1]])
        elif str(name) == "ATOMIC_GROUP":
            argument = _reversed(argument)
        elif str(name) == "SUBPATTERN" or str(name).endswith("_REPEAT"):
            argument = (*argument[:-1], _reversed(argument[-1]))
        turned.append((name, argument))
    return turned[::-1]


def _held(pattern: str, flags: int) -> tuple[str, ...]:
    """Words of which every match in ASCII holds one, in lower case; none where that cannot be told."""
    try:
        parser = importlib.import_module("re._parser")
    except ImportError:
        return ()
    words = {word for word in _words_of(parser.parse(pattern, flags)) if word.isascii()}
    return tuple(sorted(word for word in words if not any(other in word for other in words - {word})))


def _words_of(items: Iterable[Any]) -> set[str]:
    """The best set of words of which one is in every match of a sequence; empty where there is none."""
    sets: list[set[str]] = []
    run = ""
    for name, argument in [*items, ("END", None)]:
        if str(name) == "LITERAL" and len(chr(argument).lower()) == 1:
            run += chr(argument).lower()
            continue
        if run:
            sets.append({run})
            run = ""
        if str(name) == "BRANCH":
            branches = [_words_of(branch) for branch in argument[1]]
            sets.append(set().union(*branches) if all(branches) else set())
        elif str(name) == "SUBPATTERN":
            sets.append(_words_of(argument[3]))
        elif str(name) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0]:
            sets.append(_words_of(argument[2]))
    known = [each for each in sets if each]
    return max(known, key=lambda words: (min(map(len, words)), -len(words)), default=set())


def _of_sequence(items: Iterable[Any], room: int) -> set[_Beginning]:
    found = {_EMPTY}
    for name, argument in items:
        growing = {each for each in found if each.open and len(each.text) < room}
        if not growing:
            break
        follows = _of_item(str(name), argument, room)
        if len(growing) * len(follows) > _MOST_BEGINNINGS:
            closed = {each._replace(open=False) for each in growing if each.text}
            found = found - growing | closed
            growing = {each for each in growing if not each.text}
        found = found - growing | {_joined(each, after, room) for each in growing for after in follows}
    return found


def _joined(before: _Beginning, after: _Beginning, room: int) -> _Beginning:
    if before.text and after.at_word and not after.text and is_word_letter(before.text[-1]):
        return _Beginning(before.text + _WORD_END, False, before.at_word)
    text = before.text + after.text
    at_word = before.at_word or (not before.text and after.at_word)
    return _Beginning(text[:room], after.open and len(text) < room, at_word)


def _of_item(name: str, argument: Any, room: int) -> set[_Beginning]:
    """The beginnings of one item of a parsed pattern."""
    if name == "LITERAL":
        return {_letter(argument)}
    if name == "IN":
        return _of_class(argument)
    if name == "BRANCH":
        return {each for branch in argument[1] for each in _of_sequence(branch, room)}
    if name == "SUBPATTERN":
        return _of_sequence(argument[3], room)
    if name == "ATOMIC_GROUP":
        return _of_sequence(argument, room)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, items = argument
        once = _of_sequence(items, room)
        repeated = once
        for _ in range(min(int(most), _MOST_REPEATS) - 1):
            repeated = once | {_joined(each, after, room) if each.open else each for each in once for after in repeated}
        if most > _MOST_REPEATS:
            repeated = {each._replace(open=False) for each in repeated}
        return repeated if least else {_EMPTY, *repeated}
    if name == "AT":
        return {_EMPTY._replace(at_word=str(argument) in ("AT_BOUNDARY", "AT_BEGINNING", "AT_BEGINNING_STRING"))}
    if name == "ASSERT":
        return {_EMPTY._replace(at_word=_ends_a_word(*argument))}
    if name == "ASSERT_NOT":
        return {_EMPTY}
    return {_UNKNOWN}


def _letter(code: int) -> _Beginning:
    lower = chr(code).lower()
    return _Beginning(lower, True, False) if len(lower) == 1 else _UNKNOWN


def _of_class(members: list[Any]) -> set[_Beginning]:
    letters = _letters(members)
    return {_UNKNOWN} if letters is None else {_letter(code) for code in letters}


def _letters(members: list[Any]) -> set[int] | None:
    """The letters of a class; None where they are too many or not listed."""
    found: set[int] = set()
    for name, argument in members:
        if str(name) == "LITERAL":
            found.add(argument)
        elif str(name) == "RANGE" and argument[1] - argument[0] < _WIDEST_CLASS:
            found |= set(range(argument[0], argument[1] + 1))
        else:
            return None
    return found if len(found) <= _WIDEST_CLASS else None


def _ends_a_word(direction: int, items: Iterable[Any]) -> bool:
    """Whether what is asserted to stand before ends with a character that is none of a word."""
    last = list(items)[-1:]
    if direction > 0 or not last:
        return False
    name, argument = last[0]
    letters = {argument} if str(name) == "LITERAL" else _letters(argument) if str(name) == "IN" else None
    return letters is not None and not any(is_word_letter(chr(code)) for code in letters)


def _scan(before: str, beginnings: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern for one character, or none, after which one of the beginnings stands; None where there are none."""
    tree: dict[str, Any] = {}
    for text in sorted(beginnings, key=len):
        _grow(tree, text)
    if not tree:
        return None
    if before:
        return re.compile(f"{before}(?={_spelled(tree)})")
    # A first letter that is consumed lets the search skip all others.
    firsts = (re.escape(first) + (f"(?={_spelled(after)})" if after else "") for first, after in tree.items())
    return re.compile("|".join(firsts))


def _grow(tree: dict[str, Any], text: str) -> None:
    """Add a beginning, unless a shorter one that it begins with is there."""
    for letter in text[:-1]:
        if letter in tree and not tree[letter]:
            return
        tree = tree.setdefault(letter, {})
    tree.setdefault(text[-1], {})


def _spelled(tree: dict[str, Any]) -> str:
    alternatives = [
        (r"\b" if letter == _WORD_END else re.escape(letter)) + (_spelled(after) if after else "")
        for letter, after in tree.items()
    ]
    return alternatives[0] if len(alternatives) == 1 else f"(?:{'|'.join(alternatives)})"
