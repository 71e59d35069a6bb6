"""Light as masks over the picture: pools, beams, washes, patterns, edges and cast shadows. Masks are HxW, 0 to 1."""

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageFilter

from dataset_scripts.musebench.make.scenes.canvas import Colour, Plane, Point
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, WIDTH

ROWS, COLUMNS = (axis.astype(np.float32) for axis in np.mgrid[0:HEIGHT, 0:WIDTH])
"""The y and the x of every pixel."""


def eased(values: Plane) -> Plane:
    """Level ends for a plane of shares, held between 0 and 1."""
    held = np.clip(values, 0, 1)
    return np.asarray(held * held * (3 - 2 * held), dtype=np.float32)


def pool(centre: Point, radius: float, flat: float = 1.0, softness: float = 0.35) -> Plane:
    """A round pool of light; its edge fades over `softness` of the radius."""
    distance = np.hypot(COLUMNS - centre[0], (ROWS - centre[1]) / np.float32(flat)) / np.float32(max(radius, 0.5))
    return eased((1 + softness / 2 - distance) / np.float32(softness))


def halo(centre: Point, radius: float, flat: float = 1.0) -> Plane:
    """Light that falls off from its centre without an edge; nothing beyond three radii."""
    mask = np.zeros((HEIGHT, WIDTH), np.float32)
    reach = 3 * radius
    left, right = max(0, int(centre[0] - reach)), min(WIDTH, int(centre[0] + reach) + 2)
    top, bottom = max(0, int(centre[1] - reach * flat)), min(HEIGHT, int(centre[1] + reach * flat) + 2)
    if left >= right or top >= bottom:
        return mask
    across = np.exp(-(((COLUMNS[0, left:right] - centre[0]) / np.float32(radius)) ** 2))
    down = np.exp(-(((ROWS[top:bottom, 0] - centre[1]) / np.float32(radius * flat)) ** 2))
    mask[top:bottom, left:right] = down[:, None] * across[None, :]
    return mask


def beam(lamp: Point, target: Point, width_at_lamp: float, width_at_target: float, softness: float = 0.5) -> Plane:
    """A cone of lit air from a lamp to a target (half widths in pixels), fainter with distance."""
    dx, dy = target[0] - lamp[0], target[1] - lamp[1]
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    along = ((COLUMNS - lamp[0]) * np.float32(ux) + (ROWS - lamp[1]) * np.float32(uy)) / np.float32(length)
    across = np.abs((ROWS - lamp[1]) * np.float32(ux) - (COLUMNS - lamp[0]) * np.float32(uy))
    half = width_at_lamp + (width_at_target - width_at_lamp) * np.clip(along, 0, 1.5)
    inside = eased((1 - across / half) / np.float32(softness))
    fade = np.clip(1 - 0.55 * along, 0.25, 1)
    ends = eased((along + 0.02) * 40) * eased((1.03 - along) * 12)
    return np.asarray(inside * fade * ends, dtype=np.float32)


def slope(start: Point, end: Point) -> Plane:
    """0 at `start`, 1 at `end`, eased between: a wash that fades across the stage."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    share = ((COLUMNS - start[0]) * np.float32(dx) + (ROWS - start[1]) * np.float32(dy)) / np.float32(dx * dx + dy * dy)
    return eased(share)


def corners(strength: float = 1.0, inner: float = 0.55) -> Plane:
    """1 in the corners, 0 in the middle: a vignette."""
    distance = np.hypot((COLUMNS - WIDTH / 2) / (WIDTH * 0.62), (ROWS - HEIGHT / 2) / (HEIGHT * 0.62))
    return eased((distance - inner) / (1.1 - inner)) * np.float32(strength)


def blurred(mask: Plane, radius: float) -> Plane:
    """The mask with soft edges."""
    image = Image.fromarray(np.asarray(np.clip(mask, 0, 1) * 255, dtype=np.uint8))
    return np.asarray(image.filter(ImageFilter.GaussianBlur(radius)), dtype=np.float32) / np.float32(255)


def shifted(mask: Plane, right: int, down: int) -> Plane:
    """The mask moved by whole pixels, 0 where nothing was."""
    moved = np.zeros_like(mask)
    height, width = mask.shape
    moved[max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)] = mask[
        max(-down, 0) : height + min(-down, 0), max(-right, 0) : width + min(-right, 0)
    ]
    return moved


def edge(mask: Plane, right: int, down: int, softness: float = 0.7) -> Plane:
    """The rim of a shape that faces away from (right, down): what light from the other side catches."""
    return mask * (1 - blurred(shifted(mask, right, down), softness))


def cast(mask: Plane, ground: float, lean: float, length: float, softness: float = 1.2) -> Plane:
    """The shadow of upright shapes on the floor: leaning right by `lean` and `length` as long, hinged at row `ground`.

    A negative length throws the shadow upward (behind), a positive one towards the viewer.
    """
    image = Image.fromarray(np.asarray(mask * 255, dtype=np.uint8))
    inverse = 1 / length
    # output (x, y) -> input: the row above the ground is (y - ground) / length, its x moves back by the lean
    matrix = (1.0, -lean * inverse, lean * inverse * ground, 0.0, -inverse, ground + ground * inverse)
    moved = image.transform((WIDTH, HEIGHT), Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR)
    return blurred(np.asarray(moved, dtype=np.float32) / np.float32(255), softness)


class Rig:
    """The light on a surface: an ambient colour and lamps added to it."""

    def __init__(self, ambient: Colour) -> None:
        self.light: Plane = np.broadcast_to(np.array(ambient, np.float32), (HEIGHT, WIDTH, 3)).copy()

    def add(self, mask: Plane | float, colour: Colour, strength: float = 1.0) -> "Rig":
        """Light of a colour where the mask is."""
        amount = np.array(colour, np.float32) * np.float32(strength)
        self.light += mask[..., None] * amount if isinstance(mask, np.ndarray) else amount * np.float32(mask)
        return self

    def block(self, shadow: Plane, strength: float = 1.0) -> "Rig":
        """Take light away where the shadow is."""
        self.light *= (1 - shadow * np.float32(strength))[..., None]
        return self


def bars(points: Sequence[float], width: float, lean: float, top: float) -> Plane:
    """A pattern of upright bars leaning away from row `top`: 1 between the bars, 0 on them."""
    across = COLUMNS - (ROWS - top) * np.float32(lean)
    blocked = np.zeros((HEIGHT, WIDTH), np.float32)
    for point in points:
        blocked = np.maximum(blocked, eased((width - np.abs(across - point)) / 2.0 + 0.5))
    return 1 - blocked
