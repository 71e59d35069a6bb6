"""Multiple choice: accuracy adjusted for chance, and consistency over runs (statistics.md 2.1 and 2.3).

Answers are option ids; None or an empty answer is a miss that stays in every denominator. Per-item results are arrays
in the order of the items. Sets of answers: `sets`.
"""

from collections.abc import Hashable, Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.values.arguments import checked_arguments, require_whole

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

SMALLEST_SET = 2
LARGEST_SET = 4
"""A multi-select question has two to four right options."""
FEW_KINDS = 256
"""Below so many options, the score of an item is looked up."""


class Consistency(NamedTuple):
    """How an item's answers agree over runs: shares over items, and the arrays that they are means of."""

    consistency: float
    """Share of items with one and the same option in all runs; a run without an answer breaks it."""
    mean_agreement: float
    """Mean share of pairs of runs with the same option."""
    flip_rate: float
    """Share of items that are right in some runs and wrong in others."""
    all_correct: float
    """Share of items right in every run."""
    accuracy: float
    """Mean over runs and items."""
    accuracy_sd: float
    """Standard deviation (ddof 1) of the runs' accuracies: a spread over option orders, not a sampling error."""
    accuracy_by_run: FloatArray
    consistent: BoolArray
    agreement: FloatArray
    flipped: BoolArray
    correct_in_all: BoolArray
    correct: BoolArray
    """Items x runs."""


@checked_arguments
def chance_adjusted_accuracy(correct: npt.ArrayLike, n_options: npt.ArrayLike) -> FloatArray:
    """Each single-select item's score with guessing at 0 and a right answer at 1. Its mean is CAA.

    `correct` is 0 or 1 an item; `n_options` one K for all, or one an item, at least 2.

    Formula: (x - 1/K) / (1 - 1/K).

    Edge cases: a wrong answer scores -1/(K-1); never clipped; no answer is wrong.

    Example:
        >>> scores = chance_adjusted_accuracy([1, 0, 1, 1, 0], [4, 8, 8, 4, 4])
        >>> [round(float(score), 6) for score in scores], round(float(scores.mean()), 6)
        ([1.0, -0.142857, 1.0, 1.0, -0.333333], 0.504762)

    Source: statistics.md 2.1; MB-51.
    """
    return _adjusted(*_right_and_counts(correct, n_options))


@checked_arguments
def aggregate_chance_adjusted_accuracy(correct: npt.ArrayLike, n_options: npt.ArrayLike) -> float | None:
    """Chance adjustment of the whole accuracy, under its own name: it differs from CAA where the number of options
    varies.

    Formula: (A - C) / (1 - C) with A = accuracy and C = mean of 1/K.

    Edge cases: None without items; may be negative.

    Example:
        >>> round(aggregate_chance_adjusted_accuracy([1, 0, 1, 1, 0], [4, 8, 8, 4, 4]), 6)
        0.5

    Source: statistics.md 2.1.
    """
    right, counts = _right_and_counts(correct, n_options)
    if right.size == 0:
        return None
    chance = float((1 / counts).mean())
    return (float(right.mean()) - chance) / (1 - chance)


@checked_arguments
def chance_adjusted_bounds(n_options: npt.ArrayLike) -> tuple[float, float]:
    """The least and greatest chance-adjusted score an item can have: -1/(K-1) for the smallest K, and 1."""
    counts = np.asarray(n_options)
    if counts.size == 0:
        raise InputError("Without items there are no bounds: give the number of options of each item, at least 2.")
    _require_option_counts(counts)
    return -1 / (float(counts.min()) - 1), 1.0


@checked_arguments
def chance_accuracy(n_options: npt.ArrayLike) -> float | None:
    """Accuracy that uniform guessing expects.

    Formula: the mean of 1/K.

    Edge cases: None without items; not 1 over the mean of K; an item of fewer than 2 options is an InputError.

    Example:
        >>> chance_accuracy([4, 8])
        0.1875

    Source: statistics.md 2.1.
    """
    counts = _option_counts(n_options)
    return float((1 / counts).mean()) if counts.size else None


