"""A judge's server: what is sent, what comes back, and what becomes of its faults."""

import pytest

from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.models.chat_client import Retries
from musebench_tasks.models.llm_judge import load_judge

ASKED = [(f"q{number}", "system", f"user {number}") for number in range(5)]
AT_ONCE = Retries(max_attempts=1)


def replies(server, **more):
    return dict(load_judge(f"openai:judge@{server.url}", **more).replies(ASKED))


def test_every_question_is_asked_and_its_reply_given_as_it_is(server):
    server.reply = lambda body: body["messages"][1]["content"]
    assert replies(server) == {name: user for name, _, user in ASKED}
    body = server.requests[0]["body"]
    assert (body["model"], body["temperature"], body["messages"][0]) == (
        "judge",
        0.0,
        {"role": "system", "content": "system"},
    )


def test_nothing_asked_is_nothing_sent(server):
    assert list(load_judge(f"openai:judge@{server.url}").replies([])) == []
    assert not server.requests


@pytest.mark.parametrize("fault", ["500", "400", "invalid_json", "error_200", "content_filter"])
def test_a_failed_question_has_no_reply_and_the_others_have(server, fault):
    server.faults = [fault]
    found = replies(server, retries=AT_ONCE)
    assert found == {"q0": None, "q1": "B", "q2": "B", "q3": "B", "q4": "B"}


def test_settings_that_a_judge_does_not_take_are_left_out(server):
    """Models of OpenAI's that reason refuse `max_tokens` and a temperature."""
    server.fault = "refuses max_tokens temperature"
    assert replies(server, retries=AT_ONCE) == dict.fromkeys(["q0", "q1", "q2", "q3", "q4"], "B")
    assert len(server.requests) == 7
    assert set(server.requests[-1]["body"]) == {"model", "messages", "max_completion_tokens", "stream"}


@pytest.mark.parametrize("fault", ["401", "404", "quota"])
def test_a_judge_that_answers_nothing_ends_the_work(server, fault):
    server.fault = fault
    with pytest.raises(ModelUnusableError, match='judge "judge"'):
        replies(server, retries=AT_ONCE)


def test_the_key_comes_from_the_environment_and_goes_into_one_header(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    replies(server)
    assert server.requests[0]["headers"]["Authorization"] == "Bearer sk-very-secret"
    assert all(b"secret" not in request["raw"] for request in server.requests)


@pytest.mark.parametrize("spec", ["random", "openai:judge", "openai:@http://host/v1", "judge@http://host/v1", ""])
def test_another_spec_is_refused(spec):
    with pytest.raises(InputError, match="openai:"):
        load_judge(spec)
