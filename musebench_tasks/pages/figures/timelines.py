"""Segments over time: the reference and below it what systems answered, for a few recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from musebench_tasks.base.text import cut
from musebench_tasks.pages.figures.data import Recording, Role, Track
from musebench_tasks.pages.figures.look import INK, PALETTE, QUIET, WIDTH, Figure, Words, short
from musebench_tasks.pages.figures.sheet import block, sheet, write
from musebench_tasks.pages.text import seconds_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _RIGHT = 92.0, 42.0
_HEAD, _ROW, _AXIS = 18.0, 19.0, 24.0
_LETTER = 5.2
_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600)
_MOST_TICKS = 6


def draw_timelines(recordings: tuple[Recording, ...], words: Words, prefix: str) -> Figure:
    """One block a recording: heading, reference, systems, time. Equal labels of a recording have an equal colour."""
    heights = [_HEAD + len(each.tracks) * _ROW + _AXIS for each in recordings]
    with sheet(sum(heights), prefix) as paper:
        above = 0.0
        for recording, height in zip(recordings, heights, strict=True):
            names = paper.blank(0, above, 0, sum(heights) - above - height)
            write(names, 6, height - _HEAD / 2, short(recording.heading, 60), fontweight="bold")
            axes = paper.axes(_LEFT, above + _HEAD, _RIGHT, sum(heights) - above - height + _AXIS)
            _draw(axes, recording)
            above += height
        return paper.finish(words)


def _draw(axes: Axes, recording: Recording) -> None:
    axes.set_xlim(0, recording.length_s)
    axes.set_ylim(len(recording.tracks), 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    step = next((each for each in _STEPS_S if recording.length_s / each <= _MOST_TICKS), _STEPS_S[-1])
    ticks = [step * number for number in range(int(recording.length_s // step) + 1)]
    axes.set_xticks(ticks, [seconds_text(each) for each in ticks])
    labels = dict.fromkeys(_folded(each.label) for each in recording.tracks[0].stretches)
    tones = {label: PALETTE[(number + 3) % len(PALETTE)] for number, label in enumerate(labels)}
    point = recording.length_s / (WIDTH - _LEFT - _RIGHT)
    for row, track in enumerate(recording.tracks):
        is_reference = track.role is Role.REFERENCE
        write(
            axes,
            -6 * point,
            row + 0.5,
            short(track.name, 16),
            ha="right",
            fontweight="bold" if is_reference else "normal",
        )
        write(axes, recording.length_s + 6 * point, row + 0.5, track.note, color=QUIET)
        if not track.stretches:
            write(axes, 3 * point, row + 0.5, "no answer", color=QUIET, fontstyle="italic")
        _draw_track(axes, track, row, tones, point)


def _draw_track(axes: Axes, track: Track, row: int, tones: dict[str, str], point: float) -> None:
    for each in track.stretches:
        tone = tones.get(_folded(each.label))
        length = each.end_s - each.start_s
        fill: dict[str, Any] = {"color": tone, "alpha": 0.42} if tone else {"color": INK, "alpha": 0.1}
        block(axes, each.start_s, row + 0.5, length, 0.74, linewidth=0, **fill)
        block(axes, each.start_s, row + 0.5, length, 0.74, fill=False, edgecolor=INK, linewidth=0.8)
        letters = int(length / point / _LETTER - 0.8)
        label = " ".join(each.label.split())
        if label and letters >= min(len(label), 3):
            write(axes, (each.start_s + each.end_s) / 2, row + 0.5, cut(label, letters), ha="center", fontsize=8.5)


def _folded(label: str) -> str:
    return label.strip().casefold()
