"""A walk behind a drifting lamp through a hall of columns: its light chooses the way to a pale globe in the open."""

import math

import numpy as np
from PIL import Image

from dataset_scripts.musebench.make.scenes.canvas import Picture, blend, hexed
from dataset_scripts.musebench.make.scenes.game.solids import Ball, Column, World, camera_rays, render
from dataset_scripts.musebench.make.scenes.light import corners, halo
from dataset_scripts.musebench.make.scenes.motion import follow, mix, ramp, sway
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, SAMPLE_RATE, WIDTH, Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import Track, bell, filtered, low_pass, noise, pad, step

DURATION = 13.0
FINE = 2
"""Rays across a pixel: the edges of columns stand upright."""
OPENING = 0.85
AMBER, DUSK, PALE, STONE = hexed("ffc27a"), hexed("17243d"), hexed("cfe0f5"), hexed("b8b2a6")
FORK, TURN = 17.0, 0.58
"""Where the hall parts, metres ahead, and how far each way turns aside, radians."""
SIDEWAYS, FORWARD = math.sin(TURN), math.cos(TURN)


def _on_way(side: int, along: float, across: float = 0.0) -> tuple[float, float]:
    """A place on the left (-1) or right (1) way, `along` it from the fork, `across` to its outer side."""
    return side * (along * SIDEWAYS + across * FORWARD), FORK + along * FORWARD - across * SIDEWAYS


HALL = tuple(Column(side * 2.4, 3.0 + 3.6 * row, 0.55, STONE) for row in range(4) for side in (-1, 1))
WAYS = tuple(
    Column(*_on_way(side, along, across), 0.5, STONE)
    for side in (-1, 1)
    for along in (3.2, 7.0, 10.8, 14.6)
    for across in (-2.1, 2.1)
    if (along, across) != (3.2, -2.1)
)
COLUMNS = (*HALL, *WAYS, Column(0.0, 21.2, 0.75, STONE))
GLOBE = (_on_way(-1, 34.0)[0], 5.2, _on_way(-1, 34.0)[1])
SIGHT, REACH = 26.0, 8.0
"""Metres: columns farther than the first are lost in the air, those farther from the lamp throw no visible shadow."""


def _lamp(time: float) -> tuple[float, float, float]:
    """Where the lamp floats: ahead, a look into the right way at the fork, then along the left one and up."""
    hall_x = follow([(5.2, 0.0), (6.2, 2.0), (7.3, -0.9)], time)
    hall_z = follow([(0.0, 4.6), (5.0, 15.6), (6.2, 18.2), (7.3, 18.2)], time)
    left_x, left_z = _on_way(-1, follow([(7.3, 1.6), (11.4, 15.5), (13.0, 22.0)], time))
    share = ramp(time, 7.0, 7.8)
    return (
        mix(hall_x, left_x, share),
        1.5 + sway(time, 2.2, 0.16) + 2.6 * ramp(time, 10.6, 13.0),
        mix(hall_z, left_z, share),
    )


def _camera(time: float) -> tuple[tuple[float, float, float], float, float]:
    """The eye's place, yaw (left negative) and pitch."""
    ahead = follow([(0.0, 0.0), (5.6, 9.8), (7.2, 10.6), (8.8, 15.0)], time)
    left_x, left_z = _on_way(-1, follow([(8.4, -2.0), (12.6, 9.4)], time))
    share = ramp(time, 7.6, 9.6)
    yaw = follow([(5.8, 0.0), (6.5, 0.07), (6.9, 0.05), (8.6, -TURN)], time)
    return (
        (mix(0, left_x, share), 1.6 + abs(sway(time, 1.24, 0.05)), mix(ahead, left_z, share)),
        yaw,
        0.03 + 0.1 * ramp(time, 10.2, 12.4),
    )


def _in_view(column: Column, eye: tuple[float, float, float], yaw: float) -> bool:
    """Whether any part of a column can be on the screen."""
    dx, dz = column.x - eye[0], column.z - eye[2]
    ahead = dx * math.sin(yaw) + dz * math.cos(yaw)
    aside = abs(dx * math.cos(yaw) - dz * math.sin(yaw)) - column.radius * 1.4
    return -column.radius < ahead < SIGHT and aside < max(ahead, 0.0) * OPENING * 1.1 + column.radius


