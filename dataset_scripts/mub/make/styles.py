"""What accompanies: a bar of bass, chords and percussion in each style and metre, written as grids.

A grid divides the bar evenly into its characters. `-` holds, `.` rests. Bass: `R` root, `3`, `5`, and `8` the root
above. Chords: `X` and `x` all notes, strong and light; `1` to `4` one note, from the lowest up. Percussion: `X`, `x`.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.mub.make.bands import PERCUSSION
from dataset_scripts.mub.make.tunes import bar_quarters

STYLES = {
    "bass and chords": {
        "2/4": ("R-5-", ".x.x"),
        "3/4": ("R-....", "..x-x-"),
        "4/4": ("R-..5-..", "..x-..x-"),
        "6/8": ("R-.5-.", "..x..x"),
        "9/8": ("R-.5-.5-.", "..x..x..x"),
    },
    "march": {
        "2/4": ("R.5.", "X.x."),
        "3/4": ("R.5.5.", "X.x.x."),
        "4/4": ("R.5.3.5.", "X.x.x.x."),
        "6/8": ("R--5--", "X-xx-x"),
        "9/8": ("R--3--5--", "X-xx-xx-x"),
    },
    "broken chords": {
        "2/4": ("R", "1232"),
        "3/4": ("R", "123432"),
        "4/4": ("R", "12343432"),
        "6/8": ("R", "123423"),
        "9/8": ("R", "123423423"),
    },
    "syncopated": {
        "2/4": ("R--5..5-", "..x-..x-"),
        "3/4": ("R---5-", "..x..x"),
        "4/4": ("R--5..5-", "X..x..x."),
        "6/8": ("R-5R.5", ".x-.x-"),
        "9/8": ("R-5R.5R.5", ".x-.x-.x-"),
    },
    "walking": {"3/4": ("R-3-5-", "X-.x.."), "4/4": ("R-3-5-3-", "X-.x....")},
    "held": dict.fromkeys(("2/4", "3/4", "4/4", "6/8", "9/8"), ("R", "X")),
    "drone": dict.fromkeys(("2/4", "3/4", "4/4", "6/8", "9/8"), ("R", "X")),
}
"""Bass and chords by style and metre. A drone keeps tonic and fifth whatever the melody does."""
GROOVES = {
    "beats": {
        "2/4": ("X.", ".x", ""),
        "3/4": ("X..", ".xx", ""),
        "4/4": ("X...", ".xxx", ""),
        "6/8": ("X.", ".x", ""),
        "9/8": ("X..", ".xx", ""),
    },
    "full": {
        "2/4": ("X...", "..X.", "xxxx"),
        "3/4": ("X.....", "..x.x.", "x.x.xx"),
        "4/4": ("X...xx..", "..X...X.", "xxxxxxxx"),
        "6/8": ("X.....", "...X..", "x.xx.x"),
        "9/8": ("X........", "...x..X..", "x.xx.xx.x"),
    },
    "driving": {
        "2/4": ("X.......", "....X...", "x.xxx.xx"),
        "3/4": ("X.....", "....X.", "x.x.x."),
        "4/4": ("X..x..x.", "....X...", "x.x.x.x."),
        "6/8": ("X....x", "...X..", "xxxxxx"),
        "9/8": ("X.......x", "...x..x..", "xxxxxxxxx"),
    },
}
"""Low, middle and high line of the percussion by groove and metre."""
BASS_TONES = {"R": 0, "3": 1, "5": 2, "8": 3}
STRAIGHT = Fraction(1, 2)
SOUNDING = Fraction(19, 20)
"""Share of its steps that a note sounds."""


class Stroke(NamedTuple):
    """One attack in a bar: its sign in the grid, quarters from the bar line to start and end, velocity 0..1."""

    sign: str
    start: Fraction
    end: Fraction
    velocity: float


def beats_per_bar(metre: str) -> int:
    """Beats in a bar; in 6/8, 9/8 and 12/8 the beat is the dotted quarter."""
    numerator, denominator = map(int, metre.split("/"))
    return numerator // 3 if denominator == 8 and numerator % 3 == 0 and numerator > 3 else numerator


def beat_quarters(metre: str) -> Fraction:
    """The length of a beat in quarter notes."""
    return bar_quarters(metre) / beats_per_bar(metre)


def beat_unit(metre: str) -> str:
    """The beat as a fraction of a whole note: `1/4`, `3/8`."""
    unit = beat_quarters(metre) / 4
    return f"{unit.numerator}/{unit.denominator}"


def swung(quarters: Fraction, metre: str, swing: Fraction) -> Fraction:
    """Where a score time falls when the first half of each beat takes the share `swing` of it; beats stay in place."""
    beat = beat_quarters(metre)
    whole = quarters // beat
    share = quarters / beat - whole
    moved = share * swing * 2 if share < STRAIGHT else swing + (share - STRAIGHT) * (1 - swing) * 2
    return (whole + moved) * beat


def strokes(grid: str, metre: str) -> Iterator[Stroke]:
    """The attacks of a grid; the first of a bar is the strongest."""
    if not grid:
        return
    step = bar_quarters(metre) / len(grid)
    for number, sign in enumerate(grid):
        if sign in ".-":
            continue
        held = len(grid[number + 1 :]) - len(grid[number + 1 :].lstrip("-"))
        end = number + (1 + held) * SOUNDING
        yield Stroke(sign, number * step, end * step, velocity(sign, number))


def velocity(sign: str, number: int) -> float:
    """How hard a sign is struck, the more so on the bar line."""
    if sign in BASS_TONES:
        return 0.95 if number == 0 else 0.7
    return 0.75 if sign == "X" or number == 0 else 0.55


def percussion_strokes(percussion: str, groove: str, metre: str) -> Iterator[tuple[int, Stroke]]:
    """The notes of the percussion in a bar."""
    levels = ((1.0, 0.7), (0.85, 0.6), (0.5, 0.4))
    for note, grid, (strong, light) in zip(PERCUSSION[percussion], GROOVES[groove][metre], levels, strict=True):
        for stroke in strokes(grid, metre):
            yield note, stroke._replace(velocity=strong if stroke.sign == "X" else light)
