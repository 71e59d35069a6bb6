"""Long and hostile texts: reading stays linear. A quadratic step would not end within the life of the test run."""

import time

import pytest

from musebench_tasks.answers import parse_choice, parse_music

OPTIONS = ["Violin", "Cello", "Trumpet", "A minor"]
LENGTH = 10_000
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


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["The bow is heard. ", "{", " ", "<think>", "A "])
def test_a_megabyte_is_read(unit):
    text = (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE]
    parse_choice(text + "\nAnswer: B", OPTIONS)


FIELDS = ("tempo", "key", "time_signature", "segments")
GROWING = [
    "{",
    "[",
    '{"a":',
    "\\boxed{A ",
    "<answer>",
    "A no, actually B. ",
    '["A",',
    "so A-C ",
    "answer: all so so so ",
    "not sure if a, b, ",
    "Another possible answer is B, ",
]
LONG_STRINGS = ["1", "1:", "three-", "a "]


def seconds(read):
    start = time.process_time()
    read()
    return time.process_time() - start


def assert_linear(read, short, long):
    """Four times the text takes about four times as long; a quadratic step would take sixteen times as long."""
    assert any(seconds(lambda: read(long)) < 9 * seconds(lambda: read(short)) + 0.02 for _ in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("unit", GROWING)
def test_work_grows_with_the_length_of_a_choice(unit):
    short, long = (unit * (length // len(unit)) for length in (50_000, 200_000))
    assert_linear(lambda text: parse_choice(text, OPTIONS), short, long)


HOSTILE = [
    *(
        "A ",
        "answer: ",
        "so the ",
        "(",
        '"',
        "'",
        "</think>",
        "**",
        "_",
        "not ",
        "neither ",
        "1. ",
        "A) ",
        "(A) ",
        "if A, ",
    ),
    *(
        "the key is ",
        "cello is ",
        "violin fits ",
        "Answer:\n",
        "Answer\nB\n",
        "| A ",
        "[ ] A\n",
        "Q: a A: ",
        "a? ",
        "如果",
    ),
    *(
        "答案",
        "A或",
        "A, B and ",
        "option A ",
        "(option A) ",
        "not a violin (",
        "no wait, ",
        "B. Cello\n",
        "leaves ",
        "~~a",
    ),
    *(
        "\\text{",
        "F sharp ",
        "none of the ",
        "looks like ",
        "A-",
        "- A\n",
        "\u200b",
        "\u0301",
        "🎻",
        "Ａ",
        "<answer>A",
        "```\n",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_length_of_any_shape(unit, multi):
    short, long = (unit * (length // len(unit)) for length in (50_000, 200_000))
    assert_linear(lambda text: parse_choice(text, OPTIONS, multi), short, long)


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_megabyte_of_any_shape_is_read(unit):
    text = (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE]
    assert parse_choice(text, OPTIONS).status


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["{", "[", "(1,2)x", "final json ```"])
def test_work_grows_with_the_length_of_a_music_answer(unit):
    short, long = (unit * (length // len(unit)) for length in (50_000, 200_000))
    assert_linear(lambda text: parse_music(text, FIELDS, 60.0), short, long)


@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS[:3])
@pytest.mark.parametrize("unit", LONG_STRINGS)
def test_work_grows_with_the_length_of_a_value(field, unit):
    short, long = (f'{{"{field}": "{unit * (length // len(unit))}"}}' for length in (5_000, 20_000))
    assert_linear(lambda text: parse_music(text, (field,)), short, long)


@pytest.mark.slow
def test_of_a_very_long_text_both_ends_are_read():
    filler = "The bow is heard. " * 120_000
    for text in (filler + "\nAnswer: B", "Answer: B\n" + filler):
        answer = parse_choice(text, OPTIONS)
        assert (answer.labels, answer.flags) == (("B",), ("cut_for_reading",))
    middle = parse_choice(filler + "\nAnswer: B\n" + filler, OPTIONS, finish_reason="length")
    assert (middle.labels, str(middle.status), middle.flags) == ((), "truncated", ("cut_for_reading",))


def test_a_very_long_trace_is_no_part_of_the_answer():
    trace = "The bow is heard. " * 120_000
    assert parse_choice(f"<think>{trace}</think>Answer: B", OPTIONS)[::3] == (("B",), ())
    assert parse_choice(f"{trace}<think>{trace}Answer: B", OPTIONS).status == "truncated"


def test_no_data_runs_across_what_is_left_out():
    rows = ", ".join(f'[{start}, {start + 1}, "verse"]' for start in range(60_000))
    answer = parse_music(f'{{"tempo": 128, "segments": [{rows}]}}', FIELDS)
    assert answer["segments"].status != "ok"
    assert all("cut_for_reading" in field.flags for field in answer.values())
