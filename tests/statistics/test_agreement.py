"""Agreement of raters (statistics.md 1)."""

import numpy as np
import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.statistics import (
    exact_agreement,
    gwet_ac,
    gwet_ac_of_counts,
    krippendorff_alpha,
    permutation_null,
)

RUBRIC = range(6)
TWO_RATERS = list(zip([5, 4, 4, 5, 3, 5], [5, 5, 4, 4, 3, 4], strict=True))
WITH_GAPS = list(zip([5, 4, 4, 5, 3, 5], [5, 5, 4, None, 3, 4], [None, 4, None, None, 2, 5], strict=True))


def rows(text):
    return [[None if mark == "-" else int(mark) for mark in row.split()] for row in text.split("/")]


def digits(text):
    return [[int(mark) for mark in row] for row in text.split()]


def spread(table):
    """A square table of counts as one pair of ratings a subject."""
    return [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]


RAW_4_RATERS = rows(
    "1 1 - 1 / 2 2 3 2 / 3 3 3 3 / 3 3 3 3 / 2 2 2 2 / 1 2 3 4"
    "/ 4 4 4 4 / 1 1 2 1 / 2 2 2 2 / - 5 5 5 / - - 1 1 / - - 3 -"
)
RAW_10_BY_4 = digits("5555 3131 5555 3131 5545 1233 3111 1113 3344 1311")
FLEISS = digits("00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031")
ABSTRACTORS = spread([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
DIAGNOSIS = spread([[40, 6, 4, 15], [4, 25, 1, 5], [4, 2, 21, 9], [17, 13, 12, 45]])


@pytest.mark.parametrize(
    ("weights", "coefficient", "observed", "chance", "error", "low", "high"),
    # statistics.md 1.2
    [
        ("quadratic", 0.952941, 0.98, 0.575, 0.018846, 0.904496, 1),
        ("ordinal", 0.925000, 0.966667, 0.555556, 0.030104, 0.847615, 1),
        ("linear", 0.815385, 0.9, 0.458333, 0.075580, 0.621101, 1),
        ("identity", 0.428571, 0.5, 0.125, 0.250872, -0.216315, 1),
    ],
)
def test_the_hand_checked_example(weights, coefficient, observed, chance, error, low, high):
    result = gwet_ac(TWO_RATERS, categories=RUBRIC, weights=weights)
    assert result.coefficient == pytest.approx(coefficient, abs=1e-6)
    assert (result.observed, result.chance) == pytest.approx((observed, chance), abs=1e-6)
    assert result.standard_error == pytest.approx(error, abs=1e-6)
    assert (result.interval.low, result.interval.high) == pytest.approx((low, high), abs=1e-6)


def test_categories_are_fixed_in_advance():
    assert gwet_ac(TWO_RATERS, categories=[3, 4, 5]).coefficient == pytest.approx(0.666667, abs=1e-6)


def test_missing_ratings_count_where_they_can():
    result = gwet_ac(WITH_GAPS, categories=RUBRIC)
    assert result.coefficient == pytest.approx(0.96248, abs=5e-6)
    assert (result.observed, result.chance) == pytest.approx((0.98400, 0.57358), abs=5e-6)
    assert result.standard_error == pytest.approx(0.18960, abs=5e-6)
    assert (result.n, result.n_pairable) == (6, 5)
    assert gwet_ac(WITH_GAPS, categories=RUBRIC, weights="ordinal").coefficient == pytest.approx(0.94018, abs=5e-6)


WEIGHTS = ("identity", "linear", "ordinal", "quadratic")


@pytest.mark.parametrize(
    ("ratings", "categories", "coefficients"),
    # statistics.md 1.3, in the order of WEIGHTS
    [
        (RAW_4_RATERS, range(1, 6), (0.77544, 0.85874, 0.89894, 0.91400)),
        (ABSTRACTORS, range(3), (0.84933, 0.90002, 0.92519, 0.94024)),
        (RAW_10_BY_4, range(1, 6), (0.41057, 0.56522, 0.68277, 0.72436)),
        (DIAGNOSIS, range(4), (0.45616, 0.37707, 0.32407, 0.29857)),
    ],
)
def test_data_of_the_literature(ratings, categories, coefficients):
    found = [gwet_ac(ratings, categories=categories, weights=each).coefficient for each in WEIGHTS]
    assert found == pytest.approx(coefficients, abs=5e-6)


def test_counts_of_the_literature():
    found = [gwet_ac_of_counts(FLEISS, categories=range(5), weights=each) for each in WEIGHTS]
    assert [each.coefficient for each in found] == pytest.approx((0.44480, 0.43081, 0.46924, 0.48374), abs=5e-6)
    assert found[0].standard_error == pytest.approx(0.08419, abs=5e-6)


@pytest.mark.parametrize(
    ("ratings", "categories", "weights", "error"),
    [
        (RAW_4_RATERS, range(1, 6), "identity", 0.14295),
        (RAW_4_RATERS, range(1, 6), "linear", 0.11733),
        (RAW_4_RATERS, range(1, 6), "ordinal", 0.10690),
        (RAW_4_RATERS, range(1, 6), "quadratic", 0.10396),
        (ABSTRACTORS, range(3), "identity", 0.04344),
        (RAW_10_BY_4, range(1, 6), "identity", 0.10790),
    ],
)
def test_errors_of_the_literature(ratings, categories, weights, error):
    result = gwet_ac(ratings, categories=categories, weights=weights)
    assert result.standard_error == pytest.approx(error, abs=5e-6)


@pytest.mark.parametrize(
    ("result", "observed", "chance", "low", "high"),
    # statistics.md 1.3, AC1
    [
        (gwet_ac(RAW_4_RATERS, categories=range(1, 6), weights="identity"), 0.81818, 0.19032, 0.461, 1),
        (gwet_ac_of_counts(FLEISS, categories=range(5), weights="identity"), 0.55111, 0.19148, 0.264, 0.625),
    ],
    ids=["raw4raters", "distrib.6raters"],
)
def test_observed_and_chance_agreement_of_the_literature(result, observed, chance, low, high):
    assert (result.observed, result.chance) == pytest.approx((observed, chance), abs=5e-6)
    assert (result.interval.low, result.interval.high) == pytest.approx((low, high), abs=5e-4)


def test_subjects_of_the_literature():
    result = gwet_ac(RAW_4_RATERS, categories=range(1, 6))
    assert (result.n, result.n_pairable) == (12, 11)
    assert (len(ABSTRACTORS), len(DIAGNOSIS)) == (100, 223)


def test_the_formula_of_tables_divides_by_n():
    # statistics.md 1.3: .04344 by the raw formula, which is the project's, .04322 by that of tables
    error = gwet_ac(ABSTRACTORS, categories=range(3), weights="identity").standard_error
    assert error * np.sqrt(99 / 100) == pytest.approx(0.04322, abs=5e-6)


def test_rows_without_a_rating_are_dropped_first():
    with_blanks = [*TWO_RATERS, (None, None), (float("nan"), None)]
    assert gwet_ac(with_blanks, categories=RUBRIC) == gwet_ac(TWO_RATERS, categories=RUBRIC)


def test_alpha_stands_beside_it():
    # statistics.md 1.4
    assert krippendorff_alpha(TWO_RATERS, categories=RUBRIC, level="interval") == pytest.approx(0.560000, abs=1e-6)
    assert krippendorff_alpha(TWO_RATERS, categories=RUBRIC, level="ordinal") == pytest.approx(0.438776, abs=1e-6)
    assert krippendorff_alpha(WITH_GAPS, categories=RUBRIC, level="interval") == pytest.approx(0.746479, abs=1e-6)
    assert krippendorff_alpha(WITH_GAPS, categories=RUBRIC, level="ordinal") == pytest.approx(0.701357, abs=1e-6)
    assert krippendorff_alpha([(4, 4), (4, 4)], categories=RUBRIC) is None
    assert exact_agreement(TWO_RATERS) == 0.5


def test_independent_raters_reach_a_high_ac2_and_a_high_p():
    # statistics.md 1.4: {5: .6, 4: .4}, large-sample AC2 .966
    ratings = np.random.default_rng(0).choice([5, 4], p=[0.6, 0.4], size=(2000, 2))
    assert gwet_ac(ratings, categories=RUBRIC).coefficient == pytest.approx(0.966, abs=0.003)
    null = permutation_null(ratings[:90], categories=RUBRIC, draws=200)
    assert null.low <= null.mean <= null.high
    assert null.p_value > 0.05


def test_real_agreement_stands_out_from_the_null():
    truth = np.random.default_rng(1).integers(2, 6, size=60)
    null = permutation_null(np.stack([truth, truth], axis=1), categories=RUBRIC, draws=200, groups=truth // 4)
    assert null.observed == 1
    assert null.p_value == pytest.approx(1 / 201)


@pytest.mark.parametrize(
    ("ratings", "options", "message"),
    [
        ([(1, 1)], {"categories": [1]}, "at least two different categories"),
        ([(1, None), (None, 2)], {"categories": [1, 2]}, "No subject has two ratings"),
        ([(1, 7)], {"categories": [1, 2]}, "Subject 0, rater 1: rating 7"),
        ([(1, 2)], {"categories": [1, 2], "weights": "quadratc"}, "nearest: quadratic"),
    ],
)
def test_what_cannot_be_computed_is_refused(ratings, options, message):
    with pytest.raises(InputError, match=message):
        gwet_ac(ratings, **options)


def test_perfect_agreement_has_no_error():
    result = gwet_ac([(4, 4)] * 5, categories=RUBRIC)
    assert (result.coefficient, result.standard_error, result.interval.low, result.interval.high) == (1, 0, 1, 1)
