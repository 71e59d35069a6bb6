"""What rows of token counts mean."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.models.ping.findings import Point, Shape, judge

AMOUNTS = (0, 1, 2, 4, 8, 16, 32)
TEXT = 30


def growth(*tokens, amounts=AMOUNTS):
    return judge([Point(amount=amount, tokens=count) for amount, count in zip(amounts, tokens, strict=False)])


def counted(amount_that_counts, each=192):
    return growth(*(TEXT + each * amount_that_counts(amount) for amount in AMOUNTS))


def test_even_growth_means_that_all_arrives():
    judged = counted(lambda amount: amount)
    assert (judged.shape, judged.per_unit, judged.arrived) == (Shape.EVEN, 192, 32)


@pytest.mark.parametrize("most", [2, 4, 7, 12, 16, 31])
def test_where_growth_stops_the_rest_is_dropped(most):
    judged = counted(lambda amount: min(amount, most))
    assert (judged.shape, judged.arrived) == (Shape.CAPPED, most)
    assert judged.even_until == max(amount for amount in AMOUNTS if amount <= most)


def test_an_encoder_that_takes_pictures_in_pairs_grows_evenly():
    judged = counted(lambda amount: (amount + 1) // 2)
    assert (judged.shape, judged.per_unit, judged.arrived) == (Shape.EVEN, 96, 32)


def test_a_budget_of_pixels_makes_growth_fall():
    judged = growth(TEXT, TEXT + 192, TEXT + 384, TEXT + 768, TEXT + 1200, TEXT + 1500, TEXT + 1400)
    assert (judged.shape, judged.even_until) == (Shape.FALLING, 4)


def test_the_same_count_for_one_and_for_all_tells_nothing_of_how_many_arrive():
    judged = counted(lambda amount: min(amount, 1))
    assert (judged.shape, judged.arrived) == (Shape.CONSTANT, None)


def test_sound_may_be_counted_in_pieces_of_thirty_seconds():
    amounts = (0, 1, 2, 4, 8, 16, 32, 60)
    judged = growth(TEXT, *[TEXT + 750] * 5, TEXT + 1500, TEXT + 1500, amounts=amounts)
    assert judged.shape is Shape.STEPPED


def test_sound_cut_between_two_amounts_is_found_to_the_second():
    amounts = (0, 1, 2, 4, 8, 16, 32, 60)
    judged = growth(*(TEXT + 25 * min(amount, 30) for amount in amounts), amounts=amounts)
    assert (judged.shape, judged.arrived) == (Shape.CAPPED, 30)


@pytest.mark.parametrize("tokens", [[TEXT] * 7, [TEXT, TEXT + 1, TEXT + 2, TEXT + 2, TEXT + 2, TEXT + 2, TEXT + 2]])
def test_no_growth_at_all_means_that_nothing_is_counted(tokens):
    assert growth(*tokens).shape is Shape.ABSENT


@pytest.mark.parametrize("tokens", [[None] * 7, [TEXT, None, 400, 800, 1600, 3200, 6400], [TEXT, 222], [TEXT]])
def test_what_is_not_told_is_not_judged(tokens):
    assert growth(*tokens).shape is Shape.UNTOLD


@settings(max_examples=40)
@given(st.integers(5, 2000), st.integers(3, 256), st.integers(0, 500), st.data())
def test_a_cap_is_never_taken_for_even_growth(each, largest, text, data):
    most = data.draw(st.integers(1, largest - 1))
    amounts = [0, *(2**power for power in range(9) if 2**power < largest), largest]

    def judged(cap):
        return judge([Point(amount=amount, tokens=text + each * min(amount, cap)) for amount in amounts])

    assert judged(largest).shape is Shape.EVEN
    if (largest - most) * each > 0.05 * each * largest + 2:
        assert judged(most).shape in (Shape.CAPPED, Shape.FALLING, Shape.CONSTANT)
        assert judged(most).arrived in (most, None)
