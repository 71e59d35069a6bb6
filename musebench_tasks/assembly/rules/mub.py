"""The rules of a row of mub: the truth about a recording (music_metrics.md 5.2, MU-07)."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import Any

from musebench_tasks.assembly.rules.cells import Row, licence_flaws
from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.known import as_known
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import nearest, shown
from musebench_tasks.items.cells import MOST_SECONDS
from musebench_tasks.values import key_name, metre_name, parse_key_name, parse_metre, validate_reference
from musebench_tasks.values.key import TONICS

TRUTHS = ("tempo_bpm", "key", "time_signature", "segments")
"""Columns of which a row fills in one at least."""
CHANGING_FIELDS = ("tempo", "key", "time_signature", "segments")
MOST_BPM = 1000
COVER = 0.9
"""Segments that cover less of the recording are flagged."""
TEMPO_TOLERANCE = 0.04
FEWEST_BEATS = 3
ADVICE = {
    "beyond_duration": "Shorten it to the recording.",
    "overlap": "Separate the two.",
    "duplicate": "Remove one of the two.",
    "empty_label": "Name the section.",
}


def mub_flaws(row: Row, duration_s: float | None = None) -> Iterator[Problem]:
    """What is wrong with a row's columns; `duration_s` is what decodes, where it is known."""
    yield from as_known(
        lambda: duration_flaws(row["duration_s"], duration_s),
        lambda: tempo_flaws(row["tempo_bpm"]),
        lambda: filter(None, [key_flaw(row["key"]) if row["key"] else None]),
        lambda: metre_flaws("time_signature", row["time_signature"]),
        lambda: metre_flaws("beat_unit", row["beat_unit"]),
        lambda: multi_valued_flaws(row["multi_valued"]),
        lambda: segment_flaws(row["segments"], row["duration_s"]),
        lambda: beat_flaws(row),
        lambda: tempo_of_beats(row),
        lambda: licence_flaws(row),
        lambda: untold(row),
    )


def untold(row: Row) -> Iterator[Problem]:
    """A recording of which nothing is annotated; single cells may be empty."""
    if all(row[name] in (None, "") for name in TRUTHS):
        yield flaw("CELL_MISSING", "/".join(TRUTHS), "nothing is annotated.", "Fill in one of them at least.")


def duration_flaws(stated: float, duration_s: float | None) -> Iterator[Problem]:
    """A duration that is none, or not that of what decodes."""
    if not 0 < stated <= MOST_SECONDS:
        yield flaw("DURATION", "duration_s", f"{stated} s is no duration.", "Give the decoded seconds.")
    elif duration_s is not None and abs(duration_s - stated) > 0.02 * duration_s:
        found = f"{stated:g} s stated, {duration_s:g} s decode."
        yield flaw("DURATION", "duration_s", found, "Give the decoded seconds.")


def tempo_flaws(tempo_bpm: float | None) -> Iterator[Problem]:
    """A tempo that is none."""
    if tempo_bpm is not None and not 0 < tempo_bpm <= MOST_BPM:
        yield flaw(
            "TEMPO", "tempo_bpm", f"{tempo_bpm} is no tempo.", f"Give beats per minute above 0, at most {MOST_BPM}."
        )


def metre_flaws(column: str, text: str | None) -> Iterator[Problem]:
    """A metre that is none, or is spelled otherwise."""
    problem = metre_flaw(column, text) if text else None
    if problem is not None:
        yield problem


@lru_cache(maxsize=4096)
def key_flaw(text: str) -> Problem | None:
    """A key that is none, or is spelled otherwise than everywhere else."""
    key = parse_key_name(text)
    if key is None:
        advice = f"Use a tonic of {' '.join(TONICS)} and major or minor."
        return flaw("KEY_SPELLING", "key", f"{shown(text)} is no key.", advice)
    if key_name(key) != text:
        return flaw("KEY_SPELLING", "key", f"{shown(text)} is not spelled canonically.", f'Write "{key_name(key)}".')
    return None


@lru_cache(maxsize=4096)
def metre_flaw(column: str, text: str) -> Problem | None:
    """A fraction that is none, or is spelled otherwise."""
    metre = parse_metre(text)
    if metre is None or metre_name(metre) != text:
        found = f"{shown(text)} is no fraction like 6/8."
        return flaw("METRE_SPELLING", column, found, "Write numerator/denominator.")
    return None


def multi_valued_flaws(names: Sequence[str]) -> Iterator[Problem]:
    """Names of `multi_valued` that are no fields, or stand twice."""
    for place, name in enumerate(names):
        if name not in CHANGING_FIELDS:
            found = f"{shown(name)} is none of {', '.join(CHANGING_FIELDS)}{nearest(name, CHANGING_FIELDS)}."
            yield flaw("MULTI_VALUED", "multi_valued", found, "Correct it.")
        elif name in names[:place]:
            yield flaw("MULTI_VALUED", "multi_valued", f"{shown(name)} stands twice.", "Name it once.")


def segment_flaws(segments: Sequence[Any] | None, duration_s: float) -> Iterator[Problem]:
    """Segments that are missing, empty, unlabelled, out of order, overlapping, too long, or leave much out."""
    if segments is None or not 0 < duration_s <= MOST_SECONDS:
        return
    if not segments:
        yield flaw("SEGMENTS", "segments", "no segments.", "Give at least one.")
        return
    checked = validate_reference(segments, duration_s, label_aware=True)
    for problem in checked.problems:
        advice = ADVICE.get(problem.code, "Give 0 <= start_s < end_s in seconds.")
        found = f"segment {problem.row + 1}, {problem.code}: {problem.found}."
        yield flaw("SEGMENTS", "segments", found, advice)
    if "sorted" in checked.flags:
        yield flaw("SEGMENTS", "segments", "the segments are out of order.", "Sort them by start_s.")
    covered = sum(each.end - each.start for each in checked.intervals) / 1e6
    if checked.intervals and covered < COVER * duration_s:
        found = f"they cover {covered:.1f} of {duration_s:.1f} s."
        yield flaw("SEGMENTS_GAP", "segments", found, "Add what is missing, if it belongs to a section.")


def beat_flaws(row: Row) -> Iterator[Problem]:
    """Beat times that do not rise or lie outside the recording."""
    for column in ("beats_s", "downbeats_s"):
        yield from time_flaws(column, row[column] or (), row["duration_s"])


def tempo_of_beats(row: Row) -> Iterator[Problem]:
    """Beats that tell another tempo."""
    beats = row["beats_s"] or ()
    if len(beats) < FEWEST_BEATS or "tempo" in row["multi_valued"] or not (row["tempo_bpm"] or 0) > 0:
        return
    step = median([later - earlier for earlier, later in pairwise(beats)])
    if step > 0 and abs(60 / step - row["tempo_bpm"]) > TEMPO_TOLERANCE * row["tempo_bpm"]:
        found = f"the beats go at {60 / step:.1f} BPM, tempo_bpm says {row['tempo_bpm']:g}."
        yield flaw("BEATS_TEMPO", "beats_s", found, "Correct one, or name tempo in multi_valued.")


def time_flaws(column: str, times: Sequence[float], duration_s: float) -> Iterator[Problem]:
    """Times that do not rise or lie outside the recording."""
    if any(second <= first for first, second in pairwise(times)):
        yield flaw("BEATS", column, "times do not rise.", "Sort them and remove repeats.")
    if times and not 0 <= min(times) <= max(times) <= duration_s:
        yield flaw("BEATS", column, f"a time lies outside 0 to {duration_s} s.", "Remove it.")
