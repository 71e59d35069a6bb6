"""What has to stand beside AC2 (statistics.md 1.1 and 1.4)."""

import numpy as np
import pytest
from scipy import stats

from musebench_tasks.base.errors import InputError
from musebench_tasks.statistics import (
    agreement_bootstrap,
    agreement_weights,
    gwet_ac,
    gwet_ac_of_counts,
    krippendorff_alpha,
    permutation_null,
    rater_agreement,
)
from musebench_tasks.statistics.raters import _coefficients, _shuffled

RUBRIC = range(6)
TWO_RATERS = list(zip([5, 4, 4, 5, 3, 5], [5, 5, 4, 4, 3, 4], strict=True))
WITH_GAPS = list(zip([5, 4, 4, 5, 3, 5], [5, 5, 4, None, 3, 4], [None, 4, None, None, 2, 5], strict=True))
KINDS = ("quadratic", "ordinal", "linear", "identity")

# statistics.md 1.4: shares of 0..5, and the coefficients in the order of KINDS
INDEPENDENT = [
    ([0, 0, 0, 0, 0.4, 0.6], (0.966, 0.944, 0.852, 0.469)),
    ([0, 0, 0, 0.15, 0.45, 0.40], (0.910, 0.874, 0.732, 0.299)),
]


@pytest.mark.parametrize(("shares", "coefficients"), INDEPENDENT)
def test_independent_raters_reach_a_high_ac2(shares, coefficients):
    # Large sample: the pairs of ratings occur as often as their shares say.
    pairs = 10_000 * np.outer(shares, shares)
    ratings = np.repeat([(i, j) for i, j in np.ndindex(6, 6)], np.rint(pairs).astype(int).ravel(), axis=0)
    found = [gwet_ac(ratings, categories=RUBRIC, weights=kind).coefficient for kind in KINDS]
    assert found == pytest.approx(coefficients, abs=5e-4)
    assert krippendorff_alpha(ratings, categories=RUBRIC) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize(("shares", "coefficients"), INDEPENDENT)
def test_ninety_items_simulated_say_the_same(shares, coefficients):
    generator = np.random.default_rng(0)
    raters = [generator.choice(6, p=shares, size=(2000, 90)) for _ in range(2)]
    rated = np.full(90, 2)
    for kind, coefficient in zip(KINDS, coefficients, strict=True):
        found = _coefficients(raters, rated, agreement_weights(RUBRIC, kind))
        # Within .002, the rounding of the table and the error of so many simulations.
        assert found.mean() == pytest.approx(coefficient, abs=0.0025 + 3 * found.std() / np.sqrt(len(found)))
    pairs = np.stack(raters, axis=2)[:200]
    alphas = [krippendorff_alpha(pair, categories=RUBRIC) for pair in pairs]
    assert np.mean(alphas) == pytest.approx(0, abs=0.02)


def test_all_that_is_required_stands_together():
    found = rater_agreement(TWO_RATERS, categories=RUBRIC)
    assert found.agreement.coefficient == pytest.approx(0.952941, abs=1e-6)
    assert found.ac1 == pytest.approx(0.428571, abs=1e-6)
    assert found.alpha_interval == pytest.approx(0.560000, abs=1e-6)
    assert found.alpha_ordinal == pytest.approx(0.438776, abs=1e-6)
    assert found.exact == 0.5
    assert found.bootstrap.low < 0.952941 < found.bootstrap.high <= 1
    assert (found.null.observed, found.null.draws) == (found.agreement.coefficient, 2000)
    assert not found.is_beyond_habits
    alike = rater_agreement([(4, 4)] * 12, categories=RUBRIC)
    assert (alike.agreement.coefficient, alike.alpha_ordinal, alike.null.p_value) == (1, None, 1)


def test_the_null_is_that_of_a_loop():
    generator = np.random.default_rng(1)
    ratings = generator.integers(3, 6, size=(30, 3)).astype(float)
    ratings[generator.random((30, 3)) < 0.15] = np.nan
    groups = np.arange(30) % 3
    loop = []
    for _ in range(400):
        shuffled = ratings.copy()
        for rater in (1, 2):
            for group in range(3):
                rows = np.flatnonzero((groups == group) & ~np.isnan(ratings[:, rater]))
                shuffled[rows, rater] = ratings[generator.permutation(rows), rater]
        loop.append(gwet_ac(shuffled, categories=RUBRIC).coefficient)
    null = permutation_null(ratings, categories=RUBRIC, groups=groups)
    assert null.observed == gwet_ac(ratings, categories=RUBRIC).coefficient
    assert null.mean == pytest.approx(np.mean(loop), abs=4 * np.std(loop) / np.sqrt(400))
    assert (null.low, null.high) == pytest.approx(np.quantile(loop, (0.025, 0.975)), abs=np.std(loop) / 2)


