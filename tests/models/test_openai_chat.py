"""A chat-completions server as a model: what is sent, in which order, and what becomes of faults."""

import base64
import io
import json
import math
import socket
import socketserver
import threading
import wave

import pytest
from fakes.openai_server import FakeOpenAIServer
from PIL import Image

from musebench_tasks.errors import BackendError, MediaError, ModelUnusableError
from musebench_tasks.models import load_model
from musebench_tasks.models.openai_chat import route
from musebench_tasks.records import Condition, Generation, Kind, Modality, Status


@pytest.fixture
def model(server):
    def model(name="some/model", **options):
        return load_model(f"openai:{name}@{server.url}", **{"backoff_s": 0.01, **options})

    return model


@pytest.fixture
def ask(model, make_group):
    def ask(request, modalities=frozenset(Modality), **options):
        (response,) = model(**options).answer(make_group(request, modalities=modalities))
        return response

    return ask


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


def test_the_answer_comes_with_all_that_the_server_tells(ask, make_request):
    request = make_request()
    response = ask(request)
    assert (response.key, response.raw, response.finish_reason) == (request.key, "B", "stop")
    assert (response.prompt_tokens, response.completion_tokens, response.cached_tokens) == (100, 1, 64)
    assert response.attempts == 1
    assert response.latency_s > 0
    assert (response.received.frames_used, response.received.audio_route) == (2, "native")


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


def test_one_request_warms_up_and_the_others_follow_together(server, model, make_group, make_request):
    server.delay_s = 0.1
    alone = []
    server.reply = lambda body: alone.append(server.in_flight) or "B"
    group = make_group(*(make_request(run=run, prompt=f"Question {run}") for run in range(7)))
    assert len(list(model(concurrency=3).answer(group))) == 7
    assert server.requests[0]["body"]["messages"][0]["content"][-1]["text"] == "Question 0"
    assert alone[0] == 1
    assert server.most_in_flight == 3


def test_connections_are_kept(server, model, make_group, make_request):
    asked = model(concurrency=2)
    for number in range(3):
        requests = (make_request(item_id=f"i{number}", run=run, prompt=f"{run}") for run in range(4))
        list(asked.answer(make_group(*requests)))
    assert len(server.requests) == 12
    assert server.connections <= 3


def test_a_connection_that_the_server_closed_meanwhile_is_no_fault(server, model, make_group, make_request):
    asked = model(max_attempts=1)
    server.close_after_reply = True
    for number in range(3):
        (response,) = asked.answer(make_group(make_request(item_id=f"i{number}")))
        assert (response.raw, response.attempts) == ("B", 1)
    assert server.connections == 3


ODD = ["choices_object", "content_number", "odd_counts"]


@pytest.mark.parametrize("fault", ["429", "500", "503", "drop", "cut", "invalid_json", "no_choices", "error_200", *ODD])
def test_passing_faults_are_tried_again(server, ask, make_request, fault):
    server.faults = [fault, fault]
    response = ask(make_request())
    assert (response.raw, response.attempts, response.failure) == ("B", 3, None)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("429", "HTTP 429: Too many requests"),
        ("500", "HTTP 500: the worker died"),
        ("drop", "no connection: Remote end closed connection"),
        ("invalid_json", 'the reply is no chat completion: {"choices"'),
        ("no_choices", 'the reply is no chat completion: {"choices": []}'),
        ("error_200", "upstream is away"),
        *((odd, "the reply is no chat completion: {") for odd in ODD),
    ],
)
def test_lasting_faults_end_as_backend_error_after_bounded_attempts(server, ask, make_request, fault, told):
    server.fault = fault
    response = ask(make_request(), max_attempts=3)
    assert response.failure is Status.BACKEND_ERROR
    assert told in response.error
    assert "pydantic" not in response.error
    assert response.attempts == len(server.requests) == 3


UNUSABLE = [
    ("401", "HTTP 401: Nothing here for some/model: key", "Put a valid API key into OPENAI_API_KEY"),
    ("403", "HTTP 403: Nothing here", "Put a valid API key"),
    ("404", "HTTP 404: Nothing here", "Correct the address or the model's name"),
    ("quota", "HTTP 429: Too many requests", "Top up the account"),
]


def test_a_request_that_the_server_refuses_is_not_tried_again(server, ask, make_request):
    server.fault = "400"
    response = ask(make_request())
    assert response.failure is Status.BACKEND_ERROR
    assert response.attempts == len(server.requests) == 1
    assert response.error.startswith("HTTP 400: Nothing here for some/model: key")


@pytest.mark.parametrize(("fault", "told", "remedy"), UNUSABLE)
def test_a_server_that_is_of_no_use_ends_the_work_with_the_first_request(
    server, model, make_group, make_request, fault, told, remedy
):
    server.fault = fault
    asked = model()
    for _ in range(2):
        server.requests.clear()
        with pytest.raises(ModelUnusableError) as caught:
            list(asked.answer(make_group(make_request(), make_request(item_id="item-2"))))
        message = str(caught.value)
        assert message.startswith(f'model "{asked.name}": {server.url}/chat/completions: {told}')
        assert remedy in message
        assert message.endswith(", then give the same command again.")
        assert len(server.requests) == 1
    assert not isinstance(caught.value, BackendError)


