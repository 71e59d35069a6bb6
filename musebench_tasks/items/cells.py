"""One cell of a table as the value a record wants; InputError says what was found and what to do."""

from __future__ import annotations

import ast
import io
import json
import math
import re
import tokenize
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, reason
from musebench_tasks.base.records import Option, option_id
from musebench_tasks.base.text import LONGEST_FOUND, shown

_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")
_CLOCK = re.compile(r"(?:(?P<hours>\d{1,4}):(?=\d+:))?(?P<minutes>\d{1,6}):(?P<seconds>[0-5]?\d(?:\.\d+)?)")
EMPTY = Problem("is empty.", "Fill it.")
TEXT_BROKEN = "TEXT_BROKEN"
LONGEST_ID = 200
LONGEST_PYTHON_LIST = 20_000
"""Characters of a list in Python's spelling that are looked at: its parser is no match for hostile text."""
MOST_SECONDS = 1_000_000
"""Eleven days: what lies further is no time in a recording but a slip of the pen, or milliseconds."""
_SEPARATOR = re.compile(r"[,;|\n、；，]")
"""What people put between the entries of a list that they write as plain text."""
_QUOTED_ENTRY = re.compile(r"[\[{]\s*[\"'“‘]")
_UNUSABLE = re.compile("[\0\ud800-\udfff]")
_CONTROLS = frozenset({"Cc", "Zl", "Zp"})


def optional(read: Callable[[Any], Any], cell: Any) -> Any:
    """`read(cell)`, or None for an empty cell."""
    return None if cell is None or cell == "" else read(cell)


def required(read: Callable[[Any], Any], cell: Any, code: str = "") -> Any:
    """`read(cell)`; an empty cell is an error with that code."""
    if cell is None or cell == "":
        raise InputError(EMPTY.at(code=code))
    return read(cell)


def text(cell: Any) -> str:
    """Text as it stands; whole numbers (ids, years) as their digits. What UTF-8 or C cannot hold is refused."""
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if not isinstance(cell, str):
        raise InputError(f"should be text, found {shown(cell)}.")
    if not cell.strip():
        raise InputError("holds blanks only. Fill it.")
    unusable = _UNUSABLE.search(cell)
    if unusable:
        what = "the character U+0000" if unusable[0] == "\0" else f"half a character (U+{ord(unusable[0]):04X})"
        raise InputError(Problem(f"holds {what} at position {unusable.start() + 1}.", "Remove it.", TEXT_BROKEN))
    return cell


def identifier(cell: Any) -> str:
    """Text that names something: one line of at most 200 characters."""
    name = text(cell)
    if len(name) > LONGEST_ID:
        raise InputError(f"has {len(name)} characters, an id has at most {LONGEST_ID}. Shorten it.")
    controls = [each for each in name if unicodedata.category(each) in _CONTROLS]
    if controls:
        found = f"holds the control character U+{ord(controls[0]):04X}, found {shown(name)}."
        raise InputError(Problem(found, "Remove it.", TEXT_BROKEN))
    return name


def media_path(cell: Any) -> str | None:
    """The path in a media cell: text, or the `path` of an undecoded medium; None if there is none."""
    if isinstance(cell, list) and len(cell) == 1:
        cell = cell[0]
    if isinstance(cell, dict):
        cell = cell.get("path")
    return cell if isinstance(cell, str) and cell else None


def named_medium(cell: Any) -> str:
    """`media_path`; InputError where a row that needs a medium names none, or several."""
    if isinstance(cell, list):
        if len(cell) > 1:
            raise InputError(f"names {len(cell)} media, an item has one. Leave such rows out (`rows` or `exclude`).")
        cell = cell[0] if cell else None
    if isinstance(cell, dict):
        cell = cell.get("path")
    name: str = required(lambda each: each, cell)
    if not isinstance(name, str):
        found = f"should be the path of a file in the dataset's folder, found {shown(cell)}."
        raise InputError(Problem(found, code="MEDIUM_UNUSABLE"))
    return text(name)


def number(cell: Any) -> float:
    """A finite number, also as text."""
    if isinstance(cell, str) and re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", cell.strip()):
        value = float(cell)
    elif isinstance(cell, (int, float)) and not isinstance(cell, bool):
        value = _as_float(cell)
    else:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"should be a finite number, found {shown(cell)}.")
    return value


def seconds(cell: Any) -> float:
    """Seconds from a number, `mm:ss` or `hh:mm:ss`, at least 0."""
    value = _seconds(cell)
    if not (math.isfinite(value) and value >= 0):
        raise InputError(f"should be a time of at least 0 (seconds, mm:ss or hh:mm:ss), found {shown(cell)}.")
    if value > MOST_SECONDS:
        raise InputError(f"should be a time of at most {MOST_SECONDS} s, found {shown(cell)}. Write seconds.")
    return value


def duration(cell: Any) -> float:
    """`seconds` above 0."""
    value = seconds(cell)
    if value == 0:
        raise InputError(f"should be a time above 0, found {shown(cell)}. Leave it empty where it is not known.")
    return value


