"""Requests in flight: one warms up, the others of its medium follow together and before other media."""

import threading
from concurrent.futures import ThreadPoolExecutor

from fakes.openai_server import FakeOpenAIServer

from musebench_tasks.models import load_model


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


def test_media_in_flight_are_as_many_as_requests_may_be(model):
    assert model().units_in_flight == 8
    assert model(concurrency=3).units_in_flight == 3
    assert load_model("openai:m@http://a/v1,http://b/v1", concurrency=3).units_in_flight == 6
    assert model(concurrency=500).units_in_flight == 32


def test_requests_of_all_media_together_are_bounded(server, model, make_group, make_request):
    server.delay_s = 0.02
    asked = model(concurrency=3)
    groups = [
        make_group(*(make_request(item_id=f"i{number}", run=run, prompt=f"{number} {run}") for run in range(3)))
        for number in range(6)
    ]
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda group: list(asked.answer(group)), groups))
    assert [len(each) for each in found] == [3] * 6
    assert server.most_in_flight == 3


def test_no_request_starts_while_the_server_has_asked_for_time(server, model, make_group, make_request):
    """The second medium's request waits for what the first one was told, though nobody told it."""
    server.retry_after, server.faults = "0.3", ["429"]
    asked, refused = model(concurrency=2), threading.Event()
    take = server.take

    def take_and_tell(*args):
        taken = take(*args)
        if refused.is_set():
            answered.append(args)
        return taken

    answered = []
    server.take = take_and_tell

    def ask(number):
        if number:
            refused.wait()
        return list(asked.answer(make_group(make_request(item_id=f"i{number}"))))

    gate = asked._replicas.home([make_request()])._gate
    throttle = gate._pace.throttle

    def throttle_and_tell(*args):
        throttle(*args)
        assert gate._pace.wait_s(gate._clock()) > 0
        refused.set()

    gate._pace.throttle = throttle_and_tell
    with ThreadPoolExecutor(2) as pool:
        (first,), (second,) = pool.map(ask, range(2))
    assert (first.attempts, second.attempts) == (2, 1)
    assert (first.raw, second.raw) == ("B", "B")


def test_a_server_that_takes_two_at_a_time_is_found_out(make_group, make_request):
    """Under a limit of 32 a server that refuses a third request answers everything, with few refusals."""
    with FakeOpenAIServer() as server:
        server.delay_s = 0.01
        take = server.take

        def take_two(*args):
            body, fault = take(*args)
            return body, "429" if server.in_flight >= 2 else fault

        server.take = take_two
        model = load_model(f"openai:m@{server.url}", concurrency=32, backoff_s=0.01, max_attempts=20)
        group = make_group(*(make_request(run=run, prompt=f"{run}") for run in range(60)))
        assert [each.raw for each in model.answer(group)] == ["B"] * 60
        assert len(server.requests) < 120


def test_the_first_question_of_a_medium_is_answered_before_its_others_are_asked(
    server, model, make_group, make_request
):
    """With several media in flight too: what the server has read of one helps the others of it alone."""
    started, ended = [], []

    def reply(body):
        medium, run = body["messages"][0]["content"][-1]["text"].split()
        started.append((run, f"{medium} 0" in ended))
        threading.Event().wait(0.005)
        ended.append(f"{medium} {run}")
        return "B"

    server.reply = reply
    asked = model(concurrency=4)
    groups = [
        make_group(*(make_request(item_id=f"i{number}", run=run, prompt=f"{number} {run}") for run in range(4)))
        for number in range(4)
    ]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda group: list(asked.answer(group)), groups))
    assert len(started) == 16
    assert all(first_was_answered for run, first_was_answered in started if run != "0")
