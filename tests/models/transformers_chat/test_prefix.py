"""What is led on from a shared beginning is what the plain path gives, whatever kinds of layers a model has."""

import copy

import pytest
from fakes.clip_prompts import QUESTIONS, answers, asks, clip, prompts_of

from musebench_tasks.base.records import PrefixUse
from musebench_tasks.models.tiny import TINY_FAMILIES
from musebench_tasks.models.transformers_chat.reference_path import NotShareableError

EXACT = 1e-5
LETTERS = tuple((letter, letter + 1) for letter in (40, 50, 60))
FULL, SLIDING, LINEAR = "qwen2_5_omni_thinker", "gemma4", "qwen3_5"


@pytest.fixture
def engine_of(torch):
    from musebench_tasks.models.transformers_chat.engine import Engine

    return lambda model, **settings: Engine(model.weights, **settings)


@pytest.fixture
def logits_of(monkeypatch):
    """First-token logits by place, as they were led on."""
    from musebench_tasks.models.transformers_chat import engine

    seen = {}
    original = engine.continue_rows

    def noting(prefix, rows):
        original(prefix, rows)
        seen.update({row.place: row.first_logits.clone() for row in rows})

    monkeypatch.setattr(engine, "continue_rows", noting)
    return seen


def plainly(model, prompts, wanted_asks):
    from musebench_tasks.models.transformers_chat.reference_path import first_logits, generate

    inputs = [prompts.anew(place) for place in range(len(prompts))]
    logits = [first_logits(model.weights, each, prompts.extras) for each in inputs]
    pairs = zip(inputs, wanted_asks, strict=True)
    return logits, [generate(model.weights, each, prompts.extras, ask) for each, ask in pairs]


@pytest.mark.parametrize(
    "family",
    [
        pytest.param(family, marks=() if family in (FULL, SLIDING, LINEAR) else pytest.mark.slow)
        for family in TINY_FAMILIES
    ],
)
def test_logits_and_tokens_are_those_of_the_plain_path(tiny_chat, engine_of, logits_of, family):
    model = tiny_chat(family)
    prompts, greedy = prompts_of(model), asks()
    logits, tokens = plainly(model, prompts, greedy)
    for sharing in ("shared", "sequential"):
        found = answers(engine_of(model, sharing=sharing), prompts, greedy)
        assert [found[place].tokens for place in range(4)] == tokens
        assert {each.prefix.reason for each in found.values()} == {None}
        modes = [found[place].prefix.mode for place in range(4)]
        assert modes == ["shared"] * 4 if sharing == "sequential" else "batched" in modes
        assert all(each.prefix.tokens > 10 for each in found.values())
        assert max(float((logits_of[place] - logits[place]).abs().max()) for place in range(4)) < EXACT


@pytest.mark.parametrize("takes_masks", [True, False])
def test_other_attention_is_led_on_as_exactly(tiny_chat, engine_of, logits_of, takes_masks, monkeypatch):
    from musebench_tasks.models.transformers_chat import cache

    model = tiny_chat("qwen2_audio")
    if takes_masks:
        monkeypatch.setattr(model.weights.config.get_text_config(), "_attn_implementation_internal", "eager")
    else:  # as flash attention does: rows of one length only
        monkeypatch.setattr(cache, "MASKED", ())
    prompts = prompts_of(model)
    logits, tokens = plainly(model, prompts, asks())
    found = answers(engine_of(model), prompts, asks())
    assert {each.prefix.mode for each in found.values()} == {"batched"} | (set() if takes_masks else {"shared"})
    assert [found[place].tokens for place in range(4)] == tokens
    assert max(float((logits_of[place] - logits[place]).abs().max()) for place in range(4)) < EXACT


@pytest.mark.parametrize("family", [FULL, SLIDING, LINEAR])
def test_what_is_drawn_is_drawn_alike(tiny_chat, engine_of, family):
    model = tiny_chat(family)
    prompts, drawn = prompts_of(model), asks(temperature=1.3, top_p=0.9)
    _, tokens = plainly(model, prompts, drawn)
    assert len({tuple(each) for each in tokens}) == 4
    found = answers(engine_of(model), prompts, drawn)
    assert [found[place].tokens for place in range(4)] == tokens
    alone = answers(engine_of(model), prompts, drawn, places=[2])
    assert alone[2].tokens == tokens[2]


@pytest.mark.parametrize("family", [FULL, SLIDING, LINEAR])
def test_letters_have_the_same_shares(tiny_chat, engine_of, family):
    model = tiny_chat(family)
    prompts, lettered = prompts_of(model), asks(letters=LETTERS)
    plain = answers(engine_of(model, sharing="plain"), prompts, lettered)
    found = answers(engine_of(model), prompts, lettered)
    assert {each.prefix.mode for each in plain.values()} == {"plain"}
    for place in range(4):
        assert found[place].shares == pytest.approx(plain[place].shares, abs=2e-6)
        assert sum(found[place].shares) == pytest.approx(1, abs=2e-6)
        assert found[place].tokens == []


def test_letters_and_texts_go_together(tiny_chat, engine_of):
    model = tiny_chat(FULL)
    prompts, texts, lettered = prompts_of(model), asks(), asks(letters=LETTERS)
    mixed = [texts[0], lettered[1], texts[2], lettered[3]]
    found = answers(engine_of(model), prompts, mixed)
    alone = answers(engine_of(model), prompts, texts), answers(engine_of(model), prompts, lettered)
    assert [found[place].tokens for place in (0, 2)] == [alone[0][place].tokens for place in (0, 2)]
    assert found[1].shares == pytest.approx(alone[1][1].shares, abs=2e-6)


