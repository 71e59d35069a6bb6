"""A whole ping of a good server and of each bad one: what is warned of, and that nothing else is."""

import pytest

from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.base.records import Modality
from musebench_tasks.models.openai_chat import read_traits
from musebench_tasks.models.ping import State

VISUAL = frozenset({"image_url", "video_url"})
AUDIBLE = frozenset({"input_audio"})


def warned(found):
    return {finding.topic for finding in found.findings if finding.state is State.WARN}


def test_a_good_server_is_fine_and_told_about(pinged):
    found, findings = pinged()
    assert found.is_fine
    assert {finding.topic for finding in found.findings if finding.state is not State.OK} == {"model card"}
    assert (found.model, found.server, found.max_model_len) == ("fake", "vllm", 32768)
    assert list(findings) == [
        "pictures", "one video", "MP4 film", "sound", "sound by URL", "film's pictures", "film's sound", "two clips",
        "together", "prefix cache", "letters", "context",
        "model card",
    ]  # fmt: skip
    assert findings["context"].told == "4 pictures and 4 s take about 932 of 32,768 tokens"
    assert [ladder.way for ladder in found.ladders] == list(findings)[:5]
    assert list(found.latency_s) == ["text", "2 pictures", "2 seconds"]


BAD = [
    ({"longest": 900}, {"context"}),
    ({"takes": AUDIBLE, "mixes_up": "prefix"}, {"pictures", "two clips"}),
    *(
        pytest.param(settings, topics, marks=pytest.mark.slow)
        for settings, topics in (
            ({"drops_sound_beside_pictures": True}, {"together"}),
            ({"mixes_up": "prefix"}, {"two clips"}),
            ({"mixes_up": "processor"}, {"two clips"}),
            ({"mixes_up": "prefix", "can_read": False}, {"two clips"}),
            ({"is_constant": True, "can_read": False, "caches": False}, {"two clips"}),
            ({"keeps_pictures": 2}, {"pictures"}),
            ({"most_seconds": 2}, {"sound"}),
            ({"takes": VISUAL}, {"sound"}),
            ({"takes": AUDIBLE}, {"pictures"}),
        )
    ),
]


@pytest.mark.parametrize(("settings", "topics"), BAD, ids=str)
def test_each_fault_is_warned_of_and_no_other(server, pinged, settings, topics):
    server.models[0]["max_model_len"] = settings.get("longest", 32768)
    found, _ = pinged(**settings)
    assert warned(found) == topics
    assert not found.is_fine


HARMLESS = [
    {"can_read": False, "film_fps": 2.0, "is_deaf_to_films": False, "tells_cached": False, "has_logprobs": False},
    *(
        pytest.param(each, marks=pytest.mark.slow)
        for each in (
            {"counts_tokens": False},
            {"counts_media": False, "has_logprobs": False},
            {"tells_cached": False},
            {"can_read": False},
            {"film_fps": 2.0},
            {"is_deaf_to_films": False},
        )
    ),
]


@pytest.mark.parametrize("settings", HARMLESS, ids=str)
def test_what_changes_no_score_is_noted_only(pinged, settings):
    found, _ = pinged(**settings)
    assert warned(found) == set()


def test_a_run_with_the_traits_of_the_server_uses_other_ways(server, pinged):
    takes = frozenset({"image_url", "video_url", "audio_url"})
    _, findings = pinged(takes=takes)
    assert findings["sound"].advice == "Put audio_as: audio_url into a model card (server: sglang says so too)."
    sglang = read_traits("sglang")
    assert warned(pinged({"traits": sglang}, takes=takes)[0]) == set()
    assert "max_completion_tokens" in server.requests[-1]["body"]
    _, findings = pinged(keeps_pictures=2)
    assert findings["pictures"].advice.startswith("Put video_as: video into a model card (server: vllm says so too)")
    clip = sglang.model_copy(update={"video_as": "clip"})
    found, findings = pinged({"traits": clip}, film_fps=2.0, is_deaf_to_films=False)
    assert warned(found) == {"film's pictures", "film's sound"}
    assert findings["film's pictures"].told == "of 8 pictures in 2 s about 4 are taken"

    assert "model card" not in findings


def test_what_is_known_of_this_sort_of_server_is_named_where_a_card_does_not(server, pinged):
    server.models[0]["owned_by"] = "somebody"
    assert "model card" not in pinged({"modalities": frozenset()}, takes=frozenset())[1]
    server.models[0]["owned_by"] = "vllm"
    _, findings = pinged({"modalities": frozenset()}, takes=frozenset())
    assert findings["model card"].told == (
        "this is vllm: with options: {server: vllm} in a model card, a run sends one video and sound, and what else is "
        "known of it"
    )


def test_what_a_card_never_sends_is_not_missed(pinged):
    assert warned(pinged({"modalities": frozenset({Modality.VIDEO})}, takes=VISUAL)[0]) == set()
    assert warned(pinged({"modalities": frozenset({Modality.AUDIO})}, takes=AUDIBLE)[0]) == set()


def test_a_server_that_refuses_plain_text_is_asked_no_further(server, pinged):
    server.fault = "400"
    found, findings = pinged()
    assert warned(found) == {"text"}
    assert findings["text"].told.startswith("a plain text is refused: HTTP 400: Nothing here for fake")
    assert len(server.requests) == 1


def test_the_only_model_is_taken_and_one_of_several_must_be_named(server, pinged):
    server.models = [{"id": name, "owned_by": "sglang"} for name in ("one", "two")]
    with pytest.raises(InputError, match=r"serves 2 models: one, two\. Name one: musebench ping http.* MODEL"):
        pinged()
    server.models = None
    with pytest.raises(InputError, match="lists no models"):
        pinged()


@pytest.mark.parametrize("fault", ["drop", "500", "hang", "invalid_json", "cut"])
def test_a_server_that_never_answers_text_is_told_of(server, pinged, monkeypatch, fault):
    monkeypatch.setattr("musebench_tasks.models.chat_client.time.sleep", lambda seconds: None)
    server.fault = fault
    found, findings = pinged(timeout_s=0.3)
    assert warned(found) == {"text"}
    assert "a plain text is refused" in findings["text"].told


def test_what_passes_is_tried_again(server, pinged, monkeypatch):
    monkeypatch.setattr("musebench_tasks.models.chat_client.time.sleep", lambda seconds: None)
    server.faults = ["429", "500", None, "drop", "invalid_json"]
    assert pinged()[0].is_fine


def test_one_picture_and_one_second_tell_what_they_can(pinged):
    found, findings = pinged(frames=1, seconds=1)
    assert found.is_fine
    assert findings["pictures"].told == "all 1 pictures arrive: 1 of 1 read; too few to tell by tokens"


def test_a_model_of_texts_alone_takes_nothing(pinged):
    found, findings = pinged(takes=frozenset())
    assert warned(found) == {"pictures", "sound"}
    assert list(findings)[-2:] == ["letters", "model card"]


def test_nobody_there_and_a_wrong_key_end_the_ping(server, pinged, monkeypatch):
    server.key = "right"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    with pytest.raises(ModelUnusableError, match="HTTP 401: Unauthorized") as caught:
        pinged()
    assert "sk-wrong" not in str(caught.value)
    monkeypatch.setenv("OPENAI_API_KEY", "right")
    assert pinged()[0].is_fine
