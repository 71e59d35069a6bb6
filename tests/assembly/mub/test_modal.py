"""MU-07: the value of most segments; ties by total duration, then by the earliest start."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.assembly.mub import Stretch, modal_value


def stretches(*rows):
    return [Stretch(value, start * 1_000_000, end * 1_000_000) for value, start, end in rows]


@pytest.mark.parametrize(
    ("rows", "value", "several"),
    [
        ([("120", 0, 10)], "120", False),
        ([("120", 0, 1), ("90", 1, 99), ("120", 99, 100)], "120", True),  # count, not time
        ([("120", 0, 10), ("90", 10, 30)], "90", True),  # tie: the longest in all
        ([("90", 0, 5), ("120", 5, 20), ("90", 20, 30), ("120", 30, 31)], "120", True),  # 15 s against 16 s
        ([("120", 0, 10), ("90", 10, 20)], "120", True),  # tie: the earliest
        ([("120", 10, 20), ("90", 0, 10)], "90", True),
    ],
)
def test_ties_go_to_the_longest_then_to_the_earliest(rows, value, several):
    assert modal_value(stretches(*rows)) == (value, several)


def test_nothing_stated_is_nothing():
    assert modal_value([]) is None


rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 20), st.integers(1, 10)).map(
        lambda each: Stretch(each[0], each[1], each[1] + each[2])
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=30)
@given(rows, st.randoms())
def test_the_order_of_segments_does_not_matter(given_rows, random):
    mixed = list(given_rows)
    random.shuffle(mixed)
    assert modal_value(mixed) == modal_value(given_rows)


@settings(max_examples=30)
@given(rows)
def test_no_other_value_is_better(given_rows):
    best = modal_value(given_rows)

    def rank(value):
        own = [each for each in given_rows if each.value == value]
        return (len(own), sum(each.end - each.start for each in own), -min(each.start for each in own))

    assert rank(best.value) == max(map(rank, {each.value for each in given_rows}))
    assert best.is_one_of_several == (len(Counter(each.value for each in given_rows)) > 1)
