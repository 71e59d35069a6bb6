"""One recording's estimate: what a tracker says, read field by field, never repaired beyond answers.md 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from musebench_tasks.answers.tempo_text import FASTEST_BPM, SLOWEST_BPM
from musebench_tasks.base.records import Status
from musebench_tasks.values import (
    Metre,
    Span,
    clean_prediction,
    is_admissible,
    key_name,
    metre_name,
    parse_key_name,
    read_fraction,
    to_micro,
)

MICRO = 1_000_000


@dataclass(frozen=True)
class Estimate:
    """What a tracker says of one recording; None = no answer."""

    id: str
    tempo_bpm: float | None = None
    key: str | None = None
    time_signature: str | None = None
    segments: Sequence[Any] | None = None
    """Each a `records.Segment`, a mapping with start_s, end_s and label, or (start, end[, label])."""
    statuses: Mapping[str, Status] = field(default_factory=dict)
    """How fields without a value ended (`tempo`, `key`, `time_signature`, `segments`); `unparsed` where not named."""


class EstimatedField(NamedTuple):
    """One field: the value in the form that scoring takes, or why there is none."""

    value: Any
    status: Status
    flags: tuple[str, ...] = ()
    """What the cleaning of segments did (answers.md 4): sorted, clipped, clipped_far, dropped, snapped; and gaps."""


def read_estimate(estimate: Estimate, duration_s: float | None = None) -> dict[str, EstimatedField]:
    """Every field of an estimate: `ok` with a value, `out_of_range` or `unparsed`, or the status it names."""
    return {
        "tempo": _read(estimate, "tempo", estimate.tempo_bpm, duration_s),
        "key": _read(estimate, "key", estimate.key, duration_s),
        "time_signature": _read(estimate, "time_signature", estimate.time_signature, duration_s),
        "segments": _read(estimate, "segments", estimate.segments, duration_s),
    }


def _read(estimate: Estimate, name: str, value: Any, duration_s: float | None) -> EstimatedField:
    if value is None:
        return EstimatedField(None, estimate.statuses.get(name, Status.UNPARSED))
    return _segments(value, duration_s) if name == "segments" else _READERS[name](value)


def _tempo(value: Any) -> EstimatedField:
    try:
        micro = to_micro(value)
    except ValueError:
        return EstimatedField(None, Status.OUT_OF_RANGE if _is_number(value) else Status.UNPARSED)
    if not SLOWEST_BPM * MICRO <= micro <= FASTEST_BPM * MICRO:
        return EstimatedField(None, Status.OUT_OF_RANGE)
    return EstimatedField(value, Status.OK)


def _is_number(value: Any) -> bool:
    """Whether it is a number at all, NaN and infinity too, also as text."""
    if isinstance(value, str):
        return value.strip().lower().lstrip("+-") in ("nan", "inf", "infinity")
    return isinstance(value, (float, int, Decimal)) and not isinstance(value, bool)


def _key(value: Any) -> EstimatedField:
    parsed = parse_key_name(value)
    return EstimatedField(None, Status.UNPARSED) if parsed is None else EstimatedField(key_name(parsed), Status.OK)


def _time_signature(value: Any) -> EstimatedField:
    fraction = read_fraction(value)
    if fraction is None:
        return EstimatedField(None, Status.UNPARSED)
    if not is_admissible(*fraction):
        return EstimatedField(None, Status.OUT_OF_RANGE)
    return EstimatedField(metre_name(Metre(*fraction)), Status.OK)


def _segments(value: Any, duration_s: float | None) -> EstimatedField:
    is_table = hasattr(value, "__array__") and len(getattr(value, "shape", ())) == 2
    if isinstance(value, (str, bytes, Mapping)) or not (is_table or isinstance(value, Sequence)):
        return EstimatedField(None, Status.UNPARSED)
    cleaned = clean_prediction(value, duration_s)
    if cleaned.intervals is None:
        return EstimatedField(None, Status.OUT_OF_RANGE)
    return EstimatedField(value, Status.OK, cleaned.flags)


_READERS = {"tempo": _tempo, "key": _key, "time_signature": _time_signature}


def segments_fault(segments: Sequence[Any], duration_s: float | None = None) -> tuple[int | None, str] | None:
    """Position and code of the first segment that makes an estimate invalid; position None = all of them together."""
    problem = clean_prediction(segments, duration_s).problem
    if problem is None:
        return None
    for position, segment in enumerate(segments):
        alone = clean_prediction([segment]).problem
        if alone is not None:
            return position, alone
    order = sorted(range(len(segments)), key=lambda position: read_interval(segments[position])[:2])
    for earlier, later in pairwise(order):
        code = clean_prediction([segments[earlier], segments[later]], duration_s).problem
        if code in ("overlap", "duplicate"):
            return later, code
    return None, problem


def read_interval(segment: Any) -> Span:
    """A legal segment in microseconds."""
    cleaned = clean_prediction([segment]).intervals
    return cleaned[0] if cleaned else Span(0, 0)
