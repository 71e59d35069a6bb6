"""Two shares of each system against one another: precision against recall, with the diagonal where both are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from musebench_tasks.pages.figures.data import Role, Spot
from musebench_tasks.pages.figures.look import (
    AXIS,
    GREY,
    INK,
    QUIET,
    SMALL,
    WIDTH,
    Figure,
    Look,
    Words,
    look_of,
    short,
    spread,
)
from musebench_tasks.pages.figures.sheet import scale, sheet, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIDE = 216.0
_LEFT, _TOP, _BOTTOM = 36.0, 22.0, 36.0
_RIGHT = WIDTH - _LEFT - _SIDE
_NAME_GAP = 12.5


def draw_square(
    spots: tuple[Spot, ...], across: str, upwards: str, sides: tuple[str, str], words: Words, prefix: str
) -> Figure:
    """A square from 0 to 1 with intervals both ways; `sides` say what it means to lie above and below the diagonal."""
    with sheet(_TOP + _SIDE + _BOTTOM, prefix) as paper:
        axes = paper.axes(_LEFT, _TOP, _RIGHT, _BOTTOM)
        ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        scale(axes, "x", 0.0, 1.0, ticks)
        scale(axes, "y", 0.0, 1.0, ticks)
        axes.set_xlabel(across, fontsize=SMALL, color=QUIET, labelpad=4)
        write(axes, 0.0, 1.0 + 11 / _SIDE, upwards, color=QUIET)
        axes.plot([0, 1], [0, 1], color=AXIS, linewidth=0.9)
        write(axes, 0.03, 0.965, sides[0], color=QUIET, fontsize=8, fontstyle="italic")
        write(axes, 0.97, 0.035, sides[1], color=QUIET, fontsize=8, fontstyle="italic", ha="right")
        looks = [look_of(spot.number) if spot.role is Role.SYSTEM else None for spot in spots]
        for spot, look in zip(spots, looks, strict=True):
            _draw(axes, spot, look)
        _name(axes, spots, looks)
        return paper.finish(words)


def _draw(axes: Axes, spot: Spot, look: Look | None) -> None:
    x, y = spot.across.value, spot.upwards.value
    colour = GREY if look is None else look.colour
    if spot.across.low is not None and spot.across.high is not None:
        axes.plot([spot.across.low, spot.across.high], [y, y], color=colour, linewidth=1.1)
    if spot.upwards.low is not None and spot.upwards.high is not None:
        axes.plot([x, x], [spot.upwards.low, spot.upwards.high], color=colour, linewidth=1.1)
    axes.plot([x], [y], **_mark(look), clip_on=False)


def _mark(look: Look | None) -> dict[str, Any]:
    if look is None:
        return {"color": GREY, "marker": "x", "markersize": 5, "linestyle": "none", "markeredgewidth": 1.4}
    return {"color": look.colour, "marker": look.marker, "markersize": 6, "linestyle": "none"}


def _name(axes: Axes, spots: tuple[Spot, ...], looks: list[Look | None]) -> None:
    """Names in a column at the right, tied to their places, in the places' order from above."""
    heights = spread([spot.upwards.value for spot in spots], _NAME_GAP / _SIDE, 0.0, 1.0)
    start = 1.0 + 20 / _SIDE
    for spot, look, height in zip(spots, looks, heights, strict=True):
        ends = [spot.across.value + 5 / _SIDE, 1.0 + 5 / _SIDE, start - 6 / _SIDE]
        axes.plot(ends, [spot.upwards.value, height, height], color=GREY, linewidth=0.5, clip_on=False, alpha=0.7)
        axes.plot([start], [height], **_mark(look), clip_on=False)
        write(axes, start + 7 / _SIDE, height, short(spot.name, 17), color=QUIET if look is None else INK)
