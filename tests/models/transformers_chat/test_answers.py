"""transformers:DIR on tiny models: what comes back, and what of the media really went in."""

import numpy as np
import pytest
from fakes.media_group import FakeGroup, make_request, picture, sound

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Generation, Kind, Modality, Option, Status
from musebench_tasks.evaluation.read_answers import read_answer
from musebench_tasks.models import load_model
from musebench_tasks.models.transformers_chat.inputs import Media, build_inputs

RATE = 16_000
OPTIONS = tuple(Option(id=f"id-{name}", text=name) for name in ("violin", "piano", "drums"))


def noise(seconds, seed=0):
    return sound(0.1 * np.random.default_rng(seed).standard_normal(int(seconds * RATE)).astype(np.float32), RATE)


def choice(number=0, options=OPTIONS, **details):
    order = tuple(option.id for option in options)
    prompt = "Which one?\n" + "\n".join(
        f"{letter}. {option.text}" for letter, option in zip("ABC", options, strict=True)
    )
    return make_request(
        number, prompt, kind=Kind.SINGLE, question="Which one?", options=options, option_order=order, **details
    )


def last_logits(model, media, torch):
    inputs = build_inputs(model.processor, model.family, make_request(), media, model.settings.max_pixels, {})
    woven = {"use_audio_in_video": True} if media.frames is not None and media.audio else {}
    with torch.inference_mode():
        return model.weights(**inputs, **woven).logits[0, -1].numpy()


def test_limits_follow_from_the_checkpoint(omni, listener, tiny_chat):
    assert omni.limits.modalities == {Modality.VIDEO, Modality.AUDIO}
    assert (omni.limits.max_frames, omni.limits.max_audio_s, omni.limits.sample_rate) == (32, 30, RATE)
    assert listener.limits.modalities == {Modality.AUDIO}
    assert (listener.limits.max_frames, listener.limits.max_audio_s) == (None, 30)
    assert tiny_chat("qwen3_omni_moe_thinker").limits.max_audio_s == 2400
    assert tiny_chat("musicflamingo").limits.max_audio_s == 1200
    assert omni.kinds == set(Kind)


def test_video_audio_and_text_in_one_prompt(omni):
    requests = tuple(make_request(number, f"Question {number}?", media_s=14.0) for number in range(3))
    group = FakeGroup(requests, noise(5), picture(7, 14))
    responses = list(omni.answer(group))
    assert [each.key for each in responses] == [each.key for each in requests]
    assert group.decoded == {"audio": 1, "video": 1}
    for response in responses:
        assert response.failure is None
        assert response.finish_reason == "length"
        assert response.completion_tokens == 4
        assert response.prompt_tokens > response.received.media_tokens
        assert response.prefix.mode == "batched"


def test_what_was_received_is_measured(omni):
    (response,) = omni.answer(FakeGroup((make_request(media_s=14.0),), noise(5), picture(7, 14)))
    received = response.received
    assert (received.frames_available, received.frames_used, received.frame_policy) == (14, 7, "even")
    assert (received.audio_s, received.audio_parts) == (5, None)
    assert received.media_tokens == 24 + 125  # four pairs of frames of 2 x 3 tokens, 25 tokens a second
    assert received.flags == ()


def test_text_only_gets_no_media(omni):
    requests = tuple(
        make_request(number, f"Question {number}?", condition=CONDITIONS["text_only"]) for number in range(2)
    )
    for response in omni.answer(FakeGroup(requests)):
        assert response.failure is None
        received = response.received
        assert (received.media_tokens, received.audio_s, received.frames_used) == (0, None, None)


