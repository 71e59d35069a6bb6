"""One value for a recording whose segments have values of their own (MU-07).

The value of most segments is the recording's. Ties: the value that lasts longest in all, then the one that begins
earliest. Times are whole microseconds, so that a tie is one on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Stretch(NamedTuple):
    """A value that holds for one segment."""

    value: str
    """In canonical spelling, so that equal values are equal texts."""
    start: int
    """Microseconds."""
    end: int

    @property
    def length(self) -> int:
        """Microseconds; 0 where the times are turned round."""
        return max(0, self.end - self.start)


class Modal(NamedTuple):
    """The value that stands for a recording, and whether its segments have others too."""

    value: str
    is_one_of_several: bool


def modal_value(stretches: Iterable[Stretch]) -> Modal | None:
    """The value of most stretches; None where there are none.

    Ties: longest total duration, then earliest start, then (two values of one and the same time) the smaller text.
    """
    counts: dict[str, int] = {}
    lengths: dict[str, int] = {}
    starts: dict[str, int] = {}
    for each in stretches:
        counts[each.value] = counts.get(each.value, 0) + 1
        lengths[each.value] = lengths.get(each.value, 0) + each.length
        starts[each.value] = min(starts.get(each.value, each.start), each.start)
    if not counts:
        return None
    best = min(counts, key=lambda value: (-counts[value], -lengths[value], starts[value], value))
    return Modal(best, len(counts) > 1)
