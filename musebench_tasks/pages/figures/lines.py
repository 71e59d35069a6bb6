"""Lines over ordered groups, each named at its right end: shares by position, accuracy by option count or length."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from musebench_tasks.pages.figures.data import Line, LinePlot, Role
from musebench_tasks.pages.figures.look import GREY, INK, QUIET, SMALL, WIDTH, Figure, Words, look_of, short, spread
from musebench_tasks.pages.figures.sheet import scale, sheet, steps, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 226.0
_LEFT, _TOP, _RIGHT, _BOTTOM = 34.0, 22.0, 118.0, 46.0
_NAME_GAP = 12.5
_FEWEST = 3
"""Points of fewer items are joined by no line."""
_SIDE = 0.35
"""Room beside the first and the last group, in steps of the axis."""
_DODGE, _MOST_DODGE = 0.09, 0.3
"""How far apart intervals of neighbouring systems stand, and how far at most from their group, in the same steps."""


def draw_lines(plot: LinePlot, words: Words, prefix: str) -> Figure:
    """Lines with intervals; the reference black, baselines grey and dashed, systems each with a marker of its own."""
    with sheet(_HEIGHT, prefix) as paper:
        axes = paper.axes(_LEFT, _TOP, _RIGHT, _BOTTOM)
        last = len(plot.groups) - 1
        axes.set_xlim(-_SIDE, last + _SIDE)
        axes.set_xticks(range(last + 1), list(plot.groups))
        axes.set_xlabel(plot.across, fontsize=SMALL, color=QUIET, labelpad=5)
        places = steps(0, plot.top)
        scale(axes, "y", 0, plot.top, places, digits=1 if max(places[1:2] or [1]) >= 0.1 else 2)
        if plot.in_percent:
            axes.set_yticks(places, [f"{100 * each:.0f} %" for each in places])
        axes.text(
            0, 1 + 8 / (_HEIGHT - _TOP - _BOTTOM), plot.upwards, transform=axes.transAxes, color=QUIET, fontsize=SMALL
        )
        for line, offset in zip(plot.lines, _offsets(plot), strict=True):
            _draw(axes, line, offset)
        _name(axes, plot)
        return paper.finish(words)


def _offsets(plot: LinePlot) -> list[float]:
    """How far each line stands beside its groups, so that the intervals of systems do not hide one another."""
    systems = [line for line in plot.lines if line.role is Role.SYSTEM]
    step = min(_DODGE, 2 * _MOST_DODGE / max(1, len(systems) - 1))
    places = [step * (number - (len(systems) - 1) / 2) for number in range(len(systems))]
    return [places.pop(0) if line.role is Role.SYSTEM else 0.0 for line in plot.lines]


def _style(line: Line) -> dict[str, Any]:
    if line.role is Role.REFERENCE:
        return {"color": INK, "marker": "_", "markersize": 9, "markeredgewidth": 1.8, "linewidth": 1.2}
    if line.role is Role.BASELINE:
        return {"color": GREY, "linestyle": (0, (4, 2)), "linewidth": 1.3}
    look = look_of(line.number)
    return {"color": look.colour, "marker": look.marker, "markersize": 5, "linestyle": look.dash, "linewidth": 1.5}


def _draw(axes: Axes, line: Line, offset: float) -> None:
    found = [(place + offset, value) for place, value in enumerate(line.values) if value is not None]
    style = _style(line)
    axes.plot([x for x, _ in found], [value.value for _, value in found], **{**style, "linestyle": "none"})
    for (x, value), (later, following) in pairwise(found):
        if line.role is not Role.SYSTEM or min(value.n, following.n) >= _FEWEST:
            axes.plot([x, later], [value.value, following.value], **{**style, "marker": "none"})
    for x, value in found:
        if value.low is not None and value.high is not None:
            axes.plot([x, x], [value.low, value.high], color=style["color"], linewidth=1.0, solid_capstyle="butt")


def _name(axes: Axes, plot: LinePlot) -> None:
    """Names at the right, apart from one another, each tied to the end of its line."""
    ends = [
        (line, [(place + offset, each.value) for place, each in enumerate(line.values) if each is not None])
        for line, offset in zip(plot.lines, _offsets(plot), strict=True)
    ]
    named = [(line, found[-1]) for line, found in ends if found]
    gap = _NAME_GAP * plot.top / (_HEIGHT - _TOP - _BOTTOM)
    edge = len(plot.groups) - 1 + _SIDE
    step = (edge + _SIDE) / (WIDTH - _LEFT - _RIGHT)
    for (line, (x, value)), height in zip(named, spread([end[1] for _, end in named], gap, 0, plot.top), strict=True):
        style = _style(line)
        start = edge + 12 * step
        axes.plot([x + 5 * step, start - 4 * step], [value, height], color=GREY, linewidth=0.6, clip_on=False)
        axes.plot([start], [height], **{**style, "linestyle": "none"}, clip_on=False)
        if line.role is Role.BASELINE:
            axes.plot([start - 4 * step, start + 4 * step], [height, height], **style, clip_on=False)
        quiet = line.role is Role.BASELINE
        write(axes, start + 7 * step, height, short(line.name, 17), color=QUIET if quiet else INK)