@pytest.mark.parametrize("stream", ["frames", "audio"])
def test_other_media_move_the_logits(omni, torch, stream):
    media = {"frames": picture(6, 12).pixels, "window_s": 12.0, "audio": (noise(4).samples,)}
    other = {"frames": picture(6, 12, seed=1).pixels, "audio": (noise(4, seed=1).samples,)}
    before = last_logits(omni, Media(**media), torch)
    assert np.array_equal(before, last_logits(omni, Media(**media), torch))
    after = last_logits(omni, Media(**(media | {stream: other[stream]})), torch)
    assert np.abs(after - before).max() > 0.01


def test_one_frame_is_enough(omni):
    (response,) = omni.answer(FakeGroup((make_request(media_s=5.0),), None, picture(1, 5)))
    assert response.failure is None
    assert response.received.frames_used == 1


def test_media_given_are_not_changed(omni):
    group = FakeGroup((make_request(),), noise(3), picture(4, 4))
    audio, pixels = group.sound.samples.copy(), group.picture.pixels.copy()
    list(omni.answer(group))
    assert np.array_equal(group.sound.samples, audio)
    assert np.array_equal(group.picture.pixels, pixels)


def test_a_request_that_fails_leaves_the_next_unharmed(tiny_chat, torch, monkeypatch):
    model = tiny_chat("qwen2_5_omni_thinker", prefix="plain")
    generate = model.weights.generate
    calls = iter([True, False])

    def failing_first(**inputs):
        if next(calls):
            raise torch.OutOfMemoryError("CUDA out of memory")
        return generate(**inputs)

    monkeypatch.setattr(model.weights, "generate", failing_first)
    first, second = model.answer(FakeGroup((make_request(0), make_request(1)), noise(2)))
    assert first.failure is Status.BACKEND_ERROR
    assert "out of memory" in first.error
    assert second.failure is None


def test_an_audio_model_answers_and_is_not_shown_video(listener):
    group = FakeGroup((make_request(system="Answer briefly."),), noise(3), picture(4, 4))
    (response,) = listener.answer(group)
    assert response.failure is None
    assert group.decoded == {"audio": 1}
    assert response.received.frames_used is None
    assert response.received.media_tokens == 75


def test_sampling_follows_the_key_so_that_runs_draw_apart(omni):
    generation = Generation(max_tokens=8, temperature=1.0)

    def text(number):
        return next(omni.answer(FakeGroup((make_request(generation=generation, key=f"{number:016x}{0:048x}"),)))).raw

    assert text(1) == text(1)
    assert len({text(number) for number in range(4)}) > 1


def test_only_what_is_still_open_is_answered_from_the_prompts_of_the_whole_plan(omni):
    planned = tuple(make_request(number, f"Question {number}?") for number in range(3))
    whole = {each.key: each.raw for each in omni.answer(FakeGroup(planned, noise(2)))}
    (rest,) = omni.answer(FakeGroup(planned[1:2], noise(2), planned=planned))
    assert (rest.key, rest.raw) == (planned[1].key, whole[planned[1].key])


def test_media_that_no_token_stands_for_fail_the_request(tiny_chat, monkeypatch):
    model = tiny_chat("qwen2_5_omni_thinker", max_frames=8)
    deaf = model.processor.chat_template.replace("<|AUDIO|>", "")
    monkeypatch.setattr(model.processor, "chat_template", deaf)
    monkeypatch.setattr(type(model.processor), "validate_inputs", lambda *_, **__: None)
    responses = list(model.answer(FakeGroup((make_request(0), make_request(1)), noise(2))))
    assert [each.failure for each in responses] == [Status.BACKEND_ERROR] * 2
    assert "no audio token: the model would answer without it" in responses[0].error


def test_sound_beyond_the_limit_is_flagged(omni, listener, tiny_chat):
    for model in (omni, listener):
        (response,) = model.answer(FakeGroup((make_request(),), noise(40)))
        assert response.received.audio_s == 30
        assert response.received.flags == ("audio_truncated",)
    (response,) = tiny_chat("qwen3_omni_moe_thinker").answer(FakeGroup((make_request(),), noise(40)))
    assert (response.received.audio_s, response.received.flags) == (40, ())


