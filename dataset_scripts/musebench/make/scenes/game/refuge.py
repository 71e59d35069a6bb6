"""A watched cave and a warm room: hearts and map go away in the room, and are back at its far door."""

from functools import cache

import numpy as np

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Layer, Picture, Point, hexed, tinted
from dataset_scripts.musebench.make.scenes.figure import SIT, STAND, Look, Pose, between, draw_figure, walking
from dataset_scripts.musebench.make.scenes.game.hud import INK, bar, hearts
from dataset_scripts.musebench.make.scenes.light import Rig, edge, halo
from dataset_scripts.musebench.make.scenes.motion import follow, mix, ramp, straight, sway
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, WIDTH, Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import Track, filtered, low_pass, noise, pad, pluck, step, thump

DURATION = 14.0
FLOOR = 208.0
TALL = 58.0
DOOR, EXIT = 470.0, 800.0
FIRE: Point = (636.0, 200.0)
WAY = ((0.0, 150.0), (5.2, 480.0), (7.0, 596.0), (10.4, 596.0), (14.0, 838.0))
HERO = Look(hexed("e6b48c"), hexed("22405c"), hexed("2f6d9a"), hexed("23303f"), skirt=0.55, flare=0.06)
COLD, LAMP, HEARTH = hexed("5f86c9"), hexed("ffe3a6"), hexed("ffad5c")
EYES = (
    (210.0, 92.0, 0.4),
    (292.0, 130.0, 1.7),
    (352.0, 78.0, 2.6),
    (420.0, 120.0, 3.4),
    (900.0, 100.0, 12.0),
    (960.0, 140.0, 12.4),
)


def _zoom(time: float) -> float:
    return follow([(4.6, 1.0), (7.6, 1.5), (10.8, 1.5), (12.8, 1.05)], time)


def _camera(time: float, depth: float = 1.0) -> Canvas:
    """A sheet for a layer at a depth: 1 is where the hero walks, less is farther away."""
    zoom = 1 + (_zoom(time) - 1) * depth
    x = straight(WAY, time) + 40
    left = x * depth - WIDTH / 2 / zoom + 120 * (1 - depth)
    return Canvas(zoom, (left, FLOOR + 12 - (HEIGHT * 0.82) / zoom))


def _screen(time: float, point: Point) -> Point:
    zoom, x = _zoom(time), straight(WAY, time) + 40
    return ((point[0] - x) * zoom + WIDTH / 2, (point[1] - FLOOR - 12) * zoom + HEIGHT * 0.82)


@cache
def _rocks(seed: int, count: int) -> tuple[tuple[float, float, float], ...]:
    generator = np.random.default_rng(42 + seed)
    return tuple((float(a), float(b), float(c)) for a, b, c in generator.uniform(0, 1, (count, 3)))


def _far(time: float) -> Layer:
    """Two ranges of hanging and standing stone behind the way."""
    canvas = _camera(time, 0.45)
    for index, (a, b, c) in enumerate(_rocks(1, 26)):
        x, width = -60 + index * 34 + a * 16, 16 + 20 * b
        canvas.polygon([(x - width, -60), (x + width, -60), (x + 4, 60 + 70 * c)], hexed("31435f"))
        canvas.polygon([(x - width + 9, 230), (x + width + 9, 230), (x + 12, 190 - 60 * b)], hexed("2b3b55"))
    return canvas.layer()


def _cave(time: float) -> Layer:
    """Floor, roof and doorways; the room's walls are drawn apart."""
    canvas, stone = _camera(time), hexed("4a5568")
    canvas.box(-200, FLOOR, 1300, 400, stone)
    canvas.box(-200, -200, 1300, 16, tinted(stone, 0.7))
    for index, (a, b, c) in enumerate(_rocks(2, 30)):
        x = -40 + index * 38 + 12 * a
        if not DOOR - 30 < x < EXIT + 30:
            canvas.polygon([(x - 16 - 10 * b, 14), (x + 16 + 8 * a, 14), (x, 34 + 46 * c)], tinted(stone, 0.7))
            canvas.polygon([(x - 10, FLOOR + 1), (x + 10, FLOOR + 1), (x + 2, FLOOR - 5 - 12 * b)], tinted(stone, 0.85))
    for index, (a, b, _) in enumerate(_rocks(3, 36)):
        canvas.disc((-60 + index * 33 + 20 * a, FLOOR + 18 + 40 * b), 5 + 7 * b, tinted(stone, 0.84), 0.45)
    return canvas.layer()


