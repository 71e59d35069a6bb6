"""Two figures change places on a flight of stairs; the light and the horn call belong to the top, not to a person."""

from functools import cache
from itertools import pairwise

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Layer, Picture, hexed, tinted
from dataset_scripts.musebench.make.scenes.figure import BOW, KNEEL, STAND, Look, Pose, between, draw_figure, walking
from dataset_scripts.musebench.make.scenes.light import COLUMNS, ROWS, Rig, beam, edge, halo, pool, slope
from dataset_scripts.musebench.make.scenes.motion import follow, mix, ramp, smooth
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, WIDTH, Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import Track, brass, low_pass, pad, step, voice

DURATION = 14.0
TALL = 84.0
LEDGE = (0, 1, 2, 3, 4, 4, 5, 6, 7, 8)
"""How high each tread lies, in risers; the two in the middle are one landing."""
RULER = Look(hexed("e0a884"), hexed("1d1a22"), hexed("a8242f"), hexed("5c1620"), skirt=0.92, flare=0.07)
SERVANT = Look(hexed("d79d78"), hexed("6b5a44"), hexed("7f8894"), hexed("525a66"), skirt=0.45, flare=0.04)
COMMAND = Pose(lean=-4, nod=4, near_arm=86, near_elbow=6, far_arm=-22, far_elbow=30)
GOLD, COLD = hexed("ffc56b"), hexed("4f6f9a")
CLIMB = (
    (2.2, 0.0),
    (2.9, 1.0),
    (3.6, 2.0),
    (4.3, 3.0),
    (5.0, 4.0),
    (7.3, 4.0),
    (7.9, 5.0),
    (8.5, 6.0),
    (9.1, 7.0),
    (9.7, 8.0),
    (10.3, 9.0),
)
DESCENT = (
    (2.2, 9.0),
    (2.9, 8.0),
    (3.6, 7.0),
    (4.3, 6.0),
    (5.0, 5.0),
    (7.3, 5.0),
    (7.9, 4.0),
    (8.5, 3.0),
    (9.1, 2.0),
    (9.7, 1.0),
    (10.3, 0.0),
)


def _tread(number: float) -> tuple[float, float]:
    """Where one stands on a tread; between two of them the foot rises early and lands late."""
    below, above = int(number), min(int(number) + 1, len(LEDGE) - 1)
    share = number - below
    height = mix(LEDGE[below], LEDGE[above], smooth(share))
    return 84 + number * 33, 240 - height * 14


@cache
def _stairs() -> tuple[Layer, Layer]:
    """The treads and risers; the wall with its door of light."""
    stairs, wall = Canvas(), Canvas()
    wall.box(0, 0, WIDTH, HEIGHT, hexed("8f939c"))
    for left, top, shade in ((0, 0, 0.86), (128, 0, 0.94), (256, 0, 1.0)):
        wall.box(left, top, left + 126, HEIGHT, tinted(hexed("8f939c"), shade))
    stairs.box(0, 240, WIDTH, HEIGHT, hexed("5d6069"))
    for number, height in enumerate(LEDGE):
        left, top = 66 + number * 33, 240 - height * 14
        stairs.box(left, top, WIDTH, HEIGHT, tinted(hexed("5d6069"), 0.92 + 0.02 * number))
        stairs.box(left, top, WIDTH if number == len(LEDGE) - 1 else left + 33, top + 3, hexed("a3a6ac"))
        stairs.box(left, top, left + 2, top + 14, hexed("484b54"))
    return stairs.layer(), wall.layer()


@cache
def _door() -> Layer:
    canvas = Canvas()
    canvas.box(404, 26, 452, 128, hexed("fff0cf"))
    return canvas.layer()


