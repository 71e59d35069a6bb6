"""Which frames of a window stand for it: pure arithmetic on presentation times.

The window is half open, [start, end). At `fps` frames a second the grid is start, start + 1/fps, …; a grid time is
answered by the frame on display then: the last one presented at or before it. Where fewer frames are allowed than the
grid holds, they are spread evenly over it by linspace, first and last included (MB-50); a single one is the middle one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.errors import MediaError

DISPLAY_TOLERANCE_S = 5e-4
"""A frame that comes this much after a grid time still answers it: containers round times to milliseconds."""
CLAMP_TOLERANCE_S = 0.05
"""A window may end this much after its medium without being called clamped: manifests round durations."""


@dataclass(frozen=True)
class Window:
    """A stretch of a stream in seconds from the stream's first sample or frame."""

    start_s: float
    end_s: float
    clamped: bool


@dataclass(frozen=True)
class Choice:
    """Positions of the frames chosen, ascending and unique, out of `available` frames at the rate asked for."""

    indices: NDArray[np.int64]
    available: int
    policy: str


def resolve_window(start_s: float | None, end_s: float | None, duration_s: float, name: str) -> Window:
    """The window asked for, cut to the stream's `duration_s`; `bad_window` where nothing is left of it."""
    start = 0.0 if start_s is None else start_s
    end = duration_s if end_s is None else end_s
    if start < 0 or end <= start or start >= duration_s:
        raise MediaError(
            "bad_window", f"{name}: the window {start:g} s to {end:g} s lies outside the stream's {duration_s:.3f} s."
        )
    return Window(start, min(end, duration_s), clamped=end > duration_s + CLAMP_TOLERANCE_S)


def grid_indices(times_s: NDArray[np.float64], window: Window, fps: float) -> NDArray[np.int64]:
    """Positions in `times_s` (ascending) of the frames on display at the window's grid times, each once."""
    count = max(1, int(np.ceil((window.end_s - window.start_s) * fps - 1e-6)))
    grid = window.start_s + np.arange(count) / fps
    shown = np.searchsorted(times_s, grid + DISPLAY_TOLERANCE_S, side="right") - 1
    return np.unique(np.maximum(shown, 0)).astype(np.int64)


def spread(available: int, used: int) -> NDArray[np.int64]:
    """`used` positions out of 0 … available - 1, evenly spread, ascending, unique; all of them where `used` is more."""
    if used >= available:
        return np.arange(available, dtype=np.int64)
    if used == 1:
        return np.array([(available - 1) // 2], dtype=np.int64)
    return np.floor(np.linspace(0, available - 1, used) + 0.5).astype(np.int64)


def choose_frames(times_s: NDArray[np.float64], window: Window, fps: float, max_frames: int | None) -> Choice:
    """The frames that stand for a window: `fps` of them a second, or `max_frames` spread evenly if that is fewer."""
    grid = grid_indices(times_s, window, fps)
    if max_frames is None or max_frames >= len(grid):
        return Choice(grid, len(grid), f"{fps:g} fps")
    return Choice(grid[spread(len(grid), max(1, max_frames))], len(grid), "uniform")
