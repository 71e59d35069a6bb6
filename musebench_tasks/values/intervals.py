"""Segments as exact values: integer microseconds; references are checked, predictions are cleaned.

References are never repaired: every problem is listed with its code (music_metrics.md 5.2). Predictions pass the
five steps of answers.md 4: sort, clip, drop what lies outside, snap overlaps of up to 50 ms, flag gaps.
"""

import math
import numbers
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from musebench_tasks.base.records import Segment
from musebench_tasks.base.text import shown
from musebench_tasks.values.micro import to_micro

SNAP_MICROS = 50_000
"""Predictions may overlap by rounding: up to 50 ms the earlier end moves to the later start."""
CLIP_MICROS = 500_000
"""A reference may end this much after its recording (clipped, flagged); predictions clipped further are flagged."""
TOUCH_MICROS = 1
"""References may overlap by one microsecond of rounding."""
LONGEST_SHOWN = 80
"""Characters of a segment in a message."""


class Span(NamedTuple):
    """A stretch of time in microseconds, with its label (`""` if it has none)."""

    start: int
    end: int
    label: str = ""


class IntervalProblem(NamedTuple):
    """What is wrong with one row (counted from 0) of a list of segments."""

    row: int
    code: str
    found: str


class CheckedReference(NamedTuple):
    """A reference's intervals by time, its flags, and its problems; `intervals` is empty if there are problems."""

    intervals: tuple[Span, ...]
    flags: tuple[str, ...]
    problems: tuple[IntervalProblem, ...]


class CleanedPrediction(NamedTuple):
    """A prediction's intervals by time, or None with the code of what makes the whole answer invalid."""

    intervals: tuple[Span, ...] | None
    flags: tuple[str, ...]
    problem: str | None


def to_micros(seconds: float | int | str | Decimal) -> int:
    """Seconds as whole microseconds, exact to the decimal text; ValueError for what is no finite number."""
    return to_micro(seconds)


def validate_reference(
    segments: Sequence[Any], duration_s: float | None = None, *, label_aware: bool = False
) -> CheckedReference:
    """Check the segments of one reference recording; collects every problem instead of stopping at the first.

    A segment is a `records.Segment`, a mapping with start_s, end_s, label, or (start, end[, label]), in seconds; all of
    them may be one array of shape (n, 2).
    Codes: shape, not_a_number, bool, nan, infinite, negative_start, end_le_start, beyond_duration, overlap,
    duplicate, empty_label (only where `label_aware`).
    """
    duration = None if duration_s is None else to_micros(duration_s)
    rows: list[tuple[Span, int]] = []
    problems: list[IntervalProblem] = []
    for number, segment in enumerate(segments):
        interval, code = _read_segment(segment)
        code = code or (_reference_fault(interval, duration, label_aware) if interval else None)
        if interval is None or code is not None:
            problems.append(IntervalProblem(number, code or "shape", _shown(segment)))
        else:
            rows.append((interval, number))
    ordered = sorted(rows)
    flags = ["sorted"] if ordered != rows else []
    for (earlier, _), (later, number) in pairwise(ordered):
        code = _reference_clash(earlier, later)
        if code is not None:
            problems.append(IntervalProblem(number, code, f"{_shown(later)} after {_shown(earlier)}"))
    if problems:
        return CheckedReference((), tuple(flags), tuple(sorted(problems)))
    intervals = _touching([interval for interval, _ in ordered])
    if duration is not None and any(each.end > duration for each in intervals):
        intervals = [each._replace(end=min(each.end, duration)) for each in intervals]
        flags.append("clipped")
    if _has_gaps(intervals):
        flags.append("gaps")
    return CheckedReference(tuple(intervals), tuple(flags), ())


def clean_prediction(segments: Sequence[Any], duration_s: float | None = None) -> CleanedPrediction:
    """Bring predicted segments (as in `validate_reference`) into legal form, or say why that is impossible.

    Flags: sorted, clipped, clipped_far (by more than 0.5 s), dropped, snapped, gaps. Problems: shape, not_a_number,
    bool, nan, infinite, end_le_start, outside (nothing left of a non-empty list), overlap, duplicate.
    """
    duration = None if duration_s is None else to_micros(duration_s)
    intervals: list[Span] = []
    for segment in segments:
        interval, code = _read_segment(segment)
        if interval is None or interval.end <= interval.start:
            return CleanedPrediction(None, (), code or "end_le_start")
        intervals.append(interval)
    ordered = sorted(intervals, key=lambda each: each[:2])
    flags = ["sorted"] if ordered != intervals else []
    inside = _clip(ordered, duration, flags)
    if ordered and not inside:
        return CleanedPrediction(None, tuple(flags), "outside")
    snapped, problem = _snap(inside, flags)
    if problem is not None:
        return CleanedPrediction(None, tuple(flags), problem)
    if _has_gaps(snapped):
        flags.append("gaps")
    return CleanedPrediction(tuple(snapped), tuple(flags), None)


