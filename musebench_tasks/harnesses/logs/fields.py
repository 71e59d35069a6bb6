"""What stands under a name in the JSON of others, where it is of the kind that is meant; else it is not known."""

from __future__ import annotations

from math import isfinite
from typing import Any


def part(told: Any, name: str) -> dict[str, Any]:
    """The object under a name; an empty one where there is none."""
    found = told.get(name) if isinstance(told, dict) else None
    return found if isinstance(found, dict) else {}


def entries(told: Any, name: str) -> list[Any]:
    """The list under a name; an empty one where there is none."""
    found = told.get(name) if isinstance(told, dict) else None
    return found if isinstance(found, list) else []


def text(told: dict[str, Any], name: str) -> str | None:
    """The text under a name, None for an empty one."""
    found = told.get(name)
    return found if isinstance(found, str) and found else None


def number(told: dict[str, Any], name: str) -> float | None:
    """The finite number under a name."""
    found = told.get(name)
    if not isinstance(found, int | float) or isinstance(found, bool) or not isfinite(found):
        return None
    return float(found)


def whole(told: dict[str, Any], name: str) -> int | None:
    """The whole number under a name."""
    found = told.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
