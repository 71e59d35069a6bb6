"""A room of painted flats leans in and its doors shrink, until only kneeling leads to the last of them."""

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Layer, Picture, Point, blend, hexed, tinted
from dataset_scripts.musebench.make.scenes.figure import (
    CROUCH,
    KNEEL,
    REACH,
    SIT,
    STAND,
    Look,
    Pose,
    between,
    draw_figure,
    walking,
)
from dataset_scripts.musebench.make.scenes.light import Rig, cast, edge, halo, pool
from dataset_scripts.musebench.make.scenes.motion import follow, mix, ramp, straight, sway
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, WIDTH, Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import Track, bell, creak, low_pass, pad, step, thump

DURATION = 14.0
TALL = 106.0
GROUND = 226.0
PAPER, TRIM, PLANK = hexed("7f9a86"), hexed("5c4a3d"), hexed("8a6a4c")
LAMPLIGHT, OUTSIDE = hexed("ffdf9e"), hexed("ffb45a")
TENANT = Look(hexed("e2ab86"), hexed("33261f"), hexed("3f4a6b"), hexed("2b2f3f"), skirt=0.42, flare=0.03)
DOORS = ((138.0, 46.0, 128.0, 64.0), (226.0, 40.0, 104.0, 44.0), (302.0, 32.0, 80.0, 25.0))
"""Left edge, width, height at first and in the end."""
STOOP = Pose(
    lean=40,
    nod=20,
    near_arm=64,
    near_elbow=18,
    far_arm=20,
    far_elbow=30,
    near_leg=16,
    near_knee=-20,
    far_leg=-6,
    far_knee=-14,
)
WAY = ((2.7, 388.0), (4.9, 134.0), (5.9, 134.0), (6.8, 216.0), (7.9, 216.0), (8.5, 276.0))


def _closing(time: float) -> float:
    """How far the room has closed in, 0 to 1."""
    return straight([(2.4, 0.0), (4.8, 0.36), (5.4, 0.36), (7.2, 0.74), (7.8, 0.74), (9.6, 1.0)], time)


def _corners(closed: float) -> tuple[Point, Point, Point, Point]:
    """The back wall: top left, top right, bottom right, bottom left. It leans as it comes nearer."""
    return (
        (mix(104, 150, closed), mix(26, 92, closed)),
        (mix(376, 352, closed), mix(26, 64, closed)),
        (mix(376, 364, closed), 190),
        (mix(104, 112, closed), 190),
    )


def _set(closed: float) -> Layer:
    """Walls, ceiling and floor."""
    canvas = Canvas()
    top_left, top_right, bottom_right, bottom_left = _corners(closed)
    front_top = mix(-40, 16, closed)
    canvas.fill(hexed("15110f"))
    lean = 46 * closed
    canvas.polygon([(0, front_top), (WIDTH, front_top - 22 * closed), top_right, top_left], tinted(PAPER, 0.52))
    canvas.polygon([(lean, front_top), top_left, bottom_left, (0, HEIGHT)], tinted(PAPER, 0.74))
    canvas.polygon(
        [(WIDTH - lean, front_top - 22 * closed), top_right, bottom_right, (WIDTH, HEIGHT)], tinted(PAPER, 0.62)
    )
    canvas.polygon([bottom_left, bottom_right, (WIDTH, HEIGHT), (0, HEIGHT)], PLANK)
    for number in range(1, 8):
        share = number / 8
        x = mix(bottom_left[0], bottom_right[0], share)
        canvas.line([(x, 190), (mix(0, WIDTH, share), HEIGHT)], 1.2, tinted(PLANK, 0.72))
    canvas.polygon([top_left, top_right, bottom_right, bottom_left], PAPER)
    for number in range(1, 14):
        share = number / 14
        foot = mix(bottom_left[0], bottom_right[0], share)
        head = (mix(top_left[0], top_right[0], share), mix(top_left[1], top_right[1], share))
        canvas.line([head, (foot, 190)], 2, blend(PAPER, (1, 1, 1), 0.1))
    canvas.polygon([(bottom_left[0], 184), (bottom_right[0], 184), bottom_right, bottom_left], TRIM)
    for number, door in enumerate(DOORS):
        _door(canvas, door, closed, number)
    return canvas.layer()