@pytest.mark.parametrize(("fault", "told", "remedy"), UNUSABLE)
def test_a_server_that_answered_before_fails_request_by_request(
    server, model, make_group, make_request, fault, told, remedy
):
    server.faults = [None, fault, fault]
    asked = model()
    first, *others = asked.answer(make_group(*(make_request(run=run, prompt=f"{run}") for run in range(3))))
    assert first.raw == "B"
    for response in others:
        assert (response.failure, response.attempts) == (Status.BACKEND_ERROR, 1)
        assert response.error.startswith(told)


def test_a_server_that_is_never_ready_ends_the_work_after_bounded_attempts(server, ask, make_request):
    server.fault = "503"
    with pytest.raises(ModelUnusableError, match="Wait until the server is ready, or correct the address"):
        ask(make_request(), max_attempts=3)
    assert len(server.requests) == 3


def test_a_fault_of_one_request_is_no_sign_that_the_server_is_of_no_use(server, model, make_group, make_request):
    server.faults = ["400", "401"]
    answers = model().answer(make_group(make_request(), make_request(item_id="item-2")))
    assert next(answers).failure is Status.BACKEND_ERROR
    with pytest.raises(ModelUnusableError):
        next(answers)


@pytest.mark.parametrize("fault", ["slow", "drip"])
def test_a_deadline_that_passes_is_a_timeout(server, ask, make_request, fault):
    server.fault = fault
    response = ask(make_request(), timeout_s=0.3)
    assert (response.failure, response.error) == (Status.TIMEOUT, "no answer within 0.3 s")
    assert response.attempts == len(server.requests) == 1


def test_a_server_that_is_not_there_ends_the_work(make_group, make_request):
    model = load_model("openai:m@http://127.0.0.1:9/v1", max_attempts=2, backoff_s=0)
    with pytest.raises(ModelUnusableError) as caught:
        list(model.answer(make_group(make_request())))
    assert str(caught.value) == (
        'model "openai:m@http://127.0.0.1:9/v1": http://127.0.0.1:9/v1/chat/completions: '
        "127.0.0.1:9: no connection: Connection refused. "
        "Correct the address or start the server, then give the same command again."
    )


def test_a_server_that_is_not_there_is_looked_for_ten_seconds_at_most(make_group, make_request, monkeypatch):
    waits = []
    monkeypatch.setattr("musebench_tasks.models.chat_client.time.sleep", waits.append)
    monkeypatch.setattr("musebench_tasks.models.chat_client.time.monotonic", lambda: sum(waits))
    model = load_model("openai:m@http://127.0.0.1:9/v1", max_attempts=50)
    with pytest.raises(ModelUnusableError):
        list(model.answer(make_group(make_request())))
    assert 3 <= len(waits) <= 4
    assert sum(waits) < 10


