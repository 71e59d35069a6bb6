"""Errors, tests and ranks against independent computations, and the faults of others (faults_scoring.md 56 to 68)."""

import ast
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import musebench_tasks.statistics
from musebench_tasks.statistics import (
    cluster_bootstrap,
    clustered_standard_error,
    design_effect,
    estimate,
    interval_of_mean,
    minimum_detectable_effect,
    paired_comparison,
    rank_systems,
    sign_flip_p_value,
    stratified_bootstrap,
)


@pytest.fixture(scope="module")
def simulated():
    """4,040 items in 1,000 clusters, two systems that share difficulties."""
    generator = np.random.default_rng(11)
    clusters = generator.integers(1000, size=4040)
    difficulty = generator.normal(size=1000)[clusters] + generator.normal(size=4040)
    first, second = (difficulty + generator.normal(size=4040) < level for level in (0.0, 0.1))
    return first.astype(float), second.astype(float), clusters


def clustered_ols(scores, clusters):
    """The sandwich of a regression on a constant with its small-sample factor, one cluster at a time."""
    design = np.ones((scores.size, 1))
    coefficient = np.linalg.lstsq(design, scores, rcond=None)[0]
    residuals = scores - design @ coefficient
    bread = np.linalg.inv(design.T @ design)
    meat = np.zeros((1, 1))
    groups = np.unique(clusters)
    for group in groups:
        score = design[clusters == group].T @ residuals[clusters == group]
        meat += np.outer(score, score)
    n, k, g = scores.size, 1, groups.size
    factor = g / (g - 1) * (n - 1) / (n - k)
    return float(np.sqrt((factor * bread @ meat @ bread)[0, 0]))


def test_the_clustered_error_is_that_of_a_regression_on_a_constant(simulated):
    # statistics.md 3.1: equal to statsmodels' up to (n-1)/(n-k), which is 1 here
    first, _, clusters = simulated
    assert clustered_standard_error(first, clusters) == pytest.approx(clustered_ols(first, clusters), abs=1e-14)


def test_the_factor_of_few_clusters_belongs_to_it():
    # statistics.md 3.1: naive .223607, without the factor .204124, with it .25
    scores, clusters = [1, 1, 0, 0, 0, 1], list("aaabbc")
    found = clustered_standard_error(scores, clusters)
    assert found == pytest.approx(0.25, abs=1e-12)
    assert found * np.sqrt(2 / 3) == pytest.approx(0.204124, abs=1e-6)
    naive = clustered_standard_error(scores, range(6))
    assert naive == pytest.approx(stats.sem(scores), abs=1e-12) == pytest.approx(0.223607, abs=1e-6)


def test_a_cluster_bootstrap_agrees_with_that_of_scipy(simulated):
    # statistics.md 3.2: scipy draws clusters, as pairs of their sums and sizes
    first, _, clusters = simulated
    sums, sizes = np.bincount(clusters, weights=first, minlength=1000), np.bincount(clusters, minlength=1000)
    kept = sizes > 0

    def mean(total, number, axis=-1):
        return total.sum(axis=axis) / number.sum(axis=axis)

    theirs = stats.bootstrap(
        (sums[kept], sizes[kept]), mean, paired=True, n_resamples=3000, method="percentile",
        rng=np.random.default_rng(1), batch=500,
    ).confidence_interval  # fmt: skip
    ours = cluster_bootstrap(first, clusters)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.001)


