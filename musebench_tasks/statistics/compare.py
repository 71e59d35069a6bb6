"""Two or more systems on the same items, always paired (statistics.md 3.3 and 3.5)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Interval
from musebench_tasks.statistics.bootstrap import DRAWS, SEED
from musebench_tasks.statistics.clusters import Clusters, FloatArray, Values, as_values, cluster_codes
from musebench_tasks.statistics.errors import FEWEST_ITEMS, clustered_standard_error, interval_of_mean
from musebench_tasks.values.arguments import checked_arguments, require_draws, require_share, require_whole

_DECIMALS_OF_A_TIE = 12
"""Sums that agree so far are the same number reached by another order of addition."""

_CLUSTERS_A_SIZE = 10
_SIGNS_AT_ONCE = 2_000_000


class PairedComparison(NamedTuple):
    """Mean difference of two systems on the same items. `p_value` is that of the cluster sign-flip permutation."""

    difference: float | None
    standard_error: float | None
    interval: Interval | None
    p_value: float | None
    correlation: float | None
    """Pearson correlation of the two systems' scores; None where one of them is constant."""
    n: int
    n_clusters: int
    draws: int
    seed: int


@checked_arguments
def paired_comparison(
    first: Values, second: Values, clusters: Clusters, *, draws: int = DRAWS, seed: int = SEED, level: float = 0.95
) -> PairedComparison:
    """Mean of `first` - `second` over the same items, its clustered standard error, interval and p-value.

    Formula: d_i = first_i - second_i; clustered error as of any mean; interval by `interval_of_difference`; p by
    `sign_flip_p_value`.

    Edge cases: no interval below 10 items; unequal numbers of items are an InputError.

    Example:
        >>> found = paired_comparison([1, 1, 0, 1], [0, 1, 0, 0], ["a", "b", "c", "d"])
        >>> found.difference, found.p_value
        (0.5, 0.5)

    Source: statistics.md 3.3.
    """
    scores, others = _same_items(first, second)
    differences = scores - others
    n_clusters = cluster_codes(clusters, differences.size)[1]
    if differences.size == 0:
        return PairedComparison(None, None, None, None, None, 0, 0, draws, seed)
    return PairedComparison(
        difference=float(differences.mean()),
        standard_error=clustered_standard_error(differences, clusters),
        interval=interval_of_difference(scores, others, clusters, level=level),
        p_value=sign_flip_p_value(differences, clusters, draws=draws, seed=seed),
        correlation=_correlation(scores, others),
        n=differences.size,
        n_clusters=n_clusters,
        draws=draws,
        seed=seed,
    )


def _same_items(first: Values, second: Values) -> tuple[FloatArray, FloatArray]:
    scores, others = as_values(first), as_values(second)
    if scores.size != others.size:
        raise InputError(f"Systems are compared on the same items, but have {scores.size} and {others.size} scores.")
    return scores, others


@checked_arguments
def interval_of_difference(
    first: Values, second: Values, clusters: Clusters, *, level: float = 0.95
) -> Interval | None:
    """The 95 % interval of the mean of `first` - `second` over the same items. Scores are at most 1.

    Formula: mean ± t(G-1) · clustered standard error of the differences (`t_clusters`). Where all differences, or those
    of all clusters, are the same d (two systems that differ on no item) such an interval would have no width: (1 - u) d
    ± u r (`wilson_alike`), where u is the share of other clusters that is still likely if none of G is one, Wilson's
    upper end of 0 of G, and r the furthest that a difference can be from 0.

    Edge cases: None below 10 items and with fewer than two clusters. r is 1, and more by as much as scores lie below 0
    (chance-adjusted ones).

    Example:
        >>> same = interval_of_difference([1, 0] * 6, [1, 0] * 6, range(12))
        >>> round(same.low, 2), round(same.high, 2), same.method
        (-0.29, 0.29, 'wilson_alike')

    Source: statistics.md 3.3 and 3.6.
    """
    scores, others = _same_items(first, second)
    differences = scores - others
    if differences.size < FEWEST_ITEMS or cluster_codes(clusters, differences.size)[1] < 2:
        return None
    found = interval_of_mean(differences, clusters, binary=False, level=level)
    if found is not None:
        return found
    other = interval_of_mean(np.zeros(differences.size), clusters, binary=True, level=level)
    if other is None:
        return None
    furthest = 1 - min(0.0, float(scores.min()), float(others.min()))
    mean, share = float(differences.mean()), other.high
    low, high = ((1 - share) * mean + share * end for end in (-furthest, furthest))
    return Interval(low=low, high=high, method="wilson_alike")


