"""Multiple choice (statistics.md 2.1 to 2.3, faults_scoring.md)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures import (
    aggregate_chance_adjusted_accuracy,
    chance_accuracy,
    chance_adjusted_accuracy,
    chance_adjusted_bounds,
    chance_consistency,
    chance_exact_match,
    consistency,
    exact_match,
    micro_set_scores,
    set_scores,
    spread_over_runs,
)


@pytest.mark.parametrize(
    ("correct", "n_options", "per_item", "aggregate"),
    # statistics.md 2.1
    [
        ([1, 0, 1, 1, 0], [4, 8, 8, 4, 4], 0.504762, 0.500000),
        ([1] * 5 + [0] * 5, [8] * 5 + [4] * 5, 0.333333, 0.384615),
        ([1] * 5 + [0] * 5, [4] * 5 + [8] * 5, 0.428571, 0.384615),
    ],
)
def test_accuracy_adjusted_for_chance(correct, n_options, per_item, aggregate):
    assert chance_adjusted_accuracy(correct, n_options).mean() == pytest.approx(per_item, abs=1e-6)
    assert aggregate_chance_adjusted_accuracy(correct, n_options) == pytest.approx(aggregate, abs=1e-6)


def test_items_keep_their_own_chance():
    adjusted = chance_adjusted_accuracy([1, 0, 1, 1, 0], [4, 8, 8, 4, 4])
    assert adjusted == pytest.approx([1, -0.142857, 1, 1, -0.333333], abs=1e-6)
    assert chance_accuracy([4, 8, 8, 4, 4]) == pytest.approx(0.2)


@pytest.mark.parametrize("n_options", [2, 4, 8])
def test_guessing_is_zero_and_knowing_is_one(n_options):
    guesses = [1] + [0] * (n_options - 1)
    assert chance_adjusted_accuracy(guesses, n_options).mean() == pytest.approx(0)
    assert chance_adjusted_accuracy([1] * 3, n_options).mean() == 1


def test_bounds_follow_from_the_smallest_option_count():
    assert chance_adjusted_bounds([8, 4, 5]) == (pytest.approx(-1 / 3), 1)
    assert chance_adjusted_bounds(2) == (-1, 1)
    with pytest.raises(InputError):
        chance_adjusted_bounds([])


def test_values_below_chance_are_not_clipped():
    # faults_scoring.md 55
    assert chance_adjusted_accuracy([0, 0], 4).tolist() == pytest.approx([-1 / 3, -1 / 3])


def test_mean_chance_is_not_the_chance_of_the_mean():
    # faults_scoring.md 54
    correct = [1] * 40 + [0] * 60
    assert aggregate_chance_adjusted_accuracy(correct, [4, 8] * 50) == pytest.approx(0.262, abs=5e-4)


@pytest.mark.parametrize(
    ("correct", "n_options"), [([1, 0], [4]), ([1], [1]), ([0.5], [4]), ([2], 4), ([1], float("nan"))]
)
def test_impossible_items_are_refused(correct, n_options):
    with pytest.raises(InputError):
        chance_adjusted_accuracy(correct, n_options)


def test_without_items_there_is_no_aggregate():
    assert chance_adjusted_accuracy([], []).size == 0
    assert aggregate_chance_adjusted_accuracy([], 4) is None
    assert chance_accuracy([]) is None


@pytest.mark.parametrize(("n_options", "sets"), [(4, 11), (5, 25), (6, 50), (7, 91), (8, 154)])
def test_chance_of_an_exact_match(n_options, sets):
    # statistics.md 2.2
    assert chance_exact_match(n_options) == 1 / sets
    with pytest.raises(InputError):
        chance_exact_match(1)


# statistics.md 2.2
PREDICTED = [set("AC"), set("B"), set("ABCD"), set(), set("AB")]
GOLD = [set("ACE"), set("BD"), set("AB"), set("AB"), set("AB")]


def test_sets_are_scored_item_by_item():
    scores = set_scores(PREDICTED, GOLD)
    assert scores.precision.mean() == pytest.approx(0.70)
    assert scores.recall.mean() == pytest.approx(0.633333, abs=1e-6)
    assert scores.f1.mean() == pytest.approx(0.626667, abs=1e-6)
    assert scores.exact_match.mean() == pytest.approx(0.2)
    assert exact_match(PREDICTED, GOLD).tolist() == [0, 0, 0, 0, 1]


def test_micro_scores_sum_the_counts():
    scores = micro_set_scores(PREDICTED, GOLD)
    assert scores == pytest.approx((0.777778, 0.636364, 0.70), abs=1e-6)
    assert micro_set_scores([None], ["AB"]) == (None, 0, 0)


@pytest.mark.parametrize("nothing", [None, set(), [], ""])
def test_no_answer_scores_zero_in_everything(nothing):
    # faults_scoring.md 16
    assert [each.tolist() for each in set_scores([nothing], ["AC"])] == [[0], [0], [0], [0]]


def test_selecting_all_is_no_good_answer():
    # faults_scoring.md 51
    scores = set_scores(["ABCDEFGH"], ["BDF"])
    assert (scores.precision[0], scores.recall[0], scores.exact_match[0]) == (0.375, 1, 0)
    assert scores.f1[0] == pytest.approx(0.545, abs=5e-4)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.frozensets(st.sampled_from("ABCDEF")), st.frozensets(st.sampled_from("ABCDEF"), min_size=1)))
)
def test_every_set_score_is_a_share(pairs):
    scores = set_scores([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    for values in scores:
        assert ((values >= 0) & (values <= 1)).all()
    assert (scores.f1 <= np.maximum(scores.precision, scores.recall) + 1e-12).all()
    assert scores.exact_match.tolist() == [float(predicted == gold) for predicted, gold in pairs]


def test_a_question_without_a_right_option_is_refused():
    with pytest.raises(InputError, match="Item 1 has no right option"):
        set_scores(["A", "B"], ["A", ""])
    with pytest.raises(InputError, match="give one each"):
        set_scores(["A"], ["A", "B"])


def runs(text):
    return [[None if mark == "-" else mark for mark in item] for item in text.split()]


def test_consistency_is_by_content_and_needs_every_run():
    # statistics.md 2.3
    result = consistency(runs("aaaa bbbb aaab aa-a abcd"), "aabaa")
    assert result.consistency == pytest.approx(0.4)
    assert result.agreement.tolist() == [1, 1, 0.5, 0.5, 0]
    assert result.mean_agreement == pytest.approx(0.6)
    # right: aaaa never wrong; bbbb never right; aaab, aa-a and abcd sometimes
    assert result.flip_rate == pytest.approx(0.6)
    assert result.all_correct == pytest.approx(0.2)
    assert result.accuracy == pytest.approx((4 + 0 + 1 + 3 + 1) / 20)
    assert result.accuracy_by_run.tolist() == pytest.approx([0.6, 0.4, 0.2, 0.6])


def test_answers_that_failed_alike_do_not_agree():
    result = consistency(runs("---- --aa"), "aa")
    assert result.consistency == 0
    assert result.agreement.tolist() == [0, pytest.approx(1 / 6)]
    # faults_scoring.md 14: three of four orders, all right
    assert consistency(runs("aaa-"), "a").consistency == 0


def test_the_spread_over_runs_is_a_sample_deviation():
    # statistics.md 2.3
    accuracies = [0.58, 0.60, 0.57, 0.61]
    assert spread_over_runs(accuracies) == pytest.approx(0.018257, abs=1e-6)
    assert spread_over_runs(accuracies, ddof=0) == pytest.approx(0.015811, abs=1e-6)


def test_guessers_are_rarely_consistent():
    # statistics.md 2.3
    assert chance_consistency([4, 4], 4) == pytest.approx(0.015625)
    assert chance_consistency([], 4) is None


def test_a_multi_select_answer_is_a_set():
    same, other = frozenset("ab"), frozenset("ac")
    result = consistency([[same, frozenset("ba")], [same, other], [frozenset(), frozenset()]], [same, same, same])
    assert result.consistent.tolist() == [True, False, False]
    assert result.correct_in_all.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("answers", "gold", "message"),
    [
        (runs("aa"), "ab", "give one each"),
        (runs("aa a"), "ab", "Item 1 has 1 runs"),
        (runs("a b"), "ab", "at least 2 runs"),
    ],
)
def test_runs_must_be_complete(answers, gold, message):
    with pytest.raises(InputError, match=message):
        consistency(answers, gold)
    assert consistency([], []) is None
