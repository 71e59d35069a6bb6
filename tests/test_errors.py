"""Parts of messages: numbers with what they count."""

import pytest

from musebench_tasks.errors import counted


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("item",), "0 items"),
        (1, ("item",), "1 item"),
        (2, ("planned request",), "2 planned requests"),
        (1, ("medium", "media"), "1 medium"),
        (3, ("medium", "media"), "3 media"),
    ],
)
def test_a_noun_agrees_with_its_number(number, words, text):
    assert counted(number, *words) == text
