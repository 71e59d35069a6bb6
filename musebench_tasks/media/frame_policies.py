"""Which frames of a window stand for it, where they are not spread evenly (MB-59). Pure arithmetic.

`keyframes`: the frames that the film's encoder coded whole (I-frames), thinned evenly to the budget.
`scene_changes`: a shot begins where the colours of a picture's quarters change between one candidate and the next; one
frame of each shot, the rest of the budget by the length of shots.
`query`: a scorer tells how well each candidate fits the question; a window whose best frames stand out gives these,
another is halved, each half with half of the budget (after adaptive key-frame sampling, Tang et al. 2025).
Candidates are the frames at the task's rate; the budget is the smaller limit of task and model. Positions come back
ascending: frames keep the order of their times. The same candidates and scores, the same frames.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.records import FramePolicy, MediaPart
from musebench_tasks.media.sampling import DISPLAY_TOLERANCE_S, Choice, Window, grid_indices, spread

COLOUR_LEVELS = 4
"""Levels a channel of the colour histogram."""
THUMBNAIL = 32
"""Height and width to which pictures are reduced before their colours are compared."""
STANDS_OUT = 0.3
"""How far the mean of a stretch's best scores, of all scaled to 0 to 1, lies above the mean of all its scores, for it
not to be halved."""
DEEPEST = 5
"""Times that a window is halved at most."""


def decoded_frames(policy: FramePolicy | None, budget: int | None) -> int | None:
    """How many frames are decoded for a budget; None = every candidate, where the choice needs to see them."""
    return None if policy is not None and policy.name != "keyframes" else budget


def budget_of(part: MediaPart, model_limit: int | None) -> int | None:
    """The frames that a model gets at most: the smaller of the part's and the model's limit."""
    return min((each for each in (part.max_frames, model_limit) if each is not None), default=None)


def choose_keyframes(
    times_s: NDArray[np.float64], keyframes_s: NDArray[np.float64], window: Window, fps: float, max_frames: int | None
) -> Choice | None:
    """The window's own keyframes, thinned evenly to the budget; None where it holds none.

    The budget is `max_frames`, or as many as `fps` frames a second would be where those are fewer.
    """
    within = (keyframes_s >= window.start_s - DISPLAY_TOLERANCE_S) & (keyframes_s < window.end_s - DISPLAY_TOLERANCE_S)
    inside = keyframes_s[within]
    if not len(inside):
        return None
    indices = np.unique(np.searchsorted(times_s, inside - DISPLAY_TOLERANCE_S, side="left")).astype(np.int64)
    at_rate = len(grid_indices(times_s, window, fps))
    budget = max(1, at_rate if max_frames is None else min(max_frames, at_rate))
    return Choice(indices[spread(len(indices), budget)], len(indices), "keyframes")


def colour_shares(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How many pixels of each quarter of a picture (height x width x 3) have which of 64 colours: 4 x 64."""
    levels = (pixels >> 6).astype(np.int64)
    codes = (levels[..., 0] * COLOUR_LEVELS + levels[..., 1]) * COLOUR_LEVELS + levels[..., 2]
    middle = (codes.shape[0] // 2, codes.shape[1] // 2)
    quarters = (
        codes[: middle[0], : middle[1]],
        codes[: middle[0], middle[1] :],
        codes[middle[0] :, : middle[1]],
        codes[middle[0] :, middle[1] :],
    )
    return np.stack([np.bincount(each.ravel(), minlength=COLOUR_LEVELS**3) for each in quarters])


def shot_starts(shares: Sequence[NDArray[np.int64]], threshold: float) -> NDArray[np.int64]:
    """Positions at which shots begin, 0 first: more than `threshold` of the picture changed its colour there."""
    starts = [0]
    for position in range(1, len(shares)):
        before, now = shares[position - 1], shares[position]
        if int(np.abs(now - before).sum()) > threshold * (int(before.sum()) + int(now.sum())):
            starts.append(position)
    return np.array(starts, dtype=np.int64)


def choose_by_shots(starts: NDArray[np.int64], available: int, budget: int) -> NDArray[np.int64]:
    """`budget` of `available` positions: of every shot its middle, then more of the longest for what they have.

    More shots than the budget: every so many of them, evenly.
    """
    if budget >= available:
        return np.arange(available, dtype=np.int64)
    ends = np.append(starts[1:], available)
    chosen = spread(len(starts), budget)
    lengths = (ends - starts)[chosen]
    counts = np.ones(len(chosen), dtype=np.int64)
    for _ in range(budget - len(chosen)):
        worth = np.where(counts < lengths, lengths / (counts + 1), 0.0)
        counts[int(np.argmax(worth))] += 1
    return np.concatenate(
        [
            first + _centres(int(length), int(count))
            for first, length, count in zip(starts[chosen], lengths, counts, strict=True)
        ]
    )


def _centres(length: int, count: int) -> NDArray[np.int64]:
    """The middles of `count` equal stretches of `length` positions."""
    return ((2 * np.arange(count, dtype=np.int64) + 1) * length) // (2 * count)


def choose_by_scores(scores: NDArray[np.float64], budget: int) -> NDArray[np.int64]:
    """`budget` positions of high score, spread over the window where no stretch of it stands out."""
    if budget >= len(scores):
        return np.arange(len(scores), dtype=np.int64)
    low, high = float(scores.min()), float(scores.max())
    scaled = (scores - low) / (high - low) if high > low else np.zeros(len(scores))
    return np.array(sorted(_best(scaled, 0, len(scores), budget, DEEPEST)), dtype=np.int64)


def _best(scores: NDArray[np.float64], first: int, end: int, budget: int, depth: int) -> list[int]:
    if budget <= 0:
        return []
    here = scores[first:end]
    order = np.argsort(-here, kind="stable")[:budget]
    stand_out = float(here[order].mean() - here.mean()) >= STANDS_OUT
    if stand_out or depth == 0 or budget == 1 or budget >= len(here):
        return [first + int(place) for place in order]
    middle = first + len(here) // 2
    left = min(middle - first, (budget + 1) // 2)
    right = min(end - middle, budget - left)
    return _best(scores, first, middle, budget - right, depth - 1) + _best(scores, middle, end, right, depth - 1)
