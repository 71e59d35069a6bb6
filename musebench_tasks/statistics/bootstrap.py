"""Percentile cluster bootstrap, for anything that is no plain mean (statistics.md 3.2).

Whole clusters are drawn with replacement. A statistic sees only the drawn column sums (Σ s, Σ n, ...), one row a
draw, so that every statistic that is a function of sums (a mean, micro F1, aggregate CAA) is evaluated on all draws
at once. Equal clusters are interchangeable: where few distinct sums exist, their numbers are drawn multinomially,
which is the same distribution at a fraction of the cost. Clusters may be drawn within strata, so that a rare class
keeps its number of clusters in every draw. In process, seeded. Items that are independent, every one its own cluster:
`independent`.
"""

from collections.abc import Callable

import numpy as np

from musebench_tasks.errors import InputError
from musebench_tasks.records import Interval
from musebench_tasks.statistics.clusters import Clusters, FloatArray, Values, as_values, cluster_codes, cluster_sums

DRAWS = 10_000
SEED = 42
METHOD = "percentile_cluster_bootstrap"
STRATIFIED_METHOD = "percentile_stratified_cluster_bootstrap"

Statistic = Callable[[FloatArray], FloatArray]
"""Draws x columns of sums in, one number a draw out."""

_CELLS_AT_ONCE = 4_000_000
_CLUSTERS_A_KIND = 10
"""With so many clusters to each distinct sum, drawing numbers of kinds is faster than drawing clusters."""


def ratio(totals: FloatArray) -> FloatArray:
    """First column of sums over the second: a mean, if the second column counts items."""
    result: FloatArray = totals[:, 0] / totals[:, 1]
    return result


def bootstrap_totals(columns: FloatArray, clusters: Clusters, *, draws: int = DRAWS, seed: int = SEED) -> FloatArray:
    """Column sums (draws x columns) of `draws` samples of whole clusters.

    Systems compared with one another share their draws when their scores are columns of one call.
    """
    codes, n_clusters = cluster_codes(clusters, _checked(columns).shape[0])
    return _totals(cluster_sums(columns, codes, n_clusters), draws, np.random.default_rng(seed))


def stratified_totals(
    columns: FloatArray, clusters: Clusters, strata: Clusters, *, draws: int = DRAWS, seed: int = SEED
) -> FloatArray:
    """`bootstrap_totals` with clusters drawn within strata: every stratum keeps its number of clusters in each draw.

    `strata`: one an item, for example the class of its reference. Every cluster lies in one stratum
    (`clusters_within_strata` tells), else InputError.
    """
    n_items = _checked(columns).shape[0]
    codes, n_clusters = cluster_codes(clusters, n_items)
    if not clusters_within_strata(clusters, strata):
        raise InputError("A cluster holds items of several strata: draw whole clusters without strata instead.")
    stratum_of_item, n_strata = cluster_codes(strata, n_items)
    stratum = np.zeros(n_clusters, dtype=np.int64)
    stratum[codes] = stratum_of_item
    sums = cluster_sums(columns, codes, n_clusters)
    generator = np.random.default_rng(seed)
    totals = np.zeros((draws, sums.shape[1]))
    for each in range(n_strata):
        totals += _totals(sums[stratum == each], draws, generator)
    return totals


def clusters_within_strata(clusters: Clusters, strata: Clusters) -> bool:
    """Whether all items of each cluster lie in one stratum: only then can clusters be drawn within strata.

    Example:
        >>> clusters_within_strata(["a", "a", "b"], ["4/4", "4/4", "3/4"])
        True
        >>> clusters_within_strata(["a", "a", "b"], ["4/4", "3/4", "3/4"])
        False
    """
    codes, n_clusters = cluster_codes(clusters, len(strata))
    stratum, n_strata = cluster_codes(strata, len(strata))
    return np.unique(codes * max(n_strata, 1) + stratum).size == n_clusters


def _checked(columns: FloatArray) -> FloatArray:
    if columns.ndim != 2 or columns.shape[0] == 0:
        raise InputError("A bootstrap needs at least one item, given as a table of items x columns.")
    return columns


def _totals(sums: FloatArray, draws: int, generator: np.random.Generator) -> FloatArray:
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    if len(kinds) * _CLUSTERS_A_KIND <= len(sums):
        weights = generator.multinomial(len(sums), counts / len(sums), size=draws)
        totals: FloatArray = weights @ kinds
        return totals
    return _drawn_sums(sums, draws, generator)


def _drawn_sums(sums: FloatArray, draws: int, generator: np.random.Generator) -> FloatArray:
    n_clusters = len(sums)
    totals = np.empty((draws, sums.shape[1]))
    batch = max(1, _CELLS_AT_ONCE // n_clusters)
    for first in range(0, draws, batch):
        size = min(batch, draws - first)
        chosen = generator.integers(n_clusters, size=(size, n_clusters))
        for column in range(sums.shape[1]):
            totals[first : first + size, column] = sums[chosen, column].sum(axis=1)
    return totals


def percentile_interval(
    replicates: FloatArray, *, seed: int, level: float = 0.95, method: str = METHOD
) -> Interval | None:
    """The central `level` of bootstrap replicates; undefined (NaN) ones are left out and counted in the method."""
    defined = replicates[np.isfinite(replicates)]
    if defined.size == 0:
        return None
    low, high = np.quantile(defined, ((1 - level) / 2, (1 + level) / 2))
    undefined = replicates.size - defined.size
    named = method if undefined == 0 else f"{method} ({undefined} undefined draws)"
    return Interval(low=float(low), high=float(high), method=named, draws=int(replicates.size), seed=seed)


def cluster_bootstrap(
    values: Values | FloatArray,
    clusters: Clusters,
    statistic: Statistic = ratio,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = 0.95,
) -> Interval | None:
    """Percentile interval of a statistic of sums, whole clusters drawn with replacement.

    Formula: G clusters are drawn from the G there are, 10,000 times with a recorded seed; the statistic of the drawn
    clusters' summed columns gives one replicate each; the interval lies between the 2.5 and 97.5 % percentiles.

    Edge cases: None with fewer than two clusters; replicates that are undefined (nothing divided by nothing) are left
    out.

    Example:
        >>> values, clusters = [[1, 1], [0, 1], [1, 1], [1, 1]], ["a", "a", "b", "c"]
        >>> cluster_bootstrap(np.array(values, float), clusters, seed=0).method
        'percentile_cluster_bootstrap'

    Source: statistics.md 3.2.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim == 1:
        scores = as_values(table)
        table = np.stack([scores, np.ones(scores.size)], axis=1)
    if cluster_codes(clusters, len(table))[1] < 2:
        return None
    totals = bootstrap_totals(table, clusters, draws=draws, seed=seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        replicates = statistic(totals)
    return percentile_interval(replicates, seed=seed, level=level)
