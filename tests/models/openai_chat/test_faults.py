"""Faults of servers: which are tried again, and as what the others end."""

import pytest
from fakes.openai_server import FakeOpenAIServer

from musebench_tasks.base.records import Status
from musebench_tasks.models import load_model
from musebench_tasks.models.chat_client import ChatClient, Retries, _PassingError


def test_a_connection_that_the_server_closed_meanwhile_is_no_fault(server, model, make_group, make_request):
    asked = model(max_attempts=1)
    server.close_after_reply = True
    for number in range(3):
        (response,) = asked.answer(make_group(make_request(item_id=f"i{number}")))
        assert (response.raw, response.attempts) == ("B", 1)
    assert server.connections == 3


ODD = ["choices_object", "content_number"]
PASSING = ["429", "500", "503", "drop", "cut", "invalid_json", "no_choices", "error_200", "abort", *ODD]


@pytest.mark.parametrize("fault", PASSING)
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
        ("abort", "the server broke the answer off (abort)"),
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


def test_a_request_that_the_server_refuses_is_not_tried_again(server, ask, make_request):
    server.fault = "400"
    response = ask(make_request())
    assert response.failure is Status.BACKEND_ERROR
    assert response.attempts == len(server.requests) == 1
    assert response.error.startswith("HTTP 400: Nothing here for some/model: key")


@pytest.mark.parametrize("fault", ["slow", "drip", "hang"])
def test_a_deadline_that_passes_is_a_timeout(server, ask, make_request, fault):
    server.fault = fault
    response = ask(make_request(), timeout_s=0.3)
    assert (response.failure, response.error) == (Status.TIMEOUT, "no answer within 0.3 s")
    assert response.attempts == len(server.requests) == 1


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


def test_one_bad_request_leaves_the_others_alone(server, model, make_group, make_request):
    server.faults = ["400"]
    first, second = model().answer(make_group(make_request(), make_request(item_id="item-2")))
    assert (first.failure, second.raw) == (Status.BACKEND_ERROR, "B")


def test_waits_double_and_are_spread_by_chance():
    client = ChatClient("http://localhost/v1", retries=Retries(max_attempts=9, backoff_s=2, max_wait_s=20))
    waits = [[client._wait_s(attempt, _PassingError("")) for _ in range(200)] for attempt in range(1, 9)]
    for attempt, found in enumerate(waits):
        middle = min(2 * 2**attempt, 20 / 1.25)
        assert all(0.75 * middle <= each <= 20 for each in found)
        assert len(set(found)) > 1 or 2 * 2**attempt * 0.75 > 20
    assert client._wait_s(9, _PassingError("")) is None


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_server_with_too_much_to_do_is_waited_for_more_than_a_minute(status):
    """Limits of tokens are reckoned by the minute (OpenAI's guide to rate limits)."""
    client = ChatClient("http://localhost/v1")
    busy, broken = _PassingError("", http_status=status), _PassingError("", http_status=500)
    waits = [client._wait_s(attempt, busy) for attempt in range(1, 9)]
    assert waits[-1] is None
    assert sum(waits[:-1]) > 0.75 * 127
    assert [client._wait_s(attempt, broken) is None for attempt in range(1, 6)] == [False] * 4 + [True]


def test_a_number_of_tries_that_is_set_counts_for_a_server_with_too_much_to_do_as_well(server, ask, make_request):
    for tries, options in ((8, {}), (2, {"max_attempts": 2})):
        server.fault = "429"
        assert ask(make_request(), backoff_s=0, **options).attempts == tries


def test_a_server_with_too_much_to_do_is_not_waited_for_where_another_may_answer(make_group, make_request):
    with FakeOpenAIServer() as busy, FakeOpenAIServer() as free:
        busy.fault = "429"
        model = load_model(f"openai:m@{busy.url},{free.url}", backoff_s=0)
        found = [
            response
            for number in range(8)
            for response in model.answer(make_group(make_request(item_id=f"i{number}", sha256=f"{number:064x}")))
        ]
    assert {each.raw for each in found} == {"B"}
    assert len(busy.requests) == 5


def test_an_answer_with_odd_counts_is_an_answer(ask, server, make_request):
    server.fault = "odd_counts"
    response = ask(make_request())
    assert (response.raw, response.attempts, response.prompt_tokens) == ("B", 1, None)


def test_a_prompt_that_is_withheld_is_told_apart_and_not_tried_again(server, ask, make_request):
    server.fault = "withheld"
    response = ask(make_request())
    assert (response.failure, response.attempts) == (Status.BACKEND_ERROR, 1)
    assert response.error == "content_filter: HTTP 400: The prompt was filtered"


@pytest.mark.parametrize(("status", "tries"), [(408, 2), (425, 2), (502, 2), (529, 2), (501, 1), (505, 1), (413, 1)])
def test_only_what_can_pass_is_tried_again(server, ask, make_request, status, tries):
    server.fault = str(status)
    response = ask(make_request(), max_attempts=2)
    assert (response.failure, response.attempts) == (Status.BACKEND_ERROR, tries)
    assert len(server.requests) == tries
    assert response.error.startswith(f"HTTP {status}: Nothing here")