def _seconds(cell: Any) -> float:
    if isinstance(cell, str):
        written = cell.strip()
        clock = _CLOCK.fullmatch(written)
        if clock:
            return int(clock["hours"] or 0) * 3600 + int(clock["minutes"]) * 60 + float(clock["seconds"])
        return float(written) if _NUMBER.fullmatch(written) else math.nan
    return _as_float(cell) if isinstance(cell, (int, float)) and not isinstance(cell, bool) else math.nan


def _as_float(value: float) -> float:
    """`value`; infinite where a whole number is too large for a float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def listed(cell: Any) -> list[Any]:
    """A list, also written as JSON or as Python writes it (tables of text have no lists)."""
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError) as error:
            written, cell = cell, _python_list(cell)
            if cell is None:
                advice = f"found {shown(written)}. Correct its brackets, quotes and commas."
                raise InputError(f"is no JSON list ({reason(error)}), {advice}") from error
    if not isinstance(cell, list):
        raise InputError(f"should be a list, found {shown(cell)}.")
    return cell


def _python_list(cell: str) -> list[Any] | None:
    """The list that `cell` spells in Python (['a', 'b'], as tables made with pandas hold); None if it spells none."""
    if len(cell) > LONGEST_PYTHON_LIST:
        return None
    try:
        tree = ast.parse(cell.strip(), mode="eval")
        value = ast.literal_eval(tree)
        lacks_comma = _lacks_comma(cell.strip(), tree)
    except (ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
        return None
    return value if isinstance(value, list) and not lacks_comma else None


def _lacks_comma(cell: str, tree: ast.AST) -> bool:
    """Whether texts stand side by side (['a' 'b'], as NumPy prints them), which Python would join to one."""
    texts_read = sum(isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) for node in ast.walk(tree))
    tokens = tokenize.generate_tokens(io.StringIO(cell).readline)
    return sum(token.type == tokenize.STRING for token in tokens) > texts_read


def transcript(cell: Any) -> str | None:
    """What is spoken; an empty text where nobody speaks, None where that is not known."""
    return cell if cell is None or cell == "" else text(cell)


def texts(cell: Any) -> tuple[str, ...]:
    """A list of texts, also written as JSON; any other text stands for a list of one, unless it is a broken list."""
    if isinstance(cell, str) and not _is_meant_as_list(cell):
        try:
            cell = listed(cell)
        except InputError:
            return (text(cell),)
    return tuple(text(each) for each in listed(cell))


def text_list(cell: Any) -> tuple[str, ...]:
    """The texts of a column that holds lists: `texts`, but several entries are never one plain text."""
    if not isinstance(cell, str) or cell.lstrip().startswith(("[", "{")):
        return tuple(text(each) for each in listed(cell))
    parts = [part for each in _SEPARATOR.split(cell) if (part := each.strip())]
    if len(parts) > 1:
        several, one = (json.dumps(each, ensure_ascii=False) for each in (parts, [cell]))
        advice = f"Write {several}, or {one} if it is one text."
        raise InputError(Problem(f"should be a list, found the text {shown(cell)}.", advice))
    return (text(cell),)


def one_text(cell: Any) -> str:
    """The text of a column that holds one entry of a list whose others have columns of their own."""
    if isinstance(cell, list) or (isinstance(cell, str) and _is_meant_as_list(cell)):
        found = f"should be one text, found {shown(cell)}, a list or a part of one"
        raise InputError(f"{found}. Give each text its own column, or map one column with the whole list.")
    return text(cell)


def _is_meant_as_list(cell: str) -> bool:
    """Whether a text begins as a list or an object does: with a quoted entry, or a bracket that nothing closes."""
    written = cell.strip()
    opened, closed = (sum(map(written.count, signs)) for signs in ("[(", "])"))  # [0, 10) is an interval.
    return (written.startswith("[") and opened > closed) or _QUOTED_ENTRY.match(written) is not None


def options(item_id: str, cell: Any) -> tuple[Option, ...]:
    """Options in the order given: texts, or {id, text} (an id that is absent is computed)."""
    if isinstance(cell, dict) and isinstance(cell.get("text"), list):
        ids = cell.get("id") or [None] * len(cell["text"])
        if not isinstance(ids, list) or len(ids) != len(cell["text"]):
            raise InputError(f"should have an id for each of its {len(cell['text'])} texts, found {shown(ids)}.")
        cell = [{"id": each, "text": written} for each, written in zip(ids, cell["text"], strict=True)]
    return tuple(_option(item_id, each) for each in listed(cell))


def _option(item_id: str, entry: Any) -> Option:
    if not isinstance(entry, dict):
        written = text(entry)
        return Option(id=option_id(item_id, written), text=written)
    if "text" not in entry:
        raise InputError(f'an option should be text or have a "text", found {shown(entry)}.')
    written = text(entry["text"])
    given = entry.get("id")
    return Option(id=identifier(given) if given is not None else option_id(item_id, written), text=written)


def names_shown(names: Iterable[str]) -> str:
    """Names with commas between them, the long ones cut: of a table without a head line they are the cells of a row."""
    return ", ".join(name if len(name) <= LONGEST_FOUND else shown(name) for name in names)
