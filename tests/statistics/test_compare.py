"""Paired comparisons (statistics.md 3.3, 3.5; music_metrics.md 9)."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from musebench_tasks.base.errors import InputError
from musebench_tasks.statistics import (
    clustered_standard_error,
    holm,
    interval_of_difference,
    mcnemar,
    mcnemar_exact,
    minimum_detectable_effect,
    paired_comparison,
    sign_flip_p_value,
)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        (10, 3, 0.092285),  # statistics.md 3.3
        (20, 0, 1.907e-06),  # music_metrics.md 9, as the next three
        (10, 5, 0.301758),
        (60, 40, 0.056888),
        (0, 0, 1),
        (5, 5, 1),
    ],
)
def test_mcnemar_is_exact(only_first, only_second, p):
    assert mcnemar_exact(only_first, only_second) == pytest.approx(p, abs=5e-7)
    assert mcnemar_exact(only_second, only_first) == mcnemar_exact(only_first, only_second)
    if only_first + only_second:
        theirs = stats.binomtest(only_first, only_first + only_second).pvalue
        assert mcnemar_exact(only_first, only_second) == pytest.approx(theirs, rel=1e-9)


def test_mcnemar_counts_items_that_one_system_alone_got():
    assert mcnemar([1] * 10 + [0] * 3 + [1, 0], [0] * 10 + [1] * 3 + [1, 0]) == mcnemar_exact(10, 3)
    with pytest.raises(InputError, match="0/1"):
        mcnemar([0.5], [1])


def test_holm_adjusts_for_the_whole_family():
    # statistics.md 3.3
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []
    with pytest.raises(InputError, match="between 0 and 1"):
        holm([1.5])


def test_the_difference_is_paired_and_clustered():
    generator = np.random.default_rng(5)
    clusters = np.repeat(np.arange(60), 4)
    ability = generator.random(240)
    first, second = (ability < 0.7).astype(int), (ability + 0.1 * generator.normal(size=240) < 0.55).astype(int)
    result = paired_comparison(first, second, clusters)
    assert result.difference == pytest.approx(first.mean() - second.mean())
    assert result.standard_error == pytest.approx(clustered_standard_error(first - second, clusters))
    assert result.interval.low < result.difference < result.interval.high
    assert result.p_value < 0.01
    assert result.correlation > 0.4
    mirrored = paired_comparison(second, first, clusters)
    assert (mirrored.difference, mirrored.p_value) == (-result.difference, result.p_value)


def test_a_system_does_not_differ_from_itself():
    result = paired_comparison([0, 1, 1] * 5, [0, 1, 1] * 5, range(15))
    assert (result.difference, result.standard_error, result.p_value) == (0, 0, 1)
    assert paired_comparison([1, 1], [1, 0], "ab").correlation is None


def test_sign_flips_of_few_clusters_are_the_exact_permutation():
    sums = np.array([0.5, -1.0, 2.0, 1.5, 0.0, 1.0, -0.25, 0.75])
    exact = np.mean([abs(np.dot(signs, sums)) >= abs(sums.sum()) - 1e-9 for signs in product((-1, 1), repeat=8)])
    assert sign_flip_p_value(sums, range(8)) == pytest.approx(exact, abs=1e-12)


def test_equal_clusters_need_only_be_counted():
    generator = np.random.default_rng(2)
    sizes = np.repeat(generator.random(15), 20)
    differences = sizes * generator.choice([-1, 1], p=[0.45, 0.55], size=300)
    slightly = differences * (1 + 1e-9 * np.arange(300))  # every size is now a size of its own
    counted, flipped = sign_flip_p_value(differences, range(300)), sign_flip_p_value(slightly, range(300))
    assert 0.001 < counted < 0.9
    assert counted == pytest.approx(flipped, abs=4 * np.sqrt(2 * counted / 10_000))


def test_whole_clusters_change_sign():
    differences = [1, 1, 1, 1, 1, 1]
    assert sign_flip_p_value(differences, range(6)) == 2 / 64
    assert sign_flip_p_value(differences, "aaabbb") == 0.5


@pytest.mark.parametrize(("only_first", "only_second"), [(10, 3), (60, 40), (30, 1), (20, 20)])
def test_zero_one_scores_of_independent_items_are_compared_by_mcnemar(only_first, only_second):
    # statistics.md 3.3: binary and unclustered: exact McNemar
    first = [1] * only_first + [0] * only_second + [1, 0] * 10
    second = [0] * only_first + [1] * only_second + [1, 0] * 10
    found = paired_comparison(first, second, range(len(first)))
    assert found.p_value == pytest.approx(mcnemar_exact(only_first, only_second), rel=1e-9)


def test_systems_are_compared_on_the_same_items():
    with pytest.raises(InputError, match="same items"):
        paired_comparison([1], [1, 0], "ab")
    assert paired_comparison([], [], []).difference is None


@pytest.mark.parametrize(("n", "effect", "points"), [(4016, 1, 2.4), (4016, 1.3, 2.8), (500, 1, 6.9), (320, 1, 8.6)])
def test_minimum_detectable_effects(n, effect, points):
    # statistics.md 3.5
    found = 100 * minimum_detectable_effect(n, variance=0.30, design_effect=effect)
    assert found == pytest.approx(points, abs=0.05)


@pytest.mark.parametrize("n", [1, 8, 11, 12, 13])
def test_no_p_is_smaller_than_clusters_of_one_sign_allow(n):
    assert sign_flip_p_value([1.0] * n, range(n)) == 2 / 2**n


def test_many_clusters_are_drawn_and_agree_with_all_patterns():
    sums = np.random.default_rng(3).normal(0.3, 1, 13)
    exact = sign_flip_p_value(sums, range(13))
    drawn = sign_flip_p_value(sums, range(13), draws=8000)
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=0.02)
    assert sign_flip_p_value([0.0, 0.0], "ab") == 1.0


MOST = 0.287594
"""Wilson's upper end of 0 of 12: t²/(12 + t²), t = 2.200985 of 11 degrees of freedom."""


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        (0, 0, -MOST, MOST),
        (1, 0, 1 - 2 * MOST, 1.0),
        (0, 1, -1.0, 2 * MOST - 1),
        (0.5, 0.25, 0.25 - 1.25 * MOST, 0.25 + 0.75 * MOST),
    ],
)
def test_differences_that_are_all_alike_have_a_width(first, second, low, high):
    # statistics.md 3.6: an interval without width holds nothing
    found = interval_of_difference([first] * 12, [second] * 12, range(12))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)
    assert found.method == "wilson_alike"
    fewer = interval_of_difference([first] * 12, [second] * 12, np.arange(12) // 3)
    assert fewer.high - fewer.low > found.high - found.low


def test_differences_reach_as_far_as_scores_do():
    adjusted = [1, -1 / 3] * 6
    found = interval_of_difference(adjusted, adjusted, range(12))
    assert found.high == pytest.approx(4 / 3 * MOST, abs=1e-6)


def test_differences_that_are_not_alike_have_a_t_interval():
    first, second = [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1]
    found = interval_of_difference(first, second, range(12))
    differences = np.subtract(first, second)
    reach = stats.t.ppf(0.975, 11) * stats.sem(differences)
    assert (found.low, found.high) == pytest.approx((differences.mean() - reach, differences.mean() + reach))
    assert found.method == "t_clusters"
    assert interval_of_difference(first[:9], second[:9], range(9)) is None
    assert interval_of_difference(first, second, [0] * 12) is None


def test_differences_that_cancel_in_every_cluster_have_a_width():
    found = interval_of_difference([1, 0] * 10, [0, 1] * 10, [each // 2 for each in range(20)])
    assert found.method == "wilson_alike"
    assert found.low < 0 < found.high
