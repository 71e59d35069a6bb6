"""Tokens that stand for a letter: both forms, as they follow what the template writes before an answer."""

import pytest

from musebench_tasks.models.tiny import words
from musebench_tasks.models.transformers_chat.letters import LetterTokens


@pytest.fixture(scope="module")
def tokenizer(torch):
    return words.tokenizer({"audio_token": "<|AUDIO|>"})


HEADER = "<|im_start|>user\nWhich one?<|im_end|>\n<|im_start|>assistant\n"


def test_both_forms_of_a_letter_count(tokenizer):
    found = LetterTokens(tokenizer).of(HEADER, ("A", "B"))
    assert [[tokenizer.decode([token]) for token in tokens] for tokens in found] == [["A", " A"], ["B", " B"]]


def test_what_comes_long_before_the_answer_changes_nothing(tokenizer):
    letters = LetterTokens(tokenizer)
    assert letters.of("<|im_start|>user\nA B C" + HEADER, ("A",)) == letters.of(HEADER, ("A",))


def test_a_form_that_melts_into_what_is_before_it_is_left_out(tokenizer):
    found = LetterTokens(tokenizer).of(f"{HEADER}The answer is:", ("A",))
    assert all(len(tokenizer(f"{HEADER}The answer is:{form}")["input_ids"]) > 0 for form in ("A", " A"))
    assert {tokenizer.decode([token]) for token in found[0]} <= {"A", " A"}


def test_a_label_without_a_token_of_its_own_gives_none(tokenizer):
    assert LetterTokens(tokenizer).of(HEADER, ("A", "Zz")) == ()
    assert LetterTokens(tokenizer).of(HEADER, ()) == ()
