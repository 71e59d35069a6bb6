"""Segments in JSON and prose: [start_s, end_s, label], in seconds as written (answers.md 4, "Segments").

Shapes: list of objects; triples or pairs; intervals beside `labels`; label to interval(s); boundaries only. Prose is
read by `section_lines`. Nothing is rescaled: 1.05 is 1.05 s, percent and milliseconds stay what they are.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from musebench_tasks.answers.clock import seconds_of
from musebench_tasks.answers.json_text import CUT, JsonArray, JsonObject, is_container
from musebench_tasks.answers.outcomes import MusicAnswer
from musebench_tasks.answers.section_lines import section_rows, span_of
from musebench_tasks.base.records import Status
from musebench_tasks.values import clean_prediction

START_FIELDS = ("start", "start_s", "start_time")
END_FIELDS = ("end", "end_s", "end_time")
LABEL_FIELDS = ("label",)

_Row = tuple[Any, Any, str]


class RawSegments(NamedTuple):
    """Raw rows (start, end, label), or the rule that says why there are none."""

    rows: tuple[_Row, ...] | None
    rule: str
    truncated: bool = False


def read_rows(value: Any, labels: Any = None) -> RawSegments:
    """The rows in a JSON value; `labels` is the parallel list beside it, if any."""
    if isinstance(value, JsonObject):
        return _map_rows(value)
    if not isinstance(value, JsonArray):
        return RawSegments(None, "wrong_type")
    items = [each for each in value.values if each is not CUT and _is_complete(each)]
    truncated = not value.complete or len(items) < len(value.values)
    rows = _array_rows(items)
    if rows is None:
        return RawSegments(None, "wrong_type" if items else "cut" if truncated else "json", truncated)
    if labels is not None:
        rows = _with_labels(rows, labels)
        if rows is None:
            return RawSegments(None, "wrong_type", truncated)
    if truncated and not rows:
        return RawSegments(None, "cut", True)
    return RawSegments(tuple(rows), "json", truncated)


def is_row_like(value: Any) -> bool:
    """Whether a JSON value has the shape of segments: an object with known names, or rows of them."""
    if isinstance(value, JsonObject):
        return bool(value.values(*START_FIELDS) or value.values(*END_FIELDS))
    if not isinstance(value, JsonArray) or not value.values:
        return False
    first = value.values[0]
    if isinstance(first, JsonArray):
        return len(first.values) in (2, 3) and any(seconds_of(each) is not None for each in first.values[:2])
    return is_row_like(first) if isinstance(first, JsonObject) else False


def is_boundary_list(value: Any) -> bool:
    """Whether a JSON value is a list of two or more times, or one (start, end, label)."""
    if not isinstance(value, JsonArray) or len(value.values) < 2:
        return False
    times = [each is CUT or seconds_of(each) is not None for each in value.values]
    return all(times) or (len(times) == 3 and times[0] and times[1] and isinstance(value.values[2], str))


def clean_rows(rows: Sequence[_Row], rule: str, duration_s: float | None, truncated: bool) -> MusicAnswer:
    """Rows brought into legal form, or out of range (answers.md 4, segments 1 to 5)."""
    cleaned = clean_prediction(rows, duration_s)
    if cleaned.intervals is None:
        return MusicAnswer(None, Status.OUT_OF_RANGE, cleaned.problem or "shape", cleaned.flags)
    value = [[each.start / 1_000_000, each.end / 1_000_000, each.label] for each in cleaned.intervals]
    return MusicAnswer(value, Status.OK, rule, (*cleaned.flags, *(("truncated",) if truncated else ())))


def _is_complete(value: Any) -> bool:
    if isinstance(value, JsonObject):
        return value.complete and all(each is not CUT for _, each in value.pairs)
    if isinstance(value, JsonArray):
        return value.complete and all(each is not CUT for each in value.values)
    return True


def _array_rows(items: list[Any]) -> list[_Row] | None:
    if not items:
        return []
    if all(is_container(each) for each in items):
        rows = [_row(each) for each in items]
        return None if any(row is None for row in rows) else [row for row in rows if row is not None]
    if len(items) == 3 and isinstance(items[2], str) and seconds_of(items[2]) is None and not isinstance(items[1], str):
        return [(_time(items[0]), _time(items[1]), items[2])]
    if any(is_container(each) for each in items):
        return None
    if all(isinstance(each, str) and seconds_of(each) is None for each in items):
        return list(section_rows("\n".join(items))) or None
    times = [_time(each) for each in items]
    return [(start, end, "") for start, end in pairwise(times)] or None


def _row(item: Any) -> _Row | None:
    if isinstance(item, JsonArray):
        if len(item.values) not in (2, 3):
            return None
        label = item.values[2] if len(item.values) == 3 else None
        return None if is_container(label) else (_time(item.values[0]), _time(item.values[1]), _label(label))
    starts, ends = (_times(item.values(*names)) for names in (START_FIELDS, END_FIELDS))
    if len(starts) != 1 or len(ends) != 1:
        return None
    labels = item.values(*LABEL_FIELDS)
    if len(labels) > 1 or (labels and is_container(labels[0])):
        return None
    return starts[0], ends[0], _label(labels[0] if labels else None)


def _map_rows(value: JsonObject) -> RawSegments:
    """Label to interval or to list of intervals, or interval to label; one segment object alone is a list of one."""
    if is_row_like(value):
        row = _row(value) if _is_complete(value) else None
        if row:
            return RawSegments((row,), "json")
        return RawSegments(None, "wrong_type" if value.complete else "cut", not value.complete)
    rows: list[_Row] = []
    complete = [(key, each) for key, each in value.pairs if each is not CUT and _is_complete(each)]
    truncated = not value.complete or len(complete) < len(value.pairs)
    for label, each in complete:
        span = span_of(label) if isinstance(each, str) else None
        inner = [(*span, "")] if span else _intervals_of(each)
        if inner is None:
            return RawSegments(None, "wrong_type", truncated)
        rows += [(start, end, each.strip() if span else label) for start, end, _ in inner]
    if truncated and not rows:
        return RawSegments(None, "cut", True)
    return RawSegments(tuple(rows), "json", truncated)


def _intervals_of(value: Any) -> list[_Row] | None:
    if isinstance(value, JsonObject):
        row = _row(value)
        return [row] if row else None
    if isinstance(value, str):
        span = span_of(value)
        return [(*span, "")] if span else None
    if not isinstance(value, JsonArray):
        return None
    if len(value.values) == 2 and not any(is_container(each) for each in value.values):
        return [(_time(value.values[0]), _time(value.values[1]), "")]
    return _array_rows(value.values) if all(is_container(each) for each in value.values) else None


def _with_labels(rows: list[_Row], labels: Any) -> list[_Row] | None:
    if not isinstance(labels, JsonArray) or len(labels.values) != len(rows) or any(map(is_container, labels.values)):
        return None
    return [(start, end, _label(each)) for (start, end, _), each in zip(rows, labels.values, strict=True)]


def _label(value: Any) -> str:
    return "" if value is None or value is CUT else str(value).strip()


def _times(values: list[Any]) -> list[Any]:
    """The different times under the names of one boundary."""
    times: list[Any] = []
    for value in map(_time, values):
        times += [] if value in times else [value]
    return times


def _time(value: Any) -> Any:
    """Seconds where `value` is a time, else `value` itself, which cleaning then refuses."""
    seconds = seconds_of(value)
    return value if seconds is None else seconds
