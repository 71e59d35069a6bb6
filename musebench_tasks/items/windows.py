"""The window of an item inside its medium: excerpt times count from the whole piece, or the medium is cut to them."""

from __future__ import annotations

from musebench_tasks.base.problems import Problem

RANGE_INVALID = "CLIP_RANGE_INVALID"
WHOLE_TOLERANCE_S = 0.05
"""A medium this much shorter than the excerpt's end still holds it (container durations are rounded)."""
CUT_TOLERANCE_S = 1.0
"""A medium as long as its excerpt, to the second that excerpt times are written in, is the excerpt."""
BEYOND_TOLERANCE_S = 0.5
"""A window may end this much after the duration its row gives; further out one of the two is wrong."""


def fit_window(
    start_s: float | None, end_s: float | None, duration_s: float | None
) -> tuple[float | None, float | None]:
    """The window inside a medium of `duration_s`: excerpt times count from the whole piece or the medium is cut.

    A medium that reaches the excerpt's end is the whole piece; one that is as long as the excerpt is the excerpt.
    Anything else stays as declared, for the media layer to judge.
    """
    if not start_s or end_s is None or duration_s is None:
        return start_s, end_s
    if duration_s >= end_s - WHOLE_TOLERANCE_S:
        return start_s, end_s
    if _is_cut(start_s, end_s, duration_s):
        return 0.0, round(min(duration_s, end_s - start_s), 6)
    return start_s, end_s


def window_fault(start_s: float | None, end_s: float | None, duration_s: float | None) -> Problem | None:
    """What contradicts itself in times that are each right; None if they fit together.

    A `duration_s` that is the excerpt's own length is right: it says that the medium is cut.
    """
    start = start_s or 0.0
    if end_s is not None and end_s <= start:
        found = f"the window ends at {end_s:g} s, not after its start at {start:g} s."
        return Problem(found, "Correct the times.", RANGE_INVALID, column="end_s")
    if duration_s is None:
        return None
    if end_s is None and start >= duration_s:
        found = f"the window starts at {start:g} s of {duration_s:g} s (duration_s)."
        return Problem(found, "Correct one of them.", RANGE_INVALID, column="start_s")
    if end_s is not None and end_s > duration_s + BEYOND_TOLERANCE_S and not _is_cut(start, end_s, duration_s):
        found = f"the window ends at {end_s:g} s, but duration_s is {duration_s:g} s."
        return Problem(found, "Correct one of them.", RANGE_INVALID, column="end_s")
    return None


def _is_cut(start_s: float, end_s: float, duration_s: float) -> bool:
    return start_s > 0 and abs(duration_s - (end_s - start_s)) <= CUT_TOLERANCE_S
