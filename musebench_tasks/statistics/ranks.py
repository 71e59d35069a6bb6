"""How sure a ranking is: ranks over bootstrap draws that all systems share (statistics.md 3.4)."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.statistics.bootstrap import DRAWS, SEED, bootstrap_totals
from musebench_tasks.statistics.clusters import Clusters, FloatArray, IntArray
from musebench_tasks.values.arguments import checked_arguments, require_draws, require_share

_MOST_PAIRS = 5_000_000
"""Pairs of systems times draws that are held at once."""
_TIE = 1e-12
"""Means nearer than this are equal."""


class Ranking(NamedTuple):
    """Of each system, in the order given: rank (1 = best), 95 % rank interval, share of draws in which it is best."""

    ranks: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    p_best: tuple[float, ...]
    mean_kendall_tau: float | None
    """Mean tau-b between the rankings of the draws and that of the full data; None where all systems are alike."""
    draws: int
    seed: int


@checked_arguments
def rank_systems(
    scores: npt.ArrayLike, clusters: Clusters, *, draws: int = DRAWS, seed: int = SEED, level: float = 0.95
) -> Ranking:
    """Ranks of systems by mean score, with 95 % rank intervals. `scores`: items x systems, the same items for all.

    Formula: one set of cluster bootstrap draws shared by all systems; in each draw a system's rank is 1 + the number
    of better ones; the interval lies between the 2.5 and 97.5 % percentiles of its ranks.

    Edge cases: systems that tie share the better rank, and the first place of a draw where they tie for it.

    Example:
        >>> scores = [[1, 0], [1, 1], [1, 0], [0, 0], [1, 1], [1, 0]]
        >>> rank_systems(scores, list(range(6))).ranks
        (1, 2)

    Source: statistics.md 3.4.
    """
    require_draws(draws, seed)
    require_share("level", level)
    try:
        table = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("Scores must be a table of items x systems: numbers, one row an item, one a system.") from None
    if table.ndim != 2 or 0 in table.shape or not np.isfinite(table).all():
        raise InputError("A ranking needs finite scores of the same items: a table of items x systems.")
    totals = bootstrap_totals(np.column_stack([table, np.ones(len(table))]), clusters, draws=draws, seed=seed)
    means = totals[:, :-1] / totals[:, -1:]
    full = table.mean(axis=0)[None, :]
    drawn = _ranks(means)
    low, high = np.quantile(drawn, ((1 - level) / 2, (1 + level) / 2), axis=0, method="inverted_cdf")
    return Ranking(
        ranks=tuple(_ranks(full)[0].tolist()),
        low=tuple(low.astype(int).tolist()),
        high=tuple(high.astype(int).tolist()),
        p_best=tuple((drawn == 1).mean(axis=0).tolist()),
        mean_kendall_tau=_mean_tau(means, full),
        draws=draws,
        seed=seed,
    )


def _ranks(means: FloatArray) -> IntArray:
    """1 + number of better systems, for each row of means."""
    ranks: IntArray = np.empty(means.shape, dtype=np.int64)
    for system in range(means.shape[1]):  # one at a time: draws x systems x systems would not fit into memory
        ranks[:, system] = 1 + (means > means[:, system, None] + _TIE).sum(axis=1)
    return ranks


def _order(means: FloatArray) -> FloatArray:
    """For each row and each pair of systems: 1, -1 or 0 as the first is better, worse or equal."""
    first, second = np.triu_indices(means.shape[1], k=1)
    difference = means[:, first] - means[:, second]
    order: FloatArray = np.where(np.abs(difference) <= _TIE, 0.0, np.sign(difference))
    return order


def _mean_tau(means: FloatArray, full: FloatArray) -> float | None:
    """Mean tau-b of the rows of means to the one of `full`, in blocks of rows: pairs of many systems are many."""
    whole = _order(full)[0]
    size = max(1, _MOST_PAIRS // max(1, len(whole)))
    untied, agreeing = np.zeros(len(means)), np.zeros(len(means))
    for start in range(0, len(means), size):
        drawn = _order(means[start : start + size])
        untied[start : start + size] = np.abs(drawn).sum(axis=1) * np.abs(whole).sum()
        agreeing[start : start + size] = drawn @ whole
    defined = untied > 0
    return float(np.mean(agreeing[defined] / np.sqrt(untied[defined]))) if defined.any() else None
