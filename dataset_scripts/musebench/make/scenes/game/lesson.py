"""Stepping stones over a gap: a bird shows what the orange ones do before the runner has to know it."""

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Layer, Picture, Point, hexed, tinted
from dataset_scripts.musebench.make.scenes.figure import STAND, Look, Pose, between, draw_figure, walking
from dataset_scripts.musebench.make.scenes.game.hud import AROUND, INK, PAPER, coin, number, sparks
from dataset_scripts.musebench.make.scenes.light import ROWS, halo
from dataset_scripts.musebench.make.scenes.motion import follow, mix, ramp, sway
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, Frame, Samples, Scene
from dataset_scripts.musebench.make.scenes.sound import Track, bell, creak, pluck, square, step, thump, whoosh

DURATION = 13.0
TALL = 46.0
TEAL, ORANGE = hexed("2f9c8f"), hexed("f07c2b")
HERO = Look(hexed("f0c29a"), hexed("5b2f1d"), hexed("e8e4d6"), hexed("3b4a7a"), skirt=0.0)
STONES: tuple[tuple[float, float, float, bool], ...] = (
    (268, 196, 54, True),
    (356, 182, 56, False),
    (462, 168, 56, False),
    (560, 186, 50, True),
    (648, 164, 64, False),
)
"""Left, top, width, and whether it falls."""
FALLS = {0: 2.3, 3: 8.35}
JUMPS = (
    (4.3, 5.1, (226.0, 200.0), (372.0, 182.0)),
    (5.9, 6.7, (396.0, 182.0), (478.0, 168.0)),
    (7.5, 8.2, (504.0, 168.0), (580.0, 186.0)),
    (8.75, 9.5, (586.0, 186.0), (668.0, 164.0)),
)
COINS: tuple[tuple[float, float, float], ...] = (
    (262, 150, 4.52), (299, 134, 4.72), (336, 142, 4.9),
    (417, 134, 6.13), (437, 126, 6.3), (457, 130, 6.48),
    (604, 138, 8.96), (627, 124, 9.14), (650, 128, 9.32),
)  # fmt: skip
FLAG = (742.0, 150.0)


def _look(time: float) -> tuple[float, float]:
    """The left edge of the view and its zoom."""
    left = follow([(0.0, 0.0), (1.2, 30.0), (4.2, 70.0), (9.8, 470.0), (11.2, 500.0), (12.8, 640.0)], time)
    return left, follow([(11.0, 1.0), (12.8, 0.86)], time)


def _camera(time: float, depth: float = 1.0) -> Canvas:
    left, zoom = _look(time)
    scale = 1 + (zoom - 1) * depth
    return Canvas(scale, (left * depth, HEIGHT - HEIGHT / scale))


def _sky(time: float) -> Picture:
    scene = Picture(hexed("bfe3ea"))
    scene.shade((1 - ROWS / HEIGHT) ** 1.4, 0.9, hexed("5aa7cf"))
    scene.glow(halo((370 - _look(time)[0] * 0.05, 60), 90), hexed("fff3cf"), 0.7)
    far, near = _camera(time, 0.15), _camera(time, 0.4)
    for index in range(8):
        far.disc((index * 110 - 30, 250), 92, hexed("8cc3c4"), 0.9 + 0.2 * (index % 3))
    for index in range(10):
        near.disc((index * 96 - 10, 292), 96, hexed("68a99b"), 0.74 + 0.2 * (index % 2))
        near.box(index * 96 + 22, 176, index * 96 + 26, 220, hexed("55806f"))
        near.disc((index * 96 + 24, 172), 15, hexed("5c9c84"), 1.2)
    scene.put(far.layer())
    scene.put(near.layer())
    return scene


def _stone(canvas: Canvas, left: float, top: float, width: float, falling: bool) -> None:
    colour = ORANGE if falling else TEAL
    canvas.box(left, top, left + width, top + 20, tinted(colour, 0.72), 5)
    canvas.box(left, top, left + width, top + 8, colour, 4)
    if falling:
        for share in (0.25, 0.52, 0.78):
            x = left + width * share
            canvas.line([(x, top + 1), (x - 3, top + 8), (x + 3, top + 13), (x - 1, top + 19)], 1.5, hexed("7a3310"))
    else:
        for share in (0.12, 0.5, 0.86):
            canvas.polygon(
                [
                    (left + width * share - 4, top + 1),
                    (left + width * share, top - 6),
                    (left + width * share + 4, top + 1),
                ],
                hexed("5cc4a8"),
            )


