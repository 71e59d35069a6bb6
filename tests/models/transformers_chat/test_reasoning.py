"""Reasoning apart from the answer, each with its own budget; never an answer out of what was only thought."""

import shutil

import pytest
from fakes.media_group import FakeGroup, make_request, picture

from musebench_tasks.answers import parse_choice
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Generation, Kind, make_options
from musebench_tasks.evaluation.read_answers import read_answer
from musebench_tasks.models import load_model
from musebench_tasks.models.tiny import words
from musebench_tasks.models.transformers_chat.families import Thinking
from musebench_tasks.models.transformers_chat.reasoning import Budget, Reader

OPEN = "<|im_start|>assistant\n<think>\n"
CLOSED = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
HEADER = "<|im_start|>assistant\n"


@pytest.fixture(scope="module")
def tokenizer(torch):
    return words.tokenizer({}, words.THINKING)


@pytest.fixture
def read(tokenizer):
    reader = Reader(tokenizer, Thinking(), tokenizer.eos_token_id)

    def told(prompt, text, *, answer=8, reasoning=0):
        return reader.read(tokenizer(prompt)["input_ids"], tokenizer(text)["input_ids"], Budget(answer, reasoning))

    return told


@pytest.mark.parametrize(
    ("prompt", "text", "reasoning", "answer"),
    [
        (OPEN, "It is A\n</think>\n\nB<|im_end|>", "It is A", "B"),
        (HEADER, "<think>\nIt is A\n</think>\n\nB<|im_end|>", "It is A", "B"),
        (HEADER, "B<|im_end|>", None, "B"),
        (CLOSED, "B<|im_end|>", None, "B"),
        (OPEN, "</think>B<|im_end|>", "", "B"),
    ],
)
def test_reasoning_is_taken_apart(read, prompt, text, reasoning, answer):
    told = read(prompt, text, reasoning=64)
    assert (told.answer, told.reasoning, told.finish_reason) == (answer, reasoning, "stop")


def test_reasoning_that_never_ends_is_no_answer(read):
    told = read(OPEN, "The answer is: A The answer is: A", answer=2, reasoning=4)
    assert (told.answer, told.finish_reason) == ("", "length")
    assert "The answer is: A" in told.reasoning
    assert parse_choice(told.answer, ["x", "y"], finish_reason=told.finish_reason).status == "truncated"


def test_reasoning_that_the_model_breaks_off_itself_is_no_answer_either(read):
    told = read(OPEN, "A<|im_end|>", answer=8, reasoning=64)
    assert (told.answer, told.finish_reason, told.reasoning) == ("", "stop", "A")
    assert parse_choice(told.answer, ["x", "y"], finish_reason=told.finish_reason).status == "unparsed"


def test_the_answer_gets_its_own_budget_whatever_the_reasoning_left(read, tokenizer):
    told = read(OPEN, "A</think>" + "B C D", answer=2, reasoning=64)
    assert told.finish_reason == "length"
    assert len(tokenizer(told.answer)["input_ids"]) <= 2
    assert told.reasoning_tokens == 1


def test_reasoning_beyond_its_budget_leaves_no_answer(read):
    told = read(OPEN, "A B C D</think>B<|im_end|>", answer=16, reasoning=2)
    assert (told.answer, told.finish_reason) == ("", "length")


def test_unasked_reasoning_counts_as_answer(read):
    told = read(HEADER, "<think>A B C</think>B B B B B B", answer=7)
    assert told.reasoning == "A B C"
    assert told.finish_reason == "length"


def test_a_heading_of_the_family_is_no_reasoning(tokenizer):
    reader = Reader(tokenizer, Thinking(heading="It"), tokenizer.eos_token_id)
    told = reader.read([], tokenizer("<think>It\nis A</think>B")["input_ids"], Budget(8, 8))
    assert told.reasoning == "is A"


def test_a_model_reasons_where_it_is_let(tiny_chat):
    options = make_options("item-0", ("violin", "piano"))
    order = tuple(each.id for each in options)
    single = {"kind": Kind.SINGLE, "question": "Which one?", "options": options, "option_order": order}
    request = make_request(media_s=4.0, generation=Generation(max_tokens=3), **single)
    off = next(tiny_chat("qwen3_5").answer(FakeGroup((request,), None, picture(4, 4))))
    on = next(tiny_chat("qwen3_5", reasoning_tokens=5).answer(FakeGroup((request,), None, picture(4, 4))))
    assert (off.reasoning, off.reasoning_tokens, off.completion_tokens) == (None, None, 3)
    assert (on.completion_tokens, on.reasoning_tokens, on.raw, on.finish_reason) == (8, 8, "", "length")
    assert on.reasoning
    assert read_answer(request, on).status == "truncated"
    assert on.prompt_tokens == off.prompt_tokens - 4  # the empty reasoning that the template writes


@pytest.mark.parametrize(
    ("family", "settings", "told"),
    [
        ("qwen3_5", {"reasoning_tokens": 8, "answering": "letters"}, "letters are read from the first token"),
        ("qwen2_audio", {"reasoning_tokens": 8}, "has no tokens that mark reasoning"),
        ("qwen3_5", {"reasoning_tokens": -1}, "give 0"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(tiny_chat, family, settings, told):
    with pytest.raises(InputError, match=told):
        tiny_chat(family, **settings)


def test_a_checkpoint_that_always_reasons_wants_a_budget(tiny_model, tmp_path):
    copy = shutil.copytree(tiny_model("qwen3_5"), tmp_path / "always")
    template = copy / "chat_template.jinja"
    template.write_text(template.read_text().replace("{% if enable_thinking is false %}", "{% if false %}"))
    with pytest.raises(InputError, match="reason before every answer; .* such as reasoning_tokens: 2048"):
        load_model(f"transformers:{copy}")
    assert load_model(f"transformers:{copy}", reasoning_tokens=64).reasoning == "up to 64 tokens"