def _room(time: float) -> Layer:
    canvas = _camera(time)
    wall, wood = hexed("b98b62"), hexed("7a4a2e")
    canvas.box(DOOR, 16, EXIT, FLOOR, wall)
    for row in range(7):
        for column in range(15):
            left = DOOR + 4 + column * 23 + (row % 2) * 11
            if (row * 5 + column * 3) % 7 == 0:
                canvas.box(left, 26 + row * 26, left + 20, 38 + row * 26, tinted(wall, 0.9), 2)
    canvas.box(DOOR, FLOOR, EXIT, FLOOR + 8, wood)
    canvas.box(522, FLOOR - 3, 700, FLOOR + 2, hexed("a23b3b"))
    canvas.box(530, 96, 588, 101, wood)
    for left, height, colour in ((534, 14, "4f7f7a"), (542, 18, "c7a14a"), (550, 12, "8c3f4a"), (566, 16, "5d6fa3")):
        canvas.box(left, 96 - height, left + 6, 96, hexed(colour))
    canvas.box(716, 118, 768, 168, wood)
    canvas.box(720, 122, 764, 164, hexed("d8b98a"))
    canvas.polygon([(724, 160), (738, 138), (748, 150), (754, 142), (762, 160)], hexed("7d9a6a"))
    canvas.box(610, 150, 664, FLOOR, hexed("6d6f78"))
    canvas.box(604, 142, 670, 152, hexed("595b64"))
    canvas.box(622, 168, 652, FLOOR, hexed("1c1512"))
    for left, right in ((DOOR - 18, DOOR + 4), (EXIT - 4, EXIT + 18)):
        canvas.box(left, 16, right, 112, hexed("596274"))
        canvas.box(left - 4, 106, right + 4, 116, hexed("6b7588"))
    flame = 20 + sway(time, 0.37, 3) + sway(time, 0.23, 2)
    for width, share, colour in ((11, 1.0, "ff7a2f"), (7, 0.7, "ffc24a"), (3.5, 0.42, "fff1c0")):
        tip = sway(time, 0.5, 3)
        canvas.polygon(
            [
                (637 - width, 206),
                (637 - width * 0.7, 200 - flame * share * 0.4),
                (637 + tip, 206 - flame * share),
                (637 + width * 0.7, 200 - flame * share * 0.4),
                (637 + width, 206),
            ],
            hexed(colour),
        )
    canvas.box(568, FLOOR - 17, 604, FLOOR - 12, wood)
    for x in (572, 596):
        canvas.box(x, FLOOR - 12, x + 4, FLOOR, tinted(wood, 0.8))
    return canvas.layer()


def _hero(time: float) -> Layer:
    canvas = _camera(time)
    x = straight(WAY, time)
    sitting = ramp(time, 7.1, 7.8) * (1 - ramp(time, 9.8, 10.4))
    going = (1 - ramp(time, 6.8, 7.1)) + ramp(time, 10.3, 10.6)
    pose = between(STAND, walking(x / (0.42 * TALL), stride=24, arms=16), going)
    pose = between(pose, SIT, sitting)
    if sitting > 0:
        pose = between(
            pose,
            Pose(**{**SIT.__dict__, "near_arm": 70.0, "near_elbow": 20.0, "nod": 8.0}),
            ramp(time, 8.2, 8.8) * (1 - ramp(time, 9.4, 9.8)),
        )
    draw_figure(canvas, HERO, pose, (x - 8 * sitting, FLOOR - 1 * sitting), TALL, 1)
    return canvas.layer()


def _display(time: float) -> tuple[Layer, float]:
    """Hearts, stamina and map; how visible they are."""
    shown = 1 - ramp(time, 4.9, 6.0) + ramp(time, 12.9, 13.5)
    slide = 26 * (1 - shown)
    canvas = Canvas()
    hearts(canvas, 2 if time < 8 else 4, 4, (22, 22 - slide))
    bar(canvas, (14, 36 - slide, 96, 42 - slide), (0.35 + 0.1 * sway(time, 3.0)) if time < 8 else 1.0, hexed("68b36b"))
    centre = (WIDTH - 36, 34 - slide)
    canvas.disc(centre, 25, INK)
    canvas.disc(centre, 22, hexed("2a3a4d"))
    canvas.line(
        [(centre[0] - 18, centre[1] + 4), (centre[0] - 4, centre[1] - 4), (centre[0] + 18, centre[1] + 2)],
        5,
        hexed("5f7590"),
    )
    canvas.disc(centre, 3, hexed("f4f0e2"))
    for index in range(3):
        canvas.disc((centre[0] + 12 - 13 * index, centre[1] - 10 + 11 * (index % 2)), 2.4, hexed("e5484d"))
    return canvas.layer(), shown


