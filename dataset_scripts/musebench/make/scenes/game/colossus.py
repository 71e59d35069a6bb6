"""A traveller in close view; the camera draws back as a giant of stone gets up, and shows one small light on it."""

from functools import cache

import numpy as np

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Colour, Layer, Picture, Point, blend, hexed, tinted
from dataset_scripts.musebench.make.scenes.figure import STAND, Look, Pose, between, draw_figure, walking
from dataset_scripts.musebench.make.scenes.game.hud import PAPER, bar, hearts
from dataset_scripts.musebench.make.scenes.light import ROWS, Rig, edge, halo
from dataset_scripts.musebench.make.scenes.motion import follow, mix, ramp, straight, sway
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, SAMPLE_RATE, WIDTH, Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import (
    Track,
    bell,
    brass,
    filtered,
    low_pass,
    noise,
    pad,
    step,
    thump,
    voice,
)

DURATION = 13.0
GROUND = 300.0
TALL = 62.0
GIANT = 560.0
CORE = hexed("58f0e0")
HERO = Look(hexed("e9b78f"), hexed("2a1d18"), hexed("b23a3a"), hexed("3a3030"), skirt=0.5, flare=0.09)
DRAWN = Pose(lean=-5, nod=-14, near_arm=64, near_elbow=30, far_arm=-20, far_elbow=30, near_leg=16, far_leg=-14)
WAY = ((0.0, 70.0), (3.6, 190.0))


def _camera(time: float, depth: float = 1.0) -> Canvas:
    zoom = follow([(3.8, 2.1), (6.4, 1.05), (8.0, 0.8), (10.0, 0.42)], time)
    zoom = 1 + (zoom - 1) * depth if depth < 1 else zoom
    shake = sway(time, 0.13, 1.6) * ramp(time, 4.0, 4.6) * (1 - ramp(time, 9.4, 10.2))
    x = straight(WAY, time) + follow([(3.8, 34.0), (6.4, 130.0), (8.0, 190.0), (10.0, 270.0)], time)
    return Canvas(
        zoom, (x * depth + (1 - depth) * 260 - WIDTH / 2 / zoom, GROUND + 26 / zoom - HEIGHT * 0.86 / zoom + shake)
    )


def _on_screen(time: float, point: Point) -> Point:
    zoom = follow([(3.8, 2.1), (6.4, 1.05), (8.0, 0.8), (10.0, 0.42)], time)
    x = straight(WAY, time) + follow([(3.8, 34.0), (6.4, 130.0), (8.0, 190.0), (10.0, 270.0)], time)
    return (point[0] - x) * zoom + WIDTH / 2, (point[1] - GROUND) * zoom - 26 + HEIGHT * 0.86


@cache
def _sky() -> Picture:
    scene = Picture(hexed("f2c38d"))
    scene.shade((1 - ROWS / HEIGHT) ** 1.2, 0.9, hexed("6d6a94"))
    scene.glow(halo((110, 190), 120), hexed("ffe0a8"), 0.8)
    return scene


def _dunes(time: float) -> tuple[Layer, Layer]:
    far, middle = _camera(time, 0.25), _camera(time, 0.55)
    for index in range(14):
        far.polygon(
            [
                (index * 130 - 700, 400),
                (index * 130 - 560 + 30 * (index % 3), 180 - 24 * (index % 4)),
                (index * 130 - 380, 400),
            ],
            hexed("a98792"),
        )
    for index in range(16):
        middle.disc((index * 120 - 700, 352), 120, hexed("b98267"), 0.5 + 0.08 * (index % 3))
    return far.layer(), middle.layer()


def _rise(time: float) -> float:
    """How far the giant still is below its full height, in world units."""
    return follow([(4.0, 480.0), (6.6, 230.0), (7.2, 230.0), (9.6, 0.0)], time)


def _stone(canvas: Canvas, box: tuple[float, float, float, float], colour: Colour, tip: float = 0.0) -> None:
    left, top, right, bottom = box
    canvas.polygon(
        [
            (left + 8 + tip, top),
            (right - 10 + tip, top),
            (right, top + 12),
            (right - 4, bottom - 8),
            (right - 14, bottom),
            (left + 6, bottom),
            (left, bottom - 14),
            (left + 2, top + 10),
        ],
        colour,
    )
    canvas.polygon(
        [
            (left + 8 + tip, top),
            (left + (right - left) * 0.42, top),
            (left + (right - left) * 0.3, bottom - 3),
            (left + 6, bottom),
            (left, bottom - 14),
            (left + 2, top + 10),
        ],
        blend(colour, hexed("f2c38d"), 0.22),
    )


