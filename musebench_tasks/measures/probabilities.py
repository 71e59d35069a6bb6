"""Probabilities of options, where a model gives them: expected accuracy, Brier score, calibration error.

One convention for all three: probabilities are taken as given and never renormalised. Mass that lies on no option is
the probability of no answer; it is never right, as an answer that cannot be read is wrong (statistics.md 2.2).
Single-select items only.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import nearest
from musebench_tasks.values.arguments import checked_arguments

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

BINS = 10
SUM_TOLERANCE = 1e-6
"""By so much may probabilities of one item exceed 1 in sum: rounding of whoever computed them."""


class OptionProbabilities(NamedTuple):
    """Valid probabilities as a table; per-item results are in the order of the items."""

    table: FloatArray
    """Items x the most options that an item has; 0 where an item has no such option or gave none."""
    right: IntArray
    """The column of each item's right option."""
    given: BoolArray
    """Which items came with probabilities."""


class CalibrationBin(NamedTuple):
    """Answers whose probability lies above `low` and up to `high` (the first bin holds 0 too)."""

    low: float
    high: float
    n: int
    confidence: float | None
    """Mean probability of the answers; None in an empty bin."""
    accuracy: float | None
    """Share of them that are right; None in an empty bin."""


class Calibration(NamedTuple):
    """Expected calibration error, and the bins that it is made of (a reliability diagram)."""

    error: float | None
    n: int
    bins: tuple[CalibrationBin, ...]
    confidence: FloatArray
    """The highest probability of each item; NaN where none were given."""
    correct: BoolArray
    """Whether the option that alone has it is right."""


@checked_arguments
def option_probabilities(
    probabilities: Sequence[Mapping[str, float] | None], gold: Sequence[str], options: Sequence[Sequence[str]]
) -> OptionProbabilities:
    """Probabilities by option id, checked and brought into one table.

    `probabilities`: for each item the probability of its options by id; None or nothing = none given. `gold`: the id of
    the right option. `options`: the ids of the item's options. An option left out has probability 0. Raises InputError
    naming item and option for NaN, infinite and negative numbers, a sum above 1 (by more than 1e-6), an option that the
    item does not have, and a right option that is none of its options.
    """
    if not len(probabilities) == len(gold) == len(options):
        raise InputError(
            f"{len(probabilities)} items with probabilities, {len(gold)} right options, {len(options)} lists of "
            "options: give one each."
        )
    n_columns = max((len(each) for each in options), default=0)
    table = np.zeros((len(gold), n_columns))
    right = np.empty(len(gold), dtype=np.int64)
    for item, (shares, answer, ids) in enumerate(zip(probabilities, gold, options, strict=True)):
        columns = {option: column for column, option in enumerate(ids)}
        if len(columns) < len(ids) or answer not in columns:
            raise InputError(f"Item {item}: the right option {answer!r} should be one of {len(ids)} different options.")
        right[item] = columns[answer]
        problem = probability_problem(shares, columns)
        if problem is not None:
            raise InputError(f"Item {item}: {problem}")
        for option, share in (shares or {}).items():
            table[item, columns[option]] = share
    return OptionProbabilities(table, right, np.array([bool(each) for each in probabilities], dtype=np.bool_))


def probability_problem(
    shares: Mapping[str, float] | None, options: Mapping[str, object] | Sequence[str]
) -> str | None:
    """What is wrong with the probabilities of one item, and what to do; None if nothing is."""
    for option, share in (shares or {}).items():
        if option not in options:
            return f'"{option}" is no option of the item{nearest(option, options)}. Name options by their ids.'
        if isinstance(share, bool) or not isinstance(share, (int, float, np.floating, np.integer)):
            return f'the probability of "{option}" is {share!r}, no number.'
        if not 0 <= share <= 1 + SUM_TOLERANCE:
            return f'the probability of "{option}" is {float(share):g}: expected 0 to 1.'
    total = sum((shares or {}).values())
    if total > 1 + SUM_TOLERANCE:
        return f"the probabilities sum to {total:g}, more than 1. Give shares of one distribution over the options."
    return None


@checked_arguments
def expected_accuracy(probabilities: OptionProbabilities) -> FloatArray:
    """How often an answer drawn by the model's own probabilities is right, of each item. Its mean is reported.

    Formula: p(right option). Not renormalised: mass that lies on no option is no answer and never right.

    Edge cases: an item without probabilities is 0 and stays in the denominator, as every planned request does; uniform
    probabilities give 1/K, the chance of accuracy.

    Example:
        >>> given = option_probabilities([{"a": 0.7, "b": 0.2}, None], ["a", "b"], ["abcd", "abcd"])
        >>> expected_accuracy(given).tolist()
        [0.7, 0.0]

    Source: statistics.md 3.5 (token probabilities take the variance of one draw out of an answer).
    """
    if probabilities.right.size == 0:
        return np.zeros(0)
    found: FloatArray = probabilities.table[np.arange(probabilities.right.size), probabilities.right]
    return found


