"""Texts from others, read strictly: every way in which two readers could understand them differently is an error.

UTF-8 without a byte order mark; JSON without trailing commas, NaN, and keys that stand twice. What an ordinary reader
repairs in silence is named here.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read
from musebench_tasks.base.problems import Problem

_WIDE = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
_TRAILING_COMMA = re.compile(r",\s*$")
MOST_DIGITS = 400
"""Of a number: the largest that a measure can hold has 309."""

MOST_PROBLEMS = 20
"""Problems that one file is told of at most."""


class _TwiceError(ValueError):
    """A key that stands twice in one JSON object."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class _NoNumberError(ValueError):
    """A number that JSON has no form for, or that nothing can hold."""

    def __init__(self, written: str) -> None:
        super().__init__(written)
        self.written = written


def strict_text(path: Path) -> str:
    """The text of a UTF-8 file; InputError where it is in another encoding or begins with a byte order mark."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise not_read(path, error) from error
    if content.startswith(codecs.BOM_UTF8):
        raise InputError(Problem("begins with a byte order mark.", "Save it as UTF-8 without one.", place=str(path)))
    wide = next((name for mark, name in _WIDE.items() if content.startswith(mark)), None)
    if wide is not None:
        raise InputError(Problem(f"is {wide}.", "Save it as UTF-8.", place=str(path)))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"is not UTF-8 (byte 0x{content[error.start]:02X})."
        raise InputError(Problem(found, "Save it as UTF-8.", place=str(path), line=line)) from error


def strict_json(text: str, place: str, line: int | None = None) -> Any:
    """The value of a JSON text; InputError of `place` and `line` for what strict readers refuse."""
    try:
        return json.loads(text, object_pairs_hook=_once, **_NUMBERS)
    except json.JSONDecodeError as error:
        line = error.lineno if "\n" in text.rstrip("\n") else line
        if _TRAILING_COMMA.search(text[: error.pos]) and text[error.pos : error.pos + 1] in ("}", "]"):
            problem = Problem("a comma stands before a closing bracket.", "Remove it.")
        else:
            problem = Problem(f"is not JSON ({error.msg}, column {error.colno}).")
    except _TwiceError as error:
        problem = Problem(f'the key "{error.key}" stands twice.', "Remove one.")
    except _NoNumberError as error:
        problem = Problem(f"{error.written} is no number of JSON.", "Write null for what is not there.")
    except RecursionError:
        problem = Problem("is nested too deeply.")
    raise InputError(problem.at(place=place, line=line))


def first_problems(problems: Iterable[Problem]) -> list[Problem]:
    """The first of many, and that there are more."""
    found = list(islice(problems, MOST_PROBLEMS + 1))
    return found if len(found) <= MOST_PROBLEMS else [*found[:-1], Problem("and more: correct these first.")]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for key in found if keys.count(key) > 1))
    return found


def _finite(digits: str) -> float:
    """The number; one too large to be held is none."""
    found = float(digits)
    return found if isfinite(found) else _no_number(digits)


def _whole(digits: str) -> int:
    """The number; one of more digits than any measure has is none."""
    return int(digits) if len(digits) <= MOST_DIGITS else _no_number(digits)


def _no_number(name: str) -> NoReturn:
    raise _NoNumberError(name if len(name) <= MOST_DIGITS else f"{name[:20]}… ({len(name)} digits)")


_NUMBERS: dict[str, Any] = {"parse_constant": _no_number, "parse_float": _finite, "parse_int": _whole}