def _core(time: float) -> Point:
    return GIANT - 8, GROUND - 262 + _rise(time)


def _giant(time: float) -> Layer:
    canvas, rock = _camera(time), hexed("5b4a55")
    down = _rise(time)
    base = GROUND + down
    lifted = ramp(time, 10.2, 11.8)
    for side in (-1, 1):
        _stone(canvas, (GIANT + side * 62 - 34, base - 130, GIANT + side * 62 + 34, base + 20), tinted(rock, 0.8))
        _stone(canvas, (GIANT + side * 70 - 42, base - 20, GIANT + side * 70 + 42, base + 30), tinted(rock, 0.7))
    _stone(canvas, (GIANT + 128, base - 310, GIANT + 190, base - 190), tinted(rock, 0.74))
    _stone(canvas, (GIANT + 142, base - 196, GIANT + 206, base - 80), tinted(rock, 0.66))
    _stone(canvas, (GIANT - 132, base - 336, GIANT + 132, base - 112), rock)
    _stone(canvas, (GIANT - 86, base - 150, GIANT + 86, base - 96), tinted(rock, 0.84))
    _stone(canvas, (GIANT - 56, base - 422, GIANT + 50, base - 322), tinted(rock, 0.92))
    canvas.box(GIANT - 50, base - 386, GIANT + 30, base - 372, hexed("241c24"), 4)
    shoulder = (GIANT - 142.0, base - 300.0)
    elbow = (shoulder[0] - mix(16, 80, lifted), shoulder[1] + mix(112, -30, lifted))
    hand = (elbow[0] - mix(-6, 6, lifted), elbow[1] + mix(110, -112, lifted))
    canvas.limb(shoulder, elbow, 44, 32, tinted(rock, 1.02))
    canvas.limb(elbow, hand, 34, 42, tinted(rock, 1.1))
    _stone(canvas, (hand[0] - 48, hand[1] - 44, hand[0] + 48, hand[1] + 46), tinted(rock, 1.16))
    x, y = _core(time)
    canvas.polygon([(x, y - 24), (x + 18, y), (x, y + 24), (x - 18, y)], CORE)
    return canvas.layer()


def _ground(time: float) -> Layer:
    canvas, sand = _camera(time), hexed("c98a5c")
    canvas.box(-900, GROUND, 1900, 900, sand)
    canvas.box(-900, GROUND, 1900, GROUND + 4, tinted(sand, 1.12))
    for index in range(40):
        x = -500 + index * 41 + 13 * (index % 3)
        canvas.disc((x, GROUND + 14 + 11 * (index % 4)), 9 + 4 * (index % 3), tinted(sand, 0.9), 0.22)
    for x, height in ((20, 70), (112, 40), (246, 54), (-120, 96), (330, 26)):
        canvas.box(x, GROUND - height, x + 15, GROUND, hexed("9a7466"))
        canvas.box(x - 3, GROUND - height, x + 18, GROUND - height + 6, hexed("b08a76"))
    return canvas.layer()


def _hero(time: float) -> tuple[Layer, Point]:
    canvas = _camera(time)
    x = straight(WAY, time)
    pose = between(walking(x / (0.42 * TALL), stride=24, arms=18), STAND, ramp(time, 3.5, 3.8))
    pose = between(pose, Pose(lean=6, nod=16), ramp(time, 4.1, 4.5) * (1 - ramp(time, 5.2, 5.8)))
    pose = between(pose, DRAWN, ramp(time, 6.4, 7.2))
    body = draw_figure(canvas, HERO, pose, (x, GROUND), TALL, 1)
    hand = body.near_hand
    drawn = ramp(time, 6.4, 7.2)
    tip = (hand[0] + mix(-16, 16, drawn), hand[1] + mix(14, -26, drawn))
    canvas.limb(hand, tip, 1.8, 0.9, CORE)
    return canvas.layer(), tip


