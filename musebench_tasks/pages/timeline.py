"""Segments over time as lanes of a small drawing: the reference above, each answer below it, on one scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from musebench_tasks.base.records import FieldAnswer, Item, MusicTruth, Segment, Status
from musebench_tasks.pages.answers import GivenAnswer
from musebench_tasks.pages.text import named, seconds_text

N_TINTS = 6
_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600)
_MOST_TICKS = 8
_WIDEST_PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class Block:
    """One segment: position and width in percent of the lane."""

    left: str
    width: str
    label: str
    times: str
    tint: int
    """0 to N_TINTS − 1: the label's place in the reference; −1 for a label that the reference does not have."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The segments of the reference or of one answer."""

    system: str
    setting: str
    blocks: tuple[Block, ...]
    description: str
    """The lane in words."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The ticks below the lanes: position in percent, and the time."""

    ticks: tuple[tuple[str, str], ...]


def make_lanes(item: Item, truth: MusicTruth, given: Sequence[GivenAnswer]) -> tuple[Lane, ...]:
    """The reference's lane and one for each answer whose segments were read."""
    length = _length(item, truth)
    segments = truth.segments or ()
    tints = {label: n % N_TINTS for n, label in enumerate(dict.fromkeys(_folded(each.label) for each in segments))}
    lanes = [_lane("reference", "", segments, length, tints)]
    for each in given:
        parsed = each.prediction.parsed if each.prediction else None
        answer = parsed.get("segments") if isinstance(parsed, dict) else None
        if answer is not None and answer.status is Status.OK:
            lanes.append(_lane(each.system, each.setting, list(_readable(answer)), length, tints))
    return tuple(lanes)


def make_axis(item: Item, truth: MusicTruth) -> Axis:
    """Ticks at whole steps, at most eight of them."""
    length = _length(item, truth)
    step = next((each for each in _STEPS_S if length / each <= _MOST_TICKS), _STEPS_S[-1])
    return Axis(tuple((_percent(n * step, length), seconds_text(n * step)) for n in range(int(length // step) + 1)))


def _length(item: Item, truth: MusicTruth) -> float:
    ends = [each.end_s for each in truth.segments or ()]
    return max([item.duration_s or 0.0, *ends]) or 1.0


def _readable(answer: FieldAnswer) -> Iterable[Segment]:
    for each in answer.value if isinstance(answer.value, list | tuple) else ():
        segment = each if isinstance(each, Segment) else _segment(each)
        if segment is not None and segment.end_s > segment.start_s >= 0:
            yield segment


def _segment(value: Any) -> Segment | None:
    if not isinstance(value, Mapping):
        return None
    start, end = value.get("start_s"), value.get("end_s")
    if not all(isinstance(each, int | float) and isfinite(each) for each in (start, end)):
        return None
    return Segment(start_s=float(start or 0), end_s=float(end or 0), label=str(value.get("label") or ""))


def _lane(system: str, setting: str, segments: Sequence[Segment], length: float, tints: Mapping[str, int]) -> Lane:
    blocks = tuple(_block(each, length, tints) for each in segments if each.start_s < length)
    words = "; ".join(f"{named(each.label) or 'no label'}, {_times(each)}" for each in segments)
    return Lane(system, setting, blocks, f"{system} {setting}".strip() + f": {words or 'no segments'}")


def _block(segment: Segment, length: float, tints: Mapping[str, int]) -> Block:
    return Block(
        left=_percent(segment.start_s, length),
        width=_percent(min(segment.end_s, length) - segment.start_s, length),
        label=named(segment.label),
        times=_times(segment),
        tint=tints.get(_folded(segment.label), -1),
    )


def _times(segment: Segment) -> str:
    return f"{seconds_text(segment.start_s)} to {seconds_text(segment.end_s)}"


def _percent(part: float, whole: float) -> str:
    return f"{min(_WIDEST_PERCENT, 100 * part / whole):.2f}%"


def _folded(label: str) -> str:
    return label.strip().casefold()
