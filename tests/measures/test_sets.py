"""Sets as lists, as bit masks and one by one give the same numbers (statistics.md 2.2)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures import (
    encode_sets,
    micro_set_scores,
    micro_set_scores_of_masks,
    set_scores,
    set_scores_of_masks,
)

# statistics.md 2.2
PREDICTED = ["AC", "B", "ABCD", "", "AB"]
GOLD = ["ACE", "BD", "AB", "AB", "AB"]
LETTERS = "ABCDEFGH"

answers = st.lists(
    st.tuples(st.one_of(st.none(), st.lists(st.sampled_from(LETTERS))), st.lists(st.sampled_from(LETTERS), min_size=1)),
    max_size=20,
)


def test_the_worked_example_from_masks():
    predicted, gold = encode_sets(PREDICTED, LETTERS), encode_sets(GOLD, LETTERS)
    means = [each.mean() for each in set_scores_of_masks(predicted, gold)]
    assert means == pytest.approx([0.70, 0.633333, 0.626667, 0.2], abs=1e-6)
    assert micro_set_scores_of_masks(predicted, gold) == pytest.approx((0.777778, 0.636364, 0.70), abs=1e-6)


@settings(deadline=None)
@given(answers)
def test_lists_masks_and_plain_sets_agree(pairs):
    predicted, gold = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = set_scores(predicted, gold)
    masks = encode_sets(predicted, LETTERS), encode_sets(gold, LETTERS)
    for ours, coded in zip(found, set_scores_of_masks(*masks), strict=True):
        assert ours.tolist() == coded.tolist()
    assert micro_set_scores(predicted, gold) == micro_set_scores_of_masks(*masks)
    for place, (ours, right) in enumerate(zip((set(each or ()) for each in predicted), map(set, gold), strict=True)):
        shared = len(ours & right)
        assert found.precision[place] == (shared / len(ours) if ours else 0)
        assert found.recall[place] == shared / len(right)
        assert found.f1[place] == 2 * shared / (len(ours) + len(right))
        assert found.exact_match[place] == (ours == right)


def test_options_of_many_items_are_compared_all_the_same():
    predicted = [[f"{item}-a", f"{item}-b"] for item in range(100)]
    gold = [[f"{item}-b", f"{item}-c"] for item in range(100)]
    scores = set_scores(predicted, gold)
    assert set(scores.f1.tolist()) == {0.5}
    assert micro_set_scores(predicted, gold) == (0.5, 0.5, 0.5)
    with pytest.raises(InputError, match="Item 1 has no right option"):
        set_scores(predicted, [gold[0], [], *gold[2:]])


@pytest.mark.parametrize("kind", ["uint8", "int16", "uint32", "int64", "uint64"])
def test_masks_of_every_width(kind):
    highest = np.iinfo(kind).bits - 2
    gold = np.array([3, 1 << highest, (1 << highest) | 1], dtype=kind)
    scores = set_scores_of_masks(np.array([1, 1 << highest, 1], dtype=kind), gold)
    assert scores.recall.tolist() == [0.5, 1.0, 0.5]
    assert scores.f1.tolist() == pytest.approx([2 / 3, 1.0, 2 / 3])


@pytest.mark.parametrize(
    ("predicted", "gold", "message"),
    [
        ([1, 2], [1], "2 predicted masks but 1 right ones"),
        ([1, 2], [1, 0], "Item 1 has no right option"),
        ([-1], [1], "Item 0: the predicted mask is negative"),
        ([1.0], [1], "give integers"),
        ([float("nan")], [1], "give integers"),
        ([None], [1], "give integers"),
        ([[1]], [[1]], "give one each"),
    ],
)
def test_what_is_no_mask_is_refused(predicted, gold, message):
    with pytest.raises(InputError, match=message):
        set_scores_of_masks(predicted, gold)


def test_without_items_there_is_nothing_to_score():
    assert [each.size for each in set_scores_of_masks([], [])] == [0] * 4
    assert [each.size for each in set_scores([], [])] == [0] * 4
    assert micro_set_scores([], []) == (None, None, None)


@pytest.mark.parametrize(
    ("answer", "options", "message"),
    [("Z", LETTERS, "'Z' is none of the options"), ("A", "AAB", "once"), ([1], range(63), "at most 62")],
)
def test_what_has_no_bit_is_refused(answer, options, message):
    with pytest.raises(InputError, match=message):
        encode_sets([answer], options)
