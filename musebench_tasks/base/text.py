"""Text for people: counted nouns, lists cut to the first few, values quoted, nothing that steers a terminal."""

import difflib
import json
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

_JOINERS = "\u200c\u200d"
"""Invisible signs that words of some languages, and composed pictures, are written with."""
_NO_SIGNS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of what breaks a line, steers a terminal or turns the direction of writing, and is not read."""
LONGEST_FOUND = 80
"""Characters of what was found that are shown."""
MOST_SHOWN = 10**LONGEST_FOUND
"""The largest whole number that is spelled: Python spells none of thousands of digits."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to `name`, first one that differs in case alone; None if none resembles it."""
    names = list(known)
    same = next((each for each in names if each.casefold() == name.casefold()), None)
    return same or next(iter(difflib.get_close_matches(name, names, n=1, cutoff=0.5)), None)


def counted(number: int, one: str, several: str | None = None) -> str:
    """`1 item`, `2 items`, `3 media`."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def steers(sign: str) -> bool:
    """Whether a character steers a terminal or a page instead of being read."""
    return unicodedata.category(sign) in _NO_SIGNS and sign not in _JOINERS


def one_line(text: object) -> str:
    r"""`text` with what is not to be seen written out: a line feed as `\n`, a byte that is no UTF-8 as `\udcff`."""
    return "".join(ascii(sign)[1:-1] if steers(sign) else sign for sign in str(text))


def lines_of(text: object) -> str:
    """A text of several lines, each of them as `one_line` writes it."""
    return "\n".join(map(one_line, str(text).split("\n")))


def few(names: Sequence[str], most: int = 3) -> str:
    """`a, b, c and 4 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def few_lines(lines: Sequence[str], most: int, *, place: str = "", advice: str = "") -> list[str]:
    """The first `most` of `lines`, and how many more there are: `PLACE: and 3 more lines like these. ADVICE`."""
    if len(lines) <= most:
        return list(lines)
    rest = f"and {counted(len(lines) - most, 'more line')} like these."
    return [*lines[:most], f"{place}: {rest} {advice}".removeprefix(": ").rstrip()]


def cut(text: str, longest: int) -> str:
    """`text` on one line, and no longer than `longest` characters; the last is a `…` where some were left out."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def nearest(name: str, known: Iterable[str]) -> str:
    """` (nearest: …)` for the known name closest to `name`, or the empty string."""
    match = closest(name, known)
    return f" (nearest: {match})" if match else ""


def shown(value: Any) -> str:
    """A value as JSON, cut where it is long, with nothing in it that steers a terminal."""
    if isinstance(value, int) and abs(value) > MOST_SHOWN:
        return f"a number of more than {LONGEST_FOUND} digits"
    text = json.dumps(value, ensure_ascii=False, default=str)
    length = len(value) if isinstance(value, str) else len(text)
    cut = text if len(text) <= LONGEST_FOUND else f"{_closed(text[:LONGEST_FOUND])} ({length} characters)"
    return "".join(f"\\u{ord(sign):04x}" if steers(sign) else sign for sign in cut)


def _closed(cut: str) -> str:
    """The beginning of a JSON text, with the end of a text that was cut in it."""
    is_open = cut.replace("\\\\", "").replace('\\"', "").count('"') % 2
    return f'{cut}…"' if is_open else f"{cut}…"
