"""A fight: one blow takes colour, speed and treble out of the world; a healing ring gives them back."""

import math
from functools import cache

import numpy as np

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Layer, Picture, Plane, Point, hexed, tinted
from dataset_scripts.musebench.make.scenes.figure import KNEEL, STAND, Look, Pose, between, draw_figure
from dataset_scripts.musebench.make.scenes.game.hud import AROUND, PAPER, bar, heart, number, sparks
from dataset_scripts.musebench.make.scenes.light import COLUMNS, ROWS, Rig, corners, eased, edge, halo
from dataset_scripts.musebench.make.scenes.motion import follow, mix, pulse, ramp, straight, sway
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, SAMPLE_RATE, WIDTH, Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import Track, bell, pad, partials, pluck, square, thump, whoosh

DURATION = 12.0
GROUND = 222.0
TALL = 84.0
HIT, HEALED = 3.4, 7.0
CLOCK = ((0.0, 0.0), (HIT, HIT), (3.75, HIT), (6.8, 4.1), (7.6, 4.6), (12.0, 9.0))
"""The world's own time: it halts at the blow, crawls, and catches its pace again."""
HERO = Look(hexed("efbf98"), hexed("3b241a"), hexed("2d6fd2"), hexed("263354"), skirt=0.42, flare=0.07)
GUARD = Pose(
    lean=8,
    nod=4,
    near_arm=48,
    near_elbow=52,
    far_arm=30,
    far_elbow=62,
    near_leg=22,
    near_knee=-12,
    far_leg=-20,
    far_knee=-6,
)
CUT = Pose(
    lean=20, nod=6, near_arm=104, near_elbow=-8, far_arm=-44, far_elbow=20, near_leg=40, near_knee=-30, far_leg=-30
)
THROWN = Pose(
    lean=-38,
    nod=20,
    near_arm=96,
    near_elbow=20,
    far_arm=70,
    far_elbow=20,
    near_leg=62,
    near_knee=-20,
    far_leg=38,
    far_knee=-30,
)
STRIKES = (1.2, 2.2, 6.55)
RING = hexed("8ff7d8")
SCARF = hexed("f2792b")


@cache
def _scenery() -> Picture:
    scene = Picture(hexed("ffb27a"))
    scene.shade((1 - ROWS / HEIGHT) ** 1.1, 0.85, hexed("a64f9c"))
    scene.glow(halo((350, 120), 60), hexed("ffe9b0"), 0.9)
    back, front = Canvas(), Canvas()
    back.disc((350, 120), 27, hexed("fff1c9"))
    for index in range(9):
        x = index * 62 - 10
        back.box(x - 4, 120, x + 4, GROUND, hexed("7a3f7e"))
        back.disc((x, 112 - 10 * (index % 3)), 34, hexed("8f4a94"), 0.86)
    for index in range(7):
        x = index * 84 + 24
        front.box(x - 5, 96, x + 5, GROUND, hexed("5a2c66"))
        front.disc((x, 84 - 14 * (index % 2)), 40, hexed("c4538f"), 0.7)
        front.disc((x - 9, 78 - 14 * (index % 2)), 26, hexed("da6d9e"), 0.6)
    front.box(0, GROUND - 6, WIDTH, HEIGHT, hexed("2f8f6b"))
    front.box(0, GROUND - 6, WIDTH, GROUND, hexed("56b981"))
    for index in range(16):
        front.disc((index * 33 + 8, 240 + 12 * (index % 3)), 9, hexed("28805f"), 0.35)
    scene.put(back.layer(), 1.0, 0.8)
    scene.put(front.layer())
    return scene


def _hero_at(world: float) -> tuple[Point, Pose]:
    step = sum(pulse(world, at - 0.1, 0.12, 0.16, 0.3) for at in STRIKES)
    pose = between(GUARD, CUT, step)
    x = 150 + 34 * step
    if world < HIT:
        return (x, GROUND), pose
    flight = min(1.0, (world - HIT) / 0.8)
    lift = 44 * 4 * flight * (1 - flight)
    x = mix(150, 84, flight) + 60 * ramp(world, 5.6, 6.4) + 34 * step
    pose = between(THROWN, KNEEL, ramp(world, 4.0, 4.3))
    pose = between(pose, GUARD, ramp(world, 4.9, 5.5))
    pose = between(pose, CUT, step)
    return (x, GROUND - lift), between(pose, STAND, ramp(world, 7.6, 8.2))


def _beast_at(world: float) -> tuple[float, float]:
    """Its x and how far it is crouched (negative) or stretched (positive)."""
    recoil = pulse(world, 1.25, 0.1, 0.1, 0.5) + pulse(world, 2.25, 0.1, 0.1, 0.4)
    x = straight(
        [
            (0.0, 372.0),
            (1.0, 300.0),
            (2.0, 292.0),
            (2.9, 300.0),
            (HIT, 196.0),
            (4.6, 232.0),
            (5.4, 330.0),
            (6.55, 246.0),
        ],
        world,
    )
    return x + 26 * recoil, sway(world, 0.9, 0.05) - 0.22 * pulse(world, 2.6, 0.25, 0.05, 0.15) + 0.2 * pulse(
        world, 3.05, 0.15, 0.3, 0.4
    )


