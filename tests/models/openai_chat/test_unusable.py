"""A server that would meet every request alike ends the run at once."""

import re
import socket
import threading
import time

import pytest
import yaml

from musebench_tasks.base.errors import BackendError, ModelUnusableError
from musebench_tasks.base.records import Status
from musebench_tasks.models import load_model
from musebench_tasks.models.chat_reply import refused_field
from musebench_tasks.models.openai_chat.model import MOST_ALIKE

UNUSABLE = [
    ("401", "HTTP 401: Nothing here for some/model: key", "Put a valid API key into OPENAI_API_KEY"),
    ("403", "HTTP 403: Nothing here", "Put a valid API key"),
    ("404", "HTTP 404: Nothing here", "Correct the address or the model's name"),
    ("301", "HTTP 301: Nothing here", "Correct the address: the server sends requests elsewhere"),
    ("quota", "HTTP 429: Too many requests", "Top up the account"),
]


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


@pytest.mark.parametrize(
    ("name", "options"), [("max_tokens", "{server: openai}"), ("temperature", "{extra: {temperature: null}}")]
)
def test_a_setting_that_the_model_does_not_take_ends_the_work_and_is_named(server, ask, make_request, name, options):
    server.fault = f"refuses {name}"
    with pytest.raises(ModelUnusableError, match=re.escape(f"Put options: {options} into the model's card")):
        ask(make_request())
    assert len(server.requests) == 1
    told = yaml.safe_load(options)
    assert ask(make_request(), **told).raw == "B"


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        b"[]",
        b'{"error": "no"}',
        b'{"error": {"code": "unsupported_value", "param": "messages[0].content[1].image_url"}}',
        b'{"error": {"code": "unsupported_value", "param": "messages"}}',
        b'{"error": {"code": "unsupported_value", "param": null}}',
        b'{"error": {"code": "context_length_exceeded", "param": "max_tokens"}}',
    ],
)
def test_what_is_wrong_with_one_request_is_no_setting_of_the_model(body):
    assert refused_field(body) is None


@pytest.mark.parametrize("fault", ["401", "quota", "503"])
def test_a_server_that_answers_no_more_ends_the_work_before_all_is_spent_on_it(
    server, model, make_group, make_request, fault
):
    asked = model(max_attempts=1)
    requests = [make_request(item_id=f"i{number}") for number in range(3 * MOST_ALIKE)]

    def ask(some):
        return [response for each in some for response in asked.answer(make_group(each))]

    ask(requests[:1])
    server.fault = fault
    assert {each.failure for each in ask(requests[1:MOST_ALIKE])} == {Status.BACKEND_ERROR}
    server.fault = "400"
    assert ask(requests[:1])[0].failure is Status.BACKEND_ERROR, "a request's own fault counts neither way"
    server.fault = fault
    with pytest.raises(ModelUnusableError, match=f"with --retry errors for the last {MOST_ALIKE - 1} requests, which"):
        ask(requests)
    server.fault = None
    assert ask(requests[:1])[0].raw == "B"
    server.fault = fault
    assert len(ask(requests[1:MOST_ALIKE])) == MOST_ALIKE - 1, "an answer begins the count anew"


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


def test_what_is_on_its_way_when_a_run_ends_is_kept(server, model, make_group, make_request):
    asked, ended, found = model(concurrency=3), threading.Event(), []
    unusable = asked._unusable

    def unusable_once_all_are_asked(*args):
        while len(server.requests) < 4:
            time.sleep(0.001)
        ended.set()
        return unusable(*args)

    asked._unusable = unusable_once_all_are_asked
    server.faults = ["400", "401"]
    server.reply = lambda body: ended.wait() and "B"
    requests = [make_request(run=run, prompt=f"{run}") for run in range(4)]
    answers = asked.answer(make_group(*requests))

    def collect():
        for response in answers:
            found.append(response)

    with pytest.raises(ModelUnusableError):
        collect()
    assert [each.raw for each in found] == [None, "B", "B"]
    assert len(server.requests) == 4
