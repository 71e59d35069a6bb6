"""One cell of a table as the value a record wants; CellError says what was found and what to do."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from musebench_tasks.items.problems import CellError
from musebench_tasks.records import Option, option_id

_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")
_CLOCK = re.compile(r"(?:(?P<hours>\d+):(?=\d+:))?(?P<minutes>\d+):(?P<seconds>[0-5]?\d(?:\.\d+)?)")


def optional(read: Callable[[Any], Any], cell: Any) -> Any:
    """`read(cell)`, or None for an empty cell."""
    return None if cell is None or cell == "" else read(cell)


def required(read: Callable[[Any], Any], cell: Any) -> Any:
    """`read(cell)`; an empty cell is an error."""
    if cell is None or cell == "":
        raise CellError("is empty. Fill it.")
    return read(cell)


def text(cell: Any) -> str:
    """Text as it stands; whole numbers (ids, years) as their digits."""
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if not isinstance(cell, str):
        raise CellError(f"should be text, found {shown(cell)}.")
    if not cell.strip():
        raise CellError("holds blanks only. Fill it.")
    return cell


def number(cell: Any) -> float:
    """A finite number, also as text."""
    if isinstance(cell, str) and re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", cell.strip()):
        return float(cell)
    if isinstance(cell, (int, float)) and not isinstance(cell, bool) and math.isfinite(cell):
        return float(cell)
    raise CellError(f"should be a finite number, found {shown(cell)}.")


def seconds(cell: Any) -> float:
    """Seconds from a number, `mm:ss` or `hh:mm:ss`, at least 0."""
    if isinstance(cell, str):
        written = cell.strip()
        clock = _CLOCK.fullmatch(written)
        if clock:
            return int(clock["hours"] or 0) * 3600 + int(clock["minutes"]) * 60 + float(clock["seconds"])
        if _NUMBER.fullmatch(written):
            return float(written)
    elif isinstance(cell, (int, float)) and not isinstance(cell, bool) and math.isfinite(cell) and cell >= 0:
        return float(cell)
    raise CellError(f"should be a time of at least 0 (seconds, mm:ss or hh:mm:ss), found {shown(cell)}.")


def listed(cell: Any) -> list[Any]:
    """A list, also written as JSON (tables of text have no lists)."""
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            cell = json.loads(cell)
        except ValueError as error:
            raise CellError(f"is no JSON list ({error}).") from error
    if not isinstance(cell, list):
        raise CellError(f"should be a list, found {shown(cell)}.")
    return cell


def texts(cell: Any) -> tuple[str, ...]:
    """A list of texts, also written as JSON; any other text stands for a list of one."""
    if isinstance(cell, str):
        try:
            cell = listed(cell)
        except CellError:
            return (text(cell),)
    return tuple(text(each) for each in listed(cell))


def options(item_id: str, cell: Any) -> tuple[Option, ...]:
    """Options in the order given: texts, or {id, text} (an id that is absent is computed, datasets.md)."""
    if isinstance(cell, dict) and isinstance(cell.get("text"), list):
        ids = cell.get("id") or [None] * len(cell["text"])
        cell = [{"id": each, "text": written} for each, written in zip(ids, cell["text"], strict=True)]
    return tuple(_option(item_id, each) for each in listed(cell))


def _option(item_id: str, entry: Any) -> Option:
    if not isinstance(entry, dict):
        written = text(entry)
        return Option(id=option_id(item_id, written), text=written)
    if "text" not in entry:
        raise CellError(f'an option should be text or have a "text", found {shown(entry)}.')
    written = text(entry["text"])
    given = entry.get("id")
    return Option(id=text(given) if given is not None else option_id(item_id, written), text=written)


def shown(cell: Any) -> str:
    """A cell as messages quote it, cut where it is long."""
    spelled = json.dumps(cell, ensure_ascii=False, default=str)
    return spelled if len(spelled) <= 80 else f"{spelled[:77]}..."