def test_sound_in_parts_is_heard_whole(omni, listener):
    for model in (omni, listener):
        group = FakeGroup((make_request(),), noise(40), chunk_samples=20 * RATE)
        (response,) = model.answer(group)
        assert (response.failure, response.received.audio_s, response.received.audio_parts) == (None, 40, 2)
        assert (response.received.media_tokens, response.received.flags) == (1000, ())


def test_a_family_of_one_stretch_of_sound_gets_it_whole(tiny_chat):
    group = FakeGroup((make_request(),), noise(40), chunk_samples=20 * RATE)
    (response,) = tiny_chat("audioflamingo3").answer(group)
    assert (response.received.audio_s, response.received.audio_parts) == (40, None)
    assert response.received.media_tokens == 1000


def test_letters_are_answered_by_probabilities_from_the_first_token(tiny_chat):
    model = tiny_chat("qwen2_5_omni_thinker", answering="letters")
    request = choice()
    (response,) = model.answer(FakeGroup((request,), noise(2)))
    assert response.raw is None
    assert set(response.option_probabilities) == set(request.option_order)
    assert sum(response.option_probabilities.values()) == pytest.approx(1, abs=1e-5)
    prediction = read_answer(request, response)
    assert (prediction.parser.method, prediction.rule) == ("letters", "letter_probability")
    assert prediction.parsed == (max(response.option_probabilities, key=response.option_probabilities.get),)


def test_letters_follow_the_option_not_its_place(tiny_chat):
    model = tiny_chat("qwen2_5_omni_thinker", answering="letters")
    first, second = model.answer(FakeGroup((choice(0), choice(1, OPTIONS[::-1])), noise(2)))
    assert list(first.option_probabilities) == ["id-violin", "id-piano", "id-drums"]
    assert list(second.option_probabilities) == ["id-drums", "id-piano", "id-violin"]


def test_where_letters_are_no_answer_the_text_is(tiny_chat):
    model = tiny_chat("qwen2_5_omni_thinker", answering="letters")
    keys = tuple(Option(id=name, text=name) for name in ("A minor", "B minor", "C major"))
    requests = (choice(0, keys), choice(1).model_copy(update={"kind": Kind.MULTI}), make_request(2))
    for response in model.answer(FakeGroup(requests, noise(2))):
        assert response.option_probabilities is None
        assert response.raw is not None


def test_answering_and_reasoning_show_in_the_revision(tiny_model):
    source = f"transformers:{tiny_model('qwen3_5')}"
    plain, letters, thinking = (
        load_model(source, **options) for options in ({}, {"answering": "letters"}, {"reasoning_tokens": 64})
    )
    assert len({plain.revision, letters.revision, thinking.revision}) == 3
    assert (plain.answering, letters.answering) == ("text", "letters")
    assert (plain.reasoning, thinking.reasoning) == ("off", "up to 64 tokens")


def test_a_prompt_beyond_what_the_checkpoint_was_made_for_is_flagged(omni, monkeypatch):
    assert omni.context_tokens == 32_768
    monkeypatch.setattr(omni, "context_tokens", 20)
    (response,) = omni.answer(FakeGroup((make_request(),), noise(2)))
    assert response.received.flags == ("beyond_context",)


@pytest.mark.parametrize("answering", ["text", "letters"])
def test_a_template_that_refuses_a_message_fails_its_requests(tiny_chat, monkeypatch, answering):
    model = tiny_chat("qwen2_5_omni_thinker", answering=answering)
    refusing = "{{ raise_exception('System role not supported') }}"
    monkeypatch.setattr(model.processor, "chat_template", refusing)
    responses = list(model.answer(FakeGroup((choice(0), choice(1)), noise(2))))
    assert [each.failure for each in responses] == [Status.BACKEND_ERROR] * 2
    assert all("System role not supported" in each.error for each in responses)
