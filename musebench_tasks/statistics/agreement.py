"""Agreement of raters: Gwet's AC1 and AC2, Krippendorff's alpha, exact agreement, permutation null (statistics.md 1).

Ratings are a table with one row a subject and one column a rater; None or NaN is a missing rating. The categories
are fixed in advance, never read off the data: AC2 depends on them. AC2 alone is no evidence of agreement, since two
independent raters with like habits reach .9; print alpha, exact agreement and the permutation null beside it.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.errors import InputError, nearest
from musebench_tasks.records import Interval
from musebench_tasks.statistics.bootstrap import SEED
from musebench_tasks.statistics.clusters import FloatArray, cluster_codes
from musebench_tasks.statistics.errors import critical_value

NULL_DRAWS = 2_000

Ratings = Sequence[Sequence[float | None]] | npt.NDArray[Any]


class Agreement(NamedTuple):
    """A chance-corrected coefficient with observed and chance agreement, analytic error and t interval."""

    coefficient: float
    observed: float
    chance: float
    standard_error: float | None
    interval: Interval | None
    n: int
    """Subjects with at least one rating."""
    n_pairable: int
    """Subjects with at least two."""


class PermutationNull(NamedTuple):
    """What the coefficient is when raters are shuffled against one another."""

    observed: float
    mean: float
    low: float
    high: float
    p_value: float
    draws: int
    seed: int


def gwet_ac(
    ratings: Ratings, *, categories: Sequence[float], weights: str = "quadratic", level: float = 0.95
) -> Agreement:
    """Gwet's AC2, agreement of raters beyond chance; AC1 with `identity` weights. Weights: quadratic, linear, ordinal,
    identity.

    `ratings`: subjects x raters, None where one did not rate. `categories`: all that could be given, not those
    observed.

    Formula: (p_a - p_e) / (1 - p_e), p_a = weighted agreement over pairs of raters, p_e = T_w / (q(q-1)) · Σ_k π_k(1 -
    π_k).

    Edge cases: single-rated subjects count in π_k but not in p_a; one category, or no subject with two ratings, is an
    InputError; no variance gives an error of 0. With quadratic weights and ratings near one end it is high without any
    agreement: read it beside alpha and the permutation null.

    Example:
        >>> found = gwet_ac([[5, 5], [4, 5], [4, 4], [5, 4], [3, 3], [5, 4]], categories=range(6))
        >>> round(found.coefficient, 6)
        0.952941

    Source: statistics.md 1.1 to 1.3; Gwet 2014.
    """
    return gwet_ac_of_counts(category_counts(ratings, categories), categories=categories, weights=weights, level=level)


def gwet_ac_of_counts(
    counts: npt.ArrayLike, *, categories: Sequence[float], weights: str = "quadratic", level: float = 0.95
) -> Agreement:
    """`gwet_ac` of a table that says how many raters put each subject (row) into each category (column)."""
    table = np.asarray(counts, dtype=np.float64)
    table = table[table.sum(axis=1) > 0]
    weight = agreement_weights(categories, weights)
    n, q = len(table), len(categories)
    rated = table.sum(axis=1)
    pairable = rated >= 2
    if not pairable.any():
        raise InputError("No subject has two ratings: agreement cannot be computed.")
    agreeing = _pairwise_agreement(table, weight)
    observed, chance = _observed_and_chance(table, weight)
    coefficient = (observed - chance) / (1 - chance)
    prevalence = (table / rated[:, None]).mean(axis=0)
    own_chance = weight.sum() / (q * (q - 1)) * (table @ (1 - prevalence)) / rated
    own = n / pairable.sum() * (agreeing - chance * pairable) / (1 - chance)
    influence = own - 2 * (1 - coefficient) * (own_chance - chance) / (1 - chance)
    error, interval = None, None
    if n > 1:
        error = float(np.sqrt(np.sum((influence - coefficient) ** 2) / (n * (n - 1))))
        reach = critical_value(n, level=level) * error
        interval = Interval(low=coefficient - reach, high=min(1.0, coefficient + reach), method="gwet_t")
    return Agreement(float(coefficient), observed, chance, error, interval, n, int(pairable.sum()))


def agreement_weights(categories: Sequence[float], kind: str) -> FloatArray:
    """How much two categories agree: 1 on the diagonal, less with distance. An InputError for fewer than two."""
    values = np.asarray(categories, dtype=np.float64)
    q = values.size
    if q < 2 or len(set(values.tolist())) != q or (np.diff(values) <= 0).any():
        raise InputError(
            f"Agreement needs at least two different categories in rising order, found {list(categories)}."
        )
    distance = np.abs(values[:, None] - values)
    steps = np.abs(np.arange(q)[:, None] - np.arange(q))
    kinds: dict[str, Callable[[], FloatArray]] = {
        "quadratic": lambda: 1 - (distance / distance.max()) ** 2,
        "linear": lambda: 1 - distance / distance.max(),
        "ordinal": lambda: 1 - (steps + 1) * steps / (q * (q - 1)),
        "identity": lambda: np.eye(q),
    }
    if kind not in kinds:
        raise InputError(f"Unknown agreement weights {kind!r}{nearest(kind, kinds)}. Known: {', '.join(kinds)}.")
    return kinds[kind]()


def category_counts(ratings: Ratings, categories: Sequence[float]) -> FloatArray:
    """Subjects x categories: how many raters chose which. A rating outside the categories is an InputError."""
    table = _table(ratings)
    counts = np.stack([(table == category).sum(axis=1) for category in categories], axis=1).astype(np.float64)
    strange = ~np.isnan(table) & ~np.isin(table, np.asarray(categories, dtype=np.float64))
    if strange.any():
        row, column = np.argwhere(strange)[0]
        raise InputError(
            f"Subject {row}, rater {column}: rating {table[row, column]:g} is none of the categories "
            f"{list(categories)}."
        )
    return counts


def krippendorff_alpha(ratings: Ratings, *, categories: Sequence[float], level: str = "ordinal") -> float | None:
    """Krippendorff's alpha at `ordinal` or `interval` level.

    Formula: 1 - D_o/D_e with squared distances within subjects over those between all ratings.

    Edge cases: subjects with one rating are left out; None, not 1, where all ratings are alike.

    Example:
        >>> ratings = [[5, 5], [4, 5], [4, 4], [5, 4], [3, 3], [5, 4]]
        >>> round(krippendorff_alpha(ratings, categories=range(6), level="interval"), 6)
        0.56

    Source: statistics.md 1.4.
    """
    counts = category_counts(ratings, categories)
    counts = counts[counts.sum(axis=1) >= 2]
    if len(counts) == 0:
        return None
    rated = counts.sum(axis=1)
    coincidences = (counts / (rated - 1)[:, None]).T @ counts - np.diag((counts / (rated - 1)[:, None]).sum(axis=0))
    totals = counts.sum(axis=0)
    squared = _squared_distances(totals, np.asarray(categories, dtype=np.float64), level)
    n = totals.sum()
    expected = float(totals @ squared @ totals / (n * (n - 1)))
    return None if expected == 0 else 1 - float((coincidences * squared).sum() / n) / expected


def exact_agreement(ratings: Ratings) -> float | None:
    """Share of subjects with at least two ratings whose ratings are all equal."""
    table = _table(ratings)
    table = table[(~np.isnan(table)).sum(axis=1) >= 2]
    if len(table) == 0:
        return None
    return float((np.nanmax(table, axis=1) == np.nanmin(table, axis=1)).mean())


def permutation_null(
    ratings: Ratings,
    *,
    categories: Sequence[float],
    weights: str = "quadratic",
    groups: Sequence[Hashable] | None = None,
    draws: int = NULL_DRAWS,
    seed: int = SEED,
) -> PermutationNull:
    """The coefficient when every rater but the first is shuffled within groups of subjects (for two raters: one is).

    Formula: p = (1 + #{null >= observed}) / (1 + draws), 2,000 draws with a recorded seed; the mean and the middle 95
    % of the null beside it.

    Edge cases: missing ratings stay where they are.

    Example:
        >>> null = permutation_null([[5, 5], [4, 5], [4, 4], [5, 4], [3, 3], [5, 4]], categories=range(6))
        >>> null.p_value > 0.05
        True

    Source: statistics.md 1.4.
    """
    table = _table(ratings)
    weight = agreement_weights(categories, weights)
    codes, n_groups = cluster_codes([0] * len(table) if groups is None else groups, len(table))
    generator = np.random.default_rng(seed)
    pools = [
        (rater, np.flatnonzero((codes == group) & ~np.isnan(table[:, rater])))
        for rater in range(1, table.shape[1])
        for group in range(n_groups)
    ]
    observed = _coefficient(category_counts(table, categories), weight)
    null = np.empty(draws)
    for draw in range(draws):
        shuffled = table.copy()
        for rater, rows in pools:
            shuffled[rows, rater] = table[generator.permutation(rows), rater]
        null[draw] = _coefficient(category_counts(shuffled, categories), weight)
    low, high = np.quantile(null, (0.025, 0.975))
    p_value = (1 + int(np.count_nonzero(null >= observed - 1e-12))) / (1 + draws)
    return PermutationNull(observed, float(null.mean()), float(low), float(high), p_value, draws, seed)


def _table(ratings: Ratings) -> FloatArray:
    table = np.array([[np.nan if each is None else each for each in row] for row in ratings], dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("Ratings must be a table with one row a subject and at least two raters as columns.")
    return table


def _pairwise_agreement(counts: FloatArray, weight: FloatArray) -> FloatArray:
    """Weighted agreement of all pairs of raters of each subject; 0 where there is no pair."""
    rated = counts.sum(axis=1)
    pairs = rated * (rated - 1)
    agreeing = (counts * (counts @ weight - 1)).sum(axis=1)
    result: FloatArray = np.divide(agreeing, pairs, out=np.zeros(len(counts)), where=pairs > 0)
    return result


def _observed_and_chance(counts: FloatArray, weight: FloatArray) -> tuple[float, float]:
    rated = counts.sum(axis=1)
    observed = float(_pairwise_agreement(counts, weight).sum() / np.count_nonzero(rated >= 2))
    prevalence = (counts / rated[:, None]).mean(axis=0)
    q = len(weight)
    return observed, float(weight.sum() / (q * (q - 1)) * np.sum(prevalence * (1 - prevalence)))


def _coefficient(counts: FloatArray, weight: FloatArray) -> float:
    rated = counts.sum(axis=1)
    if not (rated >= 2).any():
        raise InputError("No subject has two ratings: agreement cannot be computed.")
    observed, chance = _observed_and_chance(counts[rated > 0], weight)
    return (observed - chance) / (1 - chance)


def _squared_distances(totals: FloatArray, values: FloatArray, level: str) -> FloatArray:
    if level == "interval":
        interval: FloatArray = (values[:, None] - values) ** 2
        return interval
    if level != "ordinal":
        raise InputError(f"Unknown level {level!r}: alpha is computed at ordinal or interval level.")
    middle = np.cumsum(totals) - totals / 2
    ordinal: FloatArray = (middle[:, None] - middle) ** 2
    return ordinal
