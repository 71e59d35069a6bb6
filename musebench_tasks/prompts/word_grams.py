"""Texts as hashes of their runs of words: enough to find a text again, not to read it.

A word is a run of letters and digits after NFKC and case folding; scripts that set no blanks count each character.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence

LONGEST_GRAM = 8
"""Words in a run at most: eight in a row are no accident (MB-18)."""
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_ASCII_WORD = re.compile(r"[0-9a-z]+")
_MASK = (1 << 64) - 1
_FACTOR = 0x9E3779B97F4A7C15
_MOST_REMEMBERED = 200_000


class _Hashes(dict[str, int]):
    """64-bit hashes of words, remembered."""

    def __missing__(self, word: str) -> int:
        if len(self) > _MOST_REMEMBERED:
            self.clear()
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self[word] = value = int.from_bytes(digest)
        return value


_HASHES = _Hashes()


def words(text: str) -> list[str]:
    """The words of a text in order."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return _WORD.findall(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))


def grams(found: Sequence[str], longest: int = LONGEST_GRAM) -> Iterator[tuple[int, list[int]]]:
    """For each n from 1 to `longest`, the hashes of all runs of n words, in order."""
    values = [_HASHES[word] for word in found]
    current = values
    for n in range(1, longest + 1):
        if n > 1:
            current = [(each * _FACTOR + value) & _MASK for each, value in zip(current, values[n - 1 :], strict=False)]
        if not current:
            return
        yield n, current


def whole_grams(found: Sequence[str]) -> tuple[int, list[int]]:
    """What a text is found again by: itself where it is short, else all its runs of `LONGEST_GRAM` words."""
    *_, last = grams(found, min(len(found), LONGEST_GRAM))
    return last


def weight(word: str) -> int:
    """How much a word says: its letters; a character of an unspaced script counts three."""
    return 3 if len(word) == 1 and not word.isascii() else len(word)
