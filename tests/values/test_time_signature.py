import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.values import Metre, is_admissible, metre_name, parse_metre, read_fraction

# music_metrics.md 3
ACCEPTED = {
    (6, 8): ["6/8", "6:8", "6-8", "6⁄8", "6 / 8", "6–8", "6 over 8", "6/8 time", "six-eight", "Six Eight", "６／８"],
    (3, 4): ["3/4", "three-four time", "¾", "3 over 4", "three over four"],
    (4, 4): ["4/4", "C", "c", "common", "common time", "Common Time", "𝄴", (4, 4), [4, 4]],
    (2, 2): ["2/2", "cut", "cut time", "alla breve", "Alla Breve", "C|", "¢", "𝄵"],
    (12, 8): ["12/8", "twelve-eight", [12, 8]],
}
REFUSED = ["6", 6, True, [True, 4], 3.5, [3.5, 4], "3.5", "5/3", "4/0", "0/4", "4/4/4", "-4/4", "waltz", "33/4", "6 8"]
REFUSED += ["", None, [4], [4, 4, 4], "4/4 then 7/8", "C major", "4/4 4/4", "x" * 1000, {"numerator": 6}]


@pytest.mark.parametrize(("expected", "value"), [(metre, each) for metre, all_ in ACCEPTED.items() for each in all_])
def test_accepted_forms(expected, value):
    assert parse_metre(value) == Metre(*expected)


@pytest.mark.parametrize("value", REFUSED)
def test_refused_forms(value):
    assert parse_metre(value) is None


def test_an_inadmissible_fraction_is_still_a_fraction():
    assert read_fraction("12/7") == (12, 7)
    assert not is_admissible(12, 7)


@given(st.integers(1, 32), st.sampled_from([1, 2, 4, 8, 16, 32]))
def test_names_are_read_back_without_reduction(numerator, denominator):
    metre = Metre(numerator, denominator)
    assert parse_metre(metre_name(metre)) == metre
    assert parse_metre([numerator, denominator]) == metre


@given(st.text() | st.text(alphabet="0123456789/:-Ccut| over", max_size=20))
def test_any_text_is_a_metre_or_none(text):
    metre = parse_metre(text)
    assert metre is None or is_admissible(*metre)
