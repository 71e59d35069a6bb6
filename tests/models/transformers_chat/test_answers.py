"""transformers:DIR on tiny models: what comes back, and what of the media really went in."""

import itertools

import numpy as np
import pytest
from fakes.media_group import FakeGroup, make_request, picture, sound

from musebench_tasks.models.transformers_chat.inputs import Media, build_inputs
from musebench_tasks.records import Condition, Generation, Kind, Modality, Status

RATE = 16_000


def noise(seconds, seed=0):
    return sound(0.1 * np.random.default_rng(seed).standard_normal(int(seconds * RATE)).astype(np.float32), RATE)


def last_logits(model, media, torch, prompt="Which one?"):
    inputs = build_inputs(model.processor, model.family, make_request(prompt=prompt), media, model.max_pixels)
    woven = {"use_audio_in_video": True} if media.frames is not None and media.audio is not None else {}
    with torch.inference_mode():
        return model.weights(**inputs, **woven).logits[0, -1].numpy()


def test_limits_follow_from_the_checkpoint(omni, listener):
    assert omni.limits.modalities == {Modality.VIDEO, Modality.AUDIO}
    assert (omni.limits.max_frames, omni.limits.max_audio_s, omni.limits.sample_rate) == (32, 30, RATE)
    assert listener.limits.modalities == {Modality.AUDIO}
    assert (listener.limits.max_frames, listener.limits.max_audio_s) == (None, 30)
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


def test_what_was_received_is_measured(omni):
    (response,) = omni.answer(FakeGroup((make_request(media_s=14.0),), noise(5), picture(7, 14)))
    received = response.received
    assert (received.frames_available, received.frames_used, received.frame_policy) == (14, 7, "even")
    assert received.audio_s == 5
    assert received.media_tokens == 24 + 125  # four pairs of frames of 2 x 3 tokens, 25 tokens a second
    assert received.flags == ()


def test_sound_beyond_the_limit_is_flagged(omni, listener):
    for model in (omni, listener):
        (response,) = model.answer(FakeGroup((make_request(),), noise(40)))
        assert response.received.audio_s == 30
        assert response.received.flags == ("audio_truncated",)


def test_text_only_gets_no_media(omni):
    request = make_request(condition=Condition.TEXT_ONLY)
    (response,) = omni.answer(FakeGroup((request,)))
    assert (response.received.media_tokens, response.received.audio_s, response.received.frames_used) == (0, None, None)
    inputs = build_inputs(omni.processor, omni.family, request, Media(), omni.max_pixels)
    assert set(inputs) == {"input_ids", "attention_mask"}


@pytest.mark.parametrize("stream", ["frames", "audio"])
def test_other_media_move_the_logits(omni, torch, stream):
    media = {"frames": picture(6, 12).pixels, "fps": 0.5, "audio": noise(4).samples}
    other = {"frames": picture(6, 12, seed=1).pixels, "audio": noise(4, seed=1).samples}
    before = last_logits(omni, Media(**media), torch)
    assert np.array_equal(before, last_logits(omni, Media(**media), torch))
    after = last_logits(omni, Media(**(media | {stream: other[stream]})), torch)
    assert np.abs(after - before).max() > 0.01


def test_the_time_of_frames_reaches_the_model(omni, torch):
    frames = picture(6, 12).pixels
    slow = build_inputs(omni.processor, omni.family, make_request(), Media(frames, fps=1 / 3), omni.max_pixels)
    assert slow["video_second_per_grid"].tolist() == pytest.approx([6.0])  # models.md 2


def test_sound_is_woven_into_its_video(omni):
    media = Media(picture(8, 8).pixels, 1.0, noise(8).samples, RATE)
    ids = build_inputs(omni.processor, omni.family, make_request(), media, omni.max_pixels)["input_ids"][0].tolist()
    kinds = [token for token in ids if token in (omni.config.audio_token_index, omni.config.video_token_index)]
    turns = sum(first != second for first, second in itertools.pairwise(kinds))
    assert turns > 1


def test_media_come_before_the_question(omni):
    media = Media(picture(4, 4).pixels, 1.0, noise(3).samples, RATE)
    first, second = (
        build_inputs(omni.processor, omni.family, make_request(prompt=prompt), media, omni.max_pixels)["input_ids"][0]
        for prompt in ("Which one?", "What else?")
    )
    shared = next(place for place in range(len(first)) if first[place] != second[place])
    last_media = max(place for place in range(len(first)) if first[place] == omni.config.audio_token_index)
    assert shared > last_media


def test_the_pixel_budget_bounds_frames(omni):
    frames = picture(2, 2, height=280, width=280).pixels
    small, large = (
        build_inputs(omni.processor, omni.family, make_request(), Media(frames, 1.0), budget)["video_grid_thw"]
        for budget in (8 * 28 * 28, 64 * 28 * 28)
    )
    assert small.prod() < large.prod() <= 64 * 4


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


def test_a_request_that_fails_leaves_the_next_unharmed(omni, torch, monkeypatch):
    generate = omni.weights.generate
    calls = iter([True, False])

    def failing_first(**inputs):
        if next(calls):
            raise torch.OutOfMemoryError("CUDA out of memory")
        return generate(**inputs)

    monkeypatch.setattr(omni.weights, "generate", failing_first)
    first, second = omni.answer(FakeGroup((make_request(0), make_request(1)), noise(2)))
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
