"""Foreign text made fit for a page: what no page may hold is shown as a sign, and only web addresses become links."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup, escape

from musebench_tasks.base.text import cut

_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_AFTER_SIGN = re.compile(r"(?<=[:/_@.])(?=\w)")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
LONGEST_TEXT = 4000
"""Characters of a question, an option or a licence that a page shows."""
LONGEST_NAME = 200
"""Characters of the name of an item, a category or a system that a page shows."""
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_CLOSED_BY = {**dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"), **dict.fromkeys("\u2066\u2067\u2068", "\u2069")}
"""What ends each mark that changes the direction of writing: embeddings and overrides, isolates."""
_PICTURES_OF_CONTROLS = 0x2400
_REPLACEMENT = "\ufffd"


def fit(text: str) -> str:
    """`text` without characters that HTML or UTF-8 cannot carry: controls as their signs (␀), the rest as U+FFFD."""
    return _UNFIT.sub(_sign, text) if _UNFIT.search(text) else text


def balanced(value: Any) -> Any:
    """A text in which every change of the direction of writing ends; what is no foreign text comes back as it is.

    Elements isolate directions only where the marks inside them are paired (UAX 9): an open one would turn what
    follows, and one too many would end the isolation.
    """
    if type(value) is not str or not _DIRECTION.search(value):
        return value
    parts: list[str] = []
    closers: list[str] = []
    for sign in value:
        if sign in _CLOSED_BY:
            closers.append(_CLOSED_BY[sign])
        elif _DIRECTION.match(sign):
            if sign not in closers or (sign == "\u202c" and closers[-1] != sign):
                continue
            while (closer := closers.pop()) != sign:
                parts.append(closer)
        parts.append(sign)
    return "".join([*parts, *reversed(closers)])


def shortened(text: str) -> str:
    """`text`, cut where it is longer than a page can show with what stands beside it."""
    left_out = len(text) - LONGEST_TEXT
    return f"{text[:LONGEST_TEXT]} … ({left_out} more characters)" if left_out > 0 else text


def named(text: str) -> str:
    """`text` as a name: on one line, and cut where it is longer than names are."""
    return cut(text, LONGEST_NAME)


def breakable(text: str) -> Markup:
    """`text` escaped; a name such as `openai:ORG/MODEL@URL` may be broken after its signs, and no word inside."""
    return Markup("<wbr>").join(escape(part) for part in _AFTER_SIGN.split(balanced(text)))


def linked(text: str) -> Markup:
    """`text` escaped, its http and https addresses as links. No other scheme ever becomes one."""
    text = balanced(text)
    parts: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text):
        address = match[0].rstrip(".,;:!?)]}")
        parts += [
            escape(text[end : match.start()]),
            Markup('<a href="{0}" rel="noreferrer noopener">{0}</a>').format(address),
        ]
        end = match.start() + len(address)
    return Markup("").join([*parts, escape(text[end:])])


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(_PICTURES_OF_CONTROLS + code) if code < 0x20 else _REPLACEMENT
