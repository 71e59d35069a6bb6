"""A small ray caster: a floor, a ceiling, standing columns, and balls, lit by one lamp that is itself a ball.

x runs right, y up, z ahead; lengths in metres. Columns are endless cylinders, so that shadows can be found in plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dataset_scripts.musebench.make.scenes.canvas import Colour, Plane

Rays = npt.NDArray[np.float32]
"""N x 3."""
Parts = tuple[Plane, Plane, Plane]
"""The x, the y and the z of many vectors."""
FAR = np.float32(1e6)


@dataclass(frozen=True)
class Column:
    """A standing cylinder."""

    x: float
    z: float
    radius: float
    colour: Colour


@dataclass(frozen=True)
class Ball:
    """A sphere; `glow` is the light it gives off itself."""

    x: float
    y: float
    z: float
    radius: float
    colour: Colour
    glow: float = 0.0


@dataclass(frozen=True)
class World:
    """What there is to be seen, and the air between."""

    columns: Sequence[Column]
    blockers: Sequence[Column]
    """The columns that throw shadows."""
    balls: Sequence[Ball]
    lamp: tuple[float, float, float]
    lamp_colour: Colour
    lamp_power: float
    ambient: Colour
    air: Colour
    thickness: float
    """How fast things fade into the colour of the air, per metre."""
    stone: Colour
    ceiling: float


@dataclass
class Hit:
    """Where rays end: distance, surface normal, colour and own light, ray by ray."""

    distance: npt.NDArray[np.float32]
    normal: Rays
    colour: Rays
    glow: npt.NDArray[np.float32]
    floor: npt.NDArray[np.bool_]


def camera_rays(size: tuple[int, int], fine: int, yaw: float, pitch: float, opening: float) -> Rays:
    """Unit directions through the pixels of a picture, row by row, `fine` of them across each pixel.

    `opening` is half the picture's width at distance 1.
    """
    width, height = size[0] * fine, size[1]
    across, down = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    x = (across / width * 2 - 1) * opening
    y = -(down / height * 2 - 1) * opening * size[1] / size[0]
    z = np.ones_like(x)
    y, z = y * np.cos(pitch) + z * np.sin(pitch), z * np.cos(pitch) - y * np.sin(pitch)
    x, z = x * np.cos(yaw) + z * np.sin(yaw), z * np.cos(yaw) - x * np.sin(yaw)
    rays = np.stack([x, y, z], axis=-1).reshape(-1, 3).astype(np.float32)
    return np.asarray(rays / np.sqrt(_dot(rays, rays))[:, None], np.float32)


def _parts(vectors: Rays) -> Parts:
    """The x, y and z of vectors, each in one piece of memory."""
    x, y, z = (np.ascontiguousarray(vectors[:, axis]) for axis in range(3))
    return x, y, z


def _dot(first: Rays, second: Rays) -> Plane:
    """Scalar products, vector by vector."""
    return np.asarray(np.einsum("ij,ij->i", first, second), np.float32)


def cast_rays(world: World, start: Rays, rays: Rays) -> Hit:
    """The nearest thing on every ray."""
    count = len(rays)
    empty = np.zeros(count, np.float32)
    hit = Hit(np.full(count, FAR), np.zeros((count, 3), np.float32), np.zeros((count, 3), np.float32), empty, empty > 1)
    begin, along = _parts(start), _parts(rays)
    down = np.where(np.abs(along[1]) < 1e-5, np.float32(1e-5), along[1])
    for level, normal in ((0.0, 1.0), (world.ceiling, -1.0)):
        distance = (np.float32(level) - begin[1]) / down
        nearer = (distance > 1e-3) & (distance < hit.distance)
        hit.distance[nearer] = distance[nearer]
        hit.normal[nearer] = (0.0, normal, 0.0)
        hit.colour[nearer] = world.stone
        hit.floor |= nearer & (normal > 0)
        hit.floor &= ~(nearer & (normal < 0))
    flat = np.maximum(along[0] ** 2 + along[2] ** 2, np.float32(1e-6))
    for column in world.columns:
        _meet_column(hit, column, begin, along, flat)
    for ball in world.balls:
        _meet_ball(hit, ball, begin, along)
    return hit


def _roots(a: Plane | float, b: Plane, c: Plane) -> Plane:
    """The nearer positive solution of a t^2 + 2 b t + c = 0, FAR where there is none."""
    inside = b * b - a * c
    nearer = (-b - np.sqrt(np.maximum(inside, 0))) / a
    return np.where((inside > 0) & (nearer > 1e-3), nearer, FAR)


def _meet_column(hit: Hit, column: Column, begin: Parts, along: Parts, flat: Plane) -> None:
    x, z = begin[0] - np.float32(column.x), begin[2] - np.float32(column.z)
    distance = _roots(flat, x * along[0] + z * along[2], x * x + z * z - np.float32(column.radius**2))
    nearer = np.flatnonzero(distance < hit.distance)
    reach = distance[nearer]
    hit.distance[nearer] = reach
    hit.normal[nearer, 0] = (x[nearer] + reach * along[0][nearer]) / np.float32(column.radius)
    hit.normal[nearer, 1] = 0
    hit.normal[nearer, 2] = (z[nearer] + reach * along[2][nearer]) / np.float32(column.radius)
    hit.colour[nearer], hit.glow[nearer], hit.floor[nearer] = column.colour, 0, False


def _meet_ball(hit: Hit, ball: Ball, begin: Parts, along: Parts) -> None:
    centre = (ball.x, ball.y, ball.z)
    away = [part - np.float32(value) for part, value in zip(begin, centre, strict=True)]
    across = away[0] * along[0] + away[1] * along[1] + away[2] * along[2]
    square = away[0] ** 2 + away[1] ** 2 + away[2] ** 2
    distance = _roots(1.0, across, square - np.float32(ball.radius**2))
    nearer = np.flatnonzero(distance < hit.distance)
    hit.distance[nearer] = distance[nearer]
    for axis in range(3):
        hit.normal[nearer, axis] = (away[axis][nearer] + distance[nearer] * along[axis][nearer]) / np.float32(
            ball.radius
        )
    hit.colour[nearer], hit.glow[nearer], hit.floor[nearer] = ball.colour, ball.glow, False


def lamp_seen(world: World, points: Rays) -> Plane:
    """1 where the lamp shines, 0 in the shadow of a column, soft between: found in plan."""
    lamp = np.array((world.lamp[0], world.lamp[2]), np.float32)
    x, _, z = _parts(points)
    dx, dz = lamp[0] - x, lamp[1] - z
    length = np.maximum(dx * dx + dz * dz, np.float32(1e-6))
    seen = np.ones(len(points), np.float32)
    for column in world.blockers:
        along = ((column.x - x) * dx + (column.z - z) * dz) / length
        away = np.hypot(x + along * dx - np.float32(column.x), z + along * dz - np.float32(column.z))
        between = (along > 0.02) & (along < 0.98)
        soft = np.clip((away - np.float32(column.radius * 0.86)) / np.float32(column.radius * 0.24), 0, 1)
        np.minimum(seen, soft, out=seen, where=between)
    return seen


def shade(world: World, start: Rays, rays: Rays, hit: Hit) -> Rays:
    """The colour that every ray brings back: own light, lamp, ambient light, then the air between."""
    points = start + rays * np.minimum(hit.distance, 200)[:, None]
    to_lamp = np.array(world.lamp, np.float32) - points
    reach = np.maximum(np.sqrt(_dot(to_lamp, to_lamp)), np.float32(0.05))
    facing = np.clip(_dot(hit.normal, to_lamp) / reach, 0, 1)
    strength = (
        np.float32(world.lamp_power)
        * facing
        * lamp_seen(world, points + hit.normal * np.float32(0.02))
        / (1 + reach * reach * np.float32(0.35))
    )
    above = (0.5 + 0.5 * hit.normal[:, 1])[:, None]
    light = np.array(world.ambient, np.float32) * (0.55 + 0.45 * above) + strength[:, None] * np.array(
        world.lamp_colour, np.float32
    )
    colour = hit.colour * light + hit.colour * hit.glow[:, None]
    clear = np.exp(-hit.distance * np.float32(world.thickness))[:, None]
    clear = np.where(hit.glow[:, None] > 0, np.sqrt(clear), clear)
    return np.asarray(colour * clear + np.array(world.air, np.float32) * (1 - clear), np.float32)


def render(world: World, place: tuple[float, float, float], rays: Rays, gloss: float = 0.35) -> Rays:
    """Colours of all rays from a place, the floor mirroring a share of what stands on it."""
    start = np.broadcast_to(np.array(place, np.float32), rays.shape)
    hit = cast_rays(world, start, rays)
    colour = shade(world, start, rays, hit)
    on_floor = hit.floor & (hit.distance < 40)
    if on_floor.any():
        points = start[on_floor] + rays[on_floor] * hit.distance[on_floor, None]
        mirrored = rays[on_floor] * np.array((1, -1, 1), np.float32)
        seen = cast_rays(world, points, mirrored)
        share = gloss * np.exp(-hit.distance[on_floor] * np.float32(world.thickness))[:, None]
        colour[on_floor] += shade(world, points, mirrored, seen) * share
    return colour