def picture(time: float) -> Frame:
    """The screen at a time."""
    x = straight(WAY, time)
    lantern, fire = _screen(time, (x + 14, FLOOR - 24)), _screen(time, FIRE)
    zoom = _zoom(time)
    inside = ramp(x, DOOR - 50, DOOR + 90) * (1 - ramp(x, EXIT - 60, EXIT + 40))
    flicker = 1 + sway(time, 0.31, 0.03) + sway(time, 0.83, 0.03)
    hero = _hero(time)
    scene = Picture(tuple(part * 0.16 for part in COLD))  # type: ignore[arg-type]
    scene.put(_far(time), Rig((0.2, 0.27, 0.42)).light, 1.0)
    eyes = np.zeros((HEIGHT, WIDTH), np.float32)
    for left, top, start in EYES:
        point = _screen(time, (left, top))
        seen = ramp(time, start, start + 0.4) * (1 - inside) * (0.0 if sway(time + left, 2.3) > 0.985 else 1.0)
        for side in (-5, 5):
            eyes += halo((point[0] + side, point[1]), 2.2) * np.float32(seen)
    scene.glow(eyes, hexed("ff5a4a"), 1.5)
    light = (
        Rig((0.17, 0.22, 0.34))
        .add(halo(lantern, 92 * zoom), LAMP, 0.8)
        .add(halo(fire, 190 * zoom), HEARTH, 0.95 * flicker * (0.2 + 0.8 * inside))
    )
    scene.put(_cave(time), light.light)
    scene.put(
        _room(time),
        Rig((0.1, 0.1, 0.13)).add(halo(fire, 160 * zoom), HEARTH, 1.05 * flicker).add(inside, HEARTH, 0.12).light,
    )
    scene.glow(halo(fire, 60 * zoom), HEARTH, 0.42 * flicker)
    body = Rig((0.3, 0.36, 0.5)).add(halo(lantern, 60 * zoom), LAMP, 0.6).add(halo(fire, 150 * zoom), HEARTH, 0.7)
    scene.put(hero, body.add(edge(hero.alpha, -2, 1), HEARTH, 0.8 * inside).light)
    scene.glow(halo(lantern, 5 * zoom), LAMP, 1.3)
    scene.glow(halo(lantern, 40 * zoom), LAMP, mix(0.28, 0.06, inside))
    display, shown = _display(time)
    if shown > 0:
        scene.put(display, 1.0, shown)
    return scene.frame()


def sound() -> Samples:
    """A low pulse and drips in the cave; in the room a crackling fire and a plucked song; outside the pulse again."""
    track = Track(DURATION)
    for start in (*(0.2 + 0.9 * n for n in range(6)), 12.9, 13.5):
        track.add(start, thump(28, 0.8), 0.55)
    track.add(0.0, low_pass(pad((31, 32, 38), 6.0, 0.6, 1.6), 500), 0.5)
    track.add(12.4, low_pass(pad((31, 32, 38), 1.6, 0.5, 0.1), 500), 0.5)
    for number, start in enumerate((0.8, 2.1, 3.9)):
        track.add(start, pluck(96 - 3 * number, 0.4), 0.2)
    for number in range(13):
        track.add(0.2 + number * 0.42, step(number, 0.6), 0.16)
    crackle = np.where(np.abs(noise(8.6, 5)) > 0.9997, 1.0, 0.0).astype(np.float32)
    track.add(4.6, filtered(crackle, 900, 6000, 2) * 6, 0.3)
    song = (60, 64, 67, 72, 71, 67, 64, 62, 60, 65, 69, 72, 67, 64, 62, 60)
    for number, note in enumerate(song):
        track.add(6.1 + number * 0.38, pluck(note, 1.4), 0.3)
    track.add(6.0, pad((48, 55, 60), 6.6, 1.5, 1.6), 0.2)
    for number in range(8):
        track.add(10.5 + number * 0.4, step(number + 30, 0.2), 0.14)
    track.room(0.8, 0.25)
    return track.finished()


SCENE = Scene("refuge", "Game", DURATION, 20, picture, sound)
