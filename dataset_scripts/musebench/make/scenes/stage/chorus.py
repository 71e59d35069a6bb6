"""A dancing line turns to silhouettes as the light moves behind it; one of them steps out and gets a face again."""

from functools import cache

import numpy as np

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Layer, Picture, Plane, hexed
from dataset_scripts.musebench.make.scenes.figure import ARMS_UP, STAND, Look, Pose, between, draw_figure, walking
from dataset_scripts.musebench.make.scenes.light import Rig, beam, cast, edge, halo, pool
from dataset_scripts.musebench.make.scenes.motion import follow, mix, ramp, smooth, straight, sway
from dataset_scripts.musebench.make.scenes.scene import Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import Track, bell, pad, pluck, square, step, thump
from dataset_scripts.musebench.make.scenes.stage.house import FLOOR, WALL, backdrop, boards, curtains

DURATION = 13.0
BEAT = 0.6
TALL = 108.0
PLACES = (96.0, 152.0, 208.0, 264.0, 320.0, 376.0)
SOLOIST = 2
DRESSES = ("d9433f", "2f8f83", "f0b429", "c65a9a", "4a7bd0", "e0752d")
SKINS = ("e3a988", "b9784f", "edbd98", "8d5a3b", "e3a988", "c98e66")
HAIRS = ("2a1c18", "1b1413", "5a3a1e", "17110f", "7a4a24", "2a1c18")
LAMPS = ((96.0, 26.0), (192.0, 16.0), (288.0, 16.0), (384.0, 26.0))
FRONT, BACK = hexed("ffe0b0"), hexed("bfe4ff")
LEFT = Pose(lean=-3, near_arm=118, near_elbow=26, far_arm=30, far_elbow=40, near_leg=16, near_knee=-26, far_leg=-10)
RIGHT = Pose(lean=3, near_arm=30, near_elbow=40, far_arm=118, far_elbow=26, near_leg=-10, far_leg=18, far_knee=-30)


def _looks() -> tuple[Look, ...]:
    return tuple(
        Look(hexed(skin), hexed(hair), hexed(dress), hexed("2c2530"), skirt=0.5, flare=0.1, bun=number % 2 == 0)
        for number, (skin, hair, dress) in enumerate(zip(SKINS, HAIRS, DRESSES, strict=True))
    )


def _step(beats: float) -> Pose:
    """The dance: left, up, right, up; each pose is struck and held."""
    poses = (LEFT, ARMS_UP, RIGHT, ARMS_UP)
    number = int(beats) % 4
    return between(poses[number - 1], poses[number], min(1.0, (beats - int(beats)) * 2.2))


def _beats(time: float) -> float:
    """Beats danced: even at first, slower from the change of light on, frozen at eight."""
    return straight([(0.0, 0.3), (4.8, 8.3), (7.8, 11.5)], time)


def _pose(number: int, time: float) -> Pose:
    dance = _step(_beats(time))
    if number != SOLOIST:
        return dance
    lowered = between(dance, STAND, ramp(time, 8.3, 9.1))
    gone = straight([(9.1, 0.0), (11.0, 4.0)], time)
    return between(lowered, walking(gone, stride=13, arms=6), ramp(time, 9.1, 9.3) * (1 - ramp(time, 10.8, 11.2)))


def _ground(number: int, time: float) -> tuple[float, float, float]:
    """x, y and height of a dancer."""
    hop = abs(sway(_beats(time) / 2, 1.0, 4.0)) * (1 - ramp(time, 7.4, 7.8))
    if number != SOLOIST:
        return PLACES[number], 214 - hop, TALL
    nearer = smooth((time - 9.1) / 1.9)
    return mix(PLACES[number], 236, nearer), 214 - hop + 42 * nearer, mix(TALL, 152, nearer)


def _dancers(time: float) -> tuple[Layer, Layer]:
    """The line, and apart from it the one in yellow."""
    line, solo = Canvas(), Canvas()
    for number, look in enumerate(_looks()):
        x, y, height = _ground(number, time)
        draw_figure(solo if number == SOLOIST else line, look, _pose(number, time), (x, y), height, 1)
    return line.layer(), solo.layer()