def _beast(canvas: Canvas, world: float) -> None:
    x, stretch = _beast_at(world)
    tall, wide = 44 * (1 - stretch), 46 * (1 + stretch)
    y = GROUND - tall
    hide, dark = hexed("3a2560"), hexed("2a1a48")
    for index in range(7):
        turn = math.pi * (0.1 + 0.8 * index / 6)
        foot = (x + math.cos(turn) * wide * 0.85, y - math.sin(turn) * tall * 0.85)
        tip = (x + math.cos(turn) * wide * 1.42 + 6, y - math.sin(turn) * tall * 1.5)
        canvas.polygon([(foot[0] - 9, foot[1] + 3), tip, (foot[0] + 9, foot[1] + 3)], dark)
    for side in (-0.6, -0.1, 0.5):
        canvas.limb((x + side * wide, y + tall * 0.5), (x + side * wide - 5, GROUND - 4), 10, 7, dark)
    canvas.disc((x, y), wide, hide, tall / wide)
    canvas.disc((x - wide * 0.2, y - tall * 0.1), wide * 0.7, tinted(hide, 1.25), 0.8 * tall / wide)
    canvas.disc((x - wide * 0.5, y - tall * 0.18), 9, hexed("ffe14d"))
    canvas.disc((x - wide * 0.56, y - tall * 0.18), 4, hexed("2a1a48"))
    canvas.polygon(
        [(x - wide * 0.86, y + tall * 0.3), (x - wide * 0.2, y + tall * 0.22), (x - wide * 0.5, y + tall * 0.62)],
        hexed("e0526e"),
    )


def _slash(canvas: Canvas, world: float, at: float, centre: Point) -> None:
    age = (world - at) / 0.3
    if 0 <= age < 1:
        points = [
            (centre[0] + math.cos(turn) * 52, centre[1] + math.sin(turn) * 60)
            for turn in np.linspace(-1.5 + age, 1.2 * age + 0.2, 12)
        ]
        canvas.line(points, 6 * (1 - age) + 1, hexed("e8fbff"))


def _play(world: float) -> Layer:
    canvas = Canvas()
    if world < 6.7:
        _beast(canvas, world)
    at, pose = _hero_at(world)
    body = draw_figure(canvas, HERO, pose, at, TALL, 1)
    neck = body.neck
    canvas.line(
        [neck, (neck[0] - 14, neck[1] + 5 + sway(world, 0.5, 3)), (neck[0] - 30, neck[1] + 2 + sway(world, 0.5, 5))],
        6,
        SCARF,
    )
    hand = body.near_hand
    reach = (
        pulse(world, STRIKES[0] - 0.1, 0.12, 0.2, 0.3)
        + pulse(world, STRIKES[1] - 0.1, 0.12, 0.2, 0.3)
        + pulse(world, STRIKES[2] - 0.1, 0.12, 0.3, 0.5)
    )
    if world < 7.9:
        canvas.limb(hand, (hand[0] + mix(14, 40, reach), hand[1] - mix(34, 4, reach)), 2.6, 1.2, hexed("dff3fa"))
    for strike in STRIKES:
        _slash(canvas, world, strike, (at[0] + 24, at[1] - 48))
    for strike in STRIKES[:2]:
        sparks(canvas, (_beast_at(strike)[0] - 34, 182), (world - strike) / 0.45, 40, hexed("fff0a8"), AROUND)
        if 0 <= world - strike < 0.6:
            number(canvas, 12, (_beast_at(strike)[0] - 8, 100 - 26 * (world - strike)), 3, PAPER)
    for index, colour in enumerate(("6b49a8", "e0526e", "ffe14d", "8f6bd0")):
        sparks(canvas, (246 + 8 * index, 170 + 9 * index), (world - 6.65) / 1.3, 74 + 20 * index, hexed(colour), AROUND)
    return canvas.layer()


def _colour_kept(time: float, centre: Point) -> Plane:
    """1 where the picture has its colours: lost at the blow, given back inside the growing ring."""
    lost = ramp(time, HIT + 0.1, HIT + 0.4)
    radius = 620 * max(0.0, time - HEALED - 0.2) ** 1.3 / 1.4
    inside = eased((radius - np.hypot(COLUMNS - centre[0], ROWS - centre[1])) / 10 + 0.5)
    return np.asarray(1 - 0.94 * lost * (1 - inside), np.float32)


