"""Prompts of one group: the processor's work once, and for the other questions the very same result."""

import numpy as np
import pytest
from fakes.media_group import make_request, picture

from musebench_tasks.base.records import Modality
from musebench_tasks.models.tiny import TINY_FAMILIES
from musebench_tasks.models.transformers_chat.inputs import Media, build_inputs
from musebench_tasks.models.transformers_chat.prompts import GroupPrompts
from musebench_tasks.models.transformers_chat.reference_path import NotShareableError

RATE = 16_000
QUESTIONS = ("Which one?", "What is the tempo of this recording, and why? A. slow B. fast", "\n\n Häh? ")


def media_for(model):
    seen = Modality.VIDEO in model.limits.modalities
    heard = Modality.AUDIO in model.limits.modalities
    samples = 0.1 * np.random.default_rng(0).standard_normal(2 * RATE).astype(np.float32)
    return Media(picture(4, 4).pixels if seen else None, audio=(samples,) if heard else ())


def prompts_of(model, requests, media):
    return GroupPrompts(model.processor, model.family, model.config, requests, media, max_pixels=10_000)


def asked(**details):
    return [make_request(number, text, **details) for number, text in enumerate(QUESTIONS)]


@pytest.mark.parametrize("family", TINY_FAMILIES)
def test_expanded_text_gives_what_the_whole_processor_gives(tiny_chat, torch, family):
    model = tiny_chat(family)
    requests, media = asked(system="Be brief."), media_for(model)
    prompts = prompts_of(model, requests, media)
    assert len(prompts) == len(prompts.ids()) == 3
    for place, request in enumerate(requests):
        whole = build_inputs(model.processor, model.family, request, media, 10_000, {})
        expanded = prompts.whole(place)
        assert set(whole) == set(expanded)
        assert list(prompts.ids()[place]) == whole["input_ids"][0].tolist()
        for name, tensor in whole.items():
            assert torch.equal(torch.as_tensor(expanded[name]), torch.as_tensor(tensor)), name


def test_the_processor_works_once(tiny_chat, monkeypatch):
    model = tiny_chat("qwen2_5_omni_thinker")
    calls = []
    extract = type(model.processor.feature_extractor).__call__
    monkeypatch.setattr(
        type(model.processor.feature_extractor),
        "__call__",
        lambda *args, **kwargs: calls.append(1) or extract(*args, **kwargs),
    )
    prompts = prompts_of(model, asked(), media_for(model))
    for place in range(3):
        assert prompts.whole(place)["input_ids"].shape[1] == len(prompts.prompt_ids(place))
    assert len(calls) == 1


def test_texts_without_media_are_read_by_the_tokenizer(tiny_chat):
    model = tiny_chat("qwen2_audio")
    prompts = prompts_of(model, asked(), Media())
    for place, request in enumerate(asked()):
        whole = build_inputs(model.processor, model.family, request, Media(), 10_000, {})
        assert list(prompts.ids()[place]) == whole["input_ids"][0].tolist()


def test_prompts_that_differ_before_their_media_go_through_the_processor_each(tiny_chat):
    model = tiny_chat("qwen2_5_omni_thinker")
    requests = [make_request(0, system="Be brief."), make_request(1, system="Be long.")]
    prompts = prompts_of(model, requests, media_for(model))
    with pytest.raises(NotShareableError, match="differ before their media"):
        prompts.ids()
    for place, request in enumerate(requests):
        whole = build_inputs(model.processor, model.family, request, media_for(model), 10_000, {})
        assert list(prompts.prompt_ids(place)) == whole["input_ids"][0].tolist()


def test_a_tokenizer_that_reads_a_part_otherwise_is_found_out(tiny_chat, monkeypatch):
    model = tiny_chat("qwen2_5_omni_thinker")
    prompts = prompts_of(model, asked(), media_for(model))
    monkeypatch.setattr(prompts, "_tail_ids", lambda text: [1, 2, 3])
    with pytest.raises(NotShareableError, match="is not read on its own as it is behind them"):
        prompts.ids()
    assert prompts.whole(1)["input_ids"].shape[1] > 10


def test_text_that_could_melt_into_what_is_before_it_is_not_read_on_its_own(tiny_chat, monkeypatch):
    model = tiny_chat("video_llama_3")
    monkeypatch.setattr(model.processor, "replace_video_token", lambda *_, **__: "<video>" * 24 + ":\n")
    media = media_for(model)
    alike = prompts_of(model, [make_request(0, "Which?"), make_request(1, "Why?")], media)
    assert len(alike.ids()) == 2
    different = prompts_of(model, [make_request(0, "Which?"), make_request(1, "\nWhy?")], media)
    with pytest.raises(NotShareableError, match="not read on its own"):
        different.ids()


def test_times_keep_their_precision_where_weights_are_short(tiny_chat, torch):
    model = tiny_chat("qwen2_5_omni_thinker")
    prompts = GroupPrompts(
        model.processor,
        model.family,
        model.config,
        asked(),
        Media(picture(4, 4).pixels, np.arange(4) * 1.37, 5.48),
        max_pixels=10_000,
        dtype=torch.bfloat16,
    )
    inputs = prompts.whole(0)
    assert inputs["pixel_values_videos"].dtype is torch.bfloat16
    assert inputs["video_second_per_grid"].tolist() == pytest.approx([2 * 1.37], abs=1e-6)
