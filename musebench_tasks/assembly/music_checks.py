"""What is wrong with the truth of a recording: tempo, beat unit, key, metre, segments, beats (music_metrics.md 5.2)."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from musebench_tasks.errors import nearest

TONICS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
KEYS = tuple(f"{tonic} {mode}" for mode in ("major", "minor") for tonic in TONICS)
CHANGING_FIELDS = ("tempo", "key", "time_signature", "segments")
METRE = re.compile(r"([1-9]|[12]\d|3[0-2])/(1|2|4|8|16|32)")
BEYOND_DURATION_S = 0.5
"""A segment may end this much after the recording: rounding of hand-made annotations."""
OVERLAP_S = 1e-6


def recording_problems(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(column, what is wrong and what to do) for every fault in a mub row."""
    if row["duration_s"] <= 0:
        yield "duration_s", f"{row['duration_s']} s is no duration. Give the decoded seconds."
    if row["tempo_bpm"] <= 0:
        yield "tempo_bpm", f"{row['tempo_bpm']} is no tempo. Give beats per minute above 0."
    if row["key"] not in KEYS:
        spelling = f"Use a tonic of {' '.join(TONICS)} and major or minor."
        yield "key", f'"{row["key"]}" is not spelled canonically{nearest(row["key"], KEYS)}. {spelling}'
    for column in ("time_signature", "beat_unit"):
        if not METRE.fullmatch(row[column]):
            yield column, f'"{row[column]}" is no fraction like 6/8. Write numerator/denominator.'
    for field in row["multi_valued"]:
        if field not in CHANGING_FIELDS:
            yield "multi_valued", f'"{field}" is none of {", ".join(CHANGING_FIELDS)}{nearest(field, CHANGING_FIELDS)}.'
    yield from (("segments", text) for text in segment_problems(row["segments"], row["duration_s"]))
    for column in ("beats_s", "downbeats_s"):
        yield from ((column, text) for text in beat_problems(row[column] or (), row["duration_s"]))


def segment_problems(segments: Sequence[Mapping[str, Any]], duration_s: float) -> Iterator[str]:
    """Segments that are empty, unlabelled, out of order, overlapping or beyond the recording."""
    if not segments:
        yield "no segments. Give at least one."
    for number, segment in enumerate(segments, start=1):
        start, end = segment["start_s"], segment["end_s"]
        if not (math.isfinite(start) and math.isfinite(end)):
            yield f"segment {number}: {start} to {end} s is not finite."
        elif start < 0 or end <= start:
            yield f"segment {number}: {start} to {end} s. Give 0 <= start_s < end_s."
        elif end > duration_s + BEYOND_DURATION_S:
            yield f"segment {number} ends at {end} s, after the recording ({duration_s} s). Shorten it."
        if not segment["label"].strip():
            yield f"segment {number} has no label. Name the section."
    for (number, first), second in zip(enumerate(segments, start=1), segments[1:], strict=False):
        if second["start_s"] < first["end_s"] - OVERLAP_S:
            yield f"segments {number} and {number + 1} overlap or are out of order. Sort and separate them."


def beat_problems(times: Sequence[float], duration_s: float) -> Iterator[str]:
    """Beat times that do not rise, or lie outside the recording."""
    if any(second <= first for first, second in pairwise(times)):
        yield "times do not rise. Sort them and remove repeats."
    if any(not 0 <= time <= duration_s for time in times):
        yield f"a time lies outside 0 to {duration_s} s. Remove it."
