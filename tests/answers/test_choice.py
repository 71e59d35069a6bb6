"""Behaviour of the choice parser beyond the case files: statuses, flags, precedence."""

import pytest

from musebench_tasks.answers import PARSER_VERSION, parse_choice

OPTIONS = ["Violin", "Cello", "Trumpet", "Flute"]


def test_the_parser_has_a_version():
    assert PARSER_VERSION


@pytest.mark.parametrize("reason", ["length", "max_tokens", "LENGTH"])
def test_a_cut_text_without_an_answer_is_truncated(reason):
    text = "At 0:03 there is a bowed sound, which suggests (B) or maybe (A). Next I compare the"
    assert parse_choice(text, OPTIONS).status == "unparsed"
    assert parse_choice(text, OPTIONS, finish_reason=reason).status == "truncated"


def test_a_cut_text_with_an_answer_is_an_answer():
    assert parse_choice("Answer: B because the", OPTIONS, finish_reason="length").labels == ("B",)


def test_open_reasoning_beats_everything():
    assert parse_choice("Answer: B <think> wait", OPTIONS).status == "truncated"


def test_a_letter_that_disagrees_with_its_text_is_flagged():
    answer = parse_choice("B) Trumpet", OPTIONS)
    assert (answer.labels, answer.flags) == (("B",), ("letter_text_conflict",))
    assert parse_choice("B) Cello", OPTIONS).flags == ()


def test_none_is_an_answer_only_in_multi_select():
    assert parse_choice("ANSWER: none", OPTIONS, multi=True)[:3] == ((), "ok", "explicit_none")
    assert parse_choice("ANSWER: none", OPTIONS).status == "unparsed"


def test_none_of_the_above_is_an_option_where_it_exists():
    options = ["Violin", "Cello", "None of the above"]
    assert parse_choice("None of the above", options, multi=True).labels == ("C",)
    assert parse_choice("None of the above", options).labels == ("C",)


def test_an_error_text_that_is_an_option_is_an_answer():
    assert parse_choice("Error: 404", ["Error: 404", "Error: 500"]).labels == ("A",)


def test_no_response_is_empty():
    assert parse_choice(None, OPTIONS)[:3] == ((), "unparsed", "empty")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("B", "whole_response"),
        ("cello", "whole_text"),
        ("Answer: B", "declared"),
        ("\\boxed{B}", "boxed"),
        ("So B.", "concluded"),
        ("I hear low notes.\nB", "last_line"),
        ("B. The notes are low.", "opening_label"),
        ("Low notes, a bow: B.", "ending_label"),
        ("I favour (B) here", "bracketed"),
        ("the second option", "ordinal"),
        ("I hear a cello playing", "option_text"),
    ],
)
def test_the_rule_that_fired_is_named(text, rule):
    assert parse_choice(text, OPTIONS)[:3] == (("B",), "ok", rule)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("A or B", "ambiguous"),
        ("Answer: LETTER", "placeholder"),
        ("A) Violin\nB) Cello\nC) Trumpet\nD) Flute", "enumeration"),
        ("<tool_call>{}</tool_call>", "tool_call"),
        ("Answer: A. Answer: B. Answer: A. Answer: B.", "loop"),
        ("A lovely piece", "no_answer"),
    ],
)
def test_the_reason_for_no_answer_is_named(text, rule):
    assert parse_choice(text, OPTIONS)[:3] == ((), "unparsed", rule)


@pytest.mark.parametrize(
    "text",
    [
        '{"question": "Which?", "options": ["Violin", "Cello"], "answer": "B"}',
        '{"options": {"A": "Violin", "B": "Cello"}, "answer": "B"}',
        '{"answer": "B"} The violin is wrong.',
        '{"reasoning": "The answer is A", "answer": "B", "second": "C"}',
    ],
)
def test_only_the_answer_field_of_an_object_is_read(text):
    assert parse_choice(text, OPTIONS).labels == ("B",)


