"""Places of right options against what shuffling gives (MB-09), and shortcuts against chance (MB-22)."""

import numpy as np
import pytest
from scipy import stats

from musebench_tasks.assembly.rules.collection import place_counts, place_test, shortcut_flaws
from musebench_tasks.assembly.rules.questions import Question


def test_expected_places_are_the_mean_of_one_over_k():  # MB-09: mean(1[j <= K]/K), not flat 1/8
    found, expected, _ = place_counts(np.array([0, 3, 1]), np.array([4, 4, 2]))
    assert found.tolist() == [1, 1, 0, 1]
    assert (expected / 3).tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6])


def test_equal_numbers_of_options_give_pearsons_test():
    places = np.repeat([0, 1, 2, 3], [30, 20, 26, 24])
    statistic, p = place_test(*place_counts(places, np.full(100, 4)))
    wanted = stats.chisquare([30, 20, 26, 24])
    assert (statistic, p) == pytest.approx((wanted.statistic, wanted.pvalue))


@pytest.mark.slow
def test_shuffled_options_of_mixed_numbers_keep_the_level_of_the_test():
    random = np.random.default_rng(42)
    counts = np.repeat([4, 5, 8], [50, 30, 40])
    rejected = [place_test(*place_counts(random.integers(0, counts), counts))[1] < 0.05 for _ in range(2000)]
    assert 0.035 < np.mean(rejected) < 0.065


def question(number, place, lengths=(6, 6, 6, 6), *, is_ordered=True):
    options = tuple(f"{letter}".ljust(length, "x") for letter, length in zip("pqrs", lengths, strict=True))
    columns = ("question", "options", "answer")
    return Question(f"q{number}", "single", "Why?", options, frozenset({place}), "c", "m", columns, is_ordered)


def tags(questions):
    return [each.code for each in shortcut_flaws(questions)]


def test_places_that_shuffling_gives_are_nothing():
    assert tags([question(number, number % 4) for number in range(200)]) == []


def test_one_place_too_often_is_an_imbalance_and_a_shortcut():
    questions = [question(number, 1 if number % 2 else number % 4) for number in range(80)]
    assert tags(questions) == ["POSITION_IMBALANCE", "CONSTANT_LETTER"]
    told = [each.found for each in shortcut_flaws(questions)]
    assert '"always B" is right in 50 % of the questions, chance 25 %.' in told


def test_a_source_without_an_order_has_no_places():
    assert tags([question(number, 0, is_ordered=False) for number in range(80)]) == []


def test_few_questions_say_nothing():
    assert tags([question(number, 0, (9, 6, 6, 6)) for number in range(19)]) == []


def test_the_longest_option_beats_chance():
    lengths = [tuple(9 if place == number % 4 else 6 for place in range(4)) for number in range(40)]
    assert tags([question(number, number % 4, each) for number, each in enumerate(lengths)]) == ["LONGEST_OPTION"]
