"""Text and numbers on a page: signs for what no page may hold, links for web addresses only, one format of numbers."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from musebench_tasks.base.files import not_written
from musebench_tasks.base.records import Interval
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


NOT_ASKED = "–"
"""What stands where nothing was asked, never 0."""


def value_text(value: float | None, digits: int = 3) -> str:
    """`value` with `digits` decimals and a true minus sign; `–` for None."""
    if value is None:
        return NOT_ASKED
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.removeprefix("-")


def signed_text(value: float | None, digits: int = 3) -> str:
    """`value_text` with a plus before what is above 0: differences."""
    text = value_text(value, digits)
    return f"+{text}" if value is not None and float(f"{value:.{digits}f}") > 0 else text


def p_text(p_value: float | None) -> str:
    """A p-value with three decimals, `< 0.001` below; empty for None."""
    if p_value is None:
        return ""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def interval_text(interval: Interval | None, digits: int = 2) -> str:
    """`0.32 to 0.60`; empty for None. The word, because a dash could be read as a minus."""
    if interval is None:
        return ""
    return f"{value_text(interval.low, digits)} to {value_text(interval.high, digits)}"


def seconds_text(seconds: float) -> str:
    """Seconds with a decimal below a minute, minutes and seconds from there: `8.5 s`, `1:04`."""
    if seconds < 60:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def short_number(value: float) -> str:
    """At most three decimals and none that say nothing: `18.125`, `101`."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


_PIECE = 1 << 16


def write_page(path: Path, pieces: Iterable[str]) -> None:
    """Replace `path` by the joined `pieces`, made fit for a page, as UTF-8.

    Raises InputError where the place cannot be written, MuseError where the disk is full.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            for piece in _joined(pieces):
                file.write(fit(piece).encode())
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as problem:
        raise not_written(path, problem) from problem
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """The same text in pieces of some size: a template yields many small ones."""
    waiting: list[str] = []
    length = 0
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length >= _PIECE:
            yield "".join(waiting)
            waiting.clear()
            length = 0
    yield "".join(waiting)