def test_ratings_are_shuffled_within_groups_and_around_gaps():
    codes, groups = np.array([0, 1, -1, 2, 3, 4]), np.array([0, 0, 0, 1, 1, 1])
    shuffled = _shuffled(codes, groups, 200, np.random.default_rng(0))
    assert (shuffled[:, 2] == -1).all()
    assert {tuple(sorted(row[:2])) for row in shuffled} == {(0, 1)}
    assert len({tuple(row[3:]) for row in shuffled}) == 6
    assert (np.sort(shuffled[:, 3:], axis=1) == [2, 3, 4]).all()


def test_the_null_is_that_of_scipy():
    generator = np.random.default_rng(5)
    truth = generator.integers(2, 6, size=40)
    ratings = np.stack([truth, np.clip(truth + generator.integers(-2, 3, size=40), 0, 5)], axis=1)

    def coefficient(first, second):
        return gwet_ac(np.stack([first, second], axis=1), categories=RUBRIC).coefficient

    theirs = stats.permutation_test(
        (ratings[:, 0], ratings[:, 1]), coefficient, permutation_type="pairings", n_resamples=600,
        alternative="greater", rng=np.random.default_rng(6), vectorized=False,
    )  # fmt: skip
    ours = permutation_null(ratings, categories=RUBRIC)
    assert ours.mean == pytest.approx(theirs.null_distribution.mean(), abs=0.01)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=0.02)


def test_the_bootstrap_over_subjects_is_that_of_a_loop():
    generator = np.random.default_rng(2)
    ratings = np.array(WITH_GAPS * 5, dtype=float)
    loop = [gwet_ac(ratings[generator.integers(30, size=30)], categories=RUBRIC).coefficient for _ in range(600)]
    found = agreement_bootstrap(ratings, categories=RUBRIC)
    assert (found.low, found.high) == pytest.approx(np.quantile(loop, (0.025, 0.975)), abs=0.25 * np.ptp(loop))
    assert found.method.startswith("percentile_cluster_bootstrap")
    wide = agreement_bootstrap(ratings, categories=RUBRIC, clusters=np.arange(30) // 10)
    assert wide is not None
    with pytest.raises(InputError, match="one cluster id a subject"):
        agreement_bootstrap(ratings, categories=RUBRIC, clusters=[1])


def _by_definition(ratings, categories, weight):
    """statistics.md 1.1, one subject, category and pair at a time."""
    values, q = list(categories), len(categories)
    rows = [[values.index(each) for each in row if each is not None] for row in ratings]
    rows = [row for row in rows if row]
    agreeing = [
        sum(weight[a][b] for i, a in enumerate(row) for j, b in enumerate(row) if i != j) / (len(row) * (len(row) - 1))
        for row in rows if len(row) > 1
    ]  # fmt: skip
    prevalence = [sum(row.count(k) / len(row) for row in rows) / len(rows) for k in range(q)]
    total = sum(sum(line) for line in weight)
    chance = total / (q * (q - 1)) * sum(share * (1 - share) for share in prevalence)
    observed = sum(agreeing) / len(agreeing)
    return (observed - chance) / (1 - chance)


@pytest.mark.parametrize("kind", KINDS)
def test_the_coefficient_is_that_of_its_definition(kind):
    generator = np.random.default_rng(7)
    for _ in range(20):
        table = generator.integers(6, size=(12, 4)).tolist()
        ratings = [[each if generator.random() > 0.3 else None for each in row] for row in table]
        expected = _by_definition(ratings, RUBRIC, agreement_weights(RUBRIC, kind).tolist())
        assert gwet_ac(ratings, categories=RUBRIC, weights=kind).coefficient == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", ["interval", "ordinal"])
def test_alpha_is_that_of_its_definition(level):
    rows = [[each for each in row if each is not None] for row in WITH_GAPS]
    pooled = [each for row in rows if len(row) > 1 for each in row]
    count = {value: pooled.count(value) for value in RUBRIC}

    def squared(c, k):
        if level == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        return (sum(count[g] for g in range(low, high + 1)) - (count[c] + count[k]) / 2) ** 2

    n = len(pooled)
    observed = sum(
        squared(a, b) / (len(row) - 1)
        for row in rows for i, a in enumerate(row) for j, b in enumerate(row) if i != j
    ) / n  # fmt: skip
    expected = sum(count[c] * count[k] * squared(c, k) for c in RUBRIC for k in RUBRIC) / (n * (n - 1))
    assert krippendorff_alpha(WITH_GAPS, categories=RUBRIC, level=level) == pytest.approx(1 - observed / expected)


def test_a_sampling_fraction_takes_off_the_variance():
    # statistics.md 1.1: Var carries (1 - f)
    whole = gwet_ac(TWO_RATERS, categories=RUBRIC)
    sampled = gwet_ac(TWO_RATERS, categories=RUBRIC, sampling_fraction=0.75)
    assert sampled.standard_error == pytest.approx(whole.standard_error / 2)
    assert gwet_ac(TWO_RATERS, categories=RUBRIC, sampling_fraction=1).standard_error == 0
    with pytest.raises(InputError, match="sampling fraction"):
        gwet_ac_of_counts([[1, 1]], categories=[1, 2], sampling_fraction=1.5)
