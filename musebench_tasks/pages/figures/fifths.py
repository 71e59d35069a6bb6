"""Keys on the circle of fifths: how far from the right key a system's answers lie, the right key turned to the top."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import TYPE_CHECKING

from musebench_tasks.pages.figures.data import Circle
from musebench_tasks.pages.figures.look import (
    GREEN,
    GREY,
    GRID,
    INK,
    ORANGE,
    PURPLE,
    QUIET,
    SKY,
    WIDTH,
    Figure,
    Words,
    short,
)
from musebench_tasks.pages.figures.sheet import sheet, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STEPS = 12
_OUTER, _INNER = 62.0, 33.0
_BIGGEST = 13.0
_CELL = 186.0
_LINE = 12.0


def draw_circles(circles: tuple[Circle, ...], words: Words, prefix: str) -> Figure:
    """One circle a system, two in a row; the area of a dot is the share of the answers."""
    columns = min(2, len(circles))
    rows = -(-len(circles) // columns)
    lines = max(len(circle.summary) for circle in circles)
    cell = _CELL + lines * _LINE
    wide = WIDTH / columns
    with sheet(rows * cell, prefix) as paper:
        for number, circle in enumerate(circles):
            left, above = (number % columns) * wide, (number // columns) * cell
            axes = paper.blank(left, above, WIDTH - left - wide, rows * cell - above - cell)
            write(axes, wide / 2, cell - 9, short(circle.name, 28), ha="center", fontweight="bold")
            _draw(axes, circle, wide / 2, cell - _OUTER - 43)
            for line, text in enumerate(circle.summary):
                write(axes, wide / 2, lines * _LINE - line * _LINE, text, ha="center", color=QUIET)
        return paper.finish(words)


def _draw(axes: Axes, circle: Circle, x: float, y: float) -> None:
    from matplotlib.patches import Circle as Disc

    for radius in (_OUTER, _INNER):
        axes.add_patch(Disc((x, y), radius, fill=False, edgecolor=GRID, linewidth=1.0))
    total = sum(circle.same_mode) + sum(circle.other_mode)
    for counts, radius, is_outer in ((circle.same_mode, _OUTER, True), (circle.other_mode, _INNER, False)):
        for step, count in enumerate(counts):
            place = x + radius * sin(2 * pi * step / _STEPS), y + radius * cos(2 * pi * step / _STEPS)
            _dot(axes, place, count, total, _tone(step, is_outer=is_outer))
    named = ((0, "same key"), (1, "fifth up"), (_STEPS - 1, "fifth down"))
    for step, name in named:
        turn = 2 * pi * step / _STEPS
        side = "center" if step == 0 else "left" if step == 1 else "right"
        reach = _OUTER + (_BIGGEST + 8 if step == 0 else 17)
        write(axes, x + reach * sin(turn), y + reach * cos(turn), name, ha=side, fontsize=8, color=QUIET)
    write(axes, x, y + _INNER - 18, "relative", ha="center", fontsize=8, color=QUIET)
    write(axes, x, y - 1, "parallel", ha="center", fontsize=8, color=QUIET)


def _dot(axes: Axes, place: tuple[float, float], count: int, total: int, tone: str) -> None:
    from matplotlib.patches import Circle as Disc

    if not count:
        axes.add_patch(Disc(place, 1.5, facecolor=GREY, edgecolor="none"))
        return
    radius = max(5.5, _BIGGEST * sqrt(count / total) * 1.25)
    radius = min(radius, _BIGGEST)
    axes.add_patch(Disc(place, radius, facecolor=tone, edgecolor=INK, linewidth=0.7))
    write(axes, place[0], place[1] - 0.3, str(count), ha="center", fontsize=8, color="#111111", fontweight="bold")


def _tone(step: int, *, is_outer: bool) -> str:
    if is_outer:
        return GREEN if step == 0 else SKY if step in (1, _STEPS - 1) else "#c9c9c9"
    return ORANGE if step == 0 else PURPLE if step in (3, _STEPS - 3) else "#c9c9c9"