@checked_arguments
def chance_exact_match(n_options: int) -> float:
    """Chance of the exact set for a guesser who knows that two to four options are right.

    Formula: 1 / (C(K,2) + C(K,3) + C(K,4)).

    Edge cases: fewer than two options are an InputError.

    Example:
        >>> [round(1 / chance_exact_match(n_options)) for n_options in (4, 5, 6, 7, 8)]
        [11, 25, 50, 91, 154]

    Source: statistics.md 2.2.
    """
    sets = sum(comb(n_options, size) for size in range(SMALLEST_SET, min(LARGEST_SET, n_options) + 1))
    if sets == 0:
        raise InputError(f"A multi-select question needs at least {SMALLEST_SET} options, found {n_options}.")
    return 1 / sets


@checked_arguments
def consistency(answers: Sequence[Sequence[Hashable | None]], gold: Sequence[Hashable]) -> Consistency | None:
    """How answers agree over runs with other option orders, by option, never by letter.

    `answers`: for each item one option id a run (None or "" = no answer, or a missing run); a multi-select answer is a
    frozenset of ids. `gold`: the right one.

    Formula: consistency = share of items with the same option in all R runs; agreement = mean over items of Σ_a C(n_a,
    2) / C(R, 2); flip rate = share of items right in some runs and wrong in others; correct in all = share of items
    right in every run.

    Edge cases: a run without an answer breaks consistency; None without items; always answering "A" is consistent by
    letter only.

    Example:
        >>> runs = ["aaaa", "bbbb", "aaab", ["a", "a", None, "a"], "abcd"]
        >>> found = consistency([list(run) for run in runs], ["a", "b", "a", "a", "a"])
        >>> found.consistency, round(found.mean_agreement, 6)
        (0.4, 0.6)

    Source: statistics.md 2.3; HQ-12.
    """
    if len(answers) != len(gold):
        raise InputError(f"{len(answers)} answered items but {len(gold)} right answers: give one each.")
    if not answers:
        return None
    n_runs = len(answers[0])
    uneven = next((item for item, runs in enumerate(answers) if len(runs) != n_runs), None)
    if uneven is not None:
        found = len(answers[uneven])
        raise InputError(f"Item {uneven} has {found} runs, item 0 has {n_runs}: give None for a missing run.")
    if n_runs < 2:
        raise InputError(f"Consistency compares runs of an item, but there is {n_runs}. Ask for at least 2 runs.")
    codes, right = _codes(answers, gold)
    correct = codes == right[:, None]
    given = codes >= 0
    pairs = [(codes[:, i] == codes[:, j]) & given[:, i] for i in range(n_runs) for j in range(i)]
    agreement = np.mean(pairs, axis=0)
    consistent = np.all(pairs, axis=0)
    by_run = correct.mean(axis=0)
    flipped = correct.any(axis=1) & ~correct.all(axis=1)
    return Consistency(
        consistency=float(consistent.mean()),
        mean_agreement=float(agreement.mean()),
        flip_rate=float(flipped.mean()),
        all_correct=float(correct.all(axis=1).mean()),
        accuracy=float(correct.mean()),
        accuracy_sd=spread_over_runs(by_run),
        accuracy_by_run=by_run,
        consistent=consistent,
        agreement=agreement,
        flipped=flipped,
        correct_in_all=correct.all(axis=1),
        correct=correct,
    )


@checked_arguments
def spread_over_runs(accuracies: npt.ArrayLike, *, ddof: int = 1) -> float:
    """Standard deviation of the accuracies of several runs: how much shuffling matters, no sampling error.

    Formula: sample standard deviation (ddof 1 by default).

    Edge cases: the error of the mean is the clustered one, named apart; one run has no spread, an InputError.

    Example:
        >>> round(spread_over_runs([0.58, 0.60, 0.57, 0.61]), 6)
        0.018257

    Source: statistics.md 2.3; HQ-11.
    """
    values = np.asarray(accuracies, dtype=np.float64)
    if values.ndim != 1 or values.size <= ddof or not np.isfinite(values).all():
        raise InputError(
            f"A spread needs the accuracies of at least {ddof + 1} runs as finite numbers: {accuracies!r}."
        )
    return float(np.std(values, ddof=ddof))