@cache
def _beams() -> tuple[Plane, Plane]:
    """The cones of the lamps at the back, and their bright faces."""
    cones, faces = np.zeros_like(FLOOR), np.zeros_like(FLOOR)
    for x, y in LAMPS:
        cones += beam((x, y), (x + (x - 240) * 0.45, 300), 7, 66, 0.9)
        faces += halo((x, y), 9) + 0.5 * halo((x, y), 26)
    return cones, np.asarray(np.clip(faces, 0, 1), np.float32)


def picture(time: float) -> Frame:
    """The stage at a time."""
    front = follow([(4.6, 1.0), (6.2, 0.0)], time)
    back = follow([(4.9, 0.0), (6.6, 1.0)], time)
    alone = ramp(time, 10.9, 12.0)
    line, solo = _dancers(time)
    cones, faces = _beams()
    scene = Picture()
    wall = (
        Rig((0.1, 0.1, 0.16))
        .add(halo((240, 150), 230) * WALL, FRONT, 0.9 * front)
        .add(halo((240, 60), 260) * WALL, BACK, 0.3 * back)
    )
    scene.put(backdrop(hexed("3f7f86"), 0), wall.light)
    floor = (
        Rig((0.12, 0.12, 0.18))
        .add(halo((240, 220), 300, 0.6) * FLOOR, FRONT, 0.95 * front)
        .add(halo((240, 196), 270, 0.35) * FLOOR, BACK, 0.8 * back)
    )
    shadows = np.maximum(cast(line.alpha, 212, 0.0, 0.55), cast(solo.alpha, _ground(SOLOIST, time)[1], 0.0, 0.5))
    floor.block(shadows, 0.7 * back)
    floor.add(pool((236, 256), 54, 0.26, 0.5), FRONT, 0.9 * alone)
    scene.put(boards(), floor.light)
    scene.glow(cones, BACK, 0.42 * back)
    scene.glow(faces, (1, 1, 1), back)
    for dancers, share in ((line, 0.0), (solo, alone)):
        light = Rig((0.03, 0.035, 0.06)).add(front, FRONT, 1.0).add(edge(dancers.alpha, 0, 2, 0.6), BACK, 1.6 * back)
        light.add(pool((236, 190), 120, 1.3, 0.7), FRONT, 0.95 * share)
        scene.put(dancers, light.light)
    scene.put(
        curtains(), Rig((0.1, 0.09, 0.12)).add(front, FRONT, 0.75).add(halo((240, 120), 240), BACK, 0.12 * back).light
    )
    return scene.frame()


TUNE = (72, 76, 79, 76, 77, 81, 79, 74, 72, 76, 79, 84, 83, 79, 77, 74)
BASS = (48, 55, 53, 55)


def sound() -> Samples:
    """A brisk dance tune that loses one instrument after another; then steps alone, then one bell."""
    track = Track(DURATION)
    for number in range(16):
        track.add(0.02 + number * BEAT / 2, square(TUNE[number], 0.28), 0.16)
    for number in range(9):
        track.add(0.02 + number * BEAT, pluck(BASS[number % 4], 0.8), 0.5)
        track.add(0.02 + number * BEAT, thump(36, 0.3), 0.4)
        track.add(0.32 + number * BEAT, step(number, 1.0), 0.14)
    for number in range(4):
        track.add(5.7 + number * 0.75, thump(30, 0.6), 0.4 - 0.07 * number)
    track.add(5.2, pad((84, 91), 6.3, 2.0, 2.5), 0.1)
    for number in range(4):
        track.add(9.3 + number * 0.47, step(number + 20, 0.8), 0.3 + 0.05 * number)
    track.add(11.4, bell(72, 1.6), 0.3)
    track.room(1.1, 0.25)
    return track.finished()


SCENE = Scene("chorus", "Stage Performing", DURATION, 15, picture, sound)
