"""MU-07: the value of most segments; ties by total duration, then by the earliest start."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.items.annotations.values import TimedValue, canonical_key, commonest, part_of


def parts(*rows):
    return [part_of(value, start, end) for value, start, end in rows]


@pytest.mark.parametrize(
    ("rows", "value", "several"),
    [
        ([("120", 0, 10)], "120", False),
        ([("120", 0, 1), ("90", 1, 99), ("120", 99, 100)], "120", True),  # count, not time
        ([("120", 0, 10), ("90", 10, 30)], "90", True),  # tie: the longest in all
        ([("90", 0, 5), ("120", 5, 20), ("90", 20, 30), ("120", 30, 31)], "120", True),  # 15 s against 16 s
        ([("120", 0, 10), ("90", 10, 20)], "120", True),  # tie: the earliest
        ([("120", 10, 20), ("90", 0, 10)], "90", True),
        ([("120", 0, "10.1"), ("90", "10.1", "20.2")], "120", True),  # a tie, whatever floats make of it
        ([("120", 0, 10), ("90", "x", None)], "120", True),
    ],
)
def test_ties_go_to_the_longest_then_to_the_earliest(rows, value, several):
    assert commonest(parts(*rows)) == (value, several)


def test_nothing_stated_is_nothing():
    assert commonest([]) == (None, False)


rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 20), st.integers(1, 10)).map(lambda each: TimedValue(*each)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=30)
@given(rows, st.randoms())
def test_the_order_does_not_matter_where_no_two_begin_at_once(given_rows, random):
    mixed = list({each.start: each for each in given_rows}.values())
    ordered = sorted(mixed)
    random.shuffle(mixed)
    assert commonest(mixed) == commonest(ordered)


@settings(max_examples=30)
@given(rows)
def test_no_other_value_is_better(given_rows):
    best, several = commonest(given_rows)

    def rank(value):
        own = [each for each in given_rows if each.value == value]
        return (len(own), sum(each.length for each in own), -min(each.start for each in own))

    assert rank(best) == max(map(rank, {each.value for each in given_rows}))
    assert several == (len(Counter(each.value for each in given_rows)) > 1)


@pytest.mark.parametrize(
    ("name", "key"),
    [("Key Bb", "Bb major"), ("Key A:minor", "A minor"), ("key d", "D major"),
     ("N", ""), ("Silence", ""), ("Key D:mixolydian", "D:mixolydian"), ("C", "C"), ("1d", "C major")],
)  # fmt: skip
def test_a_tonic_alone_is_a_major_key_only_behind_the_word_key(name, key):
    assert canonical_key(name) == key