def test_sign_flips_agree_with_those_of_scipy(simulated):
    # statistics.md 3.3
    first, second, clusters = simulated
    sums = np.bincount(clusters, weights=first - second, minlength=1000)

    def total(values, axis=-1):
        return values.sum(axis=axis)

    theirs = stats.permutation_test(
        (sums[:150],), total, permutation_type="samples", n_resamples=4000, vectorized=True,
        rng=np.random.default_rng(2),
    )  # fmt: skip
    assert sign_flip_p_value(sums[:150], range(150)) == pytest.approx(theirs.pvalue, abs=0.03)
    exact = stats.permutation_test((sums[:12],), total, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip_p_value(sums[:12], range(12)) == pytest.approx(exact.pvalue, abs=1e-12)


def test_pairing_takes_off_what_systems_share(simulated):
    # statistics.md 3.3: Var(d)/n = SE_A² + SE_B² - 2 ρ SE_A SE_B without clusters
    first, second, clusters = simulated
    found = paired_comparison(first, second, range(4040), draws=100)
    one, other = stats.sem(first), stats.sem(second)
    assert found.standard_error**2 == pytest.approx(one**2 + other**2 - 2 * found.correlation * one * other, rel=1e-9)
    assert found.standard_error < np.hypot(one, other)
    together = paired_comparison(first, second, clusters, draws=100)
    assert (together.difference, together.n_clusters) == (found.difference, np.unique(clusters).size)


@pytest.mark.parametrize(("n", "variance", "effect"), [(320, 0.30, 1.0), (4016, 0.30, 1.3), (500, 0.42, 2.0)])
def test_the_detectable_difference_is_found_with_that_power(n, variance, effect):
    # statistics.md 3.5: n = (z + z)² variance / δ²
    delta = minimum_detectable_effect(n, variance=variance, design_effect=effect)
    assert (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2 * variance * effect / delta**2 == pytest.approx(n)
    error = np.sqrt(variance * effect / n)
    assert stats.norm.sf(stats.norm.ppf(0.975), loc=delta / error) == pytest.approx(0.8, abs=1e-9)


def test_runs_of_an_item_lower_the_detectable_difference():
    # statistics.md 3.5: ω² + σ_A²/K_A + σ_B²/K_B
    once, four = (minimum_detectable_effect(320, variance=0.2 + 0.1 / runs + 0.1 / runs) for runs in (1, 4))
    assert four / once == pytest.approx(np.sqrt(0.25 / 0.4))


def test_the_error_of_an_adjusted_score_is_adjusted():
    # faults_scoring.md 56: accuracy .60, n = 100, chance .25: .467 ± .066, not .049
    hits = np.repeat([1.0, 0.0], [60, 40])
    found = estimate((hits - 0.25) / 0.75, range(100), binary=False, bounds=(-1 / 3, 1))
    assert found.value == pytest.approx(0.467, abs=5e-4)
    assert found.standard_error == pytest.approx(0.066, abs=5e-4)
    assert clustered_standard_error(hits, range(100)) == pytest.approx(0.049, abs=5e-4)


def test_videos_are_drawn_with_all_their_questions():
    # faults_scoring.md 57, 58: 100 videos with three equal outcomes; rows alone are 1.7 times too narrow
    hits, videos = np.repeat(np.arange(100) % 2, 3).astype(float), np.repeat(np.arange(100), 3)
    whole, rows = cluster_bootstrap(hits, videos), cluster_bootstrap(hits, range(300))
    assert (whole.high - whole.low) / (rows.high - rows.low) == pytest.approx(np.sqrt(3), rel=0.05)
    assert design_effect(hits, videos) == pytest.approx(3, rel=0.02)


def test_runs_of_an_item_stay_together():
    # faults_scoring.md 59: the variance within items counts, and no run is an item of its own
    generator = np.random.default_rng(3)
    runs = (generator.random((50, 4)) < generator.random((50, 1))).astype(float)
    by_item = clustered_standard_error(runs.ravel(), np.repeat(np.arange(50), 4))
    assert by_item == pytest.approx(clustered_standard_error(runs.mean(axis=1), range(50)), rel=1e-12)
    assert by_item > clustered_standard_error(runs.ravel(), range(200))


def test_nothing_is_drawn_in_other_processes():
    # faults_scoring.md 61
    folder = Path(musebench_tasks.statistics.__file__).parent
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")]
    imported = {
        name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([each.name for each in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    }
    assert not {name for name in imported if name.startswith(("multiprocessing", "concurrent", "threading"))}


def test_equals_at_the_top_share_the_first_rank():
    # faults_scoring.md 68
    perfect = np.ones((20, 3))
    perfect[:5, 2] = 0
    found = rank_systems(perfect, range(20), draws=200)
    assert found.ranks == (1, 1, 3)
    assert (found.low[:2], found.high[:2]) == ((1, 1), (1, 1))


@pytest.mark.parametrize("n_clusters", [29, 30])
def test_few_clusters_are_warned_of_and_reach_further(n_clusters):
    # statistics.md 3.1: below 30 clusters Student's t and a warning
    scores = np.random.default_rng(4).normal(size=3 * n_clusters)
    clusters = np.repeat(np.arange(n_clusters), 3)
    found = estimate(scores, clusters, binary=False)
    assert (found.warning is not None) == (n_clusters < 30)
    interval = interval_of_mean(scores, clusters, binary=False)
    reach = stats.t.ppf(0.975, n_clusters - 1) * found.standard_error
    assert (interval.low, interval.high) == pytest.approx((found.value - reach, found.value + reach))


@pytest.mark.slow
@pytest.mark.parametrize("n_clusters", [12, 40, 200])
def test_equal_systems_are_told_apart_as_seldom_as_stated(n_clusters):
    # statistics.md 3.3: with clusters p < .05 in one of twenty; items flipped one by one are told apart too often
    generator = np.random.default_rng(8)
    clusters = np.repeat(np.arange(n_clusters), 3)
    together, alone = [], []
    for _ in range(1000):
        shared = generator.normal(size=n_clusters)[clusters]
        differences = shared + generator.normal(size=clusters.size)
        together.append(sign_flip_p_value(differences, clusters, draws=1000))
        alone.append(sign_flip_p_value(differences, range(clusters.size), draws=1000))
    assert np.mean(np.array(together) < 0.05) == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 1000) + 0.005)
    assert np.mean(np.array(alone) < 0.05) > 0.1


@pytest.mark.slow
def test_the_interval_within_classes_holds_the_balanced_accuracy():
    # music_metrics.md 4: classes of 400, 60 and 40; a class of 4 has too few outcomes for any bootstrap
    generator = np.random.default_rng(9)
    sizes, recalls = (400, 60, 40), (0.9, 0.6, 0.7)
    held = 0
    for seed in range(1000):
        hits = [generator.binomial(size, recall) for size, recall in zip(sizes, recalls, strict=True)]
        confusion = np.diag(hits) + np.roll(np.diag(np.array(sizes) - hits), 1, axis=1)
        found = stratified_bootstrap(confusion, draws=1000, seed=seed)
        held += found.low <= np.mean(recalls) <= found.high
    assert held / 1000 == pytest.approx(0.95, abs=3 * np.sqrt(0.05 * 0.95 / 1000) + 0.01)
