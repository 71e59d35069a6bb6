"""How answers fall into classes: one stacked bar a system, every class named above in the order of the bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from musebench_tasks.pages.figures.data import Stacks
from musebench_tasks.pages.figures.look import INK, QUIET, SMALL, WIDTH, Figure, Words, short
from musebench_tasks.pages.figures.sheet import Sheet, block, sheet, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _RIGHT, _BOTTOM = 122.0, 34.0, 22.0
_ROW, _KEY_ROW = 22.0, 14.0
_LETTER = 5.0
"""Room that a letter of the key takes, in points."""
_HATCHES = ("", "///", "\\\\\\", "xxx", "|||", "", "---", "+++", "/////", "")


def draw_stacks(stacks: Stacks, words: Words, prefix: str) -> Figure:
    """Bars of equal length, from 0 to 100 % of the row's answers, counts inside where they fit."""
    occurring = [n for n in range(len(stacks.classes)) if any(row.counts[n] for row in stacks.rows)]
    key = _places([stacks.classes[number] for number in occurring])
    top = (key[-1][1] + 1) * _KEY_ROW + 10 + (12 if stacks.mark is not None else 0)
    with sheet(top + len(stacks.rows) * _ROW + _BOTTOM, prefix) as paper:
        _draw_key(paper, stacks, occurring, key)
        axes = paper.axes(_LEFT, top, _RIGHT, _BOTTOM)
        axes.set_xlim(0, 1)
        axes.set_ylim(len(stacks.rows), 0)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
        for place, row in enumerate(stacks.rows):
            total = sum(row.counts)
            lift = 0.2 if row.detail else 0.0
            write(axes, -7 / _width(), place + 0.5 - lift, short(row.name, 20), ha="right")
            write(
                axes,
                -7 / _width(),
                place + 0.5 + 1.2 * lift,
                short(row.detail, 24),
                ha="right",
                color=QUIET,
                fontsize=8,
            )
            write(axes, 1 + 6 / _width(), place + 0.5, f"n {total}", color=QUIET)
            _draw_row(axes, stacks, row.counts, total, place)
        if stacks.mark is not None:
            axes.plot(
                [stacks.mark, stacks.mark], [-0.1, len(stacks.rows)], color=INK, linewidth=1.1, linestyle=(0, (3, 1.5))
            )
            side = "left" if stacks.mark < 0.5 else "right"
            write(axes, stacks.mark, -0.38, stacks.mark_name, color=QUIET, fontsize=8, ha=side)
        return paper.finish(words)


def _width() -> float:
    return WIDTH - _LEFT - _RIGHT


def _draw_row(axes: Axes, stacks: Stacks, counts: tuple[int, ...], total: int, place: int) -> None:
    left = 0.0
    for number, count in enumerate(counts):
        share = count / total if total else 0.0
        if not share:
            continue
        patch: dict[str, Any] = {"hatch": _HATCHES[number % len(_HATCHES)], "edgecolor": INK, "linewidth": 0.5}
        block(axes, left, place + 0.5, share, 0.68, facecolor=stacks.tones[number], **patch)
        text = str(count)
        if share * _width() > 5.4 * len(text) + 6:
            box = {"boxstyle": "round,pad=0.12", "facecolor": stacks.tones[number], "edgecolor": "none"}
            write(axes, left + share / 2, place + 0.5, text, ha="center", color=_on(stacks.tones[number]), bbox=box)
        left += share


def _on(tone: str) -> str:
    """Near-black or near-white, whichever can be read on `tone` in a light page and in a dark one."""
    red, green, blue = (int(tone[start : start + 2], 16) / 255 for start in (1, 3, 5))
    light = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return "#111111" if light > 0.18 else "#fefefe"


def _places(names: list[str]) -> list[tuple[float, int]]:
    """Where each name of the key begins, in points from the left, and in which line."""
    places: list[tuple[float, int]] = []
    x, line = 6.0, 0
    for name in names:
        length = 16 + _LETTER * len(name) + 10
        if x + length > WIDTH and x > 6:
            x, line = 6.0, line + 1
        places.append((x, line))
        x += length
    return places or [(6.0, 0)]


def _draw_key(paper: Sheet, stacks: Stacks, occurring: list[int], places: list[tuple[float, int]]) -> None:
    axes = paper.blank()
    for number, (x, line) in zip(occurring, places, strict=False):
        y = paper.height - 9 - line * _KEY_ROW
        hatch = _HATCHES[number % len(_HATCHES)]
        block(axes, x, y, 11, 9, facecolor=stacks.tones[number], hatch=hatch, edgecolor=INK, linewidth=0.5)
        write(axes, x + 16, y, stacks.classes[number], fontsize=SMALL)
