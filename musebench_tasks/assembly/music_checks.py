"""What is wrong with the truth of a recording: tempo, beat unit, key, metre, segments, beats (music_metrics.md 5.2)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from musebench_tasks.errors import nearest
from musebench_tasks.values import key_name, metre_name, parse_key_name, parse_metre, validate_reference
from musebench_tasks.values.key import TONICS

CHANGING_FIELDS = ("tempo", "key", "time_signature", "segments")
ADVICE = {
    "beyond_duration": "Shorten it to the recording.",
    "overlap": "Separate the two.",
    "duplicate": "Remove one of the two.",
    "empty_label": "Name the section.",
}


def recording_problems(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(column, what is wrong and what to do) for every fault in a mub row."""
    if row["duration_s"] <= 0:
        yield "duration_s", f"{row['duration_s']} s is no duration. Give the decoded seconds."
    if row["tempo_bpm"] <= 0:
        yield "tempo_bpm", f"{row['tempo_bpm']} is no tempo. Give beats per minute above 0."
    yield from (("key", text) for text in key_problems(row["key"]))
    for column in ("time_signature", "beat_unit"):
        metre = parse_metre(row[column])
        if metre is None or metre_name(metre) != row[column]:
            yield column, f'"{row[column]}" is no fraction like 6/8. Write numerator/denominator.'
    for field in row["multi_valued"]:
        if field not in CHANGING_FIELDS:
            yield "multi_valued", f'"{field}" is none of {", ".join(CHANGING_FIELDS)}{nearest(field, CHANGING_FIELDS)}.'
    yield from (("segments", text) for text in segment_problems(row["segments"], row["duration_s"]))
    for column in ("beats_s", "downbeats_s"):
        yield from ((column, text) for text in beat_problems(row[column] or (), row["duration_s"]))


def key_problems(text: str) -> Iterator[str]:
    """A key that is none, or is spelled otherwise than everywhere else."""
    key = parse_key_name(text)
    if key is None:
        yield f'"{text}" is no key. Use a tonic of {" ".join(TONICS)} and major or minor.'
    elif key_name(key) != text:
        yield f'"{text}" is not spelled canonically. Write "{key_name(key)}".'


def segment_problems(segments: Sequence[Mapping[str, Any]], duration_s: float) -> Iterator[str]:
    """Segments that are missing, empty, unlabelled, out of order, overlapping or beyond the recording."""
    if not segments:
        yield "no segments. Give at least one."
    checked = validate_reference(segments, duration_s, label_aware=True)
    for problem in checked.problems:
        advice = ADVICE.get(problem.code, "Give 0 <= start_s < end_s in seconds.")
        yield f"segment {problem.row + 1}, {problem.code}: {problem.found}. {advice}"
    if "sorted" in checked.flags:
        yield "the segments are out of order. Sort them by start_s."


def beat_problems(times: Sequence[float], duration_s: float) -> Iterator[str]:
    """Beat times that do not rise, or lie outside the recording."""
    if any(second <= first for first, second in pairwise(times)):
        yield "times do not rise. Sort them and remove repeats."
    if any(not 0 <= time <= duration_s for time in times):
        yield f"a time lies outside 0 to {duration_s} s. Remove it."
