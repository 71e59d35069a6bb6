"""The second reader's prompt and verdict: what a judge sees, and what counts as its reply."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.answers.llm_judge import (
    LONGEST_SHOWN,
    is_no_reply,
    judge_messages,
    read_verdict,
    shown_to_judge,
)

OPTIONS = ("Violin", "Trumpet", "Oboe", "Harp")


@pytest.mark.parametrize(
    ("reply", "multi", "letters"),
    [
        ('{"answer": "B"}', False, ("B",)),
        ('{"answer": ["B"]}', False, ("B",)),
        ('\n```json\n{"answer": "D"}\n```\n', False, ("D",)),
        ('<think>E? No.</think>{"answer": "A"}', False, ("A",)),
        ('{"answer": ["C", "A"]}', True, ("A", "C")),
        ('{"answer": "NONE"}', False, ()),
        ('{"answer": "NONE"}', True, ()),
    ],
)
def test_a_verdict_of_the_form_asked_for_is_read(reply, multi, letters):
    assert read_verdict(reply, len(OPTIONS), multi) == letters


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "B",
        "The response chooses B.",
        'The verdict is {"answer": "B"}',
        '{"answer": "B"} because it says so',
        '{"answer": "E"}',
        '{"answer": "b"}',
        '{"answer": "AB"}',
        '{"answer": ["A", "B"]}',
        '{"answer": []}',
        '{"answer": ["NONE"]}',
        '{"answer": null}',
        '{"answer": true}',
        '{"answer": 1}',
        '{"answer": NaN}',
        '{"answer": Infinity}',
        "NaN",
        '{"answer": {"letter": "B"}}',
        '{"answer": "B", "confidence": 0.9}',
        '{"answer": "A", "answer": "B"}',
        '{"verdict": "B"}',
        '{"answer": "B"',
        '<think>It is {"answer": "B"}',
        "[ERROR] Invalid response: HTTP 400",
        '{"error": {"message": "HTTP 400: B"}}',
        '{"answer":' * 5000,
        '{"answer": "B"}' + " " * 30_000 + "or C",
    ],
)
def test_anything_else_is_no_verdict(reply):
    assert read_verdict(reply, len(OPTIONS), False) is None


@pytest.mark.parametrize("reply", ['{"answer": ["A", "A"]}', '{"answer": ["A", "E"]}', '{"answer": ["A", null]}'])
def test_a_set_with_a_foreign_or_repeated_letter_is_no_verdict(reply):
    assert read_verdict(reply, len(OPTIONS), True) is None


@given(st.text(max_size=60), st.integers(2, 8), st.booleans())
def test_no_text_makes_the_reader_fail(text, count, multi):
    for reply in (text, json.dumps({"answer": text})):
        letters = read_verdict(reply, count, multi)
        assert letters is None or set(letters) <= set("ABCDEFGH"[:count])


def test_a_judge_sees_options_and_response_and_no_question():
    system, user = judge_messages(OPTIONS, 'it is "}, the brass one', False)
    assert json.loads(user) == {
        "options": dict(zip("ABCD", OPTIONS, strict=True)),
        "response": 'it is "}, the brass one',
    }
    assert "Do not answer the question" in system


def test_a_judge_is_asked_for_a_set_only_where_sets_are_answers():
    single, multi = (judge_messages(OPTIONS, "x", multi)[0] for multi in (False, True))
    assert "exactly one letter" in single
    assert "exactly one letter" not in multi


def test_reasoning_is_not_shown_to_a_judge():
    assert shown_to_judge("<think>Trumpet, B</think> The brass one. ") == "The brass one."
    assert shown_to_judge("<think>Trumpet</think>") == ""


def test_of_a_long_response_a_judge_sees_the_end():
    shown = shown_to_judge("x" * 100_000 + " the brass one")
    assert shown.endswith("the brass one")
    assert len(shown) == LONGEST_SHOWN


@pytest.mark.parametrize("reply", ["", "  \n", "[ERROR] HTTP 400", "Failed to obtain answer via API."])
def test_an_empty_reply_and_an_error_text_are_no_replies(reply):
    assert is_no_reply(reply)
