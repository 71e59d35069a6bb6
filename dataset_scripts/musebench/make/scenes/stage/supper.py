"""Two at table under a waltz that never changes, while the light turns and a shadow does more than its owner."""

from dataclasses import replace
from functools import cache

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Colour, Layer, Picture, blend, hexed, tinted
from dataset_scripts.musebench.make.scenes.figure import SIT, STAND, Body, Look, Pose, between, draw_figure
from dataset_scripts.musebench.make.scenes.light import Rig, blurred, edge, halo, pool
from dataset_scripts.musebench.make.scenes.motion import pulse, ramp, sway
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, WIDTH, Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import Track, bell, pluck, square
from dataset_scripts.musebench.make.scenes.stage.house import FLOOR, HORIZON, WALL, backdrop, boards

DURATION = 13.0
TALL = 132.0
SEAT = 226.0
BAR = 1.3
HOST = Look(hexed("e4a986"), hexed("26191b"), hexed("8f2338"), hexed("381822"), skirt=0.3, flare=0.02)
GUEST = Look(hexed("efc6a6"), hexed("8a5a2b"), hexed("b9c8d8"), hexed("8494a8"), skirt=0.95, flare=0.05, bun=True)
AMBER, SICK, ICE = hexed("ffcf87"), hexed("9fd06a"), hexed("7fa0ea")
TOAST = replace(SIT, lean=2, nod=-6, near_arm=96, near_elbow=40, far_arm=26, far_elbow=52)
SLUMP = replace(SIT, lean=46, nod=34, near_arm=60, near_elbow=24, far_arm=52, far_elbow=40)
WARY = replace(SIT, lean=-7, nod=10, near_arm=52, near_elbow=46, far_arm=20, far_elbow=44)
LOOM = Pose(lean=30, nod=16, near_arm=112, near_elbow=-30, far_arm=88, far_elbow=-34)


def _wash(time: float) -> Colour:
    """The colour of the light over all: amber, then green, then ice."""
    green = blend(AMBER, SICK, ramp(time, 3.6, 6.2))
    return blend(green, ICE, ramp(time, 8.2, 10.2))


def _host(time: float) -> Pose:
    raised = pulse(time, 1.2, 0.6, 0.9, 0.6) + pulse(time, 5.0, 0.6, 0.9, 0.6) + ramp(time, 10.6, 11.4)
    rest = between(SIT, Pose(**{**SIT.__dict__, "near_arm": 34 + sway(time, BAR, 6), "nod": sway(time, BAR, 5)}), 1.0)
    return between(rest, TOAST, raised)


def _guest(time: float) -> Pose:
    pose = between(SIT, TOAST, pulse(time, 1.35, 0.6, 0.8, 0.6) + 0.5 * pulse(time, 5.3, 0.7, 0.2, 0.9))
    pose = between(pose, WARY, ramp(time, 6.2, 7.4))
    return between(pose, SLUMP, ramp(time, 9.2, 10.6))


@cache
def _furniture() -> Layer:
    canvas, wood = Canvas(), hexed("5a3a2a")
    for seat, back in ((138, 124), (342, 356)):
        canvas.box(seat - 20, 192, seat + 20, 198, wood)
        canvas.box(back - 3, 128, back + 3, 246, wood)
        canvas.box(2 * seat - back - 2, 198, 2 * seat - back + 2, 246, tinted(wood, 0.8))
    return canvas.layer()


@cache
def _table() -> Layer:
    canvas, cloth = Canvas(), hexed("eee6d8")
    canvas.polygon([(184, 178), (296, 178), (302, 236), (178, 236)], cloth)
    for x in (196, 222, 250, 276):
        canvas.polygon([(x, 182), (x + 8, 182), (x + 11, 236), (x - 1, 236)], tinted(cloth, 0.9))
    canvas.box(180, 174, 300, 181, tinted(cloth, 1.04), 3)
    canvas.disc((240, 173), 20, hexed("c9bfae"), 0.2)
    canvas.disc((235, 168), 6, hexed("c43b34"))
    canvas.disc((245, 168), 6, hexed("d9a02f"))
    for x in (210, 270):
        canvas.box(x - 2, 146, x + 2, 174, hexed("f4efe2"))
        canvas.box(x - 5, 171, x + 5, 175, hexed("b98a3a"))
    return canvas.layer()


def _glass(canvas: Canvas, body: Body, facing: int) -> None:
    x, y = body.near_hand
    x += facing * 3
    canvas.box(x - 1, y - 4, x + 1, y + 4, hexed("dfe6ea"))
    canvas.polygon([(x - 4, y - 13), (x + 4, y - 13), (x + 1.5, y - 4), (x - 1.5, y - 4)], hexed("b51f33"))