def test_an_unknown_host_ends_the_work(make_group, make_request, monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("socket.getaddrinfo", unknown)
    model = load_model("openai:m@http://nowhere.example:8000/v1", max_attempts=1)
    with pytest.raises(ModelUnusableError, match="nowhere.example:8000: no connection: Name or service not known"):
        list(model.answer(make_group(make_request())))


def test_a_server_that_goes_away_later_is_a_backend_error(make_group, make_request):
    with FakeOpenAIServer() as server:
        server.close_after_reply = True
        model = load_model(f"openai:m@{server.url}", max_attempts=2, backoff_s=0)
        (response,) = model.answer(make_group(make_request()))
        assert response.raw == "B"
    (response,) = model.answer(make_group(make_request(item_id="item-2")))
    assert (response.failure, response.attempts) == (Status.BACKEND_ERROR, 2)
    assert response.error.endswith("no connection: Connection refused")


def test_retry_after_goes_before_our_own_pace(server, ask, make_request):
    server.faults = ["429"]
    assert ask(make_request(), backoff_s=60).attempts == 2


def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for(server, ask, make_request):
    server.fault, server.retry_after = "429", "3600"
    assert ask(make_request()).attempts == 1


@pytest.mark.parametrize(
    ("fault", "raw", "finish_reason"),
    [
        ("refusal", "I'm sorry, I cannot help with that.", "stop"),
        ("refusal_field", "I will not.", "stop"),
        ("empty", "", "stop"),
        ("null", "", "stop"),
        ("parts", "The answer is C", "stop"),
        ("length", "Let me think about", "length"),
    ],
)
def test_odd_answers_are_answers(server, ask, make_request, fault, raw, finish_reason):
    server.fault = fault
    response = ask(make_request())
    assert (response.raw, response.finish_reason, response.failure) == (raw, finish_reason, None)


def test_an_answer_that_the_server_withheld_is_no_answer_and_can_be_asked_again(server, ask, make_request):
    server.fault = "content_filter"  # faults_scoring.md 77
    response = ask(make_request())
    assert (response.failure, response.raw) == (Status.BACKEND_ERROR, None)
    assert "content_filter" in response.error


def test_one_bad_request_leaves_the_others_alone(server, model, make_group, make_request):
    server.faults = ["400"]
    first, second = model().answer(make_group(make_request(), make_request(item_id="item-2")))
    assert (first.failure, second.raw) == (Status.BACKEND_ERROR, "B")


def test_the_key_is_sent_and_never_told(server, ask, make_request, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    server.faults = ["400", "401"]
    response = ask(make_request())
    with pytest.raises(ModelUnusableError) as caught:
        ask(make_request())
    assert [sent["headers"]["Authorization"] for sent in server.requests] == ["Bearer sk-very-secret"] * 2
    for message in (response.error, str(caught.value)):
        assert "sk-very-secret" not in message
        assert "key ***" in message


def test_without_a_key_none_is_sent(server, ask, make_request, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ask(make_request())
    assert "Authorization" not in server.requests[0]["headers"]


def test_audio_as_transcript_sends_no_sound(server, ask, make_request):
    request = make_request(audio_route="transcript", prompt="Transcript: hello\nWhich?")
    response = ask(request, modalities=frozenset({Modality.VIDEO}))
    types = [part["type"] for part in server.requests[0]["body"]["messages"][0]["content"]]
    assert types == ["image_url", "image_url", "text"]
    assert response.received.audio_route == "transcript"


def test_text_only_is_a_plain_text(server, ask, make_request):
    request = make_request(condition=Condition.TEXT_ONLY, parts=(), audio_route="none")
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


def test_letters_are_shares_of_the_first_tokens_probability(server, ask, make_request):
    server.top_logprobs = {"B": math.log(0.5), " B": math.log(0.1), "A": math.log(0.2), "The": math.log(0.1), "E": -3}
    request = make_request()
    response = ask(request, answering="letters")
    assert response.raw is None
    assert list(response.option_probabilities) == list(request.option_order)
    assert list(response.option_probabilities.values()) == pytest.approx([0.25, 0.75, 0, 0])
    body = server.requests[0]["body"]
    assert (body["max_tokens"], body["logprobs"], body["top_logprobs"]) == (1, True, 20)


@pytest.mark.parametrize("told", [None, {"The": -0.1}])
def test_without_letters_among_the_tokens_the_text_stands(server, ask, make_request, told):
    server.top_logprobs = told
    response = ask(make_request(), answering="letters")
    assert (response.raw, response.option_probabilities) == ("B", None)


def test_letters_are_for_single_select_without_label_like_options(server, ask, make_request):
    server.top_logprobs = {"B": -0.1}
    assert ask(make_request(kind=Kind.MULTI), answering="letters").raw == "B"
    assert ask(make_request(texts=("A minor", "C", "D", "E")), answering="letters").raw == "B"
    assert not any("logprobs" in sent["body"] for sent in server.requests)


def test_a_proxy_is_used_for_other_hosts_only(server, ask, make_request, make_group, monkeypatch):
    asked = []

    class Proxy(socketserver.StreamRequestHandler):
        def handle(self):
            asked.append(self.rfile.readline().decode())
            self.wfile.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")

    with socketserver.TCPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, args=(0.02,), daemon=True).start()
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.server_address[1]}")
        assert ask(make_request()).raw == "B"
        assert asked == []
        far = load_model("openai:m@http://models.example/v1", max_attempts=1)
        with pytest.raises(ModelUnusableError, match="403 Forbidden"):
            list(far.answer(make_group(make_request())))
        proxy.shutdown()
    assert asked == ["CONNECT models.example:80 HTTP/1.1\r\n"] or asked == ["CONNECT models.example:80 HTTP/1.0\r\n"]


def test_settings_that_can_change_answers_change_the_revision(model):
    revisions = {
        model().revision,
        model(revision="2026-01").revision,
        model(extra={"reasoning_effort": "low"}).revision,
        model(video_as="clip").revision,
        model(answering="letters").revision,
    }
    assert len(revisions) == 5
    assert model(timeout_s=3, concurrency=1).revision == model().revision == "unpinned"


def test_a_medium_always_goes_to_the_same_replica(make_request):
    def replica(sha256, item_id, run):
        return route((make_request(item_id=item_id, run=run, sha256=sha256),), 3)

    replicas = [replica(f"{number:064x}", "a", 0) for number in range(60)]
    assert {replicas.count(each) for each in range(3)} & {0} == set()
    assert replicas == [replica(f"{number:064x}", "b", 1) for number in range(60)]


def test_replicas_are_listed_after_the_model(make_group, make_request):
    with FakeOpenAIServer() as one, FakeOpenAIServer() as two:
        model = load_model(f"openai:m@{one.url},{two.url}")
        for number in range(8):
            list(model.answer(make_group(make_request(item_id=f"i{number}", sha256=f"{number:064x}"))))
        assert len(one.requests) + len(two.requests) == 8
        assert one.requests
        assert two.requests


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
