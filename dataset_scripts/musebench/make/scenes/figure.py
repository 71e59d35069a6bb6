"""Figures: a body of rods posed by angles, dressed in flat colours, standing on its lower foot.

Angles are degrees; 0 hangs straight down, positive swings forward (the way the figure faces).
"""

import math
from dataclasses import dataclass, fields, replace

from dataset_scripts.musebench.make.scenes.canvas import Canvas, Colour, Point, tinted
from dataset_scripts.musebench.make.scenes.motion import mix, smooth


@dataclass(frozen=True)
class Pose:
    """Joint angles of a body; `lean` tips the trunk, `nod` the head, forward."""

    lean: float = 0.0
    nod: float = 0.0
    near_arm: float = 6.0
    near_elbow: float = 10.0
    far_arm: float = -6.0
    far_elbow: float = 10.0
    near_leg: float = 4.0
    near_knee: float = 0.0
    far_leg: float = -4.0
    far_knee: float = 0.0


STAND = Pose()
ARMS_UP = replace(STAND, near_arm=148, near_elbow=12, far_arm=-148, far_elbow=-12, nod=-14)
REACH = replace(STAND, near_arm=82, near_elbow=8, far_arm=-10, lean=6)
BOW = replace(STAND, lean=62, nod=25, near_arm=20, far_arm=10, near_elbow=20)
KNEEL = Pose(
    lean=14, nod=28, near_arm=18, near_elbow=26, far_arm=10, near_leg=78, near_knee=-92, far_leg=-8, far_knee=-84
)
SIT = Pose(
    lean=4, near_arm=30, near_elbow=48, far_arm=24, far_elbow=50, near_leg=84, near_knee=-84, far_leg=78, far_knee=-80
)
CROUCH = Pose(
    lean=48,
    nod=24,
    near_arm=42,
    near_elbow=56,
    far_arm=36,
    far_elbow=64,
    near_leg=72,
    near_knee=-98,
    far_leg=52,
    far_knee=-104,
)


def between(first: Pose, second: Pose, share: float) -> Pose:
    """The pose `share` (eased) of the way from the first to the second."""
    part = smooth(share)
    return Pose(
        **{each.name: mix(getattr(first, each.name), getattr(second, each.name), part) for each in fields(Pose)}
    )


def walking(phase: float, stride: float = 26.0, arms: float = 20.0) -> Pose:
    """A walk; `phase` in steps (two steps are a full cycle), so that pace follows the distance gone."""
    swing = math.sin(math.pi * phase)
    lift = max(0.0, math.cos(math.pi * phase))
    other = max(0.0, -math.cos(math.pi * phase))
    return Pose(
        lean=4,
        near_arm=-arms * swing,
        near_elbow=14 + 8 * lift,
        far_arm=arms * swing,
        far_elbow=14 + 8 * other,
        near_leg=stride * swing,
        near_knee=-34 * lift,
        far_leg=-stride * swing,
        far_knee=-34 * other,
    )


@dataclass(frozen=True)
class Look:
    """How a figure is dressed; lengths are shares of its height."""

    skin: Colour
    hair: Colour
    top: Colour
    legs: Colour
    skirt: float = 0.0
    """How far the garment reaches from the waist towards the floor: 0 none, 0.5 knee, 0.95 floor."""
    flare: float = 0.1
    bun: bool = False
    hat: Colour | None = None


def _turn(start: Point, degrees: float, length: float, facing: int) -> Point:
    """The end of a rod hanging from `start`."""
    angle = math.radians(degrees)
    return (start[0] + facing * math.sin(angle) * length, start[1] + math.cos(angle) * length)


@dataclass(frozen=True)
class Body:
    """Where the joints of a posed figure are, in picture coordinates."""

    hip: Point
    neck: Point
    head: Point
    near_shoulder: Point
    near_elbow: Point
    near_hand: Point
    far_shoulder: Point
    far_elbow: Point
    far_hand: Point
    near_knee: Point
    near_foot: Point
    far_knee: Point
    far_foot: Point


def posed(pose: Pose, at: Point, height: float, facing: int = 1) -> Body:
    """The joints of a figure whose lower foot stands at the height of `at`; its hip is above `at`."""
    trunk = 180 - pose.lean
    hip = (0.0, 0.0)
    neck = _turn(hip, trunk, 0.30 * height, facing)
    head = _turn(neck, trunk - pose.nod, 0.115 * height, facing)
    chest = _turn(hip, trunk, 0.275 * height, facing)
    near_shoulder = (chest[0] - facing * 0.052 * height, chest[1] + 0.006 * height)
    far_shoulder = (chest[0] + facing * 0.052 * height, chest[1])
    near_elbow = _turn(near_shoulder, pose.near_arm, 0.165 * height, facing)
    far_elbow = _turn(far_shoulder, pose.far_arm, 0.165 * height, facing)
    near_hand = _turn(near_elbow, pose.near_arm + pose.near_elbow, 0.155 * height, facing)
    far_hand = _turn(far_elbow, pose.far_arm + pose.far_elbow, 0.155 * height, facing)
    near_knee = _turn((-facing * 0.022 * height, 0), pose.near_leg, 0.255 * height, facing)
    far_knee = _turn((facing * 0.022 * height, 0), pose.far_leg, 0.255 * height, facing)
    near_foot = _turn(near_knee, pose.near_leg + pose.near_knee, 0.25 * height, facing)
    far_foot = _turn(far_knee, pose.far_leg + pose.far_knee, 0.25 * height, facing)
    drop = max(near_foot[1], far_foot[1], near_knee[1], far_knee[1]) + 0.018 * height
    joints = (
        hip, neck, head, near_shoulder, near_elbow, near_hand, far_shoulder, far_elbow, far_hand,
        near_knee, near_foot, far_knee, far_foot,
    )  # fmt: skip
    return Body(*((x + at[0], y + at[1] - drop) for x, y in joints))


