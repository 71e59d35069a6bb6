"""Which of a window's decoded candidates a model gets, where the choice looks at them (MB-59)."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.records import FramePolicy, MediaPart
from musebench_tasks.media.cache import CacheEntry, Part
from musebench_tasks.media.frame_policies import (
    THUMBNAIL,
    budget_of,
    choose_by_scores,
    choose_by_shots,
    colour_shares,
    shot_starts,
)

CHOSEN = frozenset({"keyframes", "scene_changes", "query"})
"""Policies whose frames lie at times that nobody can reckon without the film."""


class FrameScorer(Protocol):
    """Tells how well frames fit a text."""

    revision: str
    """What tells two versions of it apart."""

    def scores(self, jpegs: Sequence[Part], text: str) -> NDArray[np.float64]:
        """One finite number a frame (JPEG files in the order of time), the higher the better."""


def chosen_frames(
    entry: CacheEntry, part: MediaPart, model_limit: int | None, find_scorer: Callable[[str], FrameScorer] | None
) -> tuple[NDArray[np.int64], str]:
    """Positions of the frames chosen among those of `entry`, ascending, and the policy that chose them.

    Where the budget holds all candidates there is nothing to choose. MuseError for a scorer that is not the one that
    was planned with, or whose answer is not one number a frame.
    """
    available, policy = len(entry.parts), part.frame_policy
    budget = budget_of(part, model_limit)
    if policy is None or policy.name == "keyframes" or budget is None or budget >= available:
        return np.arange(available, dtype=np.int64), str(entry.details["policy"])
    if policy.name == "scene_changes":
        shares = [colour_shares(thumbnail(each)) for each in entry.parts]
        return choose_by_shots(shot_starts(shares, policy.threshold or 0.0), available, budget), policy.name
    return choose_by_scores(_scores(entry.parts, policy, find_scorer), budget), policy.name


def thumbnail(jpeg: Part) -> NDArray[np.uint8]:
    """A small square picture of a JPEG file, read at an eighth of its size where it is large."""
    from PIL import Image

    with Image.open(io.BytesIO(jpeg)) as image:
        image.draft("RGB", (THUMBNAIL, THUMBNAIL))
        small = image.convert("RGB").resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX)
    return np.asarray(small, dtype=np.uint8)


def _scores(
    jpegs: Sequence[Part], policy: FramePolicy, find_scorer: Callable[[str], FrameScorer] | None
) -> NDArray[np.float64]:
    name = policy.scorer or ""
    if find_scorer is None:
        raise ValueError(f"nothing here finds the frame scorer {name}")
    scorer = find_scorer(name)
    if scorer.revision != policy.scorer_revision:
        raise MuseError(f"frame scorer {name}: it changed since this run began. Put it back, or choose another --out.")
    scores = np.asarray(scorer.scores(jpegs, policy.text or ""), dtype=np.float64)
    if scores.shape != (len(jpegs),) or not np.isfinite(scores).all():
        found = f"{scores.size} scores" if scores.shape != (len(jpegs),) else "a score that is not finite"
        raise MuseError(
            f"frame scorer {name}: {found} for {len(jpegs)} frames. It must give one finite number a frame."
        )
    return scores