@checked_arguments
def chance_consistency(n_options: npt.ArrayLike, n_runs: int) -> float | None:
    """Consistency that uniform guessing expects.

    Formula: the mean of K · (1/K)^R over items, R = number of runs.

    Edge cases: None without items; fewer than 2 runs, or an item of fewer than 2 options, are an InputError.

    Example:
        >>> chance_consistency([4], 4)
        0.015625

    Source: statistics.md 2.3.
    """
    require_whole("runs", n_runs, least=2)
    counts = _option_counts(n_options)
    return float((counts ** (1 - n_runs)).mean()) if counts.size else None


def _right_and_counts(correct: npt.ArrayLike, n_options: npt.ArrayLike) -> tuple[BoolArray, npt.NDArray[Any]]:
    """Which items are right, and the number of options of all or of each; refuses what cannot be."""
    hits, counts = np.asarray(correct), np.asarray(n_options)
    if hits.ndim != 1 or counts.ndim > 1 or (counts.ndim == 1 and counts.size != hits.size):
        raise InputError(f"{hits.size} items but {counts.size} option counts: give one for all, or one an item.")
    _require_option_counts(counts)
    if hits.size and hits.dtype.kind not in "biuf":
        raise InputError("An item is right (1) or wrong (0); found another value.")
    right = hits.astype(np.bool_, copy=False)
    if hits.dtype != np.bool_ and not (hits == right).all():
        raise InputError("An item is right (1) or wrong (0); found another value.")
    return right, counts


def _option_counts(n_options: npt.ArrayLike) -> FloatArray:
    counts = np.atleast_1d(np.asarray(n_options))
    if counts.size:
        _require_option_counts(counts)
    return counts.astype(np.float64)


def _require_option_counts(counts: npt.NDArray[Any]) -> None:
    if counts.dtype.kind not in "iuf" or (counts.dtype.kind == "f" and not (counts == np.rint(counts)).all()):
        raise InputError("The number of options is a whole number of each item, no mean and no text.")
    if counts.size and not (counts.min() >= 2 and counts.max() < np.inf):
        raise InputError(f"Every item needs at least 2 options; found {float(counts.min()):g}.")


def _adjusted(right: BoolArray, counts: npt.NDArray[Any]) -> FloatArray:
    """1 where right, else -1/(K-1); looked up where K are small whole numbers, which is quicker than choosing."""
    scores: FloatArray
    if counts.ndim == 0:
        scores = np.array([-1.0 / (float(counts) - 1.0), 1.0]).take(right)
    elif counts.dtype.kind in "iu" and counts.size and counts.max() < FEW_KINDS:
        scores = _SCORES.take(counts + FEW_KINDS * right)
    else:
        scores = np.where(right, 1.0, np.divide(-1.0, counts - 1.0))
    return scores


_SCORES = np.array([0.0, 0.0, *(-1.0 / (kind - 1) for kind in range(2, FEW_KINDS)), *([1.0] * FEW_KINDS)])
"""Score of a wrong answer by the number of options, then the score of a right one."""


def _codes(answers: Sequence[Sequence[Hashable | None]], gold: Sequence[Hashable]) -> tuple[Any, Any]:
    """Options as numbers, -1 for no answer: items x runs, and the right one of each item."""
    numbers: dict[Hashable, int] = {}
    right = [numbers.setdefault(answer, len(numbers)) for answer in gold]
    codes = [[numbers.setdefault(each, len(numbers)) if each else -1 for each in runs] for runs in answers]
    return np.array(codes, dtype=np.int64), np.array(right, dtype=np.int64)
