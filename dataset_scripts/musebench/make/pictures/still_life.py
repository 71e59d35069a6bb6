"""A still life drawn by own code: a laid table in the light of one window on the left, dark towards the right.

Rays are marched through signed distances (lengths in widths of a hand, x to the right, y up, z towards the viewer).
Numpy alone, double precision, no chance.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Field = npt.NDArray[np.float64]
WIDTH, HEIGHT = 800, 500
_EYE = (0.0, 2.15, 8.4)
_TARGET_SLOPE = -0.155
"""How far the middle ray sinks for every length it goes into the picture."""
_LENS = 2.05
_TABLE_EDGE_Z = 1.35
_WALL_Z = -1.9
_LIGHT = (-6.2, 4.6, 3.6)
_LIGHT_POINTS = ((0.0, 0.0), (0.8, 0.5), (-0.8, -0.5), (-0.5, 0.8), (0.5, -0.8))
"""Places on the window from its middle: along z, and up."""
_STEPS, _SHADOW_STEPS = 64, 24
_FAR = 16.0


class Thing(NamedTuple):
    """An object on the table: its distance from points, its colour, and how it shines."""

    distance: Callable[[Field], Field]
    colour: tuple[float, float, float]
    gloss: float = 0.15
    """0 for chalk, 1 for polished metal."""


def _length(x: Field, y: Field, z: Field) -> Field:
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def _blend(first: Field, second: Field, softness: float) -> Field:
    """The union of two distances with a soft seam."""
    share = np.clip(0.5 + 0.5 * (second - first) / softness, 0, 1)
    return second + share * (first - second) - softness * share * (1 - share)


def ball(x: float, y: float, z: float, radius: float, squash: float = 1.0) -> Callable[[Field], Field]:
    """A ball, `squash` times as high as wide."""
    scale = min(1.0, squash)
    return lambda p: (_length(p[0] - x, (p[1] - y) / squash, p[2] - z) - radius) * scale


def rod(start: tuple[float, float, float], end: tuple[float, float, float], radius: float) -> Callable[[Field], Field]:
    """A rod with round ends."""
    a = np.array(start)
    axis = np.array(end) - a
    squared = float((axis * axis).sum())

    def distance(p: Field) -> Field:
        x, y, z = (p[i] - a[i] for i in range(3))
        along = np.clip((x * axis[0] + y * axis[1] + z * axis[2]) / squared, 0, 1)
        return _length(x - along * axis[0], y - along * axis[1], z - along * axis[2]) - radius

    return distance


def turned(x: float, z: float, corners: tuple[tuple[float, float, float], ...]) -> Callable[[Field], Field]:
    """A turned vessel: a wall along a smooth line through (radius from the axis, height, thickness)."""
    profile = _smooth_line(np.array(corners))

    def distance(p: Field) -> Field:
        radial = np.sqrt((p[0] - x) ** 2 + (p[2] - z) ** 2)
        found = np.full(radial.shape, _FAR)
        for (r0, y0, t0), (r1, y1, t1) in pairwise(profile):
            dr, dy = r1 - r0, y1 - y0
            along = np.clip(((radial - r0) * dr + (p[1] - y0) * dy) / (dr * dr + dy * dy), 0, 1)
            gap = np.sqrt((radial - r0 - along * dr) ** 2 + (p[1] - y0 - along * dy) ** 2)
            found = np.minimum(found, gap - (t0 + along * (t1 - t0)))
        return found * 0.9

    return distance


def _smooth_line(corners: Field) -> list[Field]:
    """A line through the corners without kinks (Catmull-Rom), five pieces between two corners."""
    padded = np.concatenate([corners[:1], corners, corners[-1:]])
    points: list[Field] = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for t in (0.0, 0.2, 0.4, 0.6, 0.8):
            point = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
            points.append(point)
    return [*points, corners[-1]]


def pear(p: Field) -> Field:
    """A leaning pear."""
    return np.asarray(_blend(ball(-1.62, 0.5, 0.55, 0.5)(p), ball(-1.5, 1.12, 0.5, 0.24)(p), 0.42) * 0.9)


def half_lemon(p: Field) -> Field:
    """Half a lemon, its cut face towards the viewer and the light."""
    whole = ball(-0.75, 0.38, 0.85, 0.38)(p)
    cut = (p[2] - 0.95) * 0.8 + (p[1] - 0.38) * 0.25 - (p[0] + 0.75) * 0.54
    return np.asarray(np.maximum(whole, cut))


def skull(p: Field) -> Field:
    """A skull turned a little to the light."""
    x, y, z = p[0] - 1.95, p[1] - 0.88, p[2] - 0.1
    q = np.stack([0.94 * x + 0.34 * z, y, -0.34 * x + 0.94 * z])
    dome = _length(q[0] * 1.06, (q[1] - 0.1) * 1.08, (q[2] + 0.14) * 0.84) - 0.66
    face = _length(q[0] * 1.15, (q[1] + 0.38) * 0.9, q[2] - 0.36) - 0.38
    jaw = _length(q[0] * 1.1, (q[1] + 0.72) * 1.3, q[2] - 0.38) - 0.3
    body = _blend(_blend(dome, face, 0.22), jaw, 0.12)
    for side in (-1, 1):
        cheek = _length(q[0] - side * 0.31, (q[1] + 0.27) * 1.4, q[2] - 0.44) - 0.12
        body = _blend(body, cheek, 0.1)
        socket = _length(q[0] - side * 0.22, (q[1] + 0.08) * 1.05, q[2] - 0.66) - 0.185
        body = -_blend(-body, socket, 0.05)
    nose = _length(q[0] * 1.5, (q[1] + 0.37) * 0.85, q[2] - 0.74) - 0.1
    body = -_blend(-body, nose, 0.03)
    mouth = np.maximum(np.maximum(np.abs(q[1] + 0.64) - 0.014, np.abs(q[0]) - 0.17), 0.45 - q[2])
    return np.asarray(np.maximum(body, -mouth)) * 0.75


def apple(x: float, z: float) -> Callable[[Field], Field]:
    """An apple with its hollow on top."""
    body, hollow = ball(x, 0.44, z, 0.47, 0.92), ball(x + 0.03, 0.98, z + 0.05, 0.2)
    return lambda p: -_blend(-body(p), hollow(p), 0.12)


_JUG = (
    (0.0, 0.06, 0.06),
    (0.48, 0.06, 0.05),
    (0.74, 0.62, 0.07),
    (0.62, 1.15, 0.07),
    (0.28, 1.55, 0.07),
    (0.25, 2.0, 0.05),
    (0.4, 2.22, 0.045),
)
_GOBLET = (
    (0.0, 0.04, 0.04),
    (0.42, 0.05, 0.035),
    (0.08, 0.2, 0.05),
    (0.06, 0.72, 0.045),
    (0.33, 0.93, 0.045),
    (0.42, 1.3, 0.035),
    (0.37, 1.62, 0.03),
)
_DISH = ((0.0, 0.05, 0.05), (0.5, 0.06, 0.05), (0.52, 0.16, 0.04))
THINGS = (
    Thing(turned(-2.75, -0.35, _JUG), (0.36, 0.19, 0.09), 0.8),
    Thing(pear, (0.62, 0.56, 0.16), 0.25),
    Thing(half_lemon, (0.93, 0.76, 0.16), 0.3),
    Thing(apple(-0.2, -0.35), (0.62, 0.11, 0.06), 0.45),
    Thing(rod((-1.58, 1.3, 0.48), (-1.72, 1.62, 0.5), 0.035), (0.22, 0.15, 0.06)),
    Thing(turned(0.75, -0.1, _GOBLET), (0.52, 0.50, 0.46), 0.95),
    Thing(skull, (0.80, 0.71, 0.53), 0.12),
    Thing(rod((-0.1, 0.07, 0.75), (0.42, 0.06, 1.3), 0.035), (0.6, 0.6, 0.6), 0.9),
    Thing(rod((0.42, 0.07, 1.3), (0.95, 0.04, 1.86), 0.075), (0.30, 0.16, 0.08), 0.4),
    Thing(turned(3.0, 0.25, _DISH), (0.5, 0.38, 0.18), 0.8),
    Thing(rod((3.0, 0.1, 0.25), (3.0, 1.12, 0.25), 0.15), (0.88, 0.82, 0.66), 0.2),
    Thing(rod((3.0, 1.2, 0.25), (3.03, 1.36, 0.25), 0.02), (0.08, 0.07, 0.06)),
)
_ROOM = ((0.30, 0.20, 0.12), (0.25, 0.22, 0.17), (0.20, 0.13, 0.08))
"""Colours of the table's top, of the wall, and of the table's front."""


def table(p: Field) -> Field:
    """The table: everything below its top and behind its front edge."""
    return np.asarray(np.maximum(p[1], p[2] - _TABLE_EDGE_Z))


def wall(p: Field) -> Field:
    """The wall behind."""
    return np.asarray(p[2] - _WALL_Z)


def scene(p: Field) -> Field:
    """Distance of points from anything."""
    found = np.minimum(table(p), wall(p))
    for thing in THINGS:
        found = np.minimum(found, thing.distance(p))
    return found


def march(origin: Field, direction: Field) -> Field:
    """How far each ray goes until it meets something."""
    travelled = np.full(direction.shape[1], 3.0)
    for _ in range(_STEPS):
        travelled = np.minimum(travelled + scene(origin + direction * travelled), _FAR)
    return travelled


def normals(p: Field) -> Field:
    """The directions in which surfaces face; the wide step rounds every edge a little."""
    step = 0.02
    slopes = []
    for axis in range(3):
        shift = np.zeros((3, 1))
        shift[axis] = step
        slopes.append(scene(p + shift) - scene(p - shift))
    found = np.stack(slopes)
    return np.asarray(found / np.maximum(_length(*found), 1e-9))


def light_share(p: Field, normal: Field) -> tuple[Field, Field]:
    """How much window light reaches points (0 to 1), and the mean direction to it."""
    total = np.zeros(p.shape[1])
    start = p + normal * 0.02
    for along, up in _LIGHT_POINTS:
        total += _visible(start, np.array(_LIGHT)[:, None] + np.array([[0.0], [up], [along]]))
    towards = np.array(_LIGHT)[:, None] - p
    return total / len(_LIGHT_POINTS), towards / _length(*towards)


def _visible(start: Field, source: Field) -> Field:
    """Whether nothing stands between points and one point of the window, soft at the edges of shadows."""
    towards = source - start
    reach = _length(*towards)
    direction = towards / reach
    travelled, free = np.full(start.shape[1], 0.05), np.ones(start.shape[1])
    for _ in range(_SHADOW_STEPS):
        clearance = scene(start + direction * travelled)
        free = np.minimum(free, np.clip(14 * clearance / travelled + 0.5, 0, 1))
        travelled += np.clip(clearance, 0.03, 0.6)
    return np.asarray(np.where(free < 0.06, 0, free))


def surface(p: Field, normal: Field) -> tuple[Field, Field]:
    """Colour (3 rows) and gloss of the points of surfaces."""
    distances = np.stack([table(p), wall(p), *(thing.distance(p) for thing in THINGS)])
    nearest = distances.argmin(axis=0)
    front = (nearest == 0) & (normal[2] > 0.6)
    colours = np.array([_ROOM[0], _ROOM[1], *(thing.colour for thing in THINGS)]).T[:, nearest]
    colours = np.where(front, np.array(_ROOM[2])[:, None], colours)
    gloss = np.array([0.12, 0.0, *(thing.gloss for thing in THINGS)])[nearest]
    return details(p, normal, nearest - 2, colours), gloss


def details(p: Field, normal: Field, thing: npt.NDArray[np.int64], colours: Field) -> Field:
    """Painted detail: wedges of the lemon, blush of the pear, bruise of the apple, grain of the table."""
    lemon_face = (thing == 2) & (normal[2] > 0.65) & (normal[1] < 0.45)
    across, up = p[0] + 0.75 - 0.1, p[1] - 0.38
    radius, angle = np.sqrt(across**2 + up**2), np.arctan2(up, across)
    wedge = np.abs(np.sin(4.5 * angle)) > 0.28
    flesh = np.where(radius > 0.30, 0.97, np.where(wedge & (radius > 0.04), 0.80, 0.95))
    lemon = np.stack([0.98 * flesh, 0.88 * flesh, np.where(radius > 0.30, 0.72, 0.34 * flesh)])
    colours = np.where(lemon_face, lemon, colours)
    bruise = np.clip(1.6 - 5.5 * _length(p[0] - 0.06, p[1] - 0.52, p[2] - 0.02), 0, 1) * (thing == 3)
    colours = colours * (1 - 0.75 * bruise) + np.array([[0.16], [0.09], [0.04]]) * 0.75 * bruise
    blush = np.clip(1.2 - 1.6 * _length(p[0] + 1.95, p[1] - 0.45, p[2] - 0.85), 0, 1) * (thing == 1)
    colours = colours * (1 - 0.5 * blush) + np.array([[0.72], [0.30], [0.10]]) * 0.5 * blush
    grain = 0.86 + 0.14 * np.sin(9 * p[2] + 1.7 * np.sin(1.3 * p[0]) + 2 * np.sin(31 * p[2]))
    return np.asarray(np.where(thing == -2, colours * grain, colours))


def shade(p: Field, direction: Field) -> Field:
    """The light (3 rows) that points send to the eye."""
    normal = normals(p)
    colours, gloss = surface(p, normal)
    share, towards = light_share(p, normal)
    distance = _length(*(np.array(_LIGHT)[:, None] - p))
    strength = 62.0 / (distance**2) * np.clip(1.25 - 0.2 * (p[0] + 3.2), 0.05, 1.3)
    facing = np.clip((normal * towards).sum(axis=0), 0, 1)
    half = towards - direction
    half = half / _length(*half)
    shine = gloss * np.clip((normal * half).sum(axis=0), 0, 1) ** (20 + 90 * gloss)
    warm, cool = np.array([[1.0], [0.9], [0.72]]), np.array([[0.016], [0.017], [0.02]])
    bounce = (
        np.array([[0.05], [0.034], [0.018]]) * np.clip(0.6 - normal[1], 0, 1.5) * np.clip(0.5 - 0.16 * p[0], 0.02, 1)
    )
    return np.asarray(colours * (warm * strength * facing * share + cool + bounce) + warm * strength * shine * share)


def render(width: int = WIDTH, height: int = HEIGHT) -> Field:
    """Linear light, height x width x 3."""
    columns = (np.arange(width) + 0.5) / width * 2 - 1
    rows = (1 - (np.arange(height) + 0.5) / height * 2) * height / width
    across, up = np.meshgrid(columns, rows)
    direction = np.stack([across.ravel(), up.ravel() + _TARGET_SLOPE * _LENS, np.full(across.size, -_LENS)])
    direction /= _length(*direction)
    origin = np.array(_EYE)[:, None]
    p = origin + direction * march(origin, direction)
    return np.clip(shade(p, direction), 0, None).T.reshape(height, width, 3)
