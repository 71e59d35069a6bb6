"""Where sharing is not exact or not possible, prompts are read whole, and the response says why."""

import pytest
from fakes.clip_prompts import QUESTIONS, answers, asks, prompts_of
from fakes.media_group import FakeGroup, make_request, sound

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.models.transformers_chat.inputs import Media
from musebench_tasks.models.transformers_chat.reference_path import NotShareableError

OMNI = "qwen2_5_omni_thinker"


@pytest.fixture(scope="module")
def plain_tokens(tiny_chat, torch):
    from musebench_tasks.models.transformers_chat.engine import Engine

    model = tiny_chat(OMNI)
    plain = answers(Engine(model.weights, sharing="plain"), prompts_of(model), asks())
    return [plain[place].tokens for place in range(4)]


@pytest.fixture
def asked(tiny_chat, plain_tokens):
    """A model, an engine for it, prompts, and their plain answers."""
    from musebench_tasks.models.transformers_chat.engine import Engine

    model = tiny_chat(OMNI)
    return model, Engine(model.weights), prompts_of(model), plain_tokens


def reason_of(found):
    assert {each.prefix.mode for each in found.values()} == {"plain"}
    (reason,) = {each.prefix.reason for each in found.values()}
    return reason


def test_prompts_without_media(asked):
    model, engine, _, _ = asked
    prompts = prompts_of(model, media=Media())
    assert reason_of(answers(engine, prompts, asks())) == "the prompts share no media"
    assert engine._unfit is None


def test_media_after_the_shared_part(asked):
    _, engine, prompts, tokens = asked
    prompts.media_tokens |= {prompts.ids()[0][-1]}
    found = answers(engine, prompts, asks())
    assert reason_of(found) == "media come after what the prompts share"
    assert [found[place].tokens for place in range(4)] == tokens


def test_ids_that_only_the_whole_processor_knows(asked, monkeypatch):
    _, engine, prompts, tokens = asked

    def refuse():
        raise NotShareableError("the prompts differ before their media")

    monkeypatch.setattr(prompts, "ids", refuse)
    found = answers(engine, prompts, asks())
    assert reason_of(found) == "the prompts differ before their media"
    assert [found[place].tokens for place in range(4)] == tokens


def test_a_forward_without_a_cache_or_without_positions(asked, monkeypatch):
    from musebench_tasks.models.transformers_chat.cache import Prefix, cache_name

    model, _, prompts, _ = asked
    monkeypatch.setattr(model.weights, "forward", lambda input_ids=None, position_ids=None: None)
    with pytest.raises(NotShareableError, match="forward takes no cache"):
        cache_name(model.weights)
    monkeypatch.setattr(model.weights, "forward", lambda input_ids=None, cache=None: None)
    with pytest.raises(NotShareableError, match="forward takes no positions"):
        Prefix(model.weights, prompts, 20)


def test_an_encoder_decoder(asked, monkeypatch):
    from musebench_tasks.models.transformers_chat.cache import cache_name

    model, _, _, _ = asked
    monkeypatch.setattr(model.weights.config, "is_encoder_decoder", True)
    with pytest.raises(NotShareableError, match="encoder-decoder"):
        cache_name(model.weights)


def test_an_error_on_the_way_is_told_and_not_met_again(asked, monkeypatch):
    from musebench_tasks.models.transformers_chat import engine as module

    _, engine, prompts, tokens = asked
    calls = []

    def fail(prefix, rows):
        calls.append(rows)
        raise IndexError("this model is otherwise")

    monkeypatch.setattr(module, "continue_rows", fail)
    for _ in range(2):
        found = answers(engine, prompts, asks())
        assert reason_of(found) == "IndexError: this model is otherwise"
        assert [found[place].tokens for place in range(4)] == tokens
    assert len(calls) == 1


def test_the_self_check_finds_what_is_not_exact(asked, monkeypatch):
    from musebench_tasks.models.transformers_chat import engine as module

    _, engine, prompts, tokens = asked
    original = module.continue_rows

    def slightly_off(prefix, rows):
        original(prefix, rows)
        for row in rows:
            row.first_logits = row.first_logits + 1e-3 * row.first_logits.sin()

    monkeypatch.setattr(module, "continue_rows", slightly_off)
    for _ in range(2):
        found = answers(engine, prompts, asks())
        assert reason_of(found).startswith("self-check: first-token logits differ from the plain path by ")
        assert [found[place].tokens for place in range(4)] == tokens


def test_the_self_check_finds_positions_of_another_clip(asked, monkeypatch):
    """Nothing raises, the logits are just others."""
    from musebench_tasks.models.transformers_chat import cache

    _, engine, prompts, _ = asked
    original = cache.positions_of
    monkeypatch.setattr(cache, "positions_of", lambda *given: original(*given)._replace(start=3))
    assert reason_of(answers(engine, prompts, asks())).startswith("self-check")


def test_a_model_that_is_proven_is_not_checked_again(asked, monkeypatch):
    from musebench_tasks.models.transformers_chat import engine as module

    _, engine, prompts, tokens = asked
    answers(engine, prompts, asks())
    monkeypatch.setattr(module, "first_logits", None)
    found = answers(engine, prompts, asks())
    assert [found[place].tokens for place in range(4)] == tokens
    assert {each.prefix.mode for each in found.values()} == {"batched"}


def test_plain_when_asked_for_reads_the_media_for_every_prompt(asked):
    from musebench_tasks.models.transformers_chat.engine import Engine

    model, _, prompts, tokens = asked
    worked = []
    processed = prompts._processed
    prompts._processed = lambda place: worked.append(place) or processed(place)
    found = answers(Engine(model.weights, sharing="plain"), prompts, asks())
    assert reason_of(found) is None
    assert worked == [0, 1, 2, 3]
    assert [found[place].tokens for place in range(4)] == tokens


def test_responses_say_how_their_prompts_were_read(tiny_chat):
    model = tiny_chat("qwen2_audio")
    samples = sound(prompts_of(model)._media.audio[0], 16_000)
    heard = tuple(make_request(number, text) for number, text in enumerate(QUESTIONS))
    mute = tuple(each.model_copy(update={"condition": CONDITIONS["text_only"]}) for each in heard)
    assert [each.prefix.mode for each in model.answer(FakeGroup(heard, samples))] == ["batched"] * 4
    assert [each.prefix.reason for each in model.answer(FakeGroup(mute))] == ["the prompts share no media"] * 4
    (alone,) = model.answer(FakeGroup((heard[0], heard[0].model_copy(update={"run": 1})), samples))  # one key
    assert (alone.prefix.mode, alone.prefix.reason) == ("plain", None)
    (resumed,) = model.answer(FakeGroup(heard[:1], samples, planned=heard))
    assert resumed.prefix.mode == "batched"
