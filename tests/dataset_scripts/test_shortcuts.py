"""Readers of the text alone, on items made by hand."""

import numpy as np
import pytest

from dataset_scripts.shortcuts import SOLVERS, Asked, chance_interval, letter_of, results

ITEM = Asked(
    "Which bell is struck first?",
    ("A large bell", "The bell that is struck", "A drum", "A large bell, not a drum, of bronze"),
    frozenset({2}),
)


@pytest.mark.parametrize(
    ("solver", "place"),
    [
        ("longest option", 3),
        ("shortest option", 2),
        ("first option", 0),
        ("last option", 3),
        ("most words of the question", 1),
        ("most words of the other options", 3),
    ],
)
def test_each_solver_takes_the_option_it_is_named_after(solver, place):
    assert SOLVERS[solver](ITEM) == place


def test_the_most_common_letter_is_known_from_the_answers():
    assert letter_of([ITEM, ITEM._replace(right=frozenset({1})), ITEM]) == "C"
    (found,) = (each for each in results([ITEM, ITEM]) if each.solver.startswith("most common"))
    assert (found.solver, found.hits, found.n) == ("most common letter (C)", 2, 2)


def test_chance_is_a_sum_of_hits_with_their_own_probabilities():
    assert chance_interval([0.25] * 16) == (1, 8)
    low, high = chance_interval([0.5] * 10)
    counts = np.random.default_rng(0).binomial(10, 0.5, 100_000)
    assert np.mean(counts < low) <= 0.025
    assert np.mean(counts > high) <= 0.025
    assert chance_interval([1.0, 1.0, 0.0]) == (2, 2)


def test_a_shortcut_that_works_is_told():
    found = {each.solver: each for each in results([ITEM] * 12)}
    assert found["shortest option"].hits == 12
    assert not found["shortest option"].is_within_chance
    assert found["shortest option"].expected == 3.0
