"""Probabilities of options: expected accuracy, Brier score, calibration error."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures import brier_scores, calibration, expected_accuracy, option_probabilities


def two_options(*confidences, gold=None):
    """Items with options a and b; a has the probability given."""
    shares = [{"a": each, "b": 1 - each} for each in confidences]
    return option_probabilities(shares, gold or "a" * len(shares), ["ab"] * len(shares))


def test_expected_accuracy_is_the_mass_on_the_right_option():
    found = option_probabilities(
        [{"a": 0.5, "b": 0.25, "c": 0.25}, {"c": 0.3}, None, {}], "acab", ["abc", "abcd", "ab", "ab"]
    )
    assert expected_accuracy(found).tolist() == [0.5, 0.3, 0, 0], "0.3 is not renormalised, none given is no hit"
    assert found.given.tolist() == [True, True, False, False]


@pytest.mark.parametrize("n_options", [2, 4, 8])
def test_uniform_probabilities_are_worth_chance(n_options):
    ids = "abcdefgh"[:n_options]
    found = option_probabilities([dict.fromkeys(ids, 1 / n_options)], "a", [ids])
    assert expected_accuracy(found)[0] == pytest.approx(1 / n_options)
    assert brier_scores(found)[0] == pytest.approx(1 - 1 / n_options)
    assert not calibration(found).correct[0], "a tie is no answer"


def test_brier_scores_run_from_0_to_2():
    shares = [{"a": 1.0}, {"b": 1.0}, {"a": 0.7, "b": 0.2}, {"a": 0.0}]
    found = brier_scores(option_probabilities(shares, "aaaa", ["abc"] * 4))
    assert found.tolist() == pytest.approx([0, 2, 0.3**2 + 0.2**2 + 0.1**2, 2])


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 30), st.integers(3, 8), st.integers(0, 2**32 - 1))
def test_brier_scores_equal_those_of_scikit_learn(n, n_options, seed):
    metrics = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(seed)
    table = generator.dirichlet(np.ones(n_options + 1), size=n)  # the last class is "no answer"
    ids = [f"option {number}" for number in range(n_options)]
    gold = generator.choice(ids, size=n).tolist()
    shares = [dict(zip(ids, row, strict=False)) for row in table.tolist()]
    ours = brier_scores(option_probabilities(shares, gold, [ids] * n)).mean()
    labels = [*ids, "zzz no answer"]
    assert ours == pytest.approx(metrics.brier_score_loss(gold, table, labels=labels), abs=1e-12)


def test_calibration_error_by_hand():
    # bins (.9, 1]: two answers at .95, one right; (.5, .6]: one at .6, wrong
    found = two_options(0.95, 0.95, 0.6, gold="abb")
    assert found.table.shape == (3, 2)
    result = calibration(found)
    assert result.error == pytest.approx((abs(1 - 1.9) + abs(0 - 0.6)) / 3)
    assert [(each.low, each.high, each.n) for each in result.bins if each.n] == [(0.5, 0.6, 1), (0.9, 1.0, 2)]
    assert (result.bins[9].confidence, result.bins[9].accuracy) == (pytest.approx(0.95), 0.5)
    assert (result.bins[0].confidence, result.bins[0].accuracy) == (None, None), "an empty bin has no mean"


@pytest.mark.parametrize(
    ("confidence", "place"), [(0.6, 5), (0.6000001, 6), (0.7, 6), (0.9, 8), (1.0, 9), (0.51, 5), (0.8, 7)]
)
def test_an_edge_belongs_to_the_bin_below_it(confidence, place):
    assert [each.n for each in calibration(two_options(confidence)).bins].index(1) == place


def test_the_first_bin_holds_zero():
    found = option_probabilities([{"a": 0.0}, {"a": 0.1}, {"a": 0.11}], "aaa", ["abc"] * 3)
    assert [each.n for each in calibration(found).bins][:3] == [2, 1, 0]


def test_a_sure_and_right_system_is_calibrated_and_a_sure_and_wrong_one_is_not():
    assert calibration(two_options(1.0, 1.0)).error == 0
    assert calibration(two_options(1.0, 1.0, gold="bb")).error == 1


def test_ties_are_misses_at_their_confidence():
    result = calibration(option_probabilities([{"a": 0.4, "b": 0.4, "c": 0.2}], "a", ["abc"]))
    assert (result.correct[0], result.error) == (False, pytest.approx(0.4))


def test_what_gave_no_probabilities_has_no_confidence():
    found = option_probabilities([{"a": 1.0}, None], "aa", ["ab", "ab"])
    result = calibration(found)
    assert (result.n, result.error) == (1, 0)
    assert math.isnan(result.confidence[1])
    assert np.isnan(brier_scores(found)).tolist() == [False, True]
    nothing = option_probabilities([None], "a", ["ab"])
    assert (calibration(nothing).n, calibration(nothing).error) == (0, None)


def test_without_items_there_is_nothing():
    found = option_probabilities([], [], [])
    assert (expected_accuracy(found).size, brier_scores(found).size, calibration(found).error) == (0, 0, None)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40), st.integers(1, 20))
def test_calibration_error_equals_the_sum_over_bins_written_out(answers, bins):
    shares = [{"a": each, "b": 0.0} for each, _ in answers]
    gold = ["a" if right else "b" for _, right in answers]
    found = calibration(option_probabilities(shares, gold, ["ab"] * len(answers)), bins=bins)
    expected = 0.0
    for b in range(bins):
        low, high = b / bins, (b + 1) / bins
        inside = [
            (share, right) for share, right in answers if (low < share or (b == 0 and share == 0)) and share <= high
        ]
        if inside:
            hits = sum(right and share > 0 for share, right in inside)
            expected += abs(hits - sum(share for share, _ in inside)) / len(answers)
    assert found.error == pytest.approx(expected, abs=1e-9)
    assert sum(each.n for each in found.bins) == len(answers)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"a": float("nan")}, 'Item 1: the probability of "a" is nan: expected 0 to 1'),
        ({"a": float("inf")}, "is inf"),
        ({"a": -0.1}, "is -0.1"),
        ({"a": 1.2}, "is 1.2"),
        ({"a": 0.7, "b": 0.7}, "Item 1: the probabilities sum to 1.4"),
        ({"x": 0.5}, 'Item 1: "x" is no option'),
        ({"a": None}, "is None, no number"),
        ({"a": "0.5"}, "is '0.5', no number"),
        ({"a": True}, "is True, no number"),
    ],
)
def test_what_is_no_distribution_is_refused(shares, message):
    with pytest.raises(InputError, match=message):
        option_probabilities([{"a": 1.0}, shares], "aa", ["ab", "ab"])


def test_rounding_of_a_sum_is_tolerated():
    found = option_probabilities([{"a": 0.5000001, "b": 0.5000001}], "a", ["ab"])
    assert expected_accuracy(found)[0] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(("gold", "options"), [("x", "ab"), ("a", "aab"), ("a", "")])
def test_a_right_option_that_is_not_there_is_refused(gold, options):
    with pytest.raises(InputError, match="the right option"):
        option_probabilities([None], [gold], [options])
    with pytest.raises(InputError, match="give one each"):
        option_probabilities([None], "aa", ["ab"])


def test_bins_are_counted():
    with pytest.raises(InputError, match="at least 1"):
        calibration(two_options(0.9), bins=0)
