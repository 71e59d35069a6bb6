"""Which recordings a collection holds: strata of tempo and key, the smallest served first (MU-03).

Every choice is an order by SHA-256 of seed, purpose and track, so that the same archive gives the same collection on
every machine, whatever the order of its files. Nothing is proportional, and nothing looks at metre, duration or genre.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from musebench_tasks.items import quotas
from musebench_tasks.values import to_micro

SEPARATOR = "\x1f"


class Stratum(NamedTuple):
    """A tempo bin and a key."""

    tempo_bin: int
    """Counted from 0, the slowest."""
    key: str


class Drawn(NamedTuple):
    """A sample of tracks by stratum."""

    tracks: tuple[str, ...]
    """In the order of their strata, smallest first; inside a stratum in the order drawn."""
    sizes: dict[Stratum, int]
    """Tracks in each stratum, smallest stratum first."""
    quotas: dict[Stratum, int]
    """Tracks drawn from each."""


def tempo_bin(bpm: float, edges: Sequence[float]) -> int:
    """The bin of a tempo: as many as there are edges at or below it, so an edge belongs to the faster bin."""
    micro = to_micro(bpm)
    return sum(to_micro(edge) <= micro for edge in edges)


def bin_name(number: int, edges: Sequence[float]) -> str:
    """`below 70`, `70 to 90`, `150 and above`: what a bin holds, in BPM."""
    if not edges:
        return "any"
    if number == 0:
        return f"below {edges[0]:g}"
    if number == len(edges):
        return f"{edges[-1]:g} and above"
    return f"{edges[number - 1]:g} to {edges[number]:g}"


def shuffled(tracks: Iterable[str], seed: int, purpose: str) -> list[str]:
    """Tracks in an order that looks random and is the same everywhere: by SHA-256 of purpose, seed and track."""
    return sorted(tracks, key=lambda track: (_digest(purpose, str(seed), track), track))


def draw(strata: Mapping[str, Stratum], size: int, seed: int) -> Drawn:
    """`size` tracks (or all there are) out of `strata`, which gives each track's stratum."""
    members: dict[Stratum, list[str]] = {}
    for track, stratum in strata.items():
        members.setdefault(stratum, []).append(track)
    sizes = {name: len(members[name]) for name in sorted(members, key=lambda each: (len(members[each]), each))}
    taken = quotas(sizes, size)
    tracks = [track for name in sizes for track in shuffled(members[name], seed, "stratum")[: taken[name]]]
    return Drawn(tuple(tracks), sizes, taken)


def fill(pool: Iterable[str], taken: Iterable[str], seed: int) -> Iterator[str]:
    """What is left of `pool` in random order: who takes the place of a track that had to go."""
    gone = frozenset(taken)
    yield from shuffled((track for track in pool if track not in gone), seed, "fill")


def _digest(*parts: str) -> bytes:
    return hashlib.sha256(SEPARATOR.join(parts).encode("utf-8", "surrogatepass")).digest()
