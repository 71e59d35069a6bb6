"""A singer lets her scarf fall and leaves her light; the follow spot stays on the place where she stood."""

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Layer, Picture, Point, hexed
from dataset_scripts.musebench.make.scenes.figure import STAND, Body, Look, Pose, between, draw_figure, walking
from dataset_scripts.musebench.make.scenes.light import Rig, beam, cast, edge, halo, pool
from dataset_scripts.musebench.make.scenes.motion import follow, mix, ramp, straight, sway
from dataset_scripts.musebench.make.scenes.scene import Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import Track, pad, pluck, step, thump, voice
from dataset_scripts.musebench.make.scenes.stage.house import FLOOR, WALL, backdrop, boards, curtains

DURATION = 13.0
HEIGHT_OF_FIGURE = 128.0
SPOT = (272.0, 236.0)
LAMP = (64.0, -60.0)
SINGER = Look(
    skin=hexed("e9b48f"),
    hair=hexed("3a221c"),
    top=hexed("e8e2d2"),
    legs=hexed("cfc6b2"),
    skirt=0.97,
    flare=0.12,
    bun=True,
)
OPEN = Pose(nod=-10, near_arm=62, near_elbow=-22, far_arm=-58, far_elbow=16, lean=-3)
LETTING_GO = Pose(nod=14, near_arm=52, near_elbow=6, far_arm=-4, far_elbow=6, lean=4)
WARM, MOON = hexed("ffe9c4"), hexed("3d5a9e")
RED = hexed("c8293b")


def _pose(time: float) -> Pose:
    singing = between(STAND, OPEN, ramp(time, 0.8, 2.0) * (1 - ramp(time, 3.2, 4.0)))
    releasing = between(singing, LETTING_GO, ramp(time, 3.6, 4.3))
    return between(releasing, _stride(time), ramp(time, 5.0, 5.5))


def _place(time: float) -> float:
    return straight([(5.1, SPOT[0]), (10.0, 2.0)], time)


def _stride(time: float) -> Pose:
    return walking((SPOT[0] - _place(time)) / (0.34 * HEIGHT_OF_FIGURE), stride=19, arms=9)


def _scarf(canvas: Canvas, body: Body, time: float) -> None:
    """Round the shoulders, then hanging from the hand, then falling, then a small heap on the floor."""
    fallen = ramp(time, 4.45, 4.95)
    heap: Point = (SPOT[0] - 14, SPOT[1] + 3)
    if time < 3.7:
        left, right = body.near_shoulder, body.far_shoulder
        canvas.limb(left, right, 6, 6, RED)
        canvas.limb(left, (left[0] - 7, left[1] + 42 + sway(time, 2.6, 2)), 5, 3.5, RED)
    elif fallen < 1:
        hand = (
            body.near_hand
            if time < 4.45
            else (mix(body.near_hand[0], heap[0], fallen), mix(body.near_hand[1], heap[1], fallen))
        )
        canvas.line(
            [hand, (hand[0] - 3, hand[1] + 20 * (1 - fallen)), (hand[0] + 2, hand[1] + 46 * (1 - fallen))], 7, RED
        )
    if fallen >= 1:
        canvas.polygon(
            [
                (heap[0] - 17, heap[1] + 4),
                (heap[0] - 8, heap[1] - 4),
                (heap[0] + 2, heap[1] - 1),
                (heap[0] + 9, heap[1] - 5),
                (heap[0] + 19, heap[1] + 4),
            ],
            RED,
        )
        canvas.disc((heap[0], heap[1] + 3), 17, RED, 0.22)


def _spot(time: float) -> tuple[float, float]:
    """Radius and strength of the follow spot."""
    radius = follow([(0.0, 58.0), (8.4, 58.0), (10.9, 24.0)], time) + sway(time, 3.1, 0.6)
    return radius, 1.0 if time < 11.6 else 0.0


def _figure(time: float) -> tuple[Layer, Layer]:
    """The singer and, apart, the scarf."""
    canvas, cloth = Canvas(), Canvas()
    x = _place(time)
    body = draw_figure(canvas, SINGER, _pose(time), (x, SPOT[1] + sway(time, 2.6, 0.5)), HEIGHT_OF_FIGURE, -1)
    _scarf(cloth, body, time)
    return canvas.layer(), cloth.layer()


def picture(time: float) -> Frame:
    """The stage at a time."""
    radius, strength = _spot(time)
    singer, scarf = _figure(time)
    spot = pool(SPOT, radius, 0.3, 0.3)
    on_stage = spot * FLOOR * strength
    centre = (SPOT[0], SPOT[1] - 56)
    body_light = pool(centre, radius + 24, 1.6, 0.45) * strength
    scene = Picture((0.012, 0.014, 0.03))
    scene.put(
        backdrop(hexed("2b3350"), 16),
        Rig((0.22, 0.25, 0.4)).add(halo((SPOT[0] + 60, 150), 120) * WALL, WARM, 0.28 * strength).light,
    )
    floor = Rig((0.17, 0.21, 0.36)).add(on_stage, WARM, 1.35).add(halo(SPOT, 150, 0.4), WARM, 0.16 * strength)
    floor.block(cast(singer.alpha, SPOT[1], 0.5, 0.16), 0.75)
    scene.put(boards(), floor.light)
    scene.put(scarf, Rig((0.16, 0.2, 0.34)).add(on_stage + body_light * (1 - FLOOR), WARM, 1.2).light)
    lit = Rig((0.1, 0.13, 0.26)).add(body_light, WARM, 0.82).add(edge(singer.alpha, 3, 2) * body_light, WARM, 0.6)
    lit.add(edge(singer.alpha, -2, 1), MOON, 0.5)
    scene.put(singer, lit.light)
    if time < 4.0:
        scene.put(scarf, Rig((0.16, 0.2, 0.34)).add(body_light, WARM, 1.0).light)
    scene.glow(beam(LAMP, SPOT, 5, radius * 0.8), WARM, 0.2 * strength)
    scene.put(curtains(), Rig((0.16, 0.15, 0.22)).add(halo(SPOT, 250), WARM, 0.22 * strength).light)
    return scene.frame()


MELODY = ((0.5, 69, 0.9), (1.4, 72, 0.6), (2.0, 76, 1.3), (3.3, 74, 0.5), (3.8, 71, 0.75))
CHORDS = (
    (45, 57, 60, 64),
    (45, 57, 60, 64),
    (41, 57, 60, 65),
    (40, 56, 59, 64),
    (45, 57, 60, 64),
    (41, 57, 60, 65),
    (40, 56, 59, 64),
)


def sound() -> Samples:
    """A song whose accompaniment goes on without its singer, and steps that leave."""
    track = Track(DURATION)
    for start, note, length in MELODY:
        track.add(start, voice(note, length + 0.15), 0.3)
    for bar, chord in enumerate(CHORDS):
        for number, note in enumerate((*chord, chord[2])):
            track.add(0.3 + bar * 1.5 + number * 0.3, pluck(note, 1.4), 0.28 * (1 if bar < 3 else 0.62))
    track.add(0.0, pad((33, 45), 5.0, 0.5, 1.5), 0.12)
    for number in range(10):
        track.add(5.35 + number * 0.45, step(number, 0.7), 0.34 * (1 - number / 11))
    track.add(11.6, thump(40, 0.5), 0.7)
    track.room(1.2, 0.3)
    track.fade([(0, 1), (11.55, 1), (12.6, 0.6), (13, 0)])
    return track.finished()


SCENE = Scene("vigil", "Stage Performing", DURATION, 15, picture, sound)
