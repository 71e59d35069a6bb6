"""Whether scores.json is what the scorer makes of the predictions: the first field that differs, in the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from musebench_tasks.base.text import shown

_ABSENT = object()
ROWS = ("scores", "baselines")


def first_difference(stored: str, made: str) -> str | None:
    """What differs first between two texts of scores.json; None where they are equal byte for byte.

    `stored` must be JSON. Where only the spelling differs (blanks, order, digits) the place in the text is named.
    """
    if stored == made:
        return None
    found = next(_differences(json.loads(stored), json.loads(made), ""), None)
    if found is not None:
        return found
    place = next((at for at, (one, other) in enumerate(zip(stored, made, strict=False)) if one != other), None)
    at = min(len(stored), len(made)) if place is None else place
    return f"the same content is spelled differently from character {at + 1} on ({shown(stored[at : at + 20])})"


def _differences(stored: Any, made: Any, path: str, about: str = "") -> Iterator[str]:
    if isinstance(stored, dict) and isinstance(made, dict):
        for key in sorted({*stored, *made}):
            below = f"{path}.{key}" if path else key
            yield from _differences(stored.get(key, _ABSENT), made.get(key, _ABSENT), below, about)
    elif isinstance(stored, list) and isinstance(made, list):
        for place, (one, other) in enumerate(zip(stored, made, strict=False)):
            yield from _differences(one, other, f"{path}[{place}]", _words(other) if path in ROWS else about)
        if len(stored) != len(made):
            yield f"{path}: {len(stored)} entries in the file, {len(made)} when scored"
    elif stored is _ABSENT:
        yield f"{path}{about}: is missing in the file, {shown(made)} when scored"
    elif made is _ABSENT:
        yield f"{path}{about}: {shown(stored)} in the file, nothing when scored"
    elif stored != made or type(stored) is not type(made):
        yield f"{path}{about}: {shown(stored)} in the file, {shown(made)} when scored"


def _words(row: Any) -> str:
    """What a row is about, in words beside its place: ` (accuracy/1, full)`."""
    told = (
        f"{row.get('metric')}/{row.get('version')}",
        *(row.get(key) for key in ("condition", "slice_value", "system")),
    )
    return f" ({', '.join(str(each) for each in told if each)})"
