"""The category profile as a radar: one axis a category, one closed line a system, chance a grey dashed line."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING, Any

from musebench_tasks.pages.figures.data import Line, Panel, Profile
from musebench_tasks.pages.figures.look import GREY, GRID, INK, QUIET, SMALL, WIDTH, Figure, Words, look_of, short
from musebench_tasks.pages.figures.profile import lowest
from musebench_tasks.pages.figures.sheet import Sheet, sheet, write
from musebench_tasks.pages.text import value_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = tuple[float, float]

_KEY_ROW = 14.0
_RINGS = (0.0, 0.25, 0.5, 0.75, 1.0)
_NAMED_RINGS = (0.0, 0.5, 1.0)
_IN_THE_CORNERS = 4
"""So many axes point to the corners, where their names have room, and two radars fit beside one another."""


def draw_radar(profile: Profile, words: Words, prefix: str) -> Figure:
    """One radar a measure, and below them the lines with their names."""
    panels = profile.panels
    systems = panels[0].systems
    has_chance = any(each is not None for panel in panels for each in panel.chance)
    key = -(-(len(systems) + has_chance) // 2) * _KEY_ROW + 8
    beside = len(panels) if len(profile.categories) == _IN_THE_CORNERS else 1
    radius = 96.0 if len(profile.categories) == _IN_THE_CORNERS else 84.0
    heading = 16.0 if len(panels) > 1 else 0.0
    reach = radius * max(abs(cos(turn)) for turn in _turns(len(profile.categories))) + 32
    wide, tall = WIDTH / beside, 2 * reach + heading
    body = tall * -(-len(panels) // beside)
    with sheet(body + key, prefix) as paper:
        for number, panel in enumerate(panels):
            left, above = (number % beside) * wide, (number // beside) * tall
            axes = paper.blank(left, above, WIDTH - left - wide, body + key - above - tall)
            _draw_panel(axes, profile.categories, panel, (wide / 2, reach), radius)
            if heading:
                write(axes, wide / 2, tall - 8, panel.measure, ha="center", fontweight="bold")
        _draw_key(paper, systems, key, has_chance=has_chance)
        return paper.finish(words)


def _draw_panel(axes: Axes, categories: tuple[str, ...], panel: Panel, centre: Place, radius: float) -> None:
    low = lowest(panel)
    turns = _turns(len(categories))

    def place(turn: float, value: float) -> Place:
        share = (value - low) / (1 - low)
        return centre[0] + radius * share * sin(turn), centre[1] + radius * share * cos(turn)

    for ring in _RINGS:
        if ring > low:
            _closed(axes, [place(turn, ring) for turn in turns], color=GRID, linewidth=0.8)
    for number, turn in enumerate(turns):
        end = place(turn, 1.0)
        axes.plot([centre[0], end[0]], [centre[1], end[1]], color=GRID, linewidth=0.8)
        _name_axis(axes, categories[number], panel.counts[number], turn, centre, radius)
    if len(panel.chance) == len(turns) and all(each is not None for each in panel.chance):
        chance = [place(turn, each or 0.0) for turn, each in zip(turns, panel.chance, strict=True)]
        _closed(axes, chance, color=GREY, linewidth=1.3, linestyle=(0, (3, 1.5)))
    for line in panel.systems:
        values = zip(turns, line.values, strict=True)
        _draw_line(axes, line, [place(turn, each.value) if each else None for turn, each in values])
    for ring in [each for each in _NAMED_RINGS if each > low]:
        height = place(turns[0], ring)[1]
        write(axes, centre[0] + 2, height - 5, value_text(ring, 1), color=QUIET, fontsize=7.5)


def _turns(n_axes: int) -> list[float]:
    """Directions of the axes, clockwise from the top; four stand in the corners, where their names have room."""
    offset = pi / _IN_THE_CORNERS if n_axes == _IN_THE_CORNERS else 0.0
    return [2 * pi * number / n_axes + offset for number in range(n_axes)]


def _closed(axes: Axes, places: list[Place], **style: Any) -> None:
    points = [*places, places[0]]
    axes.plot([x for x, _ in points], [y for _, y in points], **style)


def _name_axis(axes: Axes, category: str, n: int, turn: float, centre: Place, radius: float) -> None:
    reach = radius + 8
    x, y = centre[0] + reach * sin(turn), centre[1] + reach * cos(turn)
    side = "center" if abs(sin(turn)) < 0.3 else "left" if sin(turn) > 0 else "right"
    if abs(abs(sin(turn)) - abs(cos(turn))) < 0.01:
        x, side = centre[0] + (radius * 0.5 if sin(turn) > 0 else -radius * 0.5), "center"
    up = 6 if cos(turn) > 0.3 else 0 if cos(turn) > -0.3 else -6
    write(axes, x, y + up + 5, short(category, 17), ha=side)
    write(axes, x, y + up - 5, f"n {n}", ha=side, color=QUIET, fontsize=8)


def _draw_line(axes: Axes, line: Line, places: list[Place | None]) -> None:
    look = look_of(line.number)
    style: dict[str, Any] = {"color": look.colour, "linestyle": look.dash, "linewidth": 1.6}
    for start, end in zip(places, [*places[1:], places[0]], strict=True):
        if start and end:
            axes.plot([start[0], end[0]], [start[1], end[1]], **style)
    found = [each for each in places if each]
    axes.plot(
        [x for x, _ in found],
        [y for _, y in found],
        linestyle="none",
        marker=look.marker,
        markersize=4.5,
        color=look.colour,
    )


def _draw_key(paper: Sheet, systems: tuple[Line, ...], height: float, *, has_chance: bool) -> None:
    axes = paper.blank(0, paper.height - height, 0, 0)
    for number in range(len(systems) + has_chance):
        x = 14 + (number % 2) * WIDTH / 2
        y = height - 8 - (number // 2) * _KEY_ROW
        if number < len(systems):
            look = look_of(systems[number].number)
            axes.plot([x, x + 22], [y, y], color=look.colour, linestyle=look.dash, linewidth=1.6)
            axes.plot([x + 11], [y], color=look.colour, marker=look.marker, markersize=4.5, linestyle="none")
            write(axes, x + 28, y, short(systems[number].name), fontsize=SMALL, color=INK)
        else:
            axes.plot([x, x + 22], [y, y], color=GREY, linestyle=(0, (3, 1.5)), linewidth=1.3)
            write(axes, x + 28, y, "chance", color=QUIET)
