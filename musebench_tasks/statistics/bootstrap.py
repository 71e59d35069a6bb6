"""Percentile cluster bootstrap, for anything that is no plain mean (statistics.md 3.2).

Whole clusters are drawn with replacement. A statistic sees only the drawn column sums (Σ s, Σ n, ...), one row a
draw, so that every statistic that is a function of sums (a mean, micro F1, aggregate CAA) is evaluated on all draws
at once. Equal clusters are interchangeable: where few distinct sums exist, their numbers are drawn multinomially,
which is the same distribution at a fraction of the cost. In process, seeded.
"""

from collections.abc import Callable

import numpy as np

from musebench_tasks.errors import InputError
from musebench_tasks.records import Interval
from musebench_tasks.statistics.clusters import Clusters, FloatArray, Values, as_values, cluster_codes, cluster_sums

DRAWS = 10_000
SEED = 42
METHOD = "percentile_cluster_bootstrap"

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
    if columns.ndim != 2 or columns.shape[0] == 0:
        raise InputError("A bootstrap needs at least one item, given as a table of items x columns.")
    codes, n_clusters = cluster_codes(clusters, columns.shape[0])
    sums = cluster_sums(np.asarray(columns, dtype=np.float64), codes, n_clusters)
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    generator = np.random.default_rng(seed)
    if len(kinds) * _CLUSTERS_A_KIND <= n_clusters:
        weights = generator.multinomial(n_clusters, counts / n_clusters, size=draws)
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


def percentile_interval(replicates: FloatArray, *, seed: int, level: float = 0.95) -> Interval | None:
    """The central `level` of bootstrap replicates; undefined (NaN) ones are left out and counted in the method."""
    defined = replicates[np.isfinite(replicates)]
    if defined.size == 0:
        return None
    low, high = np.quantile(defined, ((1 - level) / 2, (1 + level) / 2))
    undefined = replicates.size - defined.size
    method = METHOD if undefined == 0 else f"{METHOD} ({undefined} undefined draws)"
    return Interval(low=float(low), high=float(high), method=method, draws=int(replicates.size), seed=seed)


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
