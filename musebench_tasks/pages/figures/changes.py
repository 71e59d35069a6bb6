"""Differences with their intervals around a line of no change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from musebench_tasks.pages.figures.data import Changes
from musebench_tasks.pages.figures.look import AXIS, INK, QUIET, WIDTH, Figure, Words, look_of, short
from musebench_tasks.pages.figures.sheet import scale, sheet, steps, write
from musebench_tasks.pages.text import signed_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _TOP, _RIGHT, _BOTTOM = 122.0, 20.0, 40.0, 22.0
_HEAD, _ROW, _GAP = 15.0, 14.0, 6.0
_LEAST_REACH = 0.1


def draw_changes(groups: tuple[Changes, ...], names: tuple[str, ...], words: Words, prefix: str) -> Figure:
    """A row a difference, under headings. `names` number the systems, so that each keeps its look."""
    body = sum(_HEAD + _ROW * len(group.rows) + _GAP for group in groups)
    reach = _reach(groups)
    with sheet(_TOP + body + _BOTTOM, prefix) as paper:
        axes = paper.axes(_LEFT, _TOP, _RIGHT, _BOTTOM)
        axes.set_ylim(0, body)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        scale(axes, "x", -reach, reach)
        ticks = steps(-reach, reach)
        axes.set_xticks(
            ticks, [signed_text(each, 1 if len(ticks) < 2 or ticks[1] - ticks[0] >= 0.1 else 2) for each in ticks]
        )
        axes.plot([0, 0], [0, body], color=AXIS, linewidth=1.2)
        write(axes, 0, body + 9, "no change", color=QUIET, ha="center")
        point = 2 * reach / (WIDTH - _LEFT - _RIGHT)
        top = body
        for group in groups:
            write(axes, -reach - (_LEFT - 6) * point, top - _HEAD / 2, short(group.heading, 32), fontweight="bold")
            _draw_rows(axes, group, names, top - _HEAD, reach, point)
            top -= _HEAD + _ROW * len(group.rows) + _GAP
        return paper.finish(words)


def _draw_rows(axes: Axes, group: Changes, names: tuple[str, ...], top: float, reach: float, point: float) -> None:
    for number, row in enumerate(group.rows):
        place, value = top - (number + 0.5) * _ROW, row.value
        look = look_of(names.index(row.name) if row.name in names else 0)
        write(axes, -reach - 6 * point, place, short(row.name, 20), ha="right")
        if value.low is not None and value.high is not None:
            axes.plot([value.low, value.high], [place, place], color=look.colour, linewidth=1.6, solid_capstyle="butt")
        axes.plot([value.value], [place], color=look.colour, marker=look.marker, markersize=5.5, linestyle="none")
        write(axes, reach + 36 * point, place, signed_text(value.value, 2), ha="right", color=INK)


def _reach(groups: tuple[Changes, ...]) -> float:
    """Half the axis: the tenth above the farthest end."""
    ends = [_LEAST_REACH]
    for group in groups:
        for row in group.rows:
            ends += [abs(each) for each in (row.value.value, row.value.low, row.value.high) if each is not None]
    return next((tenth / 10 for tenth in range(1, 21) if tenth / 10 >= max(ends) - 1e-9), 2.0)
