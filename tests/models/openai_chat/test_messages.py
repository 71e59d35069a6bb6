"""What is sent, in which order, and that it is the same bytes for the same media."""

import base64
import io
import json
import wave

import pytest
from PIL import Image

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError, MediaError
from musebench_tasks.base.records import Generation, Modality


def test_a_message_is_system_then_media_then_the_question(server, ask, make_request):
    request = make_request(system="Be brief.", generation=Generation(max_tokens=5, seed=7, top_p=0.9))
    ask(request)
    sent = server.requests[0]
    assert sent["path"] == "/v1/chat/completions"
    system, user = sent["body"].pop("messages")
    assert system == {"role": "system", "content": "Be brief."}
    assert [part["type"] for part in user["content"]] == ["image_url", "image_url", "input_audio", "text"]
    assert user["content"][-1]["text"] == request.prompt
    assert sent["body"] == {
        "model": "some/model",
        "max_tokens": 5,
        "temperature": 0.0,
        "top_p": 0.9,
        "seed": 7,
        "stream": False,
    }


def test_frames_are_jpeg_and_sound_is_wav(server, ask, make_request):
    ask(make_request())
    *frames, sound, _ = server.requests[0]["body"]["messages"][0]["content"]
    levels = []
    for frame in frames:
        kind, content = frame["image_url"]["url"].split(",")
        assert kind == "data:image/jpeg;base64"
        with Image.open(io.BytesIO(base64.b64decode(content))) as image:
            assert image.size == (12, 8)
            levels.append(image.convert("L").getpixel((3, 3)))
    assert levels == [10, 200]
    assert sound["input_audio"]["format"] == "wav"
    with wave.open(io.BytesIO(base64.b64decode(sound["input_audio"]["data"]))) as file:
        assert (file.getframerate(), file.getnframes()) == (16_000, 8000)


def test_media_are_the_same_bytes_for_every_question_of_a_group_and_decoded_once(
    server, model, make_group, make_request
):
    requests = [make_request(run=run, prompt=f"Question {run}") for run in range(5)]
    group = make_group(*requests)
    responses = list(model().answer(group))
    assert {response.key for response in responses} == {request.key for request in requests}
    assert {sent["raw"].split(b'{"type":"text"')[0] for sent in server.requests} == {
        server.requests[0]["raw"].split(b'{"type":"text"')[0]
    }
    assert group.decoded == ["frames", "audio"]


def test_audio_as_transcript_sends_no_sound(server, ask, make_request):
    request = make_request(audio_route="transcript", prompt="Transcript: hello\nWhich?")
    response = ask(request, modalities=frozenset({Modality.VIDEO}))
    types = [part["type"] for part in server.requests[0]["body"]["messages"][0]["content"]]
    assert types == ["image_url", "image_url", "text"]
    assert response.received.audio_route == "transcript"


def test_text_only_is_a_plain_text(server, ask, make_request):
    request = make_request(condition=CONDITIONS["text_only"], parts=(), audio_route="none")
    ask(request, modalities=frozenset())
    assert server.requests[0]["body"]["messages"] == [{"role": "user", "content": request.prompt}]


def test_a_clip_may_go_in_place_of_frames(server, ask, make_request):
    ask(make_request(), video_as="clip")
    video = server.requests[0]["body"]["messages"][0]["content"][0]
    assert video["type"] == "video_url"
    assert base64.b64decode(video["video_url"]["url"].removeprefix("data:video/mp4;base64,")) == b"masked clip"


def test_extra_settings_are_passed_on_and_null_takes_one_away(server, ask, make_request):
    extra = {"reasoning_effort": "low", "temperature": None}
    ask(make_request(), extra=extra, max_tokens_field="max_completion_tokens")
    body = server.requests[0]["body"]
    assert body["reasoning_effort"] == "low"
    assert body["max_completion_tokens"] == 16
    assert not {"temperature", "max_tokens"} & set(body)


def test_settings_that_can_change_answers_change_the_revision(model):
    revisions = {
        model().revision,
        model(revision="2026-01").revision,
        model(extra={"reasoning_effort": "low"}).revision,
        model(video_as="clip").revision,
        model(answering="letters").revision,
        model(reasoning_tokens=100).revision,
        model(reasoning_effort="low").revision,
        model(server="openai").revision,
        model(server="vllm").revision,
        model(server="vllm", video_as="frames").revision,
        model(server="sglang").revision,
    }
    assert len(revisions) == 11
    assert model(timeout_s=3, concurrency=1).revision == model().revision == "unpinned"


def test_errors_of_the_medium_pass_through_and_nothing_is_sent(server, model, make_group, make_request):
    with pytest.raises(MediaError):
        list(model().answer(make_group(make_request(), error=MediaError("E1", "broken"))))
    assert server.requests == []


def test_nothing_of_an_item_but_question_and_options_is_sent(server, ask, make_request):  # MU-04
    request = make_request(item_id="secret-id")
    ask(request)
    sent = json.dumps(server.requests[0]["body"], ensure_ascii=False)
    assert "secret" not in sent
    assert request.key not in sent
    assert request.parts[0].source.sha256 not in sent
    assert not any(option.id in sent for option in request.options)
    assert not {name.lower() for name in server.requests[0]["headers"]} - {
        "host",
        "accept-encoding",
        "content-type",
        "accept",
        "content-length",
        "authorization",
    }


def test_media_are_the_same_bytes_in_another_run(server, model, make_group, make_request):
    for server_name in (None, "vllm", "sglang"):
        server.requests.clear()
        for _ in range(2):
            list(model(server=server_name).answer(make_group(make_request())))
        first, second = (sent["raw"] for sent in server.requests)
        assert first == second


def test_sound_in_parts_goes_as_parts(server, model, make_group, make_request):
    group = make_group(make_request())
    whole = group.audio_parts
    group.audio_parts = lambda: whole() * 3
    list(model().answer(group))
    types = [part["type"] for part in server.requests[0]["body"]["messages"][0]["content"]]
    assert types == ["image_url", "image_url", *["input_audio"] * 3, "text"]


def test_reasoning_has_a_budget_of_its_own_and_effort_is_passed_on(server, ask, make_request):
    ask(make_request(), reasoning_tokens=2000, reasoning_effort="low")
    body = server.requests[0]["body"]
    assert (body["max_tokens"], body["reasoning_effort"]) == (2016, "low")
    assert "thinking_token_budget" not in body


@pytest.mark.parametrize("field", ["tools", "functions", "web_search_options"])
def test_tools_cannot_be_offered(model, field):
    with pytest.raises(InputError, match=rf"the setting extra offers tools \({field}\)\. Leave that out"):
        model(extra={field: [{"type": "function"}]})


def test_no_tool_is_offered(server, ask, make_request):
    ask(make_request(), extra={"tool_choice": "none"})
    assert not {"tools", "functions"} & set(server.requests[0]["body"])


class Guard:
    def __init__(self):
        self.looked_at = []

    def check_json(self, request, pieces):
        self.looked_at.append(b"".join(pieces))


def test_a_guard_looks_at_the_very_bytes_that_are_sent(server, model, make_group, make_request, monkeypatch):
    guard = Guard()
    monkeypatch.setattr("musebench_tasks.models.openai_chat.model.guard_of", lambda group: guard)
    group = make_group(*(make_request(run=run, prompt=f"Question {run}") for run in range(3)))
    list(model().answer(group))
    assert sorted(guard.looked_at) == sorted(sent["raw"] for sent in server.requests)
