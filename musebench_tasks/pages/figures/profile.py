"""What systems reach in each category, as bars with intervals: rows of systems under each category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from musebench_tasks.pages.figures.data import Line, Panel, Profile, Role
from musebench_tasks.pages.figures.look import GREY, INK, QUIET, WIDTH, Figure, Words, look_of, short
from musebench_tasks.pages.figures.sheet import block, scale, sheet, write
from musebench_tasks.pages.text import value_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _HEAD, _GAP = 12.5, 15.0, 6.0
_LEFT, _TOP, _RIGHT, _BOTTOM = 112.0, 30.0, 6.0, 20.0
_VALUES = 29.0
"""Room for the numbers beside the bars."""
_BETWEEN = 10.0


def draw_bars(profile: Profile, words: Words, prefix: str) -> Figure:
    """Bars from zero with whiskers for intervals, the number beside each; baselines grey, chance a named line."""
    rows = len(profile.panels[0].systems) + len(profile.panels[0].baselines)
    block = _HEAD + rows * _ROW + _GAP
    body = block * len(profile.categories)
    with sheet(_TOP + body + _BOTTOM, prefix) as paper:
        names = paper.blank(0, _TOP, 0, _BOTTOM)
        for number, category in enumerate(profile.categories):
            top = body - number * block
            write(names, 6, top - _HEAD / 2, short(category, 20), fontweight="bold")
            for row, line in enumerate((*profile.panels[0].systems, *profile.panels[0].baselines)):
                quiet = row >= len(profile.panels[0].systems)
                place = top - _HEAD - (row + 0.5) * _ROW
                write(names, _LEFT - 6, place, short(line.name, 18), ha="right", color=QUIET if quiet else INK)
        share = (WIDTH - _LEFT - _RIGHT - _BETWEEN * (len(profile.panels) - 1)) / len(profile.panels)
        for number, panel in enumerate(profile.panels):
            left = _LEFT + number * (share + _BETWEEN)
            axes = paper.axes(left, _TOP, WIDTH - left - share + _VALUES, _BOTTOM)
            _draw_panel(axes, panel, body, block, share - _VALUES)
        return paper.finish(words)


def _draw_panel(axes: Axes, panel: Panel, body: float, block: float, width: float) -> None:
    low = lowest(panel)
    axes.set_ylim(0, body)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    scale(axes, "x", low, 1.0, [0.0, 0.5, 1.0])
    point = (1.0 - low) / width
    write(axes, low, body + 21, panel.measure, fontweight="bold")
    if any(each is not None for each in panel.chance):
        first = next(each for each in panel.chance if each is not None)
        write(axes, first, body + 8, "chance", color=QUIET, ha="left" if first < 0.3 else "center")
    for number, n in enumerate(panel.counts):
        top = body - number * block
        write(axes, 1.0 + _VALUES * point, top - _HEAD / 2, f"n {n}", color=QUIET, ha="right")
        for row, line in enumerate((*panel.systems, *panel.baselines)):
            is_baseline = row >= len(panel.systems)
            _draw_bar(axes, line, number, top - _HEAD - (row + 0.5) * _ROW)
            value = line.values[number]
            text = value_text(None if value is None else value.value, 2)
            colour = QUIET if is_baseline else INK
            write(axes, 1.0 + _VALUES * point, top - _HEAD - (row + 0.5) * _ROW, text, ha="right", color=colour)
        chance = panel.chance[number] if panel.chance else None
        if chance is not None:
            ends = [top - 2 - (0 if number == 0 else _HEAD / 2), top - block + _GAP]
            axes.plot([chance, chance], ends, color=GREY, linewidth=1.2, linestyle=(0, (3, 1.5)), zorder=3)


def _draw_bar(axes: Axes, line: Line, category: int, place: float) -> None:
    value = line.values[category]
    if value is None:
        return
    is_baseline = line.role is Role.BASELINE
    fill: dict[str, Any] = {"color": GREY, "alpha": 0.55} if is_baseline else {"color": look_of(line.number).colour}
    block(axes, 0, place, value.value, _ROW * 0.68, linewidth=0, **fill)
    if value.low is not None and value.high is not None:
        colour = QUIET if is_baseline else INK
        axes.plot([value.low, value.high], [place, place], color=colour, linewidth=1.0)
        for end in (value.low, value.high):
            axes.plot([end, end], [place - 2, place + 2], color=colour, linewidth=1.0)


def lowest(panel: Panel) -> float:
    """Where the axis begins: 0, or the fifth below the lowest value where scores below 0 occur."""
    found = [each for line in (*panel.systems, *panel.baselines) for each in line.values if each is not None]
    least = min([0.0, *(each.value if each.low is None else each.low for each in found)])
    return next((-step / 5 for step in range(6) if -step / 5 <= least + 1e-9), -1.0)
