"""Sums of many clusters drawn from their normal distribution stand for sums of drawn clusters."""

import numpy as np
import pytest

from musebench_tasks.statistics.bootstrap import NORMAL_FROM, bootstrap_totals, normal_totals
from musebench_tasks.statistics.clusters import ClusterNames, cluster_codes


@pytest.fixture(scope="module")
def material():
    """Hits, a skewed count and the number of items, in clusters of 1 to 3 items."""
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
