"""Rules on characters: what went wrong on the way from a sheet to a row; and words as rules compare them."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.base.problems import Problem

MOJIBAKE = re.compile(
    "[\u00c2\u00c3][\u0080-\u00bf]"
    "|\u00c3[\u0152-\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]"
    "|\u00e2\u20ac\\S"
    "|\u00ef\u00bb\u00bf"
)
"""UTF-8 that was read as Latin-1 or Windows-1252."""
MARKUP = re.compile(
    r"&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});|</?(?:b|i|u|em|p|br|div|span|strong|sub|sup)\b[^<>]*>"
)
HIDDEN = frozenset("\u00ad\u180e\u200b\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that nobody sees."""
MARKS, JOINERS = frozenset("\u061c\u200e\u200f"), re.compile("(?<=[ -~])[\u200c\u200d](?=[ -~])")
"""Hidden ones that belong into some texts: marks where text runs from right to left, joiners between its letters."""
_RIGHT_TO_LEFT = ("R", "AL")
_LEGAL_CONTROLS = frozenset("\n\t")


def text_flaws(cells: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    """What is wrong with the characters of cells (column, text); one problem a cell."""
    for column, text in cells:
        if text.isascii() and text.isprintable() and not _is_suspect(text):
            continue
        problem = broken(column, text) or untidy(column, text)
        if problem:
            yield problem


def broken_texts(cells: Iterable[tuple[str, str | None]]) -> Iterator[Problem]:
    """Characters that are there by mistake, in texts that need not be tidy (column, text); one problem a cell."""
    for column, text in cells:
        problem = broken(column, text) if text else None
        if problem:
            yield problem


def _is_suspect(text: str) -> bool:
    """Whether a text that is plain otherwise may hold markup or stray blanks."""
    return "&" in text or "<" in text or "  " in text or text[:1] == " " or text[-1:] == " "


def broken(column: str, text: str) -> Problem | None:
    """Characters that are there by mistake."""
    joined = JOINERS.search(text)
    for character in text:
        category = unicodedata.category(character)
        if (
            character == "\ufffd"
            or category in ("Cs", "Co", "Cn")
            or character in HIDDEN
            or (character in MARKS and not _runs_from_right(text))
            or (joined is not None and character == joined[0])
            or (category == "Cc" and character not in _LEGAL_CONTROLS)
        ):
            found = f"holds U+{ord(character):04X} ({_short(text)})."
            return flaw("TEXT_BROKEN", column, found, "Type the text again, or save the sheet as UTF-8.")
    garbled = MOJIBAKE.search(text)
    if garbled:
        found = f'"{garbled[0]}" looks like UTF-8 read as another encoding ({_short(text)}).'
        return flaw("TEXT_BROKEN", column, found, "Save the sheet as UTF-8.")
    markup = MARKUP.search(text)
    if markup:
        return flaw("TEXT_BROKEN", column, f'holds the markup "{markup[0]}".', "Write the character itself.")
    return None


def _runs_from_right(text: str) -> bool:
    return any(unicodedata.bidirectional(each) in _RIGHT_TO_LEFT for each in text if each not in MARKS)


def untidy(column: str, text: str) -> Problem | None:
    """Blanks and accents that look right and compare wrong."""
    if text != text.strip():
        return flaw("TEXT_UNTIDY", column, f"begins or ends with a blank ({_short(text)}).", "Remove it.")
    if "  " in text or "\xa0" in text:
        return flaw("TEXT_UNTIDY", column, f"holds a double or hard blank ({_short(text)}).", "Write one plain blank.")
    if not unicodedata.is_normalized("NFC", text):
        return flaw("TEXT_UNTIDY", column, f"holds decomposed accents ({_short(text)}).", "Write it in NFC.")
    return None


def _short(text: str) -> str:
    """The beginning of a text, every character visible."""
    return repr(text[:40])[1:-1] + ("…" if len(text) > 40 else "")


_PUNCTUATION = string.punctuation.replace("&", "")


def plain_words(text: str) -> list[str]:
    """The words of a text, lower case, without ASCII punctuation (an ampersand is a word)."""
    folded = text.casefold()
    if folded.replace(" ", "").isalnum():
        return folded.split()
    # Faster than a table or a pattern: most of these stand in few texts.
    for character in _PUNCTUATION:
        if character in folded:
            folded = folded.replace(character, "")
    return folded.split()
