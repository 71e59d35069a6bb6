"""How the number of prompt tokens grows with what is sent: even growth means that all of it arrives.

Pure: amounts (pictures, or seconds of sound) and the tokens that the server counted for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from musebench_tasks.base.records.base import Record

TOLERANCE = 0.05
"""Growth may fall short by so much, and by ROUNDING tokens a step."""
ROUNDING = 2
FLAT = 0.02
"""Growth below this share of the first is none."""
LONGEST_PAIR = 2
"""Film encoders that take pictures two by two count one as much as two."""


class Point(Record):
    """A request: how much was sent, and what the server counted."""

    amount: int
    tokens: int | None
    """Tokens of the whole prompt; None = not told."""
    latency_s: float | None = None


class Shape(StrEnum):
    """What the growth looks like."""

    EVEN = "even"
    CAPPED = "capped"
    """Even, then none at all."""
    FALLING = "falling"
    """Even, then less."""
    CONSTANT = "constant"
    """One amount counts like all others."""
    STEPPED = "stepped"
    """Counted in large pieces: flat over small amounts, then more."""
    ABSENT = "absent"
    """Sending it or not is the same."""
    UNTOLD = "untold"
    """The server counts nothing, or too little was sent to tell."""


class Growth(Record):
    """The judgement over a row of points."""

    shape: Shape
    per_unit: float | None = None
    """Tokens a picture or second, where growth was even."""
    even_until: int | None = None
    arrived: int | None = None
    """How much of the largest amount the tokens account for; None = the tokens do not tell."""


def judge(points: Sequence[Point]) -> Growth:
    """The growth over points of rising amounts, the first of which is 0."""
    told = [(point.amount, point.tokens) for point in points if point.tokens is not None]
    if len(told) < len(points) or len(told) < 2 or told[0][0]:
        return Growth(shape=Shape.UNTOLD)
    (_, without), *rest = told
    largest, most = rest[-1]
    if most - without <= ROUNDING:
        return Growth(shape=Shape.ABSENT, arrived=0)
    if len(rest) == 1:
        return Growth(shape=Shape.UNTOLD)
    flat_until = _flat_until(rest)
    if flat_until == largest and largest > LONGEST_PAIR:
        return Growth(shape=Shape.CONSTANT)
    if flat_until > LONGEST_PAIR:
        return Growth(shape=Shape.STEPPED)
    return _judge_steps([pair for pair in rest if pair[0] >= flat_until])


def _flat_until(points: Sequence[tuple[int, int]]) -> int:
    """The largest amount that counts no more than the smallest."""
    first = points[0][1]
    return max(amount for amount, tokens in points if abs(tokens - first) <= ROUNDING)


def _judge_steps(points: Sequence[tuple[int, int]]) -> Growth:
    largest, most = points[-1]
    if len(points) == 1:
        return Growth(shape=Shape.UNTOLD)
    (first, tokens), (second, more) = points[:2]
    per_unit = (more - tokens) / (second - first)
    for (start, before), (end, after) in pairwise(points):
        wanted = per_unit * (end - start)
        if after - before < wanted * (1 - TOLERANCE) - ROUNDING:
            stays = abs(most - after) <= FLAT * per_unit * (largest - end) + ROUNDING
            arrived = round(first + (most - tokens) / per_unit)
            return Growth(
                shape=Shape.CAPPED if stays and after >= before else Shape.FALLING,
                per_unit=per_unit,
                even_until=start,
                arrived=max(0, min(largest, arrived)),
            )
    return Growth(shape=Shape.EVEN, per_unit=per_unit, even_until=largest, arrived=largest)
