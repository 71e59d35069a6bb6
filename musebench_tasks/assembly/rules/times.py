"""Rules on windows and excerpts."""

import re
from collections.abc import Iterator

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import shown

EXCERPT_SECONDS = (30, 90)
"""HQ-01."""
TOLERANCE_S = 0.1
"""Windows may end this much after the decoded end: encoders pad and cut by a frame."""
CUT_TOLERANCE_S = 1.0
"""Excerpt times are written in whole seconds."""
_TIME = re.compile(r"(?:\d+:){0,2}\d+(?:\.\d+)?")


def window_flaws(column: str, start_s: float, end_s: float, duration_s: float | None) -> Iterator[Problem]:
    """A window that is empty or lies outside a file of `duration_s` (None = not known)."""
    if not 0 <= start_s < end_s:
        found = f"the window {start_s:g} to {end_s:g} s is empty."
        yield flaw("CLIP_RANGE_INVALID", column, found, "Give 0 <= start < end.")
    elif duration_s is not None and end_s > duration_s + TOLERANCE_S:
        found = f"the window {start_s:g} to {end_s:g} s ends after the file's {duration_s:g} s."
        yield flaw("CLIP_RANGE_INVALID", column, found, "Shorten it to the file.")


def seconds(text: str) -> float | None:
    """Seconds of `mm:ss`, `hh:mm:ss` or plain seconds; None if the text is none of these."""
    if not _TIME.fullmatch(text):
        return None
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total


def excerpt_flaws(start: str, end: str, duration_s: float | None = None) -> Iterator[Problem]:
    """Excerpt times that are none, or an excerpt that is empty, too short, too long, or longer than its file."""
    columns = ("excerpt_start_time", "excerpt_end_time")
    times = [seconds(text) for text in (start, end)]
    for column, text, time in zip(columns, (start, end), times, strict=True):
        if time is None:
            found = f"{shown(text)} is no time."
            yield flaw("CLIP_RANGE_INVALID", column, found, "Write mm:ss, hh:mm:ss or seconds.")
    first, last = times
    if first is None or last is None:
        return
    shortest, longest = EXCERPT_SECONDS
    if last <= first:
        yield from window_flaws(columns[1], first, last, None)
    elif not shortest <= last - first <= longest:
        found = f"the excerpt lasts {last - first:g} s."
        yield flaw("EXCERPT_LENGTH", columns[1], found, f"Choose {shortest} to {longest} s.")
    elif duration_s is not None and duration_s < last - first - CUT_TOLERANCE_S:
        found = f"the excerpt lasts {last - first:g} s, its file {duration_s:g} s."
        yield flaw("CLIP_RANGE_INVALID", columns[1], found, "Give the whole piece, or a file cut to the excerpt.")
