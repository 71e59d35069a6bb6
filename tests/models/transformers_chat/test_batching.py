"""Batches: made from the plan, within a budget, halved when memory runs out, the same after a stop."""

import json

import pytest
from fakes.clip_prompts import QUESTIONS, answers, asks, noise, prompts_of
from fakes.media_group import FakeGroup, make_request, sound

from musebench_tasks.base.records import Generation, Kind, make_options
from musebench_tasks.evaluation.read_answers import read_answers
from musebench_tasks.models.transformers_chat import load

OMNI = "qwen2_5_omni_thinker"
EIGHT = tuple(f"{question} {number}" for number in range(2) for question in QUESTIONS)


@pytest.fixture
def sizes(monkeypatch, torch):
    """How many rows each attempt to lead on had; an attempt with more than `limit` runs out of memory."""
    from musebench_tasks.models.transformers_chat import engine

    class Sizes(list):
        limit = 1000
        error: Exception = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    seen, original = Sizes(), engine.continue_rows

    def noting(prefix, rows):
        seen.append(len(rows))
        if len(rows) > seen.limit:
            raise seen.error
        original(prefix, rows)

    monkeypatch.setattr(engine, "continue_rows", noting)
    return seen


@pytest.fixture(scope="module")
def eight(tiny_chat, torch):
    from musebench_tasks.models.transformers_chat.engine import Engine

    model = tiny_chat(OMNI)
    prompts = prompts_of(model, EIGHT)
    plain = answers(Engine(model.weights, sharing="plain"), prompts, asks(8, 3))
    return model, prompts, [plain[place].tokens for place in range(8)]


def engine_of(model, **settings):
    from musebench_tasks.models.transformers_chat.engine import Engine

    return Engine(model.weights, **settings)


def test_all_go_together_where_memory_allows(eight, sizes):
    model, prompts, tokens = eight
    found = answers(engine_of(model), prompts, asks(8, 3))
    assert sizes == [8]
    assert [found[place].tokens for place in range(8)] == tokens


def test_a_budget_bounds_batches(eight, sizes):
    model, prompts, tokens = eight
    for gigabytes in (0, 0.0003):
        found = answers(engine_of(model, batch_memory_gb=gigabytes), prompts, asks(8, 3))
        assert [found[place].tokens for place in range(8)] == tokens
    assert sizes[:8] == [1] * 8
    assert 1 < max(sizes[8:]) < 8
    assert sum(sizes[8:]) == 8


def test_the_budget_is_reckoned_from_what_the_beginning_takes(tiny_chat, torch):
    from musebench_tasks.models.transformers_chat.batching import batch_bytes
    from musebench_tasks.models.transformers_chat.cache import Prefix, shared_length
    from musebench_tasks.models.transformers_chat.sampling import make_row

    model = tiny_chat("qwen2_audio")
    prompts = prompts_of(model)
    with torch.inference_mode():
        prefix = Prefix(model.weights, prompts, shared_length(prompts.ids(), prompts.media_tokens))
    assert prefix.token_bytes == 2 * 2 * 2 * 8 * 4  # layers, keys and values, heads, width, bytes
    assert prefix.bytes == prefix.length * prefix.token_bytes
    rows = [make_row(model.weights, place, prompts.ids()[place], asks()[place]) for place in range(4)]
    assert batch_bytes(prefix, rows[:1]) > prefix.bytes
    assert batch_bytes(prefix, rows) > batch_bytes(prefix, rows[:2]) > batch_bytes(prefix, rows[:1])
    prefix.takes_any_mask = False
    assert batch_bytes(prefix, [rows[0]] * 4) > 4 * prefix.bytes


@pytest.mark.parametrize("family", ["gemma4", "qwen3_5"])
def test_rows_of_one_length_go_together_where_padding_would_tell(tiny_chat, sizes, family):
    model = tiny_chat(family)
    prompts = prompts_of(model, ["Which one is it?", "Listen.", "Which one was it?"])
    lengths = [len(each) for each in prompts.ids()]
    answers(engine_of(model), prompts, asks(3))
    assert sorted(sizes) == sorted(lengths.count(length) for length in set(lengths))


