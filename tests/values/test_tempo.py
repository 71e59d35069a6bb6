from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.values import to_micro, to_micros


@pytest.mark.parametrize(
    ("value", "micro"),
    [
        (41.6, 41_600_000),
        (0.1, 100_000),
        (120, 120_000_000),
        ("97.1154", 97_115_400),
        ("1.2e2", 120_000_000),
        (Decimal("0.0000005"), 0),
        (Decimal("0.0000015"), 2),
        (Decimal("0.0000025"), 2),
        (-0.5, -500_000),
        (1e-300, 0),
        ("1e-999999999", 0),
        (np.float64(41.6), 41_600_000),
        (np.float32(0.1), 100_000),
        (np.int64(7), 7_000_000),
    ],
)
def test_decimal_text_times_a_million_half_even(value, micro):
    assert to_micro(value) == micro


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "-Infinity", "", "fast", True, "1_0", "1e999999999"])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(ValueError, match="number"):
        to_micro(value)


@given(st.integers(-(10**12), 10**12), st.integers(0, 6))
def test_exact_for_every_decimal_of_up_to_six_places(digits, places):
    assert to_micros(Decimal(digits).scaleb(-places)) == digits * 10 ** (6 - places)