NOTHING = [None, "", "  \n", "null", '""', "\u200b", "<think>The bow is heard.</think>"]


@pytest.mark.parametrize("text", NOTHING)
@pytest.mark.parametrize("multi", [False, True])
def test_an_empty_text_that_was_cut_is_truncated(text, multi):
    """A reasoning model that spends its tokens before it answers sends no content (answers.md 1)."""
    assert parse_choice(text, OPTIONS, multi, "length")[:3] == ((), "truncated", "empty")
    assert parse_choice(text, OPTIONS, multi, "stop")[:3] == ((), "unparsed", "empty")


def test_an_error_text_is_no_cut_answer():
    assert parse_choice("[ERROR] HTTP 500", OPTIONS, finish_reason="length").status == "backend_error"


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        *("B. trumpet", "**B.** trumpet", "B) Trumpet.", "B: the trumpet", "(B) trumpet", "trumpet (B)", "B - trumpet"),
        *("Answer: B. trumpet", "The answer is B (trumpet).", "\\boxed{B. trumpet}", "<answer>B. Trumpet</answer>"),
        *(
            '{"answer": "B. trumpet"}',
            '{"answer": ["B. trumpet"]}',
            "答案是B(trumpet)",
            "So B. Trumpet",
            "选B. trumpet",
        ),
        *("Option B (trumpet) is correct", "B (trumpet) is correct", "B. trumpet is correct.", "I hear it. B. trumpet"),
        *(
            "B. trumpet is heard",
            "B) trumpet\nThe tone is bright.",
            "I hear it.\nB. trumpet",
            "The answer:\nB. trumpet",
        ),
        *("A. No wait, B. trumpet", "I heard this: B. trumpet"),
    ],
)
def test_a_disagreement_is_flagged_in_every_position(text, multi):
    """The letter counts (P8)."""
    answer = parse_choice(text, OPTIONS, multi)
    assert (answer.labels, answer.flags) == (("B",), ("letter_text_conflict",))
    agreeing = parse_choice(text.replace("trumpet", "cello").replace("Trumpet", "Cello"), OPTIONS, multi)
    assert (agreeing.labels, agreeing.flags) == (("B",), ())


@pytest.mark.parametrize(
    "text", ["- B. trumpet\n- A. Violin", "A: yes, B (trumpet): yes, D: no", "A. Violin, B. Trumpet"]
)
def test_a_disagreement_in_a_list_is_flagged(text):
    answer = parse_choice(text, OPTIONS, multi=True)
    assert (answer.labels, answer.flags) == (("A", "B"), ("letter_text_conflict",))


def test_a_short_text_disagrees_only_alone():
    options = ["Yes", "No", "Sometimes"]
    for text in ("A. No", "A) No.", "Answer: A. No", "Answer: A (No)"):
        assert parse_choice(text, options)[::3] == (("A",), ("letter_text_conflict",)), text
    for text in ("A. No vocals", "A. No, it is dull", "A. Yes"):
        assert parse_choice(text, options)[::3] == (("A",), ()), text
    assert parse_choice("B. C", ["A", "B", "C", "D"]).flags == ()


@pytest.mark.parametrize(
    ("text", "labels", "status"),
    [
        # 3.3.5: a label ends the response after a colon or comma; a semicolon opens no answer position
        ("I cannot hear; B", (), "refused"),
        ("I cannot hear, B", ("B",), "ok"),
        ("I cannot hear: B.", ("B",), "ok"),
        ("I cannot hear it. B", ("B",), "ok"),
        ("I cannot hear; my guess: B", ("B",), "ok"),
        ("I cannot hear; so B", ("B",), "ok"),
    ],
)
def test_a_guess_after_a_refusal_follows_the_letter_rules(text, labels, status):
    answer = parse_choice(text, OPTIONS)
    assert (answer.labels, str(answer.status)) == (labels, status)