def _world(time: float) -> World:
    lamp, (eye, yaw, _) = _lamp(time), _camera(time)
    outside = ramp(time, 9.2, 11.8)
    return World(
        columns=tuple(each for each in COLUMNS if _in_view(each, eye, yaw)),
        blockers=tuple(each for each in COLUMNS if math.hypot(each.x - lamp[0], each.z - lamp[2]) < REACH),
        balls=(Ball(*lamp, 0.2, AMBER, 3.0), Ball(*GLOBE, 4.6, PALE, 0.75)),
        lamp=lamp,
        lamp_colour=AMBER,
        lamp_power=3.6,
        ambient=blend(hexed("2a3a5c"), hexed("6c83ad"), outside),
        air=blend(DUSK, hexed("41598a"), outside),
        thickness=mix(0.062, 0.03, outside),
        stone=hexed("8f8b86"),
        ceiling=60.0,
    )


def _on_screen(time: float, point: tuple[float, float, float]) -> tuple[float, float, float]:
    """A point's place on the screen and its distance ahead."""
    place, yaw, pitch = _camera(time)
    x, y, z = (a - b for a, b in zip(point, place, strict=True))
    x, z = x * math.cos(yaw) - z * math.sin(yaw), z * math.cos(yaw) + x * math.sin(yaw)
    y, z = y * math.cos(pitch) - z * math.sin(pitch), z * math.cos(pitch) + y * math.sin(pitch)
    scale = WIDTH / 2 / OPENING / max(z, 0.1)
    return WIDTH / 2 + x * scale, HEIGHT / 2 - y * scale, z


def picture(time: float) -> Frame:
    """The screen at a time."""
    place, yaw, pitch = _camera(time)
    colours = render(_world(time), place, camera_rays((WIDTH, HEIGHT), FINE, yaw, pitch, OPENING))
    image = Image.fromarray(np.asarray(np.clip(colours.reshape(HEIGHT, WIDTH * FINE, 3), 0, 1) * 255, np.uint8))
    scene = Picture()
    scene.rgb = np.asarray(image.resize((WIDTH, HEIGHT), Image.Resampling.BOX), np.float32) / np.float32(255)
    x, y, ahead = _on_screen(time, _lamp(time))
    scene.glow(halo((x, y), 150 / ahead + 6), AMBER, 0.75)
    scene.glow(halo((x, y), 420 / ahead), AMBER, 0.26)
    globe_x, globe_y, away = _on_screen(time, GLOBE)
    if away > 1:
        scene.glow(halo((globe_x, globe_y), 2600 / away), PALE, 0.4 * ramp(time, 8.6, 12.4))
    scene.shade(corners(1.0, 0.6), 0.5)
    return scene.frame()


def sound() -> Samples:
    """Steps in a long echo, a chime for the lamp that climbs as the way opens; at the fork it stops and turns."""
    track = Track(DURATION)
    track.add(0.0, low_pass(noise(DURATION, 8), 180), 0.5)
    for index in range(17):
        start = 0.5 + index * 0.62
        if not 5.6 < start < 7.4:
            track.add(start, step(index, 0.8), 0.22)
    for start, note in (
        (0.4, 69),
        (1.9, 69),
        (3.4, 71),
        (4.9, 71),
        (6.1, 68),
        (7.5, 74),
        (8.7, 76),
        (9.9, 78),
        (10.9, 81),
    ):
        track.add(start, bell(note, 2.4), 0.22)
    track.add(0.0, low_pass(pad((38, 45), 9.0, 1.5, 2.5), 500), 0.5)
    track.add(8.6, pad((50, 57, 62, 66, 69), 4.4, 2.2, 0.8), 0.4)
    track.add(
        9.0, filtered(noise(4.0, 9), 400, 2400, 2) * np.linspace(0, 1, round(4.0 * SAMPLE_RATE), dtype=np.float32), 0.08
    )
    track.room(2.2, 0.6)
    return track.finished()


SCENE = Scene("columns", "Game", DURATION, 15, picture, sound)
