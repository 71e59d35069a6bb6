"""The percentile cluster bootstrap (statistics.md 3.2; music_metrics.md 9)."""

import time

import numpy as np
import pytest
from scipy import stats

from musebench_tasks.base.errors import InputError
from musebench_tasks.statistics import bootstrap_totals, cluster_bootstrap, clustered_standard_error
from musebench_tasks.statistics.bootstrap import _kinds, ratio


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # music_metrics.md 9; the ends lie on a grid of 1/n, other random numbers may move them by one step
    [(268, 500, 0.492, 0.580), (492, 500, 0.972, 0.994), (3, 8, 0.125, 0.75), (0, 500, 0, 0), (500, 500, 1, 1)],
)
def test_percentile_intervals_of_shares(hits, n, low, high):
    interval = cluster_bootstrap([1] * hits + [0] * (n - hits), range(n))
    assert interval.low == pytest.approx(low, abs=1.001 / n if n > 8 else 1e-12)
    assert interval.high == pytest.approx(high, abs=1.001 / n if n > 8 else 1e-12)
    assert (interval.method, interval.draws, interval.seed) == ("percentile_cluster_bootstrap", 10_000, 42)


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
    assert cluster_bootstrap(scores, range(50), seed=1) == cluster_bootstrap(scores, range(50), seed=1)
    assert cluster_bootstrap(scores, range(50), seed=1) != cluster_bootstrap(scores, range(50), seed=2)


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