def _poses(time: float) -> tuple[Pose, Pose]:
    """The red figure's and the grey one's pose."""
    moving = ramp(time, 2.0, 2.4) * (1 - ramp(time, 4.8, 5.2)) + ramp(time, 7.1, 7.5) * (1 - ramp(time, 10.1, 10.6))
    down = walking(follow(DESCENT, time), stride=20, arms=10)
    up = walking(follow(CLIMB, time), stride=24, arms=14)
    red = between(COMMAND, STAND, ramp(time, 1.7, 2.3))
    red = between(red, Pose(lean=10, nod=22), ramp(time, 5.6, 6.6))
    grey = between(BOW, Pose(lean=16, nod=18), ramp(time, 1.6, 2.3))
    grey = between(grey, STAND, ramp(time, 5.4, 6.4))
    red, grey = between(red, down, moving), between(grey, up, moving)
    return between(red, KNEEL, ramp(time, 10.8, 11.8)), between(grey, COMMAND, ramp(time, 11.2, 12.2))


def _people(time: float) -> tuple[Layer, Layer]:
    red, grey = Canvas(), Canvas()
    red_pose, grey_pose = _poses(time)
    turned = time > 10.6
    draw_figure(red, RULER, red_pose, _tread(follow(DESCENT, time)), TALL, 1 if turned else -1)
    draw_figure(grey, SERVANT, grey_pose, _tread(follow(CLIMB, time)), TALL, -1 if turned else 1)
    return red.layer(), grey.layer()


def picture(time: float) -> Frame:
    """The stage at a time."""
    stairs, wall = _stairs()
    scene = Picture()
    warmth = slope((170, 220), (400, 60))
    flood = halo((428, 80), 210) * warmth
    scene.put(wall, Rig((0.2, 0.25, 0.34)).add(flood, GOLD, 0.62).add(halo((60, 40), 200), COLD, 0.22).light)
    scene.put(_door(), 1.0)
    scene.glow(halo((428, 80), 62, 1.5), GOLD, 0.5)
    stair_light = Rig((0.26, 0.33, 0.46)).add(warmth * halo((440, 120), 230), GOLD, 0.72)
    red, grey = _people(time)
    for keys in (DESCENT, CLIMB):
        x, y = _tread(follow(keys, time))
        stair_light.block(pool((x - 8, y + 1), 20, 0.22, 1.0), 0.6)
    scene.put(stairs, stair_light.light)
    scene.glow(beam((428, 60), (110, 250), 20, 60, 1.0), GOLD, 0.14)
    for each in (red, grey):
        light = (
            Rig((0.42, 0.49, 0.64))
            .add(warmth * 0.9, GOLD, 0.95)
            .add(edge(each.alpha, -2, 1) * (0.3 + warmth), GOLD, 0.9)
        )
        scene.put(each, light.light)
    scene.shade(slope((WIDTH * 0.35, 0), (0, HEIGHT * 0.6)) * (COLUMNS < 240) * (ROWS > 0), 0.28, (0.02, 0.03, 0.06))
    return scene.frame()


CALL = ((0.0, 45, 0.5), (0.5, 52, 1.1))
PLEA = ((0.0, 76, 0.35), (0.4, 75, 0.35), (0.8, 72, 0.6))


def sound() -> Samples:
    """A horn call for the top of the stairs, a thin voice for its foot, silence on the landing."""
    track = Track(DURATION)
    for start, note, length in CALL:
        track.add(0.25 + start, brass(note, length), 0.5)
        track.add(11.7 + start, brass(note, length + 0.3), 0.5)
    for shift in (1.9, 3.6):
        for start, note, length in PLEA:
            track.add(shift + start, voice(note, length), 0.16)
    track.add(2.0, low_pass(pad((33, 40, 45), 3.4, 0.8, 1.2), 700), 0.3)
    for (_, start_tread), (end, _) in pairwise(CLIMB):
        if start_tread != 4.0 or end > 7.5:
            track.add(end - 0.12, step(round(end * 10), 0.35), 0.3)
    for index, (end, _) in enumerate(DESCENT[1:]):
        if end != 7.3:
            track.add(end - 0.05, step(index + 40, 0.95), 0.26)
    track.add(7.4, low_pass(pad((45, 52, 57), 4.2, 2.4, 1.2), 1200), 0.42)
    track.room(1.4, 0.35)
    return track.finished()


SCENE = Scene("stairs", "Stage Performing", DURATION, 15, picture, sound)