def _display(time: float) -> Layer:
    canvas = Canvas()
    life = follow([(HIT, 0.8), (HIT + 0.05, 0.22), (7.4, 0.22), (8.4, 0.62)], time)
    ghost = follow([(4.2, 0.8), (6.4, 0.22)], time) if time > HIT else 0.0
    beat = pulse(time % 0.9, 0.0, 0.08, 0.04, 0.25) if HIT < time < 8.0 else 0.0
    bar(canvas, (40, 16, 180, 26), life, hexed("e5484d") if life < 0.3 else hexed("63c174"), ghost)
    heart(canvas, (24, 20), 11 + 3.5 * beat, hexed("14161c"))
    heart(canvas, (24, 20), 9 + 3.5 * beat, hexed("ef3e4a"))
    return canvas.layer()


def picture(time: float) -> Frame:
    """The screen at a time."""
    world = straight(CLOCK, time)
    at, _ = _hero_at(world)
    centre = (at[0], at[1] - 40)
    scene = Picture()
    scene.rgb = _scenery().rgb.copy()
    play = _play(world)
    scene.shade(halo((at[0], GROUND + 2), 30, 0.16), 0.4)
    if world < 6.7:
        scene.shade(halo((_beast_at(world)[0], GROUND + 3), 52, 0.14), 0.45)
    scene.put(play, Rig((0.95, 0.9, 0.95)).add(edge(play.alpha, -2, 2), hexed("ffd08a"), 0.35).light)
    grey = scene.rgb @ np.array([0.3, 0.55, 0.15], np.float32)
    kept = _colour_kept(time, centre)[..., None]
    scene.rgb = scene.rgb * kept + (grey * 0.78)[..., None] * (1 - kept)
    ring = 620 * max(0.0, time - HEALED - 0.2) ** 1.3 / 1.4
    if 0 < ring < 600:
        distance = np.hypot(COLUMNS - centre[0], ROWS - centre[1])
        scene.glow(np.asarray(np.exp(-(((distance - ring) / 9) ** 2)), np.float32), RING, 0.9)
    scene.glow(halo(centre, 34), RING, pulse(time, HEALED - 0.4, 0.5, 0.4, 0.8))
    beat = pulse(time % 0.9, 0.0, 0.1, 0.05, 0.4)
    scene.shade(
        corners(1.0, 0.42),
        (0.45 + 0.35 * beat) * ramp(time, HIT + 0.2, HIT + 0.6) * (1 - ramp(time, 7.2, 8.0)),
        hexed("8a0f1e"),
    )
    flash = 1.0 if HIT <= time < HIT + 0.09 else 0.0
    scene.glow(np.ones_like(ROWS), (1, 1, 1), 0.85 * flash)
    scene.put(_display(time))
    return scene.frame()


def sound() -> Samples:
    """A driving run of notes; at the blow it is muffled, a heart and a thin whistle remain; with the ring it opens."""
    track = Track(DURATION)
    run = (57, 60, 64, 69, 67, 64, 60, 64)
    for index in range(62):
        note = run[index % 8] + (0, 0, -2, 3)[index // 8 % 4]
        track.add(index * 0.19, pluck(note, 0.6), 0.26)
        if index % 2 == 0:
            track.add(index * 0.19, square(note - 12, 0.16), 0.12)
        if index % 4 == 0:
            track.add(index * 0.19, thump(34, 0.3), 0.45)
    track.muffle(260, [(0, 0), (HIT, 0), (HIT + 0.05, 1), (7.2, 1), (8.3, 0)])
    track.fade([(0, 1), (HIT, 1), (HIT + 0.05, 0.5), (7.0, 0.5), (8.3, 1.0), (9.75, 1.0), (10.3, 0.0), (12, 0)])
    for start in (1.2, 2.2, 9.55):
        track.add(start - 0.05, whoosh(0.25, 600, 4000), 0.5)
        track.add(start + 0.05, square(84, 0.1), 0.2)
    track.add(HIT, thump(24, 1.2), 1.4)
    track.add(HIT, whoosh(0.5, 80, 600), 0.9)
    for index in range(5):
        track.add(3.6 + index * 0.9, thump(29, 0.35), 0.75)
        track.add(3.82 + index * 0.9, thump(27, 0.35), 0.5)
    whistle = partials(2900, 3.2, (1.0,)) * np.linspace(1, 0, round(3.2 * SAMPLE_RATE), dtype=np.float32) ** 2
    track.add(HIT + 0.05, whistle, 0.05)
    for index, note in enumerate((69, 76, 81, 88)):
        track.add(7.1 + index * 0.12, bell(note, 1.8), 0.2)
    track.add(9.65, thump(30, 0.9), 0.9)
    track.add(9.9, pad((57, 64, 69, 73), 2.1, 0.5, 1.2), 0.32)
    return track.finished()


SCENE = Scene("wound", "Game", DURATION, 20, picture, sound)
