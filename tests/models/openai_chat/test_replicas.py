"""Several servers: each medium has its own, and another where that does not answer."""

import pytest
from fakes.openai_server import FakeOpenAIServer

from musebench_tasks.base.errors import ModelUnusableError
from musebench_tasks.base.records import Status
from musebench_tasks.models import load_model
from musebench_tasks.models.chat_client import ChatClient
from musebench_tasks.models.openai_chat import route
from musebench_tasks.models.openai_chat.replicas import LOST_S, Replicas


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


@pytest.fixture
def two():
    with FakeOpenAIServer() as one, FakeOpenAIServer() as two:
        yield one, two


@pytest.fixture
def asked(two):
    return load_model(f"openai:m@{two[0].url},{two[1].url}", max_attempts=2, backoff_s=0)


def requests_of(make_request, place, count=3):
    """Requests on a medium whose server is the one at `place`."""
    sha256 = next(f"{n:064x}" for n in range(99) if route((make_request(sha256=f"{n:064x}"),), 2) == place)
    return [make_request(sha256=sha256, run=run, prompt=f"{run}") for run in range(count)]


@pytest.mark.parametrize("fault", ["500", "503", "429", "drop", "hang", "invalid_json"])
def test_where_a_server_fails_the_other_one_answers(two, asked, make_group, make_request, fault):
    two[0].fault = fault
    if fault == "hang":
        asked._replicas._clients[0]._timeout_s = 0.3
    responses = list(asked.answer(make_group(*requests_of(make_request, 0))))
    assert [response.raw for response in responses] == ["B"] * 3
    assert {note for response in responses for note in response.notes} == {
        f"server: {two[1].url}/chat/completions answered in place of {two[0].url}/chat/completions"
    }
    assert responses[0].attempts == (2 if fault == "hang" else 3)
    assert len(two[1].requests) == 3
    assert len(two[0].requests) == (1 if fault == "hang" else 2), "it is lost for the others"


@pytest.mark.parametrize("fault", ["400", "401", "withheld"])
def test_a_request_that_a_server_refuses_is_not_taken_to_another(two, asked, make_group, make_request, fault):
    two[0].faults = [None, fault]
    _, second, third = asked.answer(make_group(*requests_of(make_request, 0)))
    assert {second.failure, third.failure} == {Status.BACKEND_ERROR, None}
    assert two[1].requests == []


def test_where_all_servers_fail_the_faults_of_all_are_told(two, asked, make_group, make_request):
    two[0].fault, two[1].fault = "500", "invalid_json"
    (response,) = asked.answer(make_group(*requests_of(make_request, 0, 1)))
    assert (response.failure, response.attempts) == (Status.BACKEND_ERROR, 4)
    one, other = response.error.split("; ")
    assert one == f"{two[0].url}/chat/completions: HTTP 500: the worker died"
    assert other.startswith(f"{two[1].url}/chat/completions: the reply is no chat completion")


def test_servers_that_are_both_of_no_use_end_the_work(two, asked, make_group, make_request):
    two[0].fault, two[1].fault = "503", "503"
    with pytest.raises(ModelUnusableError, match="Wait until the server is ready"):
        list(asked.answer(make_group(*requests_of(make_request, 0))))


def test_a_lost_server_is_asked_last_for_a_while():
    now = [100.0]
    one, two, three = (ChatClient(f"http://{name}/v1") for name in "abc")
    replicas = Replicas([one, two, three], lambda: now[0])
    assert replicas.in_turn(two) == [two, three, one]
    replicas.lose(two)
    assert replicas.in_turn(two) == [three, one, two]
    assert replicas.in_turn(one) == [one, three, two]
    replicas.lose(three)
    replicas.lose(one)
    assert replicas.in_turn(two) == [two, three, one]
    now[0] += LOST_S
    assert replicas.in_turn(two) == [two, three, one]


def test_a_server_that_is_not_there_is_told_though_no_medium_has_it_for_a_home(two, make_group, make_request):
    gone = "http://127.0.0.1:9/v1"
    asked = load_model(f"openai:m@{two[0].url},{gone}", max_attempts=1)
    notes = []
    for _ in range(2):
        (response,) = asked.answer(make_group(*requests_of(make_request, 0, 1)))
        assert (response.raw, response.attempts) == ("B", 1)
        notes.append(response.notes)
    assert notes == [(f"server: {gone}/chat/completions is not there: Connection refused",), ()]


def test_a_medium_whose_server_is_not_there_goes_to_another_at_once(two, make_group, make_request):
    asked = load_model(f"openai:m@http://127.0.0.1:9/v1,{two[1].url}", max_attempts=3, backoff_s=60)
    (response,) = asked.answer(make_group(*requests_of(make_request, 0, 1)))
    assert (response.raw, response.attempts) == ("B", 1)
    assert [note.split()[0:3:2] for note in response.notes] == [["server:", "answered"], ["server:", "is"]]


def test_a_single_server_is_not_looked_for_beforehand(make_group, make_request, monkeypatch):
    monkeypatch.setattr(ChatClient, "trouble", lambda *_: pytest.fail("looked for"))
    with FakeOpenAIServer() as only:
        (response,) = load_model(f"openai:m@{only.url}").answer(make_group(make_request()))
    assert response.raw == "B"
