"""A composition of bars drawn by own code: a strict grid that gives way around one small red square.

Pillow draws it four times as large and reduces it; unevenness of the paint comes from whole-number arithmetic.
"""

import math

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 1120, 700
_SCALE = 4
_GROUND, _RED, _LINE = (226, 220, 205), (196, 44, 32), (40, 44, 52)
_BLUES = ((60, 78, 100), (72, 92, 114), (52, 68, 90), (84, 104, 124))
_COLUMNS, _ROWS = 15, 4
_RED_AT, _RED_SIZE = (880.0, 425.0), 46.0
_CLEARING = 330.0
"""Bars nearer than this to the red square lean away from it; the nearest are left out."""
_EMPTY = 120.0


def bars() -> npt.NDArray[np.uint8]:
    """The picture's pixels, height x width x RGB."""
    image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), _GROUND)
    draw = ImageDraw.Draw(image)
    for column in range(_COLUMNS):
        for row in range(_ROWS):
            x, y = 62 + column * 69.0, 100 + row * 166.0
            reach = math.hypot(x - _RED_AT[0], 0.8 * (y - _RED_AT[1]))
            if reach > _EMPTY:
                _bar(draw, x, y, reach, _BLUES[(3 * column + 5 * row) % len(_BLUES)])
    _polygon(draw, *_RED_AT, _RED_SIZE, _RED_SIZE, 12, _RED)
    flat = np.asarray(image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)).astype(np.int32)
    return np.asarray(np.clip(flat + _paint()[..., None], 0, 255), dtype=np.uint8)


def _bar(draw: ImageDraw.ImageDraw, x: float, y: float, reach: float, colour: tuple[int, int, int]) -> None:
    """An upright bar, leaning and pushed away where the red square is near."""
    push = max(0.0, 1 - reach / _CLEARING)
    away = (x - _RED_AT[0]) / reach
    _polygon(draw, x + 46 * push * away, y, 24, 138, 48 * push * away, colour)


def _polygon(
    draw: ImageDraw.ImageDraw,
    x: float,
    y: float,
    width: float,
    height: float,
    degrees: float,
    colour: tuple[int, int, int],
) -> None:
    """A rectangle around a point, turned clockwise."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    corners = [(sx * width / 2, sy * height / 2) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    draw.polygon(
        [(_SCALE * (x + cosine * u - sine * v), _SCALE * (y + sine * u + cosine * v)) for u, v in corners], fill=colour
    )


def _paint() -> npt.NDArray[np.int32]:
    """The unevenness of a painted surface: coarse upright strokes of a few grey levels."""
    generator = np.random.default_rng(42)
    coarse = generator.integers(0, 256, (HEIGHT // 14, WIDTH // 3), dtype=np.uint8)
    strokes = Image.fromarray(coarse).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    return np.asarray((np.asarray(strokes).astype(np.int32) - 128) * 7 // 128)