def _sunk(index: int, time: float) -> Point:
    """How far a stone has been shaken aside and has fallen."""
    if index not in FALLS:
        return 0.0, 0.0
    since = time - FALLS[index]
    shake = sway(time, 0.11, 1.6) if -0.25 < since < 0.3 else 0.0
    return shake, 330 * max(0.0, since - 0.3) ** 2


def _ground(time: float) -> Layer:
    canvas = _camera(time)
    for left, right, top, safe in (
        (-80.0, 250.0, 200.0, True),
        (712.0, 830.0, 150.0, True),
        (846.0, 1400.0, 158.0, False),
    ):
        colour = TEAL if safe else ORANGE
        canvas.box(left, top, right, 400, tinted(colour, 0.6), 6)
        canvas.box(left, top, right, top + 10, colour, 4)
        for step_number in range(int((right - left) / 30)):
            x = left + 12 + step_number * 30
            canvas.box(
                x, top + 24 + 16 * (step_number % 3), x + 13, top + 31 + 16 * (step_number % 3), tinted(colour, 0.5), 2
            )
    for index in range(6):
        x = 880 + index * 62
        canvas.box(x, 92 - 14 * (index % 2), x + 26, 158, tinted(ORANGE, 0.84))
        canvas.polygon(
            [(x - 4, 92 - 14 * (index % 2)), (x + 30, 92 - 14 * (index % 2)), (x + 13, 62 - 14 * (index % 2))],
            tinted(ORANGE, 0.66),
        )
    for index, (left, top, width, falling) in enumerate(STONES):
        aside, down = _sunk(index, time)
        if top + down < HEIGHT + 30:
            _stone(canvas, left + aside, top + down, width, falling)
    rise = ramp(time, 10.0, 10.5)
    canvas.box(FLAG[0], FLAG[1] - 56, FLAG[0] + 3, FLAG[1], PAPER)
    y = FLAG[1] - 16 - 38 * rise
    canvas.polygon(
        [(FLAG[0] + 3, y), (FLAG[0] + 28, y + 6 + sway(time, 0.8, 2)), (FLAG[0] + 3, y + 15)],
        hexed("2f6fd0") if rise > 0 else hexed("8a8f98"),
    )
    return canvas.layer()


def _place(time: float) -> tuple[Point, Pose]:
    """Where the runner is and how."""
    for start, end, before, after in JUMPS:
        if start <= time < end:
            share = (time - start) / (end - start)
            lift = 46 * 4 * share * (1 - share)
            leap = Pose(
                lean=10,
                near_arm=70 - 100 * share,
                far_arm=-60,
                near_leg=52 - 40 * share,
                near_knee=-56,
                far_leg=-34,
                far_knee=-30,
            )
            return (mix(before[0], after[0], share), mix(before[1], after[1], share) - lift), leap
    legs = (
        (0.0, 1.5, 20.0, 212.0, 200.0),
        (3.7, 4.3, 206.0, 226.0, 200.0),
        (5.1, 5.9, 372.0, 396.0, 182.0),
        (6.7, 7.5, 478.0, 504.0, 168.0),
        (8.2, 8.75, 580.0, 586.0, 186.0),
        (9.5, 9.75, 668.0, 690.0, 164.0),
        (9.75, 10.5, 690.0, 770.0, 150.0),
    )
    x, y, running = 212.0, 200.0, 0.0
    for start, end, left, right, top in legs:
        if time >= start:
            x, y = mix(left, right, min(1.0, (time - start) / (end - start))), top
            running = 1.0 if time < end else 0.0
    if 1.5 <= time < 3.7:
        x = mix(212.0, 206.0, ramp(time, 2.3, 2.7))
    startled = Pose(lean=-10, nod=-4, near_arm=40, near_elbow=60, far_arm=-30, far_elbow=40)
    still = between(STAND, startled, ramp(time, 2.4, 2.7) * (1 - ramp(time, 3.4, 3.7)))
    glad = Pose(nod=-10, near_arm=150, near_elbow=10, far_arm=-150, far_elbow=-10)
    still = between(still, glad, ramp(time, 10.5, 10.8) * (1 - ramp(time, 11.5, 11.9)))
    return (x, y), between(still, walking(x / (0.5 * TALL), stride=36, arms=40), running)


