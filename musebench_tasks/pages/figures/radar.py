"""The category profile as a radar: one axis a category, one closed line a system, chance a grey dashed line."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

from musebench_tasks.pages.figures.data import Line, Panel, Profile
from musebench_tasks.pages.figures.figure import Figure, Words
from musebench_tasks.pages.figures.look import GREY, GRID, INK, QUIET, SMALL, WIDTH, look_of, short
from musebench_tasks.pages.figures.profile import lowest
from musebench_tasks.pages.figures.sheet import Sheet, sheet, write
from musebench_tasks.pages.numbers import value_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = tuple[float, float]

_KEY_ROW = 14.0
_RINGS = 4


def draw_radar(profile: Profile, words: Words, prefix: str) -> Figure:
    """One radar a measure, side by side, and below them the lines with their names."""
    panels = profile.panels
    entries = [line.name for line in panels[0].systems]
    has_chance = any(each is not None for panel in panels for each in panel.chance)
    key = -(-(len(entries) + has_chance) // 2) * _KEY_ROW + 10
    wide = WIDTH / len(panels)
    radius = 70.0 if len(panels) > 1 else 92.0
    height = 2 * radius + 84
    with sheet(height + key, prefix) as paper:
        for number, panel in enumerate(panels):
            axes = paper.blank(number * wide, 0, WIDTH - (number + 1) * wide, key)
            _draw_panel(axes, profile.categories, panel, (wide / 2, height / 2 - 8), radius)
            if len(panels) > 1:
                write(axes, wide / 2, height - 8, panel.measure, ha="center", fontweight="bold")
        _draw_key(paper, entries, key, has_chance=has_chance)
        return paper.finish(words)


def _draw_panel(axes: Axes, categories: tuple[str, ...], panel: Panel, centre: Place, radius: float) -> None:
    low = lowest(panel)
    turns = _turns(len(categories))

    def place(turn: float, value: float) -> Place:
        share = (value - low) / (1 - low)
        return centre[0] + radius * share * sin(turn), centre[1] + radius * share * cos(turn)

    for ring in range(1, _RINGS + 1):
        value = low + (1 - low) * ring / _RINGS
        _closed(axes, [place(turn, value) for turn in turns], color=GRID, linewidth=0.8)
    for number, turn in enumerate(turns):
        end = place(turn, 1.0)
        axes.plot([centre[0], end[0]], [centre[1], end[1]], color=GRID, linewidth=0.8)
        _name_axis(axes, categories[number], panel.counts[number], turn, centre, radius)
    for ring in range(_RINGS + 1):
        value = low + (1 - low) * ring / _RINGS
        x, y = centre[0], centre[1] + radius * cos(pi / len(turns)) * ring / _RINGS if turns[0] else 0.0
        x, y = (centre[0], y) if turns[0] else place(turns[0], value)
        write(
            axes, x + 2, y, value_text(value, 1 if round(value, 1) == round(value, 3) else 2), color=QUIET, fontsize=7.5
        )
    if len(panel.chance) == len(turns) and all(each is not None for each in panel.chance):
        chance = [place(turn, each or 0.0) for turn, each in zip(turns, panel.chance, strict=True)]
        _closed(axes, chance, color=GREY, linewidth=1.3, linestyle=(0, (3, 1.5)))
    for number, line in enumerate(panel.systems):
        _draw_line(
            axes, line, number, [place(t, v.value) if v else None for t, v in zip(turns, line.values, strict=True)]
        )


def _turns(n_axes: int) -> list[float]:
    """Directions of the axes, clockwise from the top; four stand in the corners, where their names have room."""
    offset = pi / 4 if n_axes == 4 else 0.0
    return [2 * pi * number / n_axes + offset for number in range(n_axes)]


def _closed(axes: Axes, places: list[Place], **style: object) -> None:
    points = [*places, places[0]]
    axes.plot([x for x, _ in points], [y for _, y in points], **style)  # type: ignore[arg-type]


def _name_axis(axes: Axes, category: str, n: int, turn: float, centre: Place, radius: float) -> None:
    reach = radius + 8
    x, y = centre[0] + reach * sin(turn), centre[1] + reach * cos(turn)
    side = "center" if abs(sin(turn)) < 0.3 else "left" if sin(turn) > 0 else "right"
    if abs(abs(sin(turn)) - abs(cos(turn))) < 0.01:
        x, side = centre[0] + (radius * 0.62 if sin(turn) > 0 else -radius * 0.62), "center"
    up = 6 if cos(turn) > 0.3 else 0 if cos(turn) > -0.3 else -6
    write(axes, x, y + up + 5, short(category, 20), ha=side)
    write(axes, x, y + up - 5, f"n {n}", ha=side, color=QUIET, fontsize=8)


def _draw_line(axes: Axes, line: Line, number: int, places: list[Place | None]) -> None:
    look = look_of(number)
    style = {"color": look.colour, "linestyle": look.dash, "linewidth": 1.6}
    for start, end in zip(places, [*places[1:], places[0]], strict=True):
        if start and end:
            axes.plot([start[0], end[0]], [start[1], end[1]], **style)  # type: ignore[arg-type]
    found = [each for each in places if each]
    axes.plot(
        [x for x, _ in found],
        [y for _, y in found],
        linestyle="none",
        marker=look.marker,
        markersize=4.5,
        color=look.colour,
    )


def _draw_key(paper: Sheet, names: list[str], height: float, *, has_chance: bool) -> None:
    axes = paper.blank(0, paper.height - height, 0, 0)
    for number in range(len(names) + has_chance):
        x = 14 + (number % 2) * WIDTH / 2
        y = height - 8 - (number // 2) * _KEY_ROW
        if number < len(names):
            look = look_of(number)
            axes.plot([x, x + 22], [y, y], color=look.colour, linestyle=look.dash, linewidth=1.6)
            axes.plot([x + 11], [y], color=look.colour, marker=look.marker, markersize=4.5, linestyle="none")
            write(axes, x + 28, y, short(names[number]), fontsize=SMALL, color=INK)
        else:
            axes.plot([x, x + 22], [y, y], color=GREY, linestyle=(0, (3, 1.5)), linewidth=1.3)
            write(axes, x + 28, y, "chance", color=QUIET)
