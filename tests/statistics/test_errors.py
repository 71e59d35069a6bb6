"""Standard errors and intervals (statistics.md 3.1, 3.6; music_metrics.md 4 and 9)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Interval
from musebench_tasks.statistics import (
    clopper_pearson_interval,
    clustered_standard_error,
    critical_value,
    design_effect,
    effective_n,
    estimate,
    image,
    interval_of_mean,
    uses_students_t,
    wilson_interval,
)


@pytest.mark.parametrize(
    ("method", "expected"),
    [("wilson", False), ("wilson_t", True), ("wilson_effective_n_t", True), ("t_clusters", True), ("gwet_t", True),
     ("percentile_stratified_bootstrap", False), ("clopper_pearson", False)],
)  # fmt: skip
def test_students_t_stands_in_the_method_s_name(method, expected):
    assert uses_students_t(Interval(low=0, high=1, method=method)) is expected


def test_three_equal_answers_a_video_count_once():
    # faults_scoring.md 57: 100 videos, p = .5
    scores = np.repeat([0, 1], 150)
    videos = np.repeat(np.arange(100), 3)
    assert clustered_standard_error(scores, videos) == pytest.approx(0.05 * np.sqrt(100 / 99), rel=1e-9)
    assert clustered_standard_error(scores, range(300)) == pytest.approx(0.0289, abs=5e-5)
    assert effective_n(scores, videos) == pytest.approx(100, rel=0.01)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=2, max_size=40), st.randoms())
def test_the_error_does_not_depend_on_the_order(rows, random):
    def error(rows):
        return clustered_standard_error([score for score, _ in rows], [cluster for _, cluster in rows])

    shuffled = random.sample(rows, len(rows))
    expected = error(rows)
    assert error(shuffled) == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(("scores", "clusters"), [([1, 0, 1], "aaa"), ([1], "a"), ([], "")])
def test_one_cluster_has_no_error(scores, clusters):
    assert clustered_standard_error(scores, list(clusters)) is None
    assert estimate(scores, list(clusters), binary=True).standard_error is None


def test_a_score_that_is_not_finite_is_refused():
    with pytest.raises(InputError, match="Score 1 is nan"):
        clustered_standard_error([0.0, float("nan")], "ab")


def test_every_item_needs_its_cluster():
    with pytest.raises(InputError, match="2 scores but 1 cluster ids"):
        clustered_standard_error([0, 1], ["a"])


def test_few_clusters_widen_the_interval():
    assert critical_value(3) == pytest.approx(4.302653, abs=1e-6)
    assert critical_value(10**7) == pytest.approx(1.959964, abs=1e-6)


# music_metrics.md 9
SHARES = [
    (268, 500, (0.4922, 0.5793), (0.4912, 0.5804)),
    (127, 500, (0.2178, 0.2939), (0.2164, 0.2945)),
    (147, 500, (0.2558, 0.3354), (0.2544, 0.3361)),
    (55, 500, (0.0855, 0.1405), (0.0839, 0.1408)),
    (183, 500, (0.3249, 0.4091), (0.3237, 0.4099)),
    (492, 500, (0.9687, 0.9919), (0.9687, 0.9931)),
]


@pytest.mark.parametrize(("successes", "n", "wilson", "exact"), SHARES)
def test_intervals_of_shares(successes, n, wilson, exact):
    for interval, ends in ((wilson_interval(successes, n), wilson), (clopper_pearson_interval(successes, n), exact)):
        assert (interval.low, interval.high) == pytest.approx(ends, abs=5e-5)


@pytest.mark.parametrize(("successes", "low", "high"), [(0, 0, 0.490), (4, 0.510, 1)])
def test_all_or_nothing_still_has_an_interval(successes, low, high):
    # music_metrics.md 4
    interval = wilson_interval(successes, 4)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-4)


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (-1, 4), (5, 4)])
def test_impossible_shares_are_refused(successes, n):
    for interval in (wilson_interval, clopper_pearson_interval):
        with pytest.raises(InputError, match="successes"):
            interval(successes, n)


def test_a_large_independent_sample_gets_plain_wilson():
    scores = [1] * 268 + [0] * 232
    assert interval_of_mean(scores, range(500), binary=True) == wilson_interval(268, 500)


def test_the_interval_names_its_method():
    scores = np.tile([0, 1, 1], 40)

    def method(n, items_a_cluster, binary=True):
        return interval_of_mean(scores[:n], np.arange(n) // items_a_cluster, binary=binary).method

    assert [method(120, 1), method(36, 1)] == ["wilson", "wilson_t"]
    assert [method(36, 3), method(36, 1, binary=False)] == ["wilson_effective_n_t", "t_clusters"]
    wide = np.resize([0, 1, 1, 0, 1], 400)
    assert interval_of_mean(wide, np.arange(400) // 2, binary=True).method == "wilson_effective_n"


def test_below_ten_items_no_interval_is_given():
    assert interval_of_mean([1] * 9, range(9), binary=True) is None
    assert interval_of_mean([1] * 10, range(10), binary=True) is not None
    # Four runs of nine items are still nine items.
    assert interval_of_mean([1] * 36, np.repeat(range(9), 4), binary=True, n_items=9) is None


def test_scores_called_binary_are_zero_or_one():
    with pytest.raises(InputError, match="binary"):
        interval_of_mean([0.5] * 12, range(12), binary=True)


def test_alike_scores_count_their_clusters():
    assert design_effect([1] * 12, np.arange(12) // 3) is None
    assert effective_n([1] * 12, np.arange(12) // 3) == 4
    interval = interval_of_mean([1] * 12, np.arange(12) // 3, binary=True)
    assert interval.high == 1
    assert interval.low < 0.4


def test_balanced_clusters_never_raise_the_effective_number():
    assert effective_n([0, 1] * 10, np.arange(20) // 2) == 20


def test_an_estimate_carries_all_that_is_printed():
    result = estimate([1, 1, 0, 0, 0, 1] * 4, list("aaabbc") * 4, binary=True)
    assert (result.value, result.n, result.n_clusters) == (0.5, 24, 3)
    assert result.standard_error is not None
    assert result.interval is not None
    assert "only 3 clusters" in result.warning
    assert estimate([0, 1] * 20, range(40), binary=True).warning is None
    assert estimate([], [], binary=True) == (None, None, None, 0, 0)


def test_caa_with_one_option_count_is_the_image_of_accuracy():
    # statistics.md 3.6
    accuracy = Interval(low=0.25, high=0.55, method="wilson")
    assert image(accuracy, slope=4 / 3, offset=-1 / 3).low == pytest.approx(0)
    assert image(accuracy, slope=4 / 3, offset=-1 / 3).high == pytest.approx(0.4)
    assert image(accuracy, slope=-1, offset=0).high == -0.25


def test_caa_between_its_bounds_has_that_image():
    correct = np.resize([1, 0, 1, 1, 0, 0, 1], 42)
    clusters = np.arange(42) // 3
    accuracy = interval_of_mean(correct, clusters, binary=True)
    adjusted = (correct - 1 / 7) / (1 - 1 / 7)
    interval = interval_of_mean(adjusted, clusters, binary=False, bounds=(-1 / 6, 1))
    assert interval.method == accuracy.method
    assert interval.low == pytest.approx((accuracy.low - 1 / 7) * 7 / 6, abs=1e-12)
    assert interval.high == pytest.approx((accuracy.high - 1 / 7) * 7 / 6, abs=1e-12)


def test_bounded_scores_stay_within_their_bounds():
    scores = [1.0] * 11 + [0.8]
    interval = interval_of_mean(scores, range(12), binary=False, bounds=(0, 1))
    assert interval.method == "wilson_bounded_t"
    assert 0.5 < interval.low < np.mean(scores) < interval.high < 1
    assert interval_of_mean(scores, range(12), binary=False).high > 1
    assert interval_of_mean([1.0] * 12, range(12), binary=False, bounds=(0, 1)).high == 1
    assert interval_of_mean([0.5] * 12, range(12), binary=False, bounds=(0, 1)).low < 0.3


@pytest.mark.parametrize("bounds", [(0, 0.5), (0.9, 2), (1, 1)])
def test_scores_outside_their_bounds_are_refused(bounds):
    with pytest.raises(InputError, match="outside their bounds|The bounds are 1 to 1"):
        interval_of_mean([0.8] * 12, range(12), binary=False, bounds=bounds)


def test_scores_without_bounds_that_are_alike_have_no_interval():
    # statistics.md 3.6: an interval without width covers nothing; two systems that differ on no item
    assert interval_of_mean([0.0] * 12, range(12), binary=False) is None
    assert interval_of_mean([0.1] * 12, np.arange(12) // 2, binary=False) is None
    assert estimate([0.0] * 12, range(12), binary=False).standard_error == 0


@pytest.mark.parametrize("share", [0.2, 0.5, 0.3, 1 / 3])
@pytest.mark.parametrize("size", [1, 2])
def test_bounded_scores_that_are_all_alike_have_the_width_of_as_many_binary_items(share, size):
    clusters = [each // size for each in range(20)]
    found = interval_of_mean([share] * 20, clusters, binary=False, bounds=(0, 1))
    n = 20 // size
    expected = wilson_interval(share * n, n, critical=critical_value(n))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.method == "wilson_bounded_t"
    assert found.high - found.low > 0.3
    assert clustered_standard_error([share] * 20, clusters) == 0.0
    assert design_effect([share] * 20, clusters) is None


def test_clusters_that_are_all_alike_have_a_width_too():
    scores, clusters = [0.1, 0.3] * 12, [each // 2 for each in range(24)]
    found = interval_of_mean(scores, clusters, binary=False, bounds=(0, 1))
    assert found.low < 0.1
    assert found.high > 0.4
    assert interval_of_mean(scores, clusters, binary=False) is None


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_scores_on_their_bound_are_binary_scores(value):
    alike = interval_of_mean([value] * 20, range(20), binary=False, bounds=(0, 1))
    assert alike == interval_of_mean([value] * 20, range(20), binary=True)