def _door(canvas: Canvas, door: tuple[float, float, float, float], closed: float, number: int) -> None:
    left, width, tall, small = door
    height = mix(tall, small, closed)
    wide = mix(width, width * (0.55 + 0.1 * (2 - number)), closed)
    left += (width - wide) / 2
    tip = 8 * closed
    frame, leaf = tinted(TRIM, 0.8), blend(TRIM, hexed("a8753f"), 0.55)
    canvas.polygon(
        [
            (left - 4 + tip, 186 - height),
            (left + wide + 4 + tip, 186 - height - 2),
            (left + wide + 4, 190),
            (left - 4, 190),
        ],
        frame,
    )
    canvas.polygon(
        [(left + tip, 190 - height), (left + wide + tip, 190 - height - 2), (left + wide, 190), (left, 190)], leaf
    )
    inset, middle = wide * 0.18, 190 - height * 0.46
    for top, bottom in ((190 - height * 0.9, middle - 3), (middle + 3, 190 - height * 0.1)):
        canvas.polygon(
            [
                (left + inset + tip * 0.8, top),
                (left + wide - inset + tip * 0.8, top),
                (left + wide - inset, bottom),
                (left + inset, bottom),
            ],
            tinted(leaf, 0.8),
        )
    canvas.disc((left + wide * 0.86, 190 - height * 0.45), 1.8, hexed("e5c26a"))


def _way_out(closed: float, opened: float) -> Layer:
    """The lit opening of the last door."""
    canvas = Canvas()
    left, width, tall, small = DOORS[2]
    wide, height = mix(width, width * 0.55, closed), mix(tall, small, closed)
    left += (width - wide) / 2
    canvas.polygon(
        [
            (left + 8 * closed, 190 - height),
            (left + wide * opened + 8 * closed, 190 - height - 1),
            (left + wide * opened, 190),
            (left, 190),
        ],
        hexed("fff0c8"),
    )
    return canvas.layer()


def _tenant(time: float) -> Layer:
    canvas = Canvas()
    x = straight(WAY, time)
    gone = sum(abs(straight(WAY, each / 50) - straight(WAY, (each + 1) / 50)) for each in range(round(time * 50)))
    walk = (
        ramp(time, 2.6, 2.9) * (1 - ramp(time, 4.7, 5.0))
        + ramp(time, 5.9, 6.1) * (1 - ramp(time, 6.6, 6.8))
        + ramp(time, 7.9, 8.0) * (1 - ramp(time, 8.4, 8.6))
    )
    pose = between(SIT, STAND, ramp(time, 1.8, 2.6))
    pose = between(pose, REACH, ramp(time, 5.0, 5.4) * (1 - ramp(time, 5.5, 5.9)))
    pose = between(pose, STOOP, ramp(time, 6.7, 7.2) * (1 - ramp(time, 7.6, 7.9)))
    pose = between(pose, walking(gone / (0.4 * TALL), stride=22, arms=14), walk)
    pose = between(pose, KNEEL, ramp(time, 8.6, 9.3))
    pose = between(pose, CROUCH, ramp(time, 9.6, 10.6))
    facing = -1 if time < 4.95 else 1
    draw_figure(
        canvas,
        TENANT,
        pose,
        (x, GROUND - 14 * ramp(time, 8.0, 9.0) - (8 if time < 2.0 else 8 * (1 - ramp(time, 2.0, 2.6)))),
        TALL,
        facing,
    )
    return canvas.layer()


def _chair() -> Layer:
    canvas, wood = Canvas(), hexed("9c5a34")
    canvas.box(376, 180, 412, 186, wood)
    for x in (378, 408):
        canvas.box(x, 186, x + 4, 226, tinted(wood, 0.8))
    canvas.box(407, 134, 412, 186, wood)
    canvas.box(403, 134, 415, 146, wood, 3)
    return canvas.layer()


