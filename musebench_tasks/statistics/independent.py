"""Percentile bootstrap of independent items in milliseconds: the same distribution, drawn as counts.

Where every item is its own cluster, a draw of n of n items with replacement is told by how often each distinct score
comes up. For 0/1 scores that number is binomial, for scores of few distinct values multinomial, for averages over
classes multinomial in each row of the confusion matrix. 100,000 items with 10,000 draws take milliseconds instead of
10^9 random numbers. The interval's method names the form. Items in clusters: `bootstrap`.
"""

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Interval
from musebench_tasks.statistics.bootstrap import DRAWS, SEED, Statistic, percentile_interval
from musebench_tasks.statistics.clusters import FloatArray, Values, as_values
from musebench_tasks.values.arguments import checked_arguments, require_draws, require_share

BINOMIAL = "percentile_binomial_bootstrap"
MULTINOMIAL = "percentile_multinomial_bootstrap"
BINNED = "percentile_binned_bootstrap"
DRAWN = "percentile_bootstrap"
STRATIFIED = "percentile_stratified_bootstrap"

_MOST_KINDS = 300
"""Up to so many distinct scores their counts are drawn."""

_BINS = 64
_MOST_NUMBERS = 10_000_000
"""Up to so many random numbers (items x draws) items themselves are drawn; beyond, scores are gathered in bins."""


@checked_arguments
def independent_bootstrap(
    values: Values, *, draws: int = DRAWS, seed: int = SEED, level: float = 0.95
) -> Interval | None:
    """Percentile interval of the mean of independent scores: `cluster_bootstrap` with every item its own cluster.

    Formula: n of n scores are drawn with replacement, 10,000 times with a recorded seed; the interval lies between the
    2.5 and 97.5 % percentiles of their means. 0/1 scores: means are binomial(n, share)/n. Up to 300 distinct scores:
    their counts are multinomial. More: items are drawn while n times the draws is at most 10^7; beyond that the
    counts of 64 bins of equal size are multinomial, and what scores differ inside a bin is added with its exact mean
    and variance as one normal number a draw.

    Edge cases: None with fewer than two scores; a score that is not finite is an InputError.

    Example:
        >>> found = independent_bootstrap([1] * 268 + [0] * 232)
        >>> found.method, round(found.low, 2), round(found.high, 2)
        ('percentile_binomial_bootstrap', 0.49, 0.58)

    Source: music_metrics.md 9 and 12; statistics.md 3.2.
    """
    require_draws(draws, seed)
    require_share("level", level)
    scores = as_values(values)
    if scores.size < 2:
        return None
    replicates, method = _drawn_means(scores, draws, np.random.default_rng(seed))
    return percentile_interval(replicates, seed=seed, level=level, method=method)


@checked_arguments
def independent_means(values: Values, *, draws: int = DRAWS, seed: int = SEED) -> FloatArray:
    """The drawn means behind `independent_bootstrap`: one number a draw."""
    require_draws(draws, seed)
    scores = as_values(values)
    if scores.size == 0:
        raise InputError("A bootstrap needs at least one item.")
    return _drawn_means(scores, draws, np.random.default_rng(seed))[0]


@checked_arguments
def class_totals(confusion: npt.ArrayLike, *, draws: int = DRAWS, seed: int = SEED) -> FloatArray:
    """Hits, items and answers of each class in draws within classes: draws x (3 · classes), in that order of blocks.

    `confusion`: counts, one row a class of the references and one column a class of the answers, of which the first
    are those of the rows in the same order; answers of no reference class, and no answer, stand in columns behind
    them. Each row is drawn multinomially, so that a class keeps its number of items in every draw (a plain bootstrap
    of 500 loses a class of 4 in 1.8 % of draws).

    Example:
        >>> class_totals([[8, 0], [2, 0]], draws=1).tolist()
        [[8.0, 0.0, 8.0, 2.0, 10.0, 0.0]]

    Source: music_metrics.md 4.
    """
    require_draws(draws, seed)
    table = np.asarray(confusion)
    if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] < table.shape[0]:
        raise InputError("A confusion matrix has a row a reference class and at least as many columns.")
    if not np.isfinite(table).all() or (table < 0).any() or (table != np.rint(table)).any():
        raise InputError("A confusion matrix holds whole counts, none of them negative.")
    counts = table.astype(np.int64)
    n_classes = len(counts)
    items = counts.sum(axis=1)
    generator = np.random.default_rng(seed)
    totals = np.zeros((draws, 3, n_classes))
    totals[:, 1] = items
    for row in np.flatnonzero(items):
        seen = np.flatnonzero(counts[row])
        drawn = generator.multinomial(items[row], counts[row, seen] / items[row], size=draws)
        known = seen < n_classes
        totals[:, 0, row] = drawn[:, seen == row].sum(axis=1)
        totals[:, 2, seen[known]] += drawn[:, known]
    return totals.reshape(draws, 3 * n_classes)