def picture(time: float) -> Frame:
    """The screen at a time."""
    scene = Picture()
    scene.rgb = _sky().rgb.copy()
    far, middle = _dunes(time)
    scene.put(far)
    dusk = 1 - 0.25 * ramp(time, 5.0, 9.0)
    giant = _giant(time)
    scene.put(giant, Rig((dusk, dusk, dusk)).add(edge(giant.alpha, 4, 3, 1.5), hexed("ffd9a0"), 0.35).light)
    scene.glow(halo(_on_screen(time, _core(time)), 26), CORE, 0.75 + 0.2 * sway(time, 1.2))
    eyes = ramp(time, 9.3, 9.7)
    for side in (-32.0, 6.0):
        scene.glow(halo(_on_screen(time, (GIANT + side, GROUND - 379 + _rise(time))), 4), hexed("ff7a4a"), 1.6 * eyes)
    scene.put(middle, dusk)
    scene.put(_ground(time), dusk)
    hero, tip = _hero(time)
    scene.put(hero, Rig((dusk, dusk, dusk)).add(edge(hero.alpha, 2, 1), hexed("ffd9a0"), 0.4).light)
    scene.glow(halo(_on_screen(time, tip), 9), CORE, 0.9)
    fallen = ramp(time, 10.6, 12.0)
    scene.shade(halo((_on_screen(time, (210, GROUND))[0] + 20, 246), 130, 0.24), 0.55 * fallen, hexed("2a1c28"))
    scene.shade(halo((160, 262), 210, 0.2), 0.3 * ramp(time, 4.2, 5.6) * (1 - ramp(time, 8, 9)), hexed("2a1c28"))
    display = Canvas()
    hearts(display, 3, 3, (20, 20), 6)
    grown = ramp(time, 10.3, 11.4)
    if grown > 0:
        middle_x = WIDTH / 2
        bar(display, (middle_x - 170 * grown, 250, middle_x + 170 * grown, 259), 1.0, hexed("b8434a"))
        for part in (0.25, 0.5, 0.75):
            display.box(
                middle_x - 170 * grown + 340 * grown * part,
                250,
                middle_x - 170 * grown + 340 * grown * part + 2,
                259,
                PAPER,
            )
    scene.put(display.layer(), 1.0, 0.95)
    return scene.frame()


def sound() -> Samples:
    """A lone tune and steps in the wind; rumble in waves with a hush between; then horns, and a bell for the light."""
    track = Track(DURATION)
    wind = filtered(noise(DURATION, 3), 200, 700, 2)
    track.add(0.0, wind, 0.28)
    for start, note, length in ((0.3, 69, 0.7), (1.0, 72, 0.5), (1.5, 74, 0.9), (2.5, 72, 0.5), (3.0, 69, 0.9)):
        track.add(start, voice(note + 12, length) * 0.8, 0.14)
    for number in range(8):
        track.add(0.2 + number * 0.45, step(number, 0.3), 0.2)
    rumble = low_pass(noise(6.0, 4), 90)
    rumble *= 1 / float(abs(rumble).max())
    track.add(3.9, rumble * _swells(6.0), 0.75)
    for start in (4.1, 5.3, 6.4, 7.6, 8.4, 9.1):
        track.add(start, thump(22, 1.1), 0.6)
    for start, note, length in ((9.7, 33, 1.4), (9.7, 40, 1.4), (11.1, 32, 1.8), (11.1, 39, 1.8), (11.1, 44, 1.8)):
        track.add(start, brass(note, length, 0.12), 0.34)
    for start in (6.9, 10.4):
        track.add(start, bell(88, 1.8), 0.16)
    track.add(6.6, pad((76, 83), 5.6, 1.0, 1.5), 0.08)
    track.room(1.3, 0.3)
    return track.finished()


def _swells(duration: float) -> Samples:
    """Two swells of the ground: one at the first stir, a longer one to the full height, with a hush between."""
    time = np.linspace(0, duration, round(duration * SAMPLE_RATE), endpoint=False)
    return np.interp(time, [0, 0.8, 2.6, 3.0, 3.4, 4.6, 5.7, 6.0], [0, 1, 0.8, 0.12, 0.12, 1, 0.9, 0]).astype(
        np.float32
    )


SCENE = Scene("colossus", "Game", DURATION, 20, picture, sound)
