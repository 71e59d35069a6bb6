"""Rows of a music dataset: the truth about a recording, in canonical spelling. Nothing is repaired."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import MUSIC_FIELDS, MusicTruth, Segment
from musebench_tasks.base.text import shown
from musebench_tasks.items import cells
from musebench_tasks.values import (
    Span,
    key_name,
    metre_name,
    parse_key_name,
    parse_metre,
    to_micro,
    validate_reference,
)

MULTI_VALUED = (*MUSIC_FIELDS, "tempo_bpm", "beat_unit")
"""Names that `multi_valued` may hold: fields as asked, or as their columns are called."""
MOST_BPM = 1000
"""The fastest tempo a reference may have; answers are admissible from 10 to 600 (answers.md)."""


def tempo(cell: Any) -> float:
    """Beats per minute above 0 and at most 1000."""
    bpm = cells.number(cell)
    if not 0 < bpm <= MOST_BPM or to_micro(bpm) == 0:
        raise InputError(f"should be beats per minute above 0 and at most {MOST_BPM}, found {shown(cell)}.")
    return bpm


def key(cell: Any) -> str:
    """A key in canonical spelling, for example `Eb major`."""
    parsed = parse_key_name(cell) if isinstance(cell, str) else None
    if parsed is None:
        raise InputError(f'{shown(cell)} is no key. Write a tonic and major or minor, for example "Eb major".')
    return key_name(parsed)


def time_signature(cell: Any) -> str:
    """A time signature such as `6/8`, never reduced."""
    metre = parse_metre(cell)
    if metre is None:
        raise InputError(f'{shown(cell)} is no time signature. Write numerator/denominator, for example "6/8".')
    return metre_name(metre)


def multi_valued(cell: Any) -> tuple[str, ...]:
    """Names of fields whose truth changes inside the recording."""
    names = cells.texts(cell) if cell != [] else ()
    unknown = [each for each in names if each not in MULTI_VALUED]
    if unknown:
        raise InputError(f"{shown(unknown[0])} is no field. Known: {', '.join(MUSIC_FIELDS)}.")
    return names


def segments(cell: Any, duration_s: float | None, *, label_aware: bool = False) -> tuple[Segment, ...]:
    """Disjoint labelled intervals by time; InputError lists every fault with its code (music_metrics.md 5.2).

    `label_aware`: an empty label is a fault.
    """
    checked = validate_reference(cells.listed(cell), duration_s, label_aware=label_aware)
    if checked.problems:
        advice = "Correct the interval; references are never repaired."
        raise InputError(Problem("; ".join(_faults(checked.problems)) + ".", advice))
    return segment_records(checked.intervals)


def segment_records(intervals: Iterable[Span]) -> tuple[Segment, ...]:
    """Legal intervals as records; InputError for times and labels that no record should hold."""
    records = []
    for each in intervals:
        cells.seconds(each.end / 1_000_000)
        cells.optional(cells.text, each.label.strip())
        records.append(Segment(start_s=each.start / 1_000_000, end_s=each.end / 1_000_000, label=each.label))
    return tuple(records)


def _faults(problems: Any) -> Iterator[str]:
    for problem in problems:
        yield f"segment {problem.row + 1} {problem.code}: {problem.found}"


TRUTH_READERS = {
    "tempo_bpm": tempo,
    "beat_unit": cells.text,
    "key": key,
    "time_signature": time_signature,
    "multi_valued": multi_valued,
}


def truth(values: dict[str, Any]) -> MusicTruth:
    """The record of values that were read; absent or None = not annotated."""
    known = {name: value for name, value in values.items() if value is not None}
    return MusicTruth(**known)