def draw_figure(canvas: Canvas, look: Look, pose: Pose, at: Point, height: float, facing: int = 1) -> Body:
    """Draw a figure on a canvas: far limbs, trunk and garment, head, near arm; returns its joints."""
    body = posed(pose, at, height, facing)
    _leg(canvas, body.hip, body.far_knee, body.far_foot, height, tinted(look.legs, 0.8), facing)
    _arm(canvas, body.far_shoulder, body.far_elbow, body.far_hand, height, tinted(look.top, 0.8), look.skin)
    _leg(canvas, body.hip, body.near_knee, body.near_foot, height, look.legs, facing)
    canvas.limb(body.hip, body.neck, 0.058 * height, 0.03 * height, look.top)
    chest = (mix(body.hip[0], body.neck[0], 0.78), mix(body.hip[1], body.neck[1], 0.78))
    canvas.limb(body.hip, chest, 0.056 * height, 0.068 * height, look.top)
    canvas.limb(body.near_shoulder, body.far_shoulder, 0.034 * height, 0.032 * height, look.top)
    if look.skirt:
        _skirt(canvas, body, look, height)
    _head(canvas, body, look, height, facing)
    _arm(canvas, body.near_shoulder, body.near_elbow, body.near_hand, height, tinted(look.top, 1.12), look.skin)
    return body


def _leg(canvas: Canvas, hip: Point, knee: Point, foot: Point, height: float, colour: Colour, facing: int) -> None:
    canvas.limb(hip, knee, 0.05 * height, 0.036 * height, colour)
    canvas.limb(knee, foot, 0.036 * height, 0.022 * height, colour)
    toe = (foot[0] + facing * 0.055 * height, foot[1] + 0.006 * height)
    canvas.limb(foot, toe, 0.022 * height, 0.014 * height, tinted(colour, 0.6))


def _arm(
    canvas: Canvas, shoulder: Point, elbow: Point, hand: Point, height: float, colour: Colour, skin: Colour
) -> None:
    canvas.limb(shoulder, elbow, 0.032 * height, 0.025 * height, colour)
    canvas.limb(elbow, hand, 0.025 * height, 0.017 * height, colour)
    canvas.disc(hand, 0.021 * height, skin)


def _skirt(canvas: Canvas, body: Body, look: Look, height: float) -> None:
    """A garment from the waist down that covers both knees."""
    waist = (mix(body.hip[0], body.neck[0], 0.25), mix(body.hip[1], body.neck[1], 0.25))
    floor = max(body.near_foot[1], body.far_foot[1], body.near_knee[1], body.far_knee[1])
    hem = mix(waist[1], floor, look.skirt)
    middle = mix(waist[1], hem, 0.45)
    knees = (body.near_knee[0], body.far_knee[0])
    feet = (body.near_foot[0], body.far_foot[0])
    left = mix(body.hip[0], min(*knees, *feet), 0.75) - look.flare * height
    right = mix(body.hip[0], max(*knees, *feet), 0.75) + look.flare * height
    near_left = mix(min(*knees, body.hip[0]), left, 0.3) - 0.03 * height
    near_right = mix(max(*knees, body.hip[0]), right, 0.3) + 0.03 * height
    canvas.polygon(
        [
            (waist[0] - 0.055 * height, waist[1]),
            (near_left, middle),
            (left, hem),
            (mix(left, right, 0.25), hem + 0.012 * height),
            (mix(left, right, 0.75), hem + 0.012 * height),
            (right, hem),
            (near_right, middle),
            (waist[0] + 0.055 * height, waist[1]),
        ],
        look.top,
    )


def _head(canvas: Canvas, body: Body, look: Look, height: float, facing: int) -> None:
    canvas.limb(body.neck, body.head, 0.024 * height, 0.024 * height, tinted(look.skin, 0.86))
    x, y = body.head
    radius = 0.062 * height
    canvas.disc((x - facing * 0.014 * height, y - 0.012 * height), radius * 1.08, look.hair, 1.08)
    canvas.disc((x + facing * 0.012 * height, y + 0.006 * height), radius * 0.86, look.skin, 1.14)
    canvas.disc((x - facing * 0.012 * height, y - 0.042 * height), radius * 0.86, look.hair, 0.55)
    if look.bun:
        canvas.disc((x - facing * 0.066 * height, y - 0.052 * height), radius * 0.46, look.hair)
    if look.hat is not None:
        canvas.disc((x, y - 0.05 * height), radius * 1.6, look.hat, 0.22)
        canvas.box(x - radius * 0.9, y - 0.135 * height, x + radius * 0.9, y - 0.045 * height, look.hat, radius * 0.25)
