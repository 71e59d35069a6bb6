"""What processors make of frames and sound, family by family: times, sizes, tokens."""

import dataclasses
import itertools

import numpy as np
import pytest
from fakes.media_group import FakeGroup, make_request, picture, sound

from musebench_tasks.base.records import Modality
from musebench_tasks.models.tiny import TINY_FAMILIES
from musebench_tasks.models.transformers_chat.inputs import (
    FRAME_PIXELS,
    Media,
    are_evenly_spread,
    build_inputs,
    frame_rate,
)

RATE = 16_000
UNEVEN_S = np.array([0.0, 1.0, 2.0, 4.0, 8.0, 9.5])
BY_RATE = {
    "qwen2_5_omni_thinker": "video_second_per_grid",
    "qwen3_omni_moe_thinker": "video_second_per_grid",
    "qwen2_5_vl": "second_per_grid_ts",
}
BY_TEXT = {
    "qwen3_vl": ["<0.5 seconds>", "<3.0 seconds>", "<8.8 seconds>"],
    "qwen3_5": ["<0.5 seconds>", "<3.0 seconds>", "<8.8 seconds>"],
    "video_llama_3": ["Time 0.0s:", "Time 1.0s:", "Time 2.0s:", "Time 4.0s:", "Time 8.0s:", "Time 9.5s:"],
    "gemma4": ["00:00 ", " 00:01 ", " 00:02 ", " 00:04 ", " 00:08 ", " 00:09 "],
}
WITHOUT_TIMES = {"llava_onevision", "internvl"}
HEARING = ["qwen2_audio", "audioflamingo3", "musicflamingo", "gemma4", "qwen3_omni_moe_thinker"]
SEEING = [*BY_RATE, *BY_TEXT, *WITHOUT_TIMES]


def built(model, media, max_pixels=FRAME_PIXELS, **details):
    return build_inputs(model.processor, model.family, make_request(**details), media, max_pixels, {})


def prompt_text(model, inputs):
    return model.processor.tokenizer.decode(inputs["input_ids"][0])


def test_every_tiny_family_that_sees_is_looked_at(tiny_chat):
    assert {name for name in TINY_FAMILIES if Modality.VIDEO in tiny_chat(name).limits.modalities} == set(SEEING)


@pytest.mark.parametrize(("family", "name"), BY_RATE.items())
def test_a_rate_is_that_of_the_frames(tiny_chat, family, name):
    frames = picture(6, 12).pixels
    inputs = built(tiny_chat(family), Media(frames, np.arange(6) * 3.0, 18.0))
    assert inputs[name].tolist() == pytest.approx([6.0])
    uneven = built(tiny_chat(family), Media(frames, UNEVEN_S, 10.0))
    assert uneven[name].tolist() == pytest.approx([2 * 9.5 / 5], abs=1e-3)


@pytest.mark.parametrize(("family", "expected"), BY_TEXT.items())
def test_times_in_the_text_are_those_of_the_frames(tiny_chat, family, expected):
    model = tiny_chat(family)
    text = prompt_text(model, built(model, Media(picture(6, 12).pixels, UNEVEN_S, 10.0)))
    places = [text.find(each) for each in expected]
    assert all(first < second for first, second in itertools.pairwise([-1, *places]))


@pytest.mark.parametrize(
    ("family", "flags"),
    [(name, ("frame_times_averaged",)) for name in BY_RATE]
    + [(name, ()) for name in BY_TEXT]
    + [(name, ("frames_without_times",)) for name in sorted(WITHOUT_TIMES)],
)
def test_what_of_the_times_is_lost_is_flagged(tiny_chat, family, flags):
    frames = picture(6, 10)
    uneven = type(frames)(frames.pixels, UNEVEN_S, frames.available)
    (response,) = tiny_chat(family).answer(FakeGroup((make_request(media_s=10.0),), None, uneven))
    assert (response.failure, response.received.frames_used) == (None, 6)
    assert response.received.flags == flags


@pytest.mark.parametrize("family", SEEING)
def test_no_frame_is_lost_or_made(tiny_chat, family):
    for count in (1, 5):
        (response,) = tiny_chat(family).answer(FakeGroup((make_request(media_s=10.0),), None, picture(count, 10)))
        assert response.failure is None
        assert response.received.frames_used == count
        assert "frames_resampled" not in response.received.flags


@pytest.mark.parametrize("family", ["qwen2_5_omni_thinker", "qwen2_5_vl", "qwen3_vl", "qwen3_5", "video_llama_3"])
def test_the_pixel_budget_bounds_each_frame(tiny_chat, family):
    frames = Media(picture(4, 4, height=280, width=280).pixels)
    for budget in (8 * 32 * 32, 64 * 32 * 32):
        grid = built(tiny_chat(family), frames, budget)["video_grid_thw"][0]
        side = tiny_chat(family).processor.video_processor.patch_size
        assert budget / 2 <= int(grid[1] * grid[2]) * side * side <= budget