def _people(time: float) -> Layer:
    canvas = Canvas()
    host = draw_figure(canvas, HOST, _host(time), (132, SEAT), TALL, 1)
    _glass(canvas, host, 1)
    guest = draw_figure(canvas, GUEST, _guest(time), (348, SEAT), TALL, -1)
    if time < 9.5:
        _glass(canvas, guest, -1)
    else:
        canvas.limb((284, 171), (293, 170), 1, 4, hexed("b51f33"))
    return canvas.layer()


def _shadows(time: float) -> Layer:
    """The shadows on the cyclorama: like their owners at first; then the host's rises and bends over the other."""
    canvas = Canvas(zoom=1.0)
    grown = ramp(time, 5.6, 9.0)
    black = Look((0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), skirt=0.4, flare=0.03)
    loom = between(between(_host(time), STAND, ramp(time, 5.6, 7.0)), LOOM, ramp(time, 7.0, 9.0))
    draw_figure(canvas, black, loom, (118 + 76 * grown, HORIZON + 48 - 6 * grown), TALL * (1.12 + 0.36 * grown), 1)
    draw_figure(canvas, black, _guest(time), (372, HORIZON + 48), TALL * 1.12, -1)
    return canvas.layer()


def picture(time: float) -> Frame:
    """The stage at a time."""
    wash = _wash(time)
    cold = ramp(time, 8.2, 10.2)
    flame = 1 - ramp(time, 9.4, 9.7)
    people, shadows = _people(time), _shadows(time)
    scene = Picture()
    wall = Rig((0.05, 0.05, 0.07)).add(halo((240, 120), 330) * WALL, wash, 0.92 - 0.2 * cold)
    wall.block(blurred(shadows.alpha, 2.6) * WALL, 0.45 + 0.3 * ramp(time, 5.0, 8.0))
    scene.put(backdrop(hexed("cfc4b4")), wall.light)
    floor = Rig((0.1, 0.1, 0.13)).add(halo((240, 230), 260, 0.5) * FLOOR, wash, 0.8 - 0.25 * cold)
    floor.block(pool((240, 240), 150, 0.11, 1.0), 0.5)
    scene.put(boards(), floor.light)
    light = Rig((0.2, 0.2, 0.24)).add(halo((240, 170), 260), wash, 0.82 - 0.2 * cold)
    light.add(halo((240, 150), 80), AMBER, 0.35 * flame)
    scene.put(_furniture(), light.light)
    scene.put(people, light.add(edge(people.alpha, 0, -2), wash, 0.35).light)
    scene.put(_table(), light.light)
    for x in (210, 270):
        scene.glow(halo((x, 141 + sway(time + x, 0.4, 0.6)), 3.4, 1.7), hexed("fff2c4"), flame * 1.4)
        scene.glow(halo((x, 142), 26), AMBER, 0.4 * flame)
    scene.shade(halo((0, 0), 170) + halo((WIDTH, 0), 170) + halo((0, HEIGHT), 120) + halo((WIDTH, HEIGHT), 120), 0.5)
    return scene.frame()


WALTZ = (
    76,
    79,
    84,
    83,
    81,
    77,
    74,
    77,
    81,
    79,
    77,
    71,
    72,
    76,
    79,
    76,
    79,
    84,
    83,
    81,
    77,
    74,
    77,
    81,
    79,
    77,
    74,
    72,
    72,
    72,
)
ROOTS = (48, 53, 50, 55, 48, 48, 53, 50, 55, 48)


def sound() -> Samples:
    """A cheerful waltz in a major key, the same speed, loudness and colour from the first bar to the last."""
    track = Track(DURATION)
    third = BAR / 3
    for number, root in enumerate(ROOTS):
        track.add(number * BAR, pluck(root, 1.0), 0.5)
        for beat in (1, 2):
            for interval in (12, 16 if root in (48, 53, 55) else 15, 19):
                track.add(number * BAR + beat * third, pluck(root + interval, 0.5), 0.16)
    for number, note in enumerate(WALTZ):
        track.add(number * third, square(note, 0.42), 0.13)
        track.add(number * third, bell(note + 12, 0.6), 0.06)
    for clink in (2.0, 5.7):
        track.add(clink, bell(100, 0.6), 0.16)
    track.room(0.7, 0.18)
    return track.finished()


SCENE = Scene("supper", "Stage Performing", DURATION, 15, picture, sound)