def test_another_clip_in_between_leaves_no_trace(tiny_chat, engine_of):
    """Offsets of positions stay on the model."""
    model = tiny_chat("qwen2_5_vl")
    engine = engine_of(model)
    first, other = prompts_of(model), prompts_of(model, media=clip(model, seed=1, seconds=40))
    before = answers(engine, first, asks())
    led = engine.answer(first, asks(), range(4))
    outcomes = [next(led)]
    answers(engine, other, asks())
    model.weights.generate(**other.whole(0), max_new_tokens=2)
    outcomes += led
    assert [each.tokens for each in outcomes] == [before[place].tokens for place in range(4)]


@pytest.mark.parametrize("sharing", ["shared", "sequential"])
def test_the_end_token_ends_an_answer_and_only_that(tiny_chat, engine_of, sharing, monkeypatch):
    model = tiny_chat(FULL)
    prompts = prompts_of(model)
    whole = answers(engine_of(model), prompts, asks(max_tokens=8))
    ends = [whole[1].tokens[2], whole[3].tokens[-1]]
    monkeypatch.setattr(model.weights.generation_config, "eos_token_id", ends)
    _, tokens = plainly(model, prompts, asks(max_tokens=8))
    assert len({len(each) for each in tokens}) > 1
    found = answers(engine_of(model, sharing=sharing), prompts, asks(max_tokens=8))
    assert [found[place].tokens for place in range(4)] == tokens


@pytest.mark.parametrize(
    "settings",
    [
        {"repetition_penalty": 1.8},
        {"min_new_tokens": 4},
        {"suppress_tokens": [5, 6, 7], "begin_suppress_tokens": [8, 9]},
        {"no_repeat_ngram_size": 1, "top_k": 3},
        {"num_beams": 2},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_the_checkpoint_s_own_rules_of_choosing_hold(tiny_chat, engine_of, settings, monkeypatch):
    model = tiny_chat(FULL)
    prompts = prompts_of(model, QUESTIONS[:3])
    plain = answers(engine_of(model), prompts, asks(3))
    for name, value in {**settings, "eos_token_id": [each.tokens[0] for each in plain.values()]}.items():
        monkeypatch.setattr(model.weights.generation_config, name, value)
    _, tokens = plainly(model, prompts, asks(3))
    found = answers(engine_of(model), prompts, asks(3))
    assert [found[place].tokens for place in range(3)] == tokens
    modes = {each.prefix.mode for each in found.values()}
    assert modes == ({"plain"} if "num_beams" in settings else {"batched"})


def test_the_pad_token_in_a_question_is_read_like_any_other(tiny_chat, engine_of, logits_of):
    model = tiny_chat(FULL)
    pad = model.processor.tokenizer.pad_token
    prompts = prompts_of(model, [f"{pad}Which {pad} one?", f"What? {pad}{pad}", "Why?"])
    logits, tokens = plainly(model, prompts, asks(3))
    found = answers(engine_of(model), prompts, asks(3))
    assert [found[place].tokens for place in range(3)] == tokens
    assert max(float((logits_of[place] - logits[place]).abs().max()) for place in range(3)) < EXACT


@pytest.mark.parametrize("family", [FULL, SLIDING, LINEAR])
def test_leading_on_does_not_touch_the_beginning(tiny_chat, torch, family):
    from musebench_tasks.models.transformers_chat.cache import Prefix, shared_length
    from musebench_tasks.models.transformers_chat.prefix_decode import continue_rows
    from musebench_tasks.models.transformers_chat.sampling import make_row

    model = tiny_chat(family)
    prompts = prompts_of(model)
    ids = prompts.ids()
    with torch.inference_mode():
        prefix = Prefix(model.weights, prompts, shared_length(ids, prompts.media_tokens))
    kept = copy.deepcopy(prefix.cache)
    assert prefix.is_full_attention is (family == FULL)
    for places in ([0], [1, 2], [1]):
        continue_rows(prefix, [make_row(model.weights, place, ids[place], asks()[place]) for place in places])
    for before, after in zip(kept.layers, prefix.cache.layers, strict=True):
        for name in ("keys", "values"):
            assert getattr(before, name, None) is None or torch.equal(getattr(before, name), getattr(after, name))
        for name in ("conv_states", "recurrent_states"):
            for place, states in getattr(before, name, {}).items():
                assert torch.equal(states, getattr(after, name)[place])


def test_the_beginning_ends_where_ids_differ_not_where_strings_do(torch):
    from musebench_tasks.models.transformers_chat.cache import shared_length

    clip_tokens = frozenset({9})
    assert shared_length([[1, 9, 2, 3, 4], [1, 9, 2, 5]], clip_tokens) == 3
    assert shared_length([[1, 9, 2], [1, 9, 2, 5]], clip_tokens) == 2  # the last token of the shortest is read anew
    assert shared_length([[1, 9, 2, 2], [1, 9, 2, 2]], clip_tokens) == 3
    with pytest.raises(NotShareableError, match="share no media"):
        shared_length([[1, 2, 9], [1, 3, 9]], clip_tokens)
    with pytest.raises(NotShareableError, match="after what the prompts share"):
        shared_length([[1, 9, 2, 9, 4], [1, 9, 3, 9, 4]], clip_tokens)


def test_one_prompt_is_read_plainly_and_nothing_is_tried(tiny_chat, engine_of, monkeypatch):
    from musebench_tasks.models.transformers_chat import engine

    monkeypatch.setattr(engine, "Prefix", None)
    model = tiny_chat(FULL)
    prompts = prompts_of(model, QUESTIONS[:1])
    monkeypatch.setattr(prompts, "ids", None)
    (outcome,) = engine_of(model).answer(prompts, asks(1), [0])
    assert outcome.prefix == PrefixUse(mode="plain")
    assert len(outcome.tokens) == 5
