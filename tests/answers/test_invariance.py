"""What must change nothing, and what must change with it: dress, order of options, letters beyond them."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.answers import parse_choice
from musebench_tasks.base.records import Status

CASES = Path(__file__).parents[1] / "cases"
LETTERS = "ABCDEFGH"
TEXTS = (
    "Violin",
    "Bass guitar",
    "Drum machine",
    "Tenor saxophone",
    "Snare drum",
    "Harpsichord",
    "Female choir",
    "Oboe",
)
FILES = ("answers.jsonl", "more_choice.jsonl", "answers_more.jsonl")
RECORDS = [json.loads(line) for name in FILES for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def read(response, case):
    return parse_choice(response, case["options"], multi=case["kind"] == "multi")


ERRORS = {"backend_error"}
"""Matched at the start of the whole response (P11), so dress does change them."""


def is_whole(case):
    unmarked = not any(mark in case["response"] for mark in ("<", "◁", "[THINK"))
    return unmarked and read(case["response"], case).status not in ERRORS


WHOLE = [case for case in RECORDS if is_whole(case)]
PROSE = [case for case in WHOLE if not any(mark in case["response"] for mark in "`*_#~|>-+$\\{[\n")]


DRESSES = {
    "reasoning": "<think>Hmm, (A)? The answer is B. No, C.\n\nAnswer: D</think>{}",
    "reasoning on lines of its own": "<thinking>\nE\n</thinking>\n\n{}",
    "reasoning whose start is in the prompt": "So it is A.\nANSWER: B\n</think>\n\n{}",
    "blank lines": "\n\n \n{}\n\n\n",
    "end of turn": "{}<|im_end|>",
    "marks of direction": "\u200e{}\u200f",
}


@pytest.mark.parametrize("dress", DRESSES)
def test_every_case_reads_the_same_in_other_dress(dress):
    changed = [
        case["id"]
        for case in WHOLE[::6]
        if read(DRESSES[dress].format(case["response"]), case) != read(case["response"], case)
    ]
    assert not changed


@pytest.mark.parametrize("dress", ["**{}**", "*{}*", "***{}***", "> {}", "## {}", "`{}`", "```\n{}\n```", "<b>{}</b>"])
def test_every_line_reads_the_same_in_markdown(dress):
    changed = [
        case["id"]
        for case in PROSE[::6]
        if read(dress.format(case["response"]), case)[:2] != read(case["response"], case)[:2]
    ]
    assert not changed


def test_blank_lines_between_lines_change_nothing():
    lines = [case for case in WHOLE if "\n" in case["response"] and "```" not in case["response"]]
    changed = [
        case["id"]
        for case in lines
        if read(case["response"].replace("\n", "\n\n"), case) != read(case["response"], case)
    ]
    assert not changed


TEXT_FORMS = (
    "{}",
    "{}.",
    "the {}",
    "Answer: {}",
    "**Answer:** {}",
    "The answer is {}.",
    "The correct answer is the {}, as the timbre shows.",
    "\\boxed{{\\text{{{}}}}}",
    '{{"answer": "{}"}}',
    "<answer>{}</answer>",
    "I can hear a {} in the background.",
    "It is a {}.",
    "答案是{}",
    "정답: {}",
    "答えは{}です。",
    "La respuesta es {}.",
    "Réponse : {}",
    "Die Antwort ist {}.",
    "A resposta é {}.",
    "Risposta: {}",
    "Jawaban: {}",
)


@given(st.permutations(TEXTS), st.integers(4, 8), st.sampled_from(TEXT_FORMS), st.sampled_from(TEXTS), st.booleans())
@settings(max_examples=80)
def test_a_text_keeps_its_option_in_every_order(order, count, form, text, multi):
    options = list(order)[:count]
    answer = parse_choice(form.format(text), options, multi)
    if text in options:
        assert answer.labels == (LETTERS[options.index(text)],)
    else:
        assert answer.labels == ()


LETTER_FORMS = (
    "{}",
    "{}.",
    "({})",
    "**{}**",
    "Answer: {}",
    "The answer is ({}).",
    "\\boxed{{{}}}",
    '{{"answer": "{}"}}',
    "<answer>{}</answer>",
    "Let me think.\n{}",
    "I'd go with {}.",
    "Option {}",
    "{} is the correct answer.",
    "答案：{}",
    "正解は{}です。",
    "정답은 {}입니다.",
    "Respuesta: {}",
    "La réponse est {}.",
    "Die richtige Antwort ist {}.",
    "A resposta correta é {}.",
    "La risposta corretta è {}.",
    "Jawabannya adalah {}.",
    "Ответ: {}",
    "الإجابة: {}",
    "सही उत्तर {} है।",
)


@pytest.mark.parametrize("form", LETTER_FORMS)
@given(letter=st.sampled_from("ABCDEFGHIJKLMNOP"), count=st.integers(2, 8), multi=st.booleans())
@settings(max_examples=8)
def test_a_letter_counts_within_the_options_and_never_beyond(form, letter, count, multi):
    answer = parse_choice(form.format(letter), list(TEXTS[:count]), multi)
    if letter in LETTERS[:count]:
        assert (answer.labels, answer.status) == ((letter,), Status.OK)
    else:
        assert answer.labels == ()
        assert answer.status is not Status.OK


@given(
    st.sets(st.sampled_from(LETTERS), min_size=1), st.integers(4, 8), st.sampled_from([", ", " and ", "; ", "、", ""])
)
@settings(max_examples=30)
def test_a_set_counts_only_whole(letters, count, separator):
    answer = parse_choice("ANSWER: " + separator.join(sorted(letters)), list(TEXTS[:count]), multi=True)
    within = all(letter in LETTERS[:count] for letter in letters)
    assert answer.labels == (tuple(sorted(letters)) if within else ())


WORDS = (
    "the",
    "a",
    "sound",
    "of",
    "is",
    "not",
    "and",
    "I",
    "low",
    "so",
    "maybe",
    "in",
    "C minor",
    "B flat",
    "section A",
)
WORDS += ("if", "option", "answer", "B?", "(A)", "Violin", "answer: B", "wait,", "no")


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), st.sampled_from(LETTERS[:4]))
@settings(max_examples=60)
def test_a_last_line_that_declares_decides(prose, letter):
    """Whatever stands before it."""
    assert parse_choice(f"{prose}\n\nFinal answer: {letter}", list(TEXTS[:4])).labels == (letter,)
