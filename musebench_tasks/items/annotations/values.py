"""One value out of several that hold for parts of a recording (MU-07)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.items import music
from musebench_tasks.items.annotations.raw_values import metre_in, tempo_in
from musebench_tasks.values import key_name, parse_key_name, to_micros

NO_KEYS = frozenset({"", "n", "x", "silence", "nokey", "no key", "none"})
"""Labels of stretches without a key."""


class TimedValue(NamedTuple):
    """A value that holds for a while."""

    value: Any
    start: int = 0
    """Microseconds, as is the length: a tie is one on every machine."""
    length: int = 0
    confidence: float = 0.0


def part_of(value: Any, start: Any, end: Any) -> TimedValue:
    """A part from times as they were read, in seconds."""
    first = micros_in(start)
    return TimedValue(value, first, max(0, micros_in(end) - first))


def commonest(parts: Iterable[TimedValue]) -> tuple[Any, bool]:
    """The value of most parts (None for no parts), and whether there are others (MU-07).

    Ties: the longest in total, the surest, the one that begins earliest, the first that was given.
    """
    groups: dict[Any, list[TimedValue]] = {}
    for part in parts:
        groups.setdefault(part.value, []).append(part)
    best = min(groups, key=lambda value: _rank(groups[value]), default=None)
    return best, len(groups) > 1


def _rank(parts: list[TimedValue]) -> tuple[float, ...]:
    """The smaller, the better."""
    length, surest = sum(part.length for part in parts), max(part.confidence for part in parts)
    return (-len(parts), -length, -surest, min(part.start for part in parts))


def key_parts(rows: Iterable[tuple[Any, Any, str]]) -> list[TimedValue]:
    """The keys of rows (start, end, name) in canonical spelling where they have one, without stretches of no key."""
    named = ((canonical_key(name), start, end) for start, end, name in rows)
    return [part_of(*row) for row in named if row[0]]


def canonical_key(name: str) -> str:
    """A key in canonical spelling, empty for no key; what is neither stays as it is written."""
    bare = name.strip()
    if bare.lower().startswith("key "):
        bare = _with_mode(bare[4:].strip())
    if bare.casefold() in NO_KEYS:
        return ""
    parsed = parse_key_name(bare)
    return bare if parsed is None else key_name(parsed)


@lru_cache(maxsize=65_536)
def canonical(field: str, text: str) -> str:
    """A tempo, key or time signature in its one spelling, empty for a stretch without a key; InputError for others."""
    if field == "tempo":
        return format(Decimal(str(music.tempo(tempo_in(text)))).normalize(), "f")
    if field == "time_signature":
        return music.time_signature(metre_in(text))
    name = canonical_key(text)
    return music.key(name) if name else ""


def is_same_value(field: str, one: Any, other: Any) -> bool:
    """Whether two values that were found of a field are one, however they are spelled."""
    return bool(one == other or _in_one_spelling(field, one) == _in_one_spelling(field, other))


def _in_one_spelling(field: str, value: Any) -> Any:
    with suppress(InputError, ValueError, TypeError, AttributeError, ArithmeticError):
        if field == "segments":
            return [(to_micros(start), to_micros(end), label.strip()) for start, end, label in value]
        return to_micros(value) if field == "duration_s" else canonical(field, str(value))
    return value


def _with_mode(name: str) -> str:
    """Isophonics' `Key E`, which writes every mode but major."""
    return f"{name} major" if parse_key_name(f"{name} major") is not None else name


def micros_in(time: Any) -> int:
    """Microseconds of a time as it was read, in seconds; 0 where it is none."""
    try:
        return to_micros(time)
    except (TypeError, ValueError):
        return 0