@pytest.mark.parametrize(
    "error",
    [None, RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"), MemoryError()],
)
def test_a_batch_for_which_memory_runs_out_is_halved_and_so_are_later_ones(eight, sizes, error):
    model, prompts, tokens = eight
    sizes.limit = 2
    sizes.error = error or sizes.error
    engine = engine_of(model)
    for _ in range(2):
        found = answers(engine, prompts, asks(8, 3))
        assert [found[place].tokens for place in range(8)] == tokens
        assert all(each.error is None for each in found.values())
    assert sizes == [8, 4, 2, 2, 2, 2, 2, 2, 2, 2]
    assert engine.most == 2


def test_in_the_end_one_request_alone_fails(eight, torch, monkeypatch):
    from musebench_tasks.models.transformers_chat import engine as module

    model, prompts, tokens = eight
    original = module.continue_rows

    def third_is_too_large(prefix, rows):
        if any(row.place == 2 for row in rows):
            raise torch.OutOfMemoryError("CUDA out of memory")
        original(prefix, rows)

    monkeypatch.setattr(module, "continue_rows", third_is_too_large)
    found = answers(engine_of(model), prompts, asks(8, 3))
    assert found[2].error == "OutOfMemoryError: CUDA out of memory"
    assert [place for place in range(8) if found[place].error is None] == [0, 1, 3, 4, 5, 6, 7]
    assert all(found[place].tokens == tokens[place] for place in range(8) if place != 2)


def test_memory_that_runs_out_with_the_beginning_is_no_verdict_on_the_model(eight, torch, monkeypatch):
    from musebench_tasks.models.transformers_chat import engine as module

    model, prompts, tokens = eight
    engine, prefix = engine_of(model), module.Prefix

    def too_large(*given):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(module, "Prefix", too_large)
    found = answers(engine, prompts, asks(8, 3))
    assert {each.prefix.reason for each in found.values()} == {"OutOfMemoryError: CUDA out of memory"}
    assert [found[place].tokens for place in range(8)] == tokens
    monkeypatch.setattr(module, "Prefix", prefix)
    assert {each.prefix.mode for each in answers(engine, prompts, asks(8, 3)).values()} == {"batched"}


def test_a_batch_with_nothing_open_is_not_asked(eight, sizes):
    model, prompts, tokens = eight
    engine = engine_of(model)
    engine.most = 4
    found = answers(engine, prompts, asks(8, 3), places=[5])
    assert sizes == [4]
    assert {place: each.tokens for place, each in found.items()} == {5: tokens[5]}


@pytest.mark.parametrize("answering", ["text", "letters"])
def test_a_run_stopped_anywhere_in_a_group_ends_with_the_same_bytes(tiny_chat, tiny_model, answering):
    options = make_options("item", ["Violin", "Oboe", "Harp"])
    details = {"kind": Kind.SINGLE, "options": options, "option_order": tuple(option.id for option in options)}
    drawn = Generation(max_tokens=6, temperature=1.5)
    planned = tuple(make_request(number, text, generation=drawn, **details) for number, text in enumerate(QUESTIONS))
    model = load(str(tiny_model(OMNI)), device="cpu", answering=answering)

    def ask(requests):
        return model.answer(FakeGroup(tuple(requests), sound(noise(1), 16_000), planned=planned))

    def predictions(responses):
        by_key = {each.key: each for each in responses}
        return "".join(each.canonical_json() for each in read_answers(planned, by_key))

    whole = predictions(ask(planned))
    assert all(json.loads(each)["status"] != "backend_error" for each in whole.replace("}{", "}\n{").splitlines())
    for stop in range(1, len(planned)):
        before = [each for each, _ in zip(ask(planned), range(stop), strict=False)]
        ended = {each.key for each in before}
        after = list(ask(each for each in planned if each.key not in ended))
        assert len(before) + len(after) == len(planned)
        assert predictions([*before, *after]) == whole
