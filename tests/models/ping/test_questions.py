"""What is read from answers about the probe."""

import pytest

from musebench_tasks.models.ping.wire import count_in, numbers_in, places_read, places_told


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("237, 682, 967", (237, 682, 967)),
        ("1. 237\n2. 682\n", (237, 682)),
        ("The numbers are **237** and 682.", (237, 682)),
        ("12, 1234, 3.141", ()),
        ("<think>Is it 111? No.</think>237", (237,)),
        ("", ()),
    ],
)
def test_numbers_of_three_digits_are_found_in_order(text, numbers):
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    ("text", "count"),
    [("60", 60), ("There are 8 beeps.", 8), ("8 beeps, yes 8", 8), ("7 or 8", None), ("many", None), ("8.5", None)],
)
def test_a_count_is_one_number(text, count):
    assert count_in(text) == count


def test_which_numbers_were_read_tells_what_was_dropped():
    numbers = (111, 222, 333, 444)
    assert places_told(places_read("111, 222", numbers), 4) == "the first 2"
    assert places_told(places_read("333 444", numbers), 4) == "the last 2"
    assert places_told(places_read("111, 444", numbers), 4) == "2 of 4"
    assert places_told(places_read("111 222 333 444", numbers), 4) == "4 of 4"