def _bird(canvas: Canvas, time: float) -> None:
    """Comes down on the first orange stone, then leaves as it drops."""
    if time > 4.2:
        return
    landed = ramp(time, 0.5, 1.9)
    gone = max(0.0, time - 2.55)
    x = mix(420, 296, landed) + 90 * gone
    y = mix(60, 190, landed) - 95 * gone
    wing = sway(time, 0.22, 9) if landed < 1 or gone > 0 else 2.0
    canvas.disc((x, y), 6, hexed("3d4466"), 0.85)
    canvas.disc((x - 5, y - 4), 3.6, hexed("3d4466"))
    canvas.polygon([(x - 9, y - 4), (x - 13, y - 2.6), (x - 8.6, y - 1.8)], hexed("f2b632"))
    canvas.polygon([(x - 3, y - 2), (x + 5, y - 2), (x + 7, y - 3 - wing)], hexed("6a74a8"))


def picture(time: float) -> Frame:
    """The screen at a time."""
    scene = _sky(time)
    scene.put(_ground(time))
    play, display = _camera(time), Canvas()
    _bird(play, time)
    for x, y, taken in COINS:
        if time < taken:
            coin(play, (x, y + sway(time + x, 1.3, 1.5)), 6, sway(time + x / 90, 1.2))
        else:
            sparks(play, (x, y), (time - taken) / 0.4, 20, hexed("ffe38a"), AROUND[::2])
    at, pose = _place(time)
    draw_figure(play, HERO, pose, at, TALL, 1)
    body_top = at[1] - TALL * 0.7
    play.line(
        [
            (at[0] - 2, body_top),
            (at[0] - 12, body_top + 3 + sway(time, 0.5, 2)),
            (at[0] - 20, body_top + 1 + sway(time, 0.5, 3)),
        ],
        4,
        hexed("d8413f"),
    )
    scene.put(play.layer())
    display.box(12, 10, 92, 34, INK, 7)
    coin(display, (27, 22), 7, 1.0)
    number(display, sum(10 for _, _, taken in COINS if time >= taken), (44, 15), 3, PAPER, 3)
    scene.put(display.layer(), 1.0, 0.92)
    return scene.frame()


SCALE = (72, 74, 76, 77, 79, 81, 83, 84, 88)


def sound() -> Samples:
    """A light pulse of plucked notes; a crack and a drop; each coin one step higher on a scale; a chord at the flag."""
    track = Track(DURATION)
    for index in range(26):
        if not 2.2 < index * 0.4 < 3.6:
            track.add(index * 0.4, pluck((48, 55, 52, 55, 50, 57, 53, 57)[index % 8], 0.7), 0.26)
    for index in range(6):
        track.add(0.1 + 0.25 * index, step(index, 0.5), 0.16)
    for fall in FALLS.values():
        track.add(fall - 0.2, creak(0.55, 50, 3), 0.4)
        track.add(fall + 0.3, whoosh(0.8, 150, 900), 0.3)
    track.add(3.2, thump(26, 0.8), 0.5)
    for start, end, _, _ in JUMPS:
        track.add(start, square(64, 0.12), 0.12)
        track.add(end, step(round(end * 10), 0.5), 0.26)
    for index, (_, _, taken) in enumerate(COINS):
        track.add(taken, bell(SCALE[index], 0.6), 0.24)
    for note in (72, 76, 79, 84):
        track.add(10.1, square(note, 0.9), 0.12)
    for index in range(3):
        track.add(11.4 + 0.5 * index, pluck(36 + index % 2, 0.9), 0.4)
    track.room(0.4, 0.15)
    return track.finished()


SCENE = Scene("lesson", "Game", DURATION, 20, picture, sound)
