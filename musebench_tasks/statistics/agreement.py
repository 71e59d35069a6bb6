"""Agreement of raters: Gwet's AC1 and AC2, Krippendorff's alpha, exact agreement (statistics.md 1).

Ratings are a table with one row a subject and one column a rater; None or NaN is a missing rating. The categories
are fixed in advance, never read off the data: AC2 depends on them. AC2 alone is no evidence of agreement, since two
independent raters with like habits reach .9; print alpha, exact agreement and the permutation null beside it
(`raters.rater_agreement` gives them all).
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Interval
from musebench_tasks.base.text import nearest
from musebench_tasks.statistics.clusters import FloatArray
from musebench_tasks.statistics.errors import critical_value
from musebench_tasks.values.arguments import checked_arguments

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


@checked_arguments
def gwet_ac(
    ratings: Ratings,
    *,
    categories: Sequence[float],
    weights: str = "quadratic",
    level: float = 0.95,
    sampling_fraction: float = 0.0,
) -> Agreement:
    """Gwet's AC2, agreement of raters beyond chance; AC1 with `identity` weights. Weights: quadratic, linear, ordinal,
    identity.

    `ratings`: subjects x raters, None where one did not rate. `categories`: all that could be given, not those
    observed. `sampling_fraction`: share of all subjects there are that were rated: the variance is less by as much.

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
    counts = category_counts(ratings, categories)
    return gwet_ac_of_counts(
        counts, categories=categories, weights=weights, level=level, sampling_fraction=sampling_fraction
    )


@checked_arguments
def gwet_ac_of_counts(
    counts: npt.ArrayLike,
    *,
    categories: Sequence[float],
    weights: str = "quadratic",
    level: float = 0.95,
    sampling_fraction: float = 0.0,
) -> Agreement:
    """`gwet_ac` of a table that says how many raters put each subject (row) into each category (column)."""
    if not 0 <= sampling_fraction <= 1:
        raise InputError(f"The sampling fraction is {sampling_fraction:g}: give a share of all subjects, 0 to 1.")
    table = np.asarray(counts, dtype=np.float64)
    table = table[table.sum(axis=1) > 0]
    weight = agreement_weights(categories, weights)
    n, q = len(table), len(categories)
    rated = table.sum(axis=1)
    pairable = rated >= 2
    if not pairable.any():
        raise InputError("No subject has two ratings: agreement cannot be computed.")
    agreeing = pairwise_agreement(table, weight)
    observed, chance = _observed_and_chance(table, weight)
    coefficient = (observed - chance) / (1 - chance)
    prevalence = (table / rated[:, None]).mean(axis=0)
    own_chance = weight.sum() / (q * (q - 1)) * (table @ (1 - prevalence)) / rated
    own = n / pairable.sum() * (agreeing - chance * pairable) / (1 - chance)
    influence = own - 2 * (1 - coefficient) * (own_chance - chance) / (1 - chance)
    error, interval = None, None
    if n > 1:
        variance = (1 - sampling_fraction) * np.sum((influence - coefficient) ** 2) / (n * (n - 1))
        error = float(np.sqrt(variance))
        reach = critical_value(n, level=level) * error
        interval = Interval(low=coefficient - reach, high=min(1.0, coefficient + reach), method="gwet_t")
    return Agreement(float(coefficient), observed, chance, error, interval, n, int(pairable.sum()))


@checked_arguments
def agreement_weights(categories: Sequence[float], kind: str) -> FloatArray:
    """How much two categories agree: 1 on the diagonal, less with distance.

    Formula: quadratic 1 - (x_k - x_l)² / (x_max - x_min)²; linear the same without squares; ordinal 1 - M_kl / M_max,
    M_kl = C(|k - l| + 1, 2), M_max = C(q, 2); identity 1 where k = l.

    Edge cases: fewer than two categories, or categories that do not rise, are an InputError.

    Example:
        >>> agreement_weights([3, 4, 5], "quadratic").tolist()
        [[1.0, 0.75, 0.0], [0.75, 1.0, 0.75], [0.0, 0.75, 1.0]]

    Source: statistics.md 1.1; Gwet 2014.
    """
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


@checked_arguments
def category_counts(ratings: Ratings, categories: Sequence[float]) -> FloatArray:
    """Subjects x categories: how many raters chose which. A rating outside the categories is an InputError.

    Example:
        >>> category_counts([[1, 2], [2, 2], [None, 1]], [1, 2]).tolist()
        [[1.0, 1.0], [0.0, 2.0], [1.0, 0.0]]
    """
    table = rating_table(ratings)
    if not len(categories):
        raise InputError("There are no categories: give all that could be given.")
    counts = np.stack([(table == category).sum(axis=1) for category in categories], axis=1).astype(np.float64)
    strange = ~np.isnan(table) & ~np.isin(table, np.asarray(categories, dtype=np.float64))
    if strange.any():
        row, column = np.argwhere(strange)[0]
        raise InputError(
            f"Subject {row}, rater {column}: rating {table[row, column]:g} is none of the categories "
            f"{list(categories)}."
        )
    return counts


@checked_arguments
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


@checked_arguments
def exact_agreement(ratings: Ratings) -> float | None:
    """Share of subjects with at least two ratings whose ratings are all equal; None where there is no such subject.

    Example:
        >>> exact_agreement([[5, 5], [4, 5], [4, None], [3, 3]])
        0.6666666666666666

    Source: statistics.md 1.4.
    """
    table = rating_table(ratings)
    table = table[(~np.isnan(table)).sum(axis=1) >= 2]
    if len(table) == 0:
        return None
    return float((np.nanmax(table, axis=1) == np.nanmin(table, axis=1)).mean())


def rating_table(ratings: Ratings) -> FloatArray:
    """Subjects x raters, NaN for a missing rating; InputError where it is no table of two or more raters."""
    if len({len(row) for row in ratings}) != 1 or len(ratings[0]) < 2:
        raise InputError("Ratings must be a table with one row a subject and at least two raters as columns.")
    return np.array([[np.nan if each is None else each for each in row] for row in ratings], dtype=np.float64)


def pairwise_agreement(counts: FloatArray, weight: FloatArray) -> FloatArray:
    """Weighted agreement of all pairs of raters of each subject; 0 where there is no pair."""
    rated = counts.sum(axis=1)
    pairs = rated * (rated - 1)
    agreeing = (counts * (counts @ weight - 1)).sum(axis=1)
    result: FloatArray = np.divide(agreeing, pairs, out=np.zeros(len(counts)), where=pairs > 0)
    return result


def _observed_and_chance(counts: FloatArray, weight: FloatArray) -> tuple[float, float]:
    rated = counts.sum(axis=1)
    observed = float(pairwise_agreement(counts, weight).sum() / np.count_nonzero(rated >= 2))
    prevalence = (counts / rated[:, None]).mean(axis=0)
    q = len(weight)
    return observed, float(weight.sum() / (q * (q - 1)) * np.sum(prevalence * (1 - prevalence)))


def _squared_distances(totals: FloatArray, values: FloatArray, level: str) -> FloatArray:
    if level == "interval":
        interval: FloatArray = (values[:, None] - values) ** 2
        return interval
    if level != "ordinal":
        raise InputError(f"Unknown level {level!r}: alpha is computed at ordinal or interval level.")
    middle = np.cumsum(totals) - totals / 2
    ordinal: FloatArray = (middle[:, None] - middle) ** 2
    return ordinal
