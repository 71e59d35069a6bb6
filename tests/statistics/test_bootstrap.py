"""The percentile cluster bootstrap (statistics.md 3.2; music_metrics.md 9)."""

import time
from functools import partial

import numpy as np
import pytest
from scipy import stats

from musebench_tasks.base.errors import InputError
from musebench_tasks.statistics import (
    bootstrap_totals,
    cluster_bootstrap,
    clustered_standard_error,
    independent_bootstrap,
)
from musebench_tasks.statistics.bootstrap import NORMAL_FROM, _kinds, normal_totals, ratio
from musebench_tasks.statistics.clusters import ClusterNames, cluster_codes


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # music_metrics.md 9; the ends lie on a grid of 1/n, other random numbers may move them by one step
    [(268, 500, 0.492, 0.580), (492, 500, 0.972, 0.994), (3, 8, 0.125, 0.75), (0, 500, 0, 0), (500, 500, 1, 1)],
)
def test_percentile_intervals_of_shares(hits, n, low, high):
    scores = [1] * hits + [0] * (n - hits)
    for form, found in (("cluster", cluster_bootstrap(scores, range(n))), ("binomial", independent_bootstrap(scores))):
        assert (found.low, found.high) == pytest.approx((low, high), abs=1.001 / n if n > 8 else 1e-12)
        assert (found.method, found.draws, found.seed) == (f"percentile_{form}_bootstrap", 10_000, 42)


def test_drawn_kinds_and_drawn_clusters_have_one_distribution():
    scores = np.tile([0.0, 1.0, 1.0, 0.0, 1.0, 1.0], 100)
    clusters = np.arange(600) // 2
    by_kind = ratio(bootstrap_totals(np.stack([scores, np.ones(600)], axis=1), clusters))
    # Weights that differ in the tenth digit make every cluster a kind of its own.
    slightly = scores + np.linspace(0, 1e-9, 600)
    by_cluster = ratio(bootstrap_totals(np.stack([slightly, np.ones(600)], axis=1), clusters))
    assert by_kind.std() == pytest.approx(by_cluster.std(), rel=0.03)
    assert by_kind.std() == pytest.approx(clustered_standard_error(scores, clusters), rel=0.03)


def test_it_agrees_with_scipy_on_independent_items():
    scores = np.random.default_rng(3).normal(size=200)
    ours = cluster_bootstrap(scores, range(200))
    theirs = stats.bootstrap((scores,), np.mean, method="percentile", rng=np.random.default_rng(1)).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.012)


def test_a_statistic_of_sums_sees_all_draws_at_once():
    counts = np.array([[2, 2, 3], [1, 2, 1], [0, 1, 2], [2, 3, 2], [1, 1, 1], [3, 4, 3]])

    def micro_f1(totals):
        return 2 * totals[:, 0] / (totals[:, 1] + totals[:, 2])

    interval = cluster_bootstrap(counts, "aabbcd", micro_f1, draws=500, seed=7)
    assert 0 < interval.low < 2 * 9 / (13 + 12) < interval.high < 1


def test_the_seed_alone_decides():
    scores = np.random.default_rng(0).random(50)
    for bootstrap in (partial(cluster_bootstrap, scores, range(50)), partial(independent_bootstrap, scores)):
        assert bootstrap(seed=1) == bootstrap(seed=1)
        assert bootstrap(seed=1) != bootstrap(seed=2)


def test_undefined_draws_are_counted():
    hits_of_class = np.array([[1, 1], [0, 0], [0, 0], [0, 0]])
    interval = cluster_bootstrap(hits_of_class, "abcd", draws=1000)
    assert "undefined draws" in interval.method
    assert (interval.low, interval.high) == (1, 1)


def test_without_two_clusters_there_is_no_interval():
    assert cluster_bootstrap([1, 0], "aa") is None
    assert cluster_bootstrap([], []) is None
    with pytest.raises(InputError, match="at least one item"):
        bootstrap_totals(np.empty((0, 2)), [])


def test_a_thousand_clusters_take_a_moment():
    scores = np.random.default_rng(0).random(4040)
    clusters = np.random.default_rng(1).integers(1000, size=4040)
    start = time.process_time()
    cluster_bootstrap(scores, clusters)
    assert time.process_time() - start < 2.0


def test_equal_rows_are_found_as_numpy_finds_them():
    generator = np.random.default_rng(2)
    for rows in (generator.integers(3, size=(500, 4)), generator.integers(-2, 2, size=(200, 3)) / 7, np.zeros((5, 2))):
        kinds, counts = _kinds(np.asarray(rows, dtype=float))
        expected, times = np.unique(np.asarray(rows, dtype=float), axis=0, return_counts=True)
        assert (kinds == expected).all()
        assert (counts == times).all()


@pytest.fixture(scope="module")
def material():
    """Of many clusters of 1 to 3 items: hits, a skewed count, the number of items."""
    generator = np.random.default_rng(3)
    sizes = generator.integers(1, 4, NORMAL_FROM)
    clusters = np.repeat(np.arange(NORMAL_FROM), sizes)
    hits = (generator.random(clusters.size) < 0.3).astype(float)
    return np.column_stack([hits, generator.exponential(size=clusters.size), np.ones(clusters.size)]), clusters


@pytest.mark.parametrize("column", [0, 1])
def test_quantiles_of_a_ratio_agree_within_what_draws_scatter(material, column):
    columns, clusters = material
    drawn, normal = (make(columns, clusters, draws=4_000) for make in (bootstrap_totals, normal_totals))
    ratios = [totals[:, column] / totals[:, 2] for totals in (drawn, normal)]
    error = ratios[0].std()
    assert ratios[1].std() == pytest.approx(error, rel=0.05)
    for quantile in (0.025, 0.5, 0.975):
        assert np.quantile(ratios[0], quantile) == pytest.approx(np.quantile(ratios[1], quantile), abs=0.25 * error)


def test_columns_that_are_constant_or_follow_from_others_are_no_error():
    columns = np.column_stack([np.arange(10.0), 2 * np.arange(10.0), np.ones(10)])
    totals = normal_totals(columns, np.arange(10), draws=100)
    assert np.allclose(totals[:, 1], 2 * totals[:, 0])
    assert np.allclose(totals[:, 2], 10)


def test_names_that_know_their_numbers_number_as_any_others():
    names = ["b", "a", "b", "c"]
    plain, known = cluster_codes(names, 4), cluster_codes(ClusterNames(names), 4)
    assert (plain[0].tolist(), plain[1]) == (known[0].tolist(), known[1]) == ([0, 1, 0, 2], 3)
