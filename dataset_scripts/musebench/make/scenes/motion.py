"""Movement over time: easing, keyframes, blinking and swaying. Times are seconds."""

import math
from collections.abc import Sequence
from itertools import pairwise

Keys = Sequence[tuple[float, float]]
"""(time, value) pairs in order of time."""


def clamp(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """`value` held between `low` and `high`."""
    return min(max(value, low), high)


def mix(start: float, end: float, share: float) -> float:
    """The value `share` of the way from `start` to `end`."""
    return start + (end - start) * share


def smooth(share: float) -> float:
    """Ease in and out: 0 to 1 with level ends."""
    held = clamp(share)
    return held * held * (3 - 2 * held)


def ramp(time: float, start: float, end: float) -> float:
    """0 before `start`, 1 after `end`, eased between."""
    return smooth((time - start) / (end - start))


def pulse(time: float, start: float, rise: float, hold: float, fall: float) -> float:
    """Up over `rise`, kept for `hold`, down over `fall`."""
    return ramp(time, start, start + rise) * (1 - ramp(time, start + rise + hold, start + rise + hold + fall))


def follow(keys: Keys, time: float) -> float:
    """The value at `time` on a path through keyframes, eased from each to the next and level outside."""
    if time <= keys[0][0]:
        return keys[0][1]
    for (start, before), (end, after) in pairwise(keys):
        if time < end:
            return mix(before, after, smooth((time - start) / (end - start)))
    return keys[-1][1]


def straight(keys: Keys, time: float) -> float:
    """Like `follow` without easing: for walking at an even pace."""
    if time <= keys[0][0]:
        return keys[0][1]
    for (start, before), (end, after) in pairwise(keys):
        if time < end:
            return mix(before, after, (time - start) / (end - start))
    return keys[-1][1]


def sway(time: float, period: float, amount: float = 1.0, phase: float = 0.0) -> float:
    """A sine of `amount` with the given period; `phase` in turns."""
    return amount * math.sin(2 * math.pi * (time / period + phase))
