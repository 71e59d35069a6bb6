"""One value out of several that hold for parts of a recording (MU-07)."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from musebench_tasks.values import key_name, parse_key_name

NO_KEYS = frozenset({"", "n", "x", "silence", "nokey", "no key", "none"})
"""Labels of stretches without a key."""


class Part(NamedTuple):
    """A value that holds for some seconds."""

    value: Any
    seconds: float | Decimal
    confidence: float = 0.0


def commonest(parts: Iterable[Part]) -> tuple[Any, bool]:
    """The value of most parts, and whether there are others. Ties: the longest in total, the surest, the first."""
    counts: dict[Any, int] = {}
    seconds: dict[Any, float] = {}
    surest: dict[Any, float] = {}
    for value, length, confidence in parts:
        counts[value] = counts.get(value, 0) + 1
        seconds[value] = seconds.get(value, 0.0) + float(length)
        surest[value] = max(surest.get(value, confidence), confidence)
    best = max(counts, key=lambda value: (counts[value], seconds[value], surest[value]), default=None)
    return best, len(counts) > 1


def key_parts(rows: Iterable[tuple[Any, ...]]) -> list[Part]:
    """The keys of rows (start, end, name[, confidence]), in canonical spelling where they have one."""
    parts = []
    for start, end, name, *confidence in rows:
        bare = name.strip()
        if bare.lower().startswith("key "):
            bare = _with_mode(bare[4:].strip())
        if bare.casefold() in NO_KEYS:
            continue
        parsed = parse_key_name(bare)
        parts.append(Part(bare if parsed is None else key_name(parsed), _length(start, end), *confidence))
    return parts


def _with_mode(name: str) -> str:
    """Isophonics' `Key E`, which writes every mode but major."""
    return f"{name} major" if parse_key_name(f"{name} major") is not None else name


def _length(start: Any, end: Any) -> float:
    if isinstance(start, str) or isinstance(end, str):
        return 0.0
    return max(0.0, float(end) - float(start))