@checked_arguments
def brier_scores(probabilities: OptionProbabilities) -> FloatArray:
    """Squared distance of the probabilities from what is right, of each item: 0 is best, 2 is worst.

    Formula: Σ_k (p_k - y_k)² + p_none², y = 1 for the right option, else 0; p_none = 1 - Σ p_k, the mass on no option.
    The sum over classes, not halved: scikit-learn's multiclass form with "no answer" as a class that never occurs.

    Edge cases: an item without probabilities is NaN, and the mean is over those that gave some (a failure must not
    better, or worsen, a score of which less is more); uniform probabilities give 1 - 1/K.

    Example:
        >>> given = option_probabilities([{"a": 0.7, "b": 0.2}, {"a": 1.0}, None], "aba", ["abcd"] * 3)
        >>> [round(float(score), 6) for score in brier_scores(given)]
        [0.14, 2.0, nan]

    Source: Brier 1950, Verification of forecasts expressed in terms of probability; scikit-learn brier_score_loss.
    """
    table, right, given = probabilities
    truth = np.zeros_like(table)
    if right.size:
        truth[np.arange(right.size), right] = 1.0
    unassigned = np.maximum(0.0, 1.0 - table.sum(axis=1))
    scores: FloatArray = np.where(given, ((table - truth) ** 2).sum(axis=1) + unassigned**2, np.nan)
    return scores


@checked_arguments
def calibration(probabilities: OptionProbabilities, *, bins: int = BINS) -> Calibration:
    """Expected calibration error (ECE): how far the probability of the answer is from how often it is right.

    Formula: Σ_b (n_b / n) |accuracy_b - confidence_b| over bins of equal width; the answer is the option of the highest
    probability, its confidence that probability. Bin b of B holds (b-1)/B < confidence ≤ b/B; the first holds 0 too.

    Edge cases: an edge belongs to the bin below it; empty bins add nothing; a tie at the top is no answer and so a miss
    at that confidence, as in accuracy; items without probabilities have no confidence and are left out (n tells); None
    where none are left. The error is biased upwards in small samples: compare it at equal n and equal bins only.

    Example:
        >>> answers = [{"a": 0.95, "b": 0.05}, {"a": 0.95, "b": 0.05}, {"a": 0.6, "b": 0.4}, {"a": 0.5, "b": 0.5}]
        >>> found = calibration(option_probabilities(answers, "abaa", ["ab"] * 4))
        >>> round(found.error, 6), [each.n for each in found.bins if each.n]
        (0.45, [1, 1, 2])

    Source: Naeini et al. 2015, Obtaining well calibrated probabilities using Bayesian binning; Guo et al. 2017,
    arXiv 1706.04599, section 2 (bins closed on the right).
    """
    if bins < 1:
        raise InputError(f"{bins} bins: give at least 1.")
    confidence, correct = _answers(probabilities)
    known = ~np.isnan(confidence)
    edges = np.arange(1, bins) / bins
    place = np.searchsorted(edges, confidence[known], side="left")
    counts = np.bincount(place, minlength=bins)
    confident = np.bincount(place, weights=confidence[known], minlength=bins)
    hits = np.bincount(place, weights=correct[known], minlength=bins)
    n = int(known.sum())
    error = float(np.abs(hits - confident).sum() / n) if n else None
    return Calibration(error, n, tuple(_bins(counts, confident, hits, bins)), confidence, correct)


def _bins(
    counts: npt.NDArray[Any], confident: npt.NDArray[Any], hits: npt.NDArray[Any], bins: int
) -> list[CalibrationBin]:
    return [
        CalibrationBin(
            low=b / bins,
            high=(b + 1) / bins,
            n=int(counts[b]),
            confidence=float(confident[b] / counts[b]) if counts[b] else None,
            accuracy=float(hits[b] / counts[b]) if counts[b] else None,
        )
        for b in range(bins)
    ]


def _answers(probabilities: OptionProbabilities) -> tuple[FloatArray, BoolArray]:
    """The highest probability of each item (NaN = none given), and whether its option, unless tied, is right."""
    table, right, given = probabilities
    if right.size == 0:
        return np.zeros(0), np.zeros(0, dtype=np.bool_)
    highest = table.max(axis=1)
    alone = (table == highest[:, None]).sum(axis=1) == 1
    correct: BoolArray = given & alone & (table.argmax(axis=1) == right)
    return np.where(given, np.minimum(highest, 1.0), np.nan), correct