@checked_arguments
def sign_flip_p_value(differences: Values, clusters: Clusters, *, draws: int = DRAWS, seed: int = SEED) -> float:
    """Two-sided p of a mean difference of 0 when whole clusters may change sign.

    Formula: (1 + #{null >= observed}) / (1 + draws) over random signs of the clusters' summed differences; exact, over
    all sign patterns, where they are no more than the draws (13 clusters that differ, for 10,000), and where all sums
    that differ from 0 have one size, as 0/1 scores of independent items have: there it is McNemar's exact test.

    Edge cases: 1 where nothing differs. Clusters whose sums have the same size are interchangeable: where few sizes
    occur, only the number of positive ones of each size is drawn (binomially).

    Example:
        >>> sign_flip_p_value([1, 1, 1], ["a", "b", "c"])
        0.25

    Source: statistics.md 3.3.
    """
    require_draws(draws, seed)
    scores = as_values(differences)
    codes, n_clusters = cluster_codes(clusters, scores.size)
    sums = np.round(np.bincount(codes, weights=scores, minlength=n_clusters), _DECIMALS_OF_A_TIE)
    differing = np.abs(sums[sums != 0])
    if 2**differing.size <= draws:
        return _exact_p_value(differing, abs(float(sums.sum())))
    sizes, counts = np.unique(differing, return_counts=True)
    if sizes.size == 1:
        return mcnemar_exact(int(np.count_nonzero(sums > 0)), int(np.count_nonzero(sums < 0)))
    generator = np.random.default_rng(seed)
    if sizes.size * _CLUSTERS_A_SIZE <= n_clusters:
        null = np.abs((2 * generator.binomial(counts, 0.5, size=(draws, sizes.size)) - counts) @ sizes)
    else:
        null = _flipped_sums(np.abs(sums), draws, generator)
    extreme = np.count_nonzero(null >= abs(float(sums.sum())) - 10.0**-_DECIMALS_OF_A_TIE * (1 + n_clusters))
    return (1 + int(extreme)) / (1 + draws)


def _exact_p_value(sizes: FloatArray, observed: float) -> float:
    """The share of all sign patterns whose sum is as far from 0 as `observed`; 1 where nothing differs."""
    null = np.zeros(1)
    for size in sizes:
        null = np.concatenate([null - size, null + size])
    return float(np.mean(np.abs(null) >= observed - 10.0**-_DECIMALS_OF_A_TIE * (1 + sizes.size)))


def _flipped_sums(sizes: FloatArray, draws: int, generator: np.random.Generator) -> FloatArray:
    """|Σ ± size| with a random sign for each size, `draws` times: one random bit a sign."""
    width = -(-sizes.size // 8)
    batch = max(1, _SIGNS_AT_ONCE // sizes.size)
    null = np.empty(draws)
    for first in range(0, draws, batch):
        rows = min(batch, draws - first)
        drawn = np.frombuffer(generator.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
        positive = np.unpackbits(drawn, axis=1, count=sizes.size).astype(np.float64)
        null[first : first + rows] = np.abs(2 * (positive @ sizes) - sizes.sum())
    return null


@checked_arguments
def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p for 0/1 scores of independent items, from the items that one system alone got right.

    Formula: binomial test of `only_first` in `only_first` + `only_second` trials at 1/2.

    Edge cases: 1 where both are 0. Not for clustered items: `sign_flip_p_value` is.

    Example:
        >>> round(mcnemar_exact(10, 3), 6)
        0.092285

    Source: statistics.md 3.3.
    """
    require_whole("items that only the first has right", only_first, least=0)
    require_whole("items that only the second has right", only_second, least=0)
    discordant = only_first + only_second
    return min(1.0, 2 * float(special.bdtr(min(only_first, only_second), discordant, 0.5)))


@checked_arguments
def mcnemar(first: Values, second: Values) -> float:
    """`mcnemar_exact` of two lists of 0/1 scores of the same items.

    Example:
        >>> mcnemar([1, 1, 1, 0, 1], [0, 0, 0, 0, 1])
        0.25

    Source: statistics.md 3.3.
    """
    scores, others = as_values(first), as_values(second)
    if scores.size != others.size or not np.isin(np.concatenate([scores, others]), (0.0, 1.0)).all():
        raise InputError("McNemar's test takes 0/1 scores of two systems on the same items.")
    return mcnemar_exact(int(np.sum(scores > others)), int(np.sum(scores < others)))


@checked_arguments
def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for the whole family of comparisons by Holm's step-down rule, in the order given.

    Formula: the k-th smallest of m is multiplied by m - k + 1, then each is raised to the largest before it; at most
    1.

    Edge cases: a value outside 0 to 1 is an InputError.

    Example:
        >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03, 0.005])]
        [0.03, 0.06, 0.06, 0.02]

    Source: statistics.md 3.3; Holm 1979.
    """
    if any(not 0 <= p <= 1 for p in p_values):
        raise InputError(f"p-values lie between 0 and 1: {list(p_values)}.")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return adjusted


@checked_arguments
def minimum_detectable_effect(
    n: int, *, variance: float, design_effect: float = 1.0, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest true difference between two systems found with probability `power` on `n` items.

    `variance` of a paired difference: ω² + σ_A²/K_A + σ_B²/K_B with K runs an item.

    Formula: (z_{1-α/2} + z_power) · sqrt(variance · design effect / n).

    Edge cases: fewer than one item, a negative variance or a design effect not above 0 are an InputError, and so
    is a power or an alpha that does not lie between 0 and 1.

    Example:
        >>> round(minimum_detectable_effect(320, variance=0.30), 3)
        0.086

    Source: statistics.md 3.5; Miller 2024, arXiv 2411.00640.
    """
    if not (1 <= n < np.inf and 0 <= variance < np.inf and 0 < design_effect < np.inf):
        raise InputError(f"No effect can be computed for n = {n}, variance {variance}, design effect {design_effect}.")
    require_share("power", power)
    require_share("alpha", alpha)
    reach = float(special.ndtri(1 - alpha / 2) + special.ndtri(power))
    return reach * float(np.sqrt(variance * design_effect / n))


def _correlation(scores: FloatArray, others: FloatArray) -> float | None:
    if scores.size < 2 or np.ptp(scores) == 0 or np.ptp(others) == 0:
        return None
    return float(np.corrcoef(scores, others)[0, 1])
