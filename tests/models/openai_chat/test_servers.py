"""What servers differ in: their files, and what is sent to each."""

import base64
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.models import load_model
from musebench_tasks.models.openai_chat import ServerTraits, read_traits, server_files
from musebench_tasks.models.openai_chat.bodies import rate_and_places


def content_of(sent):
    return sent["body"]["messages"][-1]["content"]


def test_the_servers_that_come_with_the_package_are_read_whole():
    assert list(server_files()) == ["openai", "sglang", "vllm"]
    for name in server_files():
        assert read_traits(name).description


def test_every_key_of_a_servers_file_is_explained():
    page = (Path(__file__).parents[3] / "docs" / "models.md").read_text()
    assert not [key for key in ServerTraits.model_fields if f"`{key}`" not in page]


def test_nothing_named_is_what_most_servers_take():
    assert read_traits(None) == ServerTraits()


def test_openai_gets_fields_of_its_own_schema_only(server, ask, make_request):
    """https://platform.openai.com/docs/api-reference/chat/create: unknown fields are refused."""
    ask(make_request(), server="openai", reasoning_effort="low", reasoning_tokens=100)
    sent = server.requests[0]
    assert set(sent["body"]) == {
        *("model", "messages", "max_completion_tokens", "temperature", "reasoning_effort", "stream"),
    }
    assert [set(part) for part in content_of(sent)] == [
        {"type", "image_url"},
        {"type", "image_url"},
        {"type", "input_audio"},
        {"type", "text"},
    ]
    assert [set(part[part["type"]]) for part in content_of(sent)[:3]] == [{"url"}, {"url"}, {"data", "format"}]


def test_vllm_gets_the_frames_as_one_video_with_their_times(server, ask, make_request):
    ask(make_request(), server="vllm", reasoning_tokens=100)
    sent = server.requests[0]
    video, sound, _ = content_of(sent)
    start, *frames = video["video_url"]["url"].split(",")
    assert start == "data:video/jpeg;base64"
    assert [base64.b64decode(frame)[:2] for frame in frames] == [b"\xff\xd8"] * 2
    assert sent["body"]["media_io_kwargs"] == {
        "video": {"num_frames": -1, "fps": 1.0, "frames_indices": [0, 1], "total_num_frames": 2}
    }
    assert (sent["body"]["max_completion_tokens"], sent["body"]["thinking_token_budget"]) == (116, 100)
    assert "mm_processor_kwargs" not in sent["body"]
    assert (video["type"], sound["type"]) == ("video_url", "input_audio")


def test_a_processor_may_be_told_the_rate(server, ask, make_request):
    ask(make_request(), server="vllm", processor_fps=True, extra={"mm_processor_kwargs": {"max_pixels": 9}})
    assert server.requests[0]["body"]["mm_processor_kwargs"] == {"fps": 1.0, "max_pixels": 9}


def test_a_still_picture_is_no_video(server, model, make_group, make_request):
    group = make_group(make_request())
    frames = group.frames
    group.frames = lambda: first_frame(frames())
    list(model(server="vllm").answer(group))
    assert content_of(server.requests[0])[0]["type"] == "image_url"
    assert "media_io_kwargs" not in server.requests[0]["body"]


def first_frame(batch):
    batch.pixels, batch.times_s = batch.pixels[:1], batch.times_s[:1]
    return batch


def test_ids_of_media_are_those_of_what_is_sent(server, ask, make_request):
    request = make_request()
    ask(request, server="vllm")
    ask(make_request(item_id="another", prompt="Another question", sha256="cd" * 32), server="vllm")
    ask(request, server="vllm", video_as="frames")
    ask(request, server="vllm", extra={"mm_processor_kwargs": {"max_pixels": 9}})
    first, second, frames, other = (
        [part.get("uuid") for part in content_of(sent) if part["type"] != "text"] for sent in server.requests
    )
    assert first == second
    assert len(set(first)) == 2
    assert not set(first) & set(other), "another reading of the same media is another medium"
    assert len(set(frames)) == 3
    assert request.parts[0].source.sha256 not in (*first, *second, *frames, *other)


def test_sglang_gets_sound_as_an_address(server, ask, make_request):
    ask(make_request(), server="sglang")
    *_, sound, _ = content_of(server.requests[0])
    assert sound["audio_url"]["url"].startswith("data:audio/wav;base64,UklGR")


def test_a_setting_goes_before_the_servers_own(server, ask, make_request):
    ask(make_request(), server="vllm", video_as="frames", audio_as="audio_url", max_tokens_field="max_tokens")
    sent = server.requests[0]
    assert [part["type"] for part in content_of(sent)] == ["image_url", "image_url", "audio_url", "text"]
    assert sent["body"]["max_tokens"] == 16


def test_a_server_that_tells_no_letters_is_asked_for_text(model, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("letters: false\nextra: {top_k: 1}\n")
    asked = model(server=str(path), answering="letters")
    assert asked.answering == "text"
    assert asked.revision != model().revision


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("video: frames\n", 'line 1: unknown key "video" (nearest: video_as)'),
        ("description: x\nvideo_as: film\n", "line 2: \"video_as\": should be 'frames', 'video' or 'clip'"),
        ("top_logprobs: 0\n", 'line 1: "top_logprobs": should be greater than or equal to 1'),
        ("- vllm\n", "a server's traits are `key: value` lines"),
    ],
)
def test_a_wrong_file_is_told_by_line_and_key(tmp_path, text, told):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_traits(str(path))
    assert told in str(caught.value)


def test_an_unknown_server_is_told_with_the_nearest():
    with pytest.raises(
        InputError, match=r'server "vlm" is not known \(nearest: vllm\). Known: openai, sglang, vllm, or'
    ):
        load_model("openai:m@http://h/v1", server="vlm")


@pytest.mark.parametrize(
    ("times_s", "rate", "places"),
    [
        ([0, 1, 2, 3], 1.0, [0, 1, 2, 3]),
        ([0.5, 2.5, 4.5], 0.5, [0, 1, 2]),
        ([0, 0.48, 1.0, 1.5], 2.0, [0, 1, 2, 3]),
        ([0, 1, 2, 6], 1.0, [0, 1, 2, 6]),
        ([0, 0.25, 3], 4.0, [0, 1, 12]),
        ([7], 1.0, [0]),
        ([2, 2, 2], 1.0, [0, 1, 2]),
    ],
)
def test_rate_and_places_tell_the_times_of_frames(times_s, rate, places):
    assert rate_and_places(np.array(times_s, dtype=np.float64)) == (pytest.approx(rate), places)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=30), st.sampled_from([0.04, 0.5, 1.0, 1 / 3]))
@example([3, 2, 15], 0.5)
def test_no_two_frames_lie_in_one_place(steps, unit_s):
    """vLLM takes as many places as frames, within their number (`media_io_kwargs` of a sequence of JPEG pictures)."""
    times_s = unit_s * np.cumsum([7, *steps])
    rate, places = rate_and_places(times_s)
    assert (len(places), places[0]) == (len(times_s), 0)
    assert (np.diff(places) >= 1).all()
    if places != list(range(len(places))):
        assert np.abs(np.array(places) / rate - (times_s - times_s[0])).max() <= 0.51 / rate


def test_a_card_names_its_server(server, make_group, make_request, tmp_path):
    card = tmp_path / "mine.yaml"
    card.write_text(f"spec: openai:m@{server.url}\noptions: {{server: vllm, video_as: frames}}\n")
    list(load_model(str(card)).answer(make_group(make_request())))
    assert "uuid" in content_of(server.requests[0])[0]