def test_the_pixel_budget_chooses_tokens_where_a_family_counts_so(tiny_chat):
    model = tiny_chat("gemma4")
    frames = Media(picture(2, 2, height=280, width=280).pixels)
    small, large = (built(model, frames, budget)["input_ids"].shape[1] for budget in (1000, 280 * 48 * 48))
    assert 3 * small < large


@pytest.mark.parametrize("family", ["qwen2_5_omni_thinker", "qwen3_omni_moe_thinker"])
def test_sound_is_woven_into_its_video(tiny_chat, family):
    model = tiny_chat(family)
    samples = np.zeros(8 * RATE, dtype=np.float32)
    ids = built(model, Media(picture(8, 8).pixels, audio=(samples,)))["input_ids"][0].tolist()
    marks = (model.processor.audio_token_id, model.processor.video_token_id)
    kinds = [token for token in ids if token in marks]
    assert sum(first != second for first, second in itertools.pairwise(kinds)) > 1


def test_pictures_stand_for_frames_where_a_processor_takes_no_video(tiny_chat, monkeypatch):
    model = tiny_chat("qwen2_5_vl")
    monkeypatch.setattr(model.processor, "video_processor", None)
    inputs = built(model, Media(picture(3, 3).pixels))
    assert inputs["image_grid_thw"].shape == (3, 3)
    (response,) = model.answer(FakeGroup((make_request(media_s=3.0),), None, picture(3, 3)))
    assert (response.failure, response.received.frames_used) == (None, 3)
    assert response.received.flags == ("frames_without_times",)


@pytest.mark.parametrize("family", SEEING)
def test_a_picture_goes_in_as_one(tiny_chat, family):
    painting = dataclasses.replace(picture(1, 1, height=112, width=168), policy="picture")
    audio = sound(np.zeros(2 * RATE, dtype=np.float32), RATE) if family in HEARING else None
    (response,) = tiny_chat(family).answer(FakeGroup((make_request(),), audio, painting))
    assert response.error is None
    assert (response.received.frames_used, response.received.flags) == (1, ())
    media = Media(painting.pixels, is_picture=True)
    text = prompt_text(tiny_chat(family), built(tiny_chat(family), media))
    assert tiny_chat(family).processor.image_token in text


def test_the_pixel_budget_bounds_a_picture(tiny_chat):
    media = Media(picture(1, 1, height=560, width=560).pixels, is_picture=True)
    for family, side in (("qwen2_5_vl", 14), ("qwen3_vl", 16)):
        grid = built(tiny_chat(family), media, 64 * 32 * 32)["image_grid_thw"][0]
        assert 32 * 32 * 32 <= int(grid.prod()) * side * side <= 64 * 32 * 32


def test_a_system_text_comes_first_and_media_before_the_question(omni):
    media = Media(picture(4, 4).pixels, audio=(np.zeros(3 * RATE, dtype=np.float32),))
    text = prompt_text(omni, built(omni, media, system="Answer briefly."))
    places = [text.find(each) for each in ("Answer briefly.", "<|VIDEO|>", "Which one?")]
    assert all(first < second for first, second in itertools.pairwise([-1, *places]))


@pytest.mark.parametrize(
    ("times_s", "window_s", "expected"),
    [([0.0, 3.0, 6.0], 9.0, 1 / 3), ([2.0], 10.0, 0.1), ([0.0], 0.0, 1.0), ([1.0, 1.0], 4.0, 0.5)],
)
def test_frame_rate(times_s, window_s, expected):
    assert frame_rate(np.array(times_s), window_s) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("times_s", "expected"),
    [([0.0, 1.0, 2.0], True), ([0.0, 1.03, 1.97, 3.0], True), ([0.0, 2.0], True), ([0.0, 1.0, 4.0], False)],
)
def test_frames_on_the_nearest_picture_of_a_film_are_evenly_spread(times_s, expected):
    assert are_evenly_spread(np.array(times_s)) is expected


@pytest.mark.parametrize(
    "family", ["qwen2_audio", "audioflamingo3", "musicflamingo", "gemma4", "qwen3_omni_moe_thinker"]
)
def test_seconds_of_sound_are_counted_in_the_features(tiny_chat, family):
    samples = 0.1 * np.random.default_rng(0).standard_normal(7 * RATE).astype(np.float32)
    (response,) = tiny_chat(family).answer(FakeGroup((make_request(),), sound(samples, RATE)))
    assert response.failure is None
    assert response.received.audio_s == 7  # the last window of features may end before the sound does
    assert response.received.flags == ()
