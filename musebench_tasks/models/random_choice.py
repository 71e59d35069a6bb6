"""Answers by chance, the same way every time: what knowing nothing is worth.

Every draw is a SHA-256 of the request's key and a counter: no library's generator, so the same on every platform.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, Limits, Modality, Request, Response
from musebench_tasks.models.protocol import answered

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup

TONICS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
METRES = ("2/4", "3/4", "4/4", "6/8")
LABELS = ("intro", "verse", "chorus", "bridge", "outro")
SLOWEST_BPM, FASTEST_BPM = 40, 200
FEWEST_SEGMENTS, MOST_SEGMENTS = 4, 12
FEWEST_CHOSEN, MOST_CHOSEN = 2, 4


class Draws:
    """Numbers that follow from a text alone."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._drawn = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 to bound − 1, every one as likely (to within 2⁻²⁰⁰)."""
        self._drawn += 1
        return int(hashlib.sha256(f"{self._seed}|{self._drawn}".encode()).hexdigest(), 16) % bound

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def some(self, values: list[Any], count: int) -> list[Any]:
        """`count` of `values` without replacement, every subset as likely, in the order of `values`."""
        places = list(range(len(values)))
        chosen = [places.pop(self.below(len(places))) for _ in range(count)]
        return [values[place] for place in sorted(chosen)]


class RandomModel:
    """The model spec `random`. Takes any media and looks at none."""

    name = "random"
    revision = "1"
    kinds = frozenset(Kind)
    limits = Limits(modalities=frozenset(Modality))
    distinguishes_runs = True

    def answer(self, group: MediaGroup) -> Iterator[Response]:
        """One random answer a request."""
        for request in group.requests:
            yield answered(request, random_text(request), finish_reason="stop")


def random_text(request: Request) -> str:
    """A uniform letter, a random set of letters, or a JSON object with values in range."""
    draws = Draws(request.key)
    if request.kind is Kind.MUSIC:
        values = _music(draws, request.media_s)
        return json.dumps({field: values[field] for field in request.fields})
    labels = list(request.labels)
    if request.kind is Kind.SINGLE:
        return str(labels[draws.below(len(labels))])
    count = draws.between(min(FEWEST_CHOSEN, len(labels)), min(MOST_CHOSEN, len(labels)))
    return ", ".join(draws.some(labels, count))


def _music(draws: Draws, duration_s: float) -> dict[str, Any]:
    """All fields, always drawn in the same order, so that asking fewer changes none."""
    return {
        "tempo": draws.between(SLOWEST_BPM, FASTEST_BPM),
        "key": f"{TONICS[draws.below(len(TONICS))]} {('major', 'minor')[draws.below(2)]}",
        "time_signature": METRES[draws.below(len(METRES))],
        "segments": _segments(draws, int(duration_s)),
    }


def _segments(draws: Draws, seconds: int) -> list[dict[str, Any]]:
    """The whole seconds of the recording, cut at random whole seconds."""
    if seconds < 1:
        return []
    count = min(draws.between(FEWEST_SEGMENTS, MOST_SEGMENTS), seconds)
    edges = [0, *draws.some(list(range(1, seconds)), count - 1), seconds]
    return [
        {"start": start, "end": end, "label": LABELS[draws.below(len(LABELS))]}
        for start, end in itertools.pairwise(edges)
    ]


def load(argument: str) -> RandomModel:
    """The model `random`."""
    if argument:
        raise InputError(f'model "random:{argument}": random takes no argument. Write random.')
    return RandomModel()
