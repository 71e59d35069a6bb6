"""Long and hostile texts: reading stays linear. A quadratic step would not end within the life of the test run."""

import pytest

from musebench_tasks.answers import parse_choice, parse_music

OPTIONS = ["Violin", "Cello", "Trumpet", "A minor"]
LENGTH = 30_000
MEGABYTE = 1_000_000
UNITS = [
    *(
        "A ",
        "answer: ",
        "so ",
        "{",
        "[",
        "(",
        '{"a":',
        '"',
        '{"tempo": 1',
        "<think>",
        "<tool_call>",
        "```\n",
        "\\boxed{",
        "*",
    ),
    *(
        "_",
        "~~a",
        "\n",
        " ",
        "A, ",
        "not ",
        "violin ",
        "violin, ",
        "1",
        "1:",
        "1,",
        "key is ",
        "option A ",
        "B?",
        "A: yes\n",
    ),
    *("<a", "\\text{", "/*", '{"a":"', "> ", "can not ", "error.", "答案", '\\"', "\u200b", "[[0,1],", "a_"),
]


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_text_is_read(unit):
    text = (unit * (LENGTH // len(unit) + 1))[:LENGTH]
    for multi in (False, True):
        parse_choice(text, OPTIONS, multi)
    parse_music(text, ("tempo", "key", "time_signature", "segments"), 60.0)


@pytest.mark.parametrize("unit", ["The bow is heard. ", "{", " ", "<think>", "A "])
def test_a_megabyte_is_read(unit):
    text = (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE]
    parse_choice(text + "\nAnswer: B", OPTIONS)