def _read_segment(segment: Any) -> tuple[Span | None, str | None]:
    parts = _parts(segment)
    if parts is None:
        return None, "shape"
    start, end, label = parts
    code = _number_fault(start) or _number_fault(end)
    if code is not None:
        return None, code
    try:
        return Span(to_micros(start), to_micros(end), label), None
    except ValueError:
        return None, "not_a_number"


def _parts(segment: Any) -> tuple[Any, Any, str] | None:
    if hasattr(segment, "__array__") and getattr(segment, "shape", None) in ((2,), (3,)):
        segment = tuple(segment)  # A row of an array; its numbers keep their decimal text, float32 too.
    if isinstance(segment, Segment):
        return segment.start_s, segment.end_s, segment.label
    if isinstance(segment, Mapping):
        if "start_s" not in segment or "end_s" not in segment:
            return None
        start, end, label = segment["start_s"], segment["end_s"], segment.get("label")
    elif isinstance(segment, (list, tuple)) and len(segment) in (2, 3):
        start, end = segment[:2]
        label = segment[2] if len(segment) == 3 else None
    else:
        return None
    if label is not None and not isinstance(label, str):
        return None
    return start, end, label or ""


def _number_fault(value: Any) -> str | None:
    if isinstance(value, bool):
        return "bool"
    if not isinstance(value, (numbers.Real, Decimal)):
        return "not_a_number"
    try:
        if math.isnan(value):
            return "nan"
        return "infinite" if math.isinf(value) else None
    except OverflowError:  # A whole number too large for a float.
        return "infinite"


def _reference_fault(interval: Span, duration: int | None, label_aware: bool) -> str | None:
    if interval.start < 0:
        return "negative_start"
    if interval.end <= interval.start:
        return "end_le_start"
    if duration is not None and (interval.end > duration + CLIP_MICROS or interval.start >= duration):
        return "beyond_duration"
    return "empty_label" if label_aware and not interval.label.strip() else None


def _reference_clash(earlier: Span, later: Span) -> str | None:
    if earlier[:2] == later[:2]:
        return "duplicate"
    if earlier.end - later.start > TOUCH_MICROS or later.start == earlier.start:
        return "overlap"
    return None


def _touching(intervals: list[Span]) -> list[Span]:
    """`intervals` with overlaps of one microsecond removed, so that all are disjoint."""
    result: list[Span] = []
    for interval in intervals:
        if result and result[-1].end > interval.start:
            result[-1] = result[-1]._replace(end=interval.start)
        result.append(interval)
    return result


def _clip(ordered: list[Span], duration: int | None, flags: list[str]) -> list[Span]:
    inside: list[Span] = []
    cut = 0
    for interval in ordered:
        start = max(interval.start, 0)
        end = interval.end if duration is None else min(interval.end, duration)
        if end <= start:
            continue
        cut = max(cut, start - interval.start, interval.end - end)
        inside.append(Span(start, end, interval.label))
    if cut:
        flags.append("clipped")
    if cut > CLIP_MICROS:
        flags.append("clipped_far")
    if len(inside) < len(ordered):
        flags.append("dropped")
    return inside


def _snap(intervals: list[Span], flags: list[str]) -> tuple[list[Span], str | None]:
    result: list[Span] = []
    for interval in intervals:
        if result:
            previous = result[-1]
            if previous[:2] == interval[:2]:
                return [], "duplicate"
            overlap = previous.end - interval.start
            if overlap > SNAP_MICROS or (overlap > 0 and interval.start <= previous.start):
                return [], "overlap"
            if overlap > 0:
                result[-1] = previous._replace(end=interval.start)
                if "snapped" not in flags:
                    flags.append("snapped")
        result.append(interval)
    return result, None


def _has_gaps(intervals: Sequence[Span]) -> bool:
    if not intervals:
        return False
    return intervals[0].start > 0 or any(later.start > earlier.end for earlier, later in pairwise(intervals))


def _shown(segment: Any) -> str:
    """A segment in words, in seconds: `0 to 9.5 verse`; as JSON where it has no start and end."""
    if isinstance(segment, Span):
        segment = (segment.start / 1e6, segment.end / 1e6, segment.label)
    parts = _parts(segment)
    if parts is None:
        return shown(segment)
    start, end = (shown(each) if isinstance(each, (int, str, list)) else str(each) for each in parts[:2])
    return f"{start.removesuffix('.0')} to {end.removesuffix('.0')} {parts[2]}".strip()[:LONGEST_SHOWN]
