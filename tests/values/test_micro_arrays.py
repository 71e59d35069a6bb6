"""`micro_array` is `to_micro` of each number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.values import to_micro
from musebench_tasks.values.micro import NOT_A_NUMBER, micro_array


@pytest.mark.parametrize("decimals", [2, 6, 7, 15])
def test_it_reads_the_decimal_text_of_each(decimals):
    numbers = np.random.default_rng(decimals).uniform(-1000, 1000, 2000).round(decimals)
    halves = (2 * np.arange(2000) + 1) / 2e6
    for each in (numbers, halves, -halves):
        assert micro_array(each).tolist() == [to_micro(float(number)) for number in each]


@given(st.lists(st.floats(-(10**12), 10**12)))
def test_any_numbers(numbers):
    assert micro_array(numbers).tolist() == [to_micro(number) for number in numbers]


def test_what_is_no_number_has_its_own_value():
    nothing = [None, float("nan"), float("inf"), -float("inf"), 1e300]
    assert micro_array([*nothing, 2]).tolist() == [NOT_A_NUMBER] * 5 + [2_000_000]
    assert micro_array([]).tolist() == []
