"""All that has to be said of raters who agree: AC2 never without what would make it look high by itself.

Two independent raters who both like to give 5 and 4 reach an AC2 of .97 (statistics.md 1.4). `rater_agreement` gives
it with AC1, Krippendorff's alpha, exact agreement and the permutation null: what the coefficient is when one rater's
ratings are shuffled over the subjects.
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Interval
from musebench_tasks.statistics.agreement import (
    Agreement,
    Ratings,
    agreement_weights,
    category_counts,
    exact_agreement,
    gwet_ac,
    krippendorff_alpha,
    pairwise_agreement,
    rating_table,
)
from musebench_tasks.statistics.bootstrap import DRAWS, SEED, cluster_bootstrap
from musebench_tasks.statistics.clusters import FloatArray, IntArray, cluster_codes
from musebench_tasks.values.arguments import checked_arguments, require_draws

NULL_DRAWS = 2_000
_RATINGS_AT_ONCE = 1_000_000
_TIE = 1e-12


class PermutationNull(NamedTuple):
    """What the coefficient is when raters are shuffled against one another."""

    observed: float
    mean: float
    low: float
    high: float
    p_value: float
    draws: int
    seed: int


class RaterAgreement(NamedTuple):
    """A coefficient and what has to stand beside it; `None` where a number is undefined."""

    agreement: Agreement
    """AC2, or AC1 with identity weights, with its analytic error and t interval."""
    bootstrap: Interval | None
    """Percentile bootstrap of the coefficient over subjects (whole clusters, where given)."""
    ac1: float
    alpha_ordinal: float | None
    """Krippendorff's alpha at ordinal level of measurement: categories in order."""
    alpha_interval: float | None
    """Alpha at interval level: categories as equally spaced numbers. A coefficient, no interval of one."""
    exact: float | None
    """Share of subjects whose ratings are all equal."""
    null: PermutationNull
    weights: str

    @property
    def is_beyond_habits(self) -> bool:
        """Whether raters agree more than their own distributions of ratings would let them (p of the null < .05)."""
        return self.null.p_value < 0.05


@checked_arguments
def rater_agreement(
    ratings: Ratings,
    *,
    categories: Sequence[float],
    weights: str = "quadratic",
    groups: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    draws: int = DRAWS,
    null_draws: int = NULL_DRAWS,
    seed: int = SEED,
) -> RaterAgreement:
    """AC2 with AC1, Krippendorff's alpha, exact agreement, the permutation null and a bootstrap over subjects.

    `ratings`: subjects x raters, None where one did not rate. `categories`: all that could be given. `groups`: within
    which ratings are shuffled (the category of an item). `clusters`: subjects drawn together (items of one video).

    Formula: each as defined under its own name; the bootstrap's interval lies between the 2.5 and 97.5 % percentiles of
    the coefficient over 10,000 draws of whole subjects with a recorded seed.

    Edge cases: those of `gwet_ac`; alpha is None where all ratings are alike; no bootstrap with fewer than two
    clusters.

    Example:
        >>> found = rater_agreement([[5, 5], [4, 5], [4, 4], [5, 4], [3, 3], [5, 4]], categories=range(6))
        >>> round(found.agreement.coefficient, 6), round(found.alpha_ordinal, 6), found.exact
        (0.952941, 0.438776, 0.5)
        >>> found.is_beyond_habits
        False

    Source: statistics.md 1; Gwet 2014.
    """
    return RaterAgreement(
        agreement=gwet_ac(ratings, categories=categories, weights=weights),
        bootstrap=agreement_bootstrap(
            ratings, categories=categories, weights=weights, clusters=clusters, draws=draws, seed=seed
        ),
        ac1=gwet_ac(ratings, categories=categories, weights="identity").coefficient,
        alpha_ordinal=krippendorff_alpha(ratings, categories=categories, level="ordinal"),
        alpha_interval=krippendorff_alpha(ratings, categories=categories, level="interval"),
        exact=exact_agreement(ratings),
        null=permutation_null(
            ratings, categories=categories, weights=weights, groups=groups, draws=null_draws, seed=seed
        ),
        weights=weights,
    )


