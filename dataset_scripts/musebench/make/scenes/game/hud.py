"""What a game lays over its picture: hearts, bars, counters, particles. Coordinates are those of the screen."""

import math
from collections.abc import Sequence

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Colour, Point, hexed

INK, PAPER = hexed("101318"), hexed("f2efe6")
_DIGITS = {
    "0": "111101101101111",
    "1": "010110010010111",
    "2": "111001111100111",
    "3": "111001111001111",
    "4": "101101111001001",
    "5": "111100111001111",
    "6": "111100111101111",
    "7": "111001010010010",
    "8": "111101111101111",
    "9": "111101111001111",
}
"""Three by five dots a digit, row by row."""


def number(canvas: Canvas, value: int, at: Point, dot: float, colour: Colour, digits: int = 1) -> None:
    """A counter in square dots, padded with zeros."""
    for place, digit in enumerate(str(value).zfill(digits)):
        for index, lit in enumerate(_DIGITS[digit]):
            if lit == "1":
                left, top = at[0] + (place * 4 + index % 3) * dot, at[1] + index // 3 * dot
                canvas.box(left, top, left + dot, top + dot, colour)


def heart(canvas: Canvas, at: Point, size: float, colour: Colour) -> None:
    """A heart around a point."""
    x, y = at
    for side in (-1, 1):
        canvas.disc((x + side * size * 0.42, y - size * 0.25), size * 0.48, colour)
    canvas.polygon(
        [(x - size * 0.84, y - 0.04 * size), (x + size * 0.84, y - 0.04 * size), (x, y + size * 0.95)], colour
    )


def hearts(canvas: Canvas, full: int, total: int, at: Point, size: float = 7.0) -> None:
    """A row of hearts, the lost ones dark."""
    for index in range(total):
        place = (at[0] + index * size * 2.5, at[1])
        heart(canvas, place, size * 1.3, INK)
        heart(canvas, place, size, hexed("e5484d") if index < full else hexed("3a3f47"))


def bar(
    canvas: Canvas, box: tuple[float, float, float, float], share: float, colour: Colour, ghost: float = 0.0
) -> None:
    """A bar filled from the left; `ghost` is the paler share that is just being lost."""
    left, top, right, bottom = box
    canvas.box(left - 2, top - 2, right + 2, bottom + 2, INK, 2)
    canvas.box(left, top, right, bottom, hexed("3a3f47"), 1)
    canvas.box(left, top, left + (right - left) * max(ghost, share), bottom, hexed("f3d9b0"), 1)
    canvas.box(left, top, left + (right - left) * share, bottom, colour, 1)


def coin(canvas: Canvas, at: Point, radius: float, turn: float) -> None:
    """A coin; `turn` from 0 (edge) to 1 (face)."""
    x, y = at
    width = max(radius * abs(turn), 1.0)
    canvas.box(x - width, y - radius, x + width, y + radius, hexed("c98a1b"), width)
    canvas.box(x - width * 0.7, y - radius * 0.75, x + width * 0.7, y + radius * 0.75, hexed("ffd24a"), width * 0.7)


def sparks(canvas: Canvas, at: Point, age: float, reach: float, colour: Colour, turns: Sequence[float]) -> None:
    """Fragments that fly apart from a point; `age` from 0 to 1, `turns` their directions."""
    if not 0 <= age < 1:
        return
    for index, turn in enumerate(turns):
        distance = reach * (0.5 + 0.5 * ((index * 37) % 10) / 10) * (1 - (1 - age) ** 2)
        x = at[0] + math.cos(2 * math.pi * turn) * distance
        y = at[1] + math.sin(2 * math.pi * turn) * distance + 22 * age * age
        canvas.disc((x, y), 3.4 * (1 - age) + 0.3, colour)


AROUND = tuple(index / 12 + 0.02 * (index % 3) for index in range(12))
"""Twelve directions, a little uneven."""