def _lamp(time: float, closed: float) -> tuple[Layer, Point]:
    canvas = Canvas()
    hook, drop = (256.0, mix(-10, 40, closed)), mix(78, 56, closed)
    swing = sway(time, 2.1, 26 * closed)
    shade = (hook[0] + swing, hook[1] + drop)
    canvas.line([hook, shade], 1.4, hexed("241c18"))
    canvas.polygon(
        [
            (shade[0] - 5, shade[1]),
            (shade[0] + 5, shade[1]),
            (shade[0] + 17, shade[1] + 13),
            (shade[0] - 17, shade[1] + 13),
        ],
        hexed("b8483a"),
    )
    canvas.disc((shade[0], shade[1] + 14), 5, hexed("fff3cf"))
    return canvas.layer(), (shade[0], shade[1] + 14)


def picture(time: float) -> Frame:
    """The stage at a time."""
    closed, opened = _closing(time), ramp(time, 10.0, 11.2)
    tenant, chair = _tenant(time), _chair()
    lamp, bulb = _lamp(time, closed)
    dim = mix(1.0, 0.5, closed) * mix(1.0, 0.55, opened)
    spill = pool((310, 204), 74, 0.34, 1.2) * opened
    scene = Picture()
    walls = (
        Rig((0.2, 0.21, 0.27))
        .add(halo(bulb, 230, 0.9), LAMPLIGHT, 0.95 * dim)
        .add(halo((316, 180), 44), OUTSIDE, 0.35 * opened)
    )
    walls.add(spill, OUTSIDE, 0.9)
    walls.block(cast(tenant.alpha, GROUND - 12 * ramp(time, 8.0, 9.0), (256 - straight(WAY, time)) / -160, 0.2), 0.5)
    walls.block(pool((394, 227), 30, 0.16, 1.0), 0.45)
    scene.put(_set(closed), walls.light)
    if opened > 0:
        scene.put(_way_out(closed, opened), 1.0)
        scene.glow(halo((316, 178), 40), OUTSIDE, 0.55 * opened)
    scene.put(chair, Rig((0.26, 0.26, 0.32)).add(halo(bulb, 260), LAMPLIGHT, 0.85 * dim).light)
    lit = (
        Rig((0.3, 0.31, 0.38))
        .add(halo(bulb, 260), LAMPLIGHT, 0.8 * dim)
        .add(edge(tenant.alpha, 0, 2), LAMPLIGHT, 0.6 * dim)
    )
    scene.put(tenant, lit.add(edge(tenant.alpha, -3, 1), OUTSIDE, 1.5 * opened).light)
    scene.put(lamp, 1.0)
    scene.glow(halo(bulb, 34), LAMPLIGHT, 0.5 * dim)
    return scene.frame()


MUSIC_BOX = (79, 76, 72, 76, 79, 84)


def sound() -> Samples:
    """A clock that hurries, wood under strain with each move of the walls, and a far music box behind the last door."""
    track = Track(DURATION)
    at = 0.3
    while at < 10.0:
        track.add(at, step(3, 1.0) * 0.5, 0.5 if round(at * 10) % 2 else 0.42)
        at += follow([(2.0, 0.75), (9.5, 0.24)], at)
    for start, length, note in ((2.4, 1.1, 45), (3.7, 1.0, 43), (5.5, 1.6, 41), (7.9, 1.6, 38)):
        track.add(start, creak(length, note, round(start)), 0.34)
    track.add(9.55, thump(26, 1.0), 0.8)
    track.add(2.4, low_pass(pad((33, 34), 7.4, 3.0, 0.4), 400), 0.45)
    for number in range(6):
        track.add(2.85 + number * 0.36, step(number, 0.4), 0.26)
    for number, note in enumerate(MUSIC_BOX):
        track.add(10.5 + number * 0.45, bell(note, 1.4), 0.15)
    for at in (6.2, 6.55, 8.1, 8.4):
        track.add(at, step(round(at * 10), 0.4), 0.26)
    track.room(0.6, 0.2)
    return track.finished()


SCENE = Scene("room", "Stage Performing", DURATION, 15, picture, sound)