@checked_arguments
def agreement_bootstrap(
    ratings: Ratings,
    *,
    categories: Sequence[float],
    weights: str = "quadratic",
    clusters: Sequence[Hashable] | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = 0.95,
) -> Interval | None:
    """Percentile interval of AC2 over subjects (statistics.md 1.1), whole clusters of them where given.

    AC2 is a function of sums over subjects: of p_a,i, of their shares of ratings in each category, and of their
    numbers. Draws without a subject rated twice are left out and counted in the method.
    """
    weight = agreement_weights(categories, weights)
    counts = category_counts(ratings, categories)
    names = list(range(len(counts))) if clusters is None else list(clusters)
    if len(names) != len(counts):
        raise InputError(f"{len(counts)} subjects but {len(names)} cluster ids: give one cluster id a subject.")
    rated = counts.sum(axis=1)
    kept = rated > 0
    counts, rated = counts[kept], rated[kept]
    factor = _chance_factor(weight)

    def coefficient(sums: FloatArray) -> FloatArray:
        observed, prevalence = sums[:, 0] / sums[:, 1], sums[:, 3:] / sums[:, 2:3]
        chance = factor * np.sum(prevalence * (1 - prevalence), axis=1)
        result: FloatArray = (observed - chance) / (1 - chance)
        return result

    columns = np.column_stack(
        [pairwise_agreement(counts, weight), rated >= 2, np.ones(len(counts)), counts / rated[:, None]]
    )
    kept_names = [name for name, is_kept in zip(names, kept, strict=True) if is_kept]
    return cluster_bootstrap(columns, kept_names, coefficient, draws=draws, seed=seed, level=level)


@checked_arguments
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
    require_draws(draws, seed)
    weight = agreement_weights(categories, weights)
    observed = gwet_ac(ratings, categories=categories, weights=weights).coefficient
    codes = _codes(ratings, categories)
    subjects, _ = cluster_codes([0] * len(codes) if groups is None else groups, len(codes))
    null = np.concatenate(list(_shuffled_coefficients(codes, subjects, weight, draws, seed)))
    low, high = np.quantile(null, (0.025, 0.975))
    p_value = (1 + int(np.count_nonzero(null >= observed - _TIE))) / (1 + draws)
    return PermutationNull(observed, float(null.mean()), float(low), float(high), p_value, draws, seed)


def _codes(ratings: Ratings, categories: Sequence[float]) -> IntArray:
    """Subjects with a rating x raters: the place of each rating among the categories, -1 for none."""
    table = rating_table(ratings)
    codes = np.full(table.shape, -1, dtype=np.int64)
    for place, category in enumerate(categories):
        codes[table == category] = place
    return codes


def _shuffled_coefficients(
    codes: IntArray, groups: IntArray, weight: FloatArray, draws: int, seed: int
) -> Iterator[FloatArray]:
    """Coefficients of shuffled ratings, a batch of draws at a time."""
    generator = np.random.default_rng(seed)
    rated = (codes >= 0).sum(axis=1)
    codes, groups, rated = codes[rated > 0], groups[rated > 0], rated[rated > 0]
    batch = max(1, _RATINGS_AT_ONCE // len(codes))
    for first in range(0, draws, batch):
        size = min(batch, draws - first)
        raters = [np.broadcast_to(codes[:, 0], (size, len(codes)))]
        raters += [_shuffled(codes[:, each], groups, size, generator) for each in range(1, codes.shape[1])]
        yield _coefficients(raters, rated, weight)


def _shuffled(codes: IntArray, groups: IntArray, size: int, generator: np.random.Generator) -> IntArray:
    """`size` x subjects: one rater's ratings in random order within groups, gaps left where they are."""
    rows = np.flatnonzero(codes >= 0)
    rows = rows[np.argsort(groups[rows], kind="stable")]
    order = np.argsort(groups[rows] + generator.random((size, rows.size)), axis=1)
    shuffled = np.broadcast_to(codes, (size, codes.size)).copy()
    shuffled[:, rows] = codes[rows][order]
    return shuffled


def _coefficients(raters: Sequence[IntArray], rated: IntArray, weight: FloatArray) -> FloatArray:
    """AC2 of each row of the raters' tables (draws x subjects, -1 for a gap)."""
    size, q = len(raters[0]), len(weight)
    padded = np.zeros((q + 1, q + 1))
    padded[:q, :q] = weight
    agreeing = np.zeros(size)
    pairs = np.where(rated >= 2, 2 / np.maximum(rated * (rated - 1), 1), 0.0)
    for one, other in combinations(raters, 2):
        agreeing += padded[one, other] @ pairs
    prevalence = np.stack([sum((each == place) @ (1 / rated) for each in raters) for place in range(q)], axis=1)
    prevalence /= rated.size
    observed = agreeing / np.count_nonzero(rated >= 2)
    chance = _chance_factor(weight) * np.sum(prevalence * (1 - prevalence), axis=1)
    result: FloatArray = (observed - chance) / (1 - chance)
    return result


def _chance_factor(weight: FloatArray) -> float:
    return float(weight.sum() / (len(weight) * (len(weight) - 1)))