def mean_recall_of(totals: FloatArray) -> FloatArray:
    """Balanced accuracy of each row of `class_totals`: mean recall over classes; NaN where one has no item."""
    hits, items, _ = np.split(totals, 3, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        result: FloatArray = np.mean(hits / items, axis=1)
    return result


def mean_f1_of(totals: FloatArray) -> FloatArray:
    """Macro F1 of each row of `class_totals`: mean of 2 hits / (items + answers); NaN where a class has no item."""
    hits, items, answers = np.split(totals, 3, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        result: FloatArray = np.mean(2 * hits / np.where(items > 0, items + answers, np.nan), axis=1)
    return result


@checked_arguments
def stratified_bootstrap(
    confusion: npt.ArrayLike,
    statistic: Statistic = mean_recall_of,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = 0.95,
) -> Interval | None:
    """Percentile interval of a statistic of classes (`mean_recall_of`, `mean_f1_of`), drawn within reference classes.

    Formula: each row of the confusion matrix is drawn multinomially with its own total, 10,000 times with a recorded
    seed; the interval lies between the 2.5 and 97.5 % percentiles of the statistic.

    Edge cases: draws in which the statistic is undefined are left out and counted in the method's name; a class whose
    items were all answered alike adds no spread, so that an interval of no width tells nothing of the error.

    Example:
        >>> found = stratified_bootstrap([[40, 10], [2, 8]])
        >>> found.method, round(found.low, 2), round(found.high, 2)
        ('percentile_stratified_bootstrap', 0.65, 0.92)

    Source: music_metrics.md 4; statistics.md 3.2.
    """
    require_share("level", level)
    replicates = statistic(class_totals(confusion, draws=draws, seed=seed))
    return percentile_interval(replicates, seed=seed, level=level, method=STRATIFIED)


def _drawn_means(scores: FloatArray, draws: int, generator: np.random.Generator) -> tuple[FloatArray, str]:
    n = scores.size
    ones = np.count_nonzero(scores == 1.0)
    if ones + np.count_nonzero(scores == 0.0) == n:
        return generator.binomial(n, ones / n, size=draws) / n, BINOMIAL
    kinds, counts = np.unique(scores, return_counts=True)
    if kinds.size <= min(_MOST_KINDS, n // 2):
        return generator.multinomial(n, counts / n, size=draws) @ kinds / n, MULTINOMIAL
    if n * draws <= _MOST_NUMBERS:
        return scores[generator.integers(n, size=(draws, n), dtype=np.int32)].mean(axis=1), DRAWN
    return _binned_means(np.repeat(kinds, counts), draws, generator), BINNED


def _binned_means(ordered: FloatArray, draws: int, generator: np.random.Generator) -> FloatArray:
    """Means of draws from scores in rising order: bin counts multinomial, the spread inside bins normal."""
    bins = np.array_split(ordered, _BINS)
    sizes = np.array([each.size for each in bins])
    counts = generator.multinomial(ordered.size, sizes / ordered.size, size=draws)
    spread = np.sqrt(counts @ np.array([each.var() for each in bins]))
    totals = counts @ np.array([each.mean() for each in bins]) + spread * generator.standard_normal(draws)
    result: FloatArray = totals / ordered.size
    return result
