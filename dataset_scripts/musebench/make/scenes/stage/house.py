"""The theatre that all stage scenes share: floor boards, a back wall or cyclorama, curtains at the sides."""

from functools import cache

import numpy as np

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Colour, Layer, Plane, blend, hexed
from dataset_scripts.musebench.make.scenes.light import ROWS, eased
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, WIDTH

HORIZON = 178
"""The row where the floor meets the back."""
PLANK, JOINT, VELVET = hexed("6b4a38"), hexed("4a3226"), hexed("8c1f2b")
VANISHING = (WIDTH / 2, 60.0)


@cache
def boards(colour: Colour = PLANK, joint: Colour = JOINT) -> Layer:
    """The floor, its boards running towards one point."""
    canvas = Canvas()
    canvas.box(0, HORIZON, WIDTH, HEIGHT, colour)
    for number in range(-14, 15):
        foot = WIDTH / 2 + number * 52
        share = (HORIZON - VANISHING[1]) / (HEIGHT - VANISHING[1])
        top = VANISHING[0] + (foot - VANISHING[0]) * share
        canvas.line([(top, HORIZON), (foot, HEIGHT)], 1.2, joint)
    return canvas.layer()


@cache
def backdrop(colour: Colour, folds: int = 0) -> Layer:
    """The back: a smooth cyclorama, or a drape with folds."""
    canvas = Canvas()
    canvas.box(0, 0, WIDTH, HORIZON, colour)
    dark, light = blend(colour, (0, 0, 0), 0.35), blend(colour, (1, 1, 1), 0.06)
    for number in range(folds):
        left, width = number * WIDTH / folds, WIDTH / folds
        canvas.box(left, 0, left + width * 0.3, HORIZON, dark)
        canvas.box(left + width * 0.62, 0, left + width * 0.86, HORIZON, light)
    return canvas.layer()


@cache
def curtains(width: float = 54, colour: Colour = VELVET) -> Layer:
    """Two gathered curtains and a border across the top."""
    canvas = Canvas()
    shades = [blend(colour, (0, 0, 0), part) for part in (0.0, 0.28, 0.5, 0.2)]
    for side in (0, 1):
        for number in range(6):
            left, right = number * width / 6, (number + 1) * width / 6
            flare = 4 * (number + 1) / 6
            corners = [(left, 0.0), (right, 0.0), (right + flare, HEIGHT), (left + flare - 1, HEIGHT)]
            placed = [(WIDTH - x, y) if side else (x, y) for x, y in corners]
            canvas.polygon(placed, shades[number % 4])
    for number in range(12):
        left = number * WIDTH / 12
        canvas.box(left, -20, left + WIDTH / 12 + 1, 17, shades[number % 2])
        canvas.disc((left + WIDTH / 24, 16), WIDTH / 24, shades[number % 2], 0.36)
    return canvas.layer()


FLOOR: Plane = np.asarray(ROWS >= HORIZON, dtype=np.float32)
"""1 on the floor."""
WALL: Plane = 1 - FLOOR
"""1 on the back."""
NEAR: Plane = eased((ROWS - HORIZON) / (HEIGHT - HORIZON)) * FLOOR
"""How near the floor is to the viewer."""
