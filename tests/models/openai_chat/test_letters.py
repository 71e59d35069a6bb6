"""Letters as answers: shares of the first token, and what is done where a server tells none."""

import math

import pytest

from musebench_tasks.base.records import Kind


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


def test_what_was_read_in_place_of_letters_is_noted(server, ask, make_request):
    (note,) = ask(make_request(), answering="letters").notes
    assert note == "letters: the server told no probabilities of first tokens; the text was read"
    server.top_logprobs = {"The": -0.1}
    (note,) = ask(make_request(), answering="letters").notes
    assert note == "letters: no letter was among the likeliest first tokens; the text was read"


def test_a_server_that_refuses_letters_is_asked_for_text_from_then_on(server, model, make_group, make_request):
    server.fault = "no_logprobs"
    group = make_group(*(make_request(run=run, prompt=f"{run}") for run in range(3)))
    responses = list(model(answering="letters").answer(group))
    assert [(each.raw, each.attempts) for each in responses] == [("B", 2), ("B", 1), ("B", 1)]
    assert {each.notes for each in responses} == {
        ("letters: the server refused to tell probabilities; the text was asked for",)
    }
    assert [sent["body"]["max_tokens"] for sent in server.requests] == [1, 16, 16, 16]


def test_a_model_that_reasons_first_is_asked_for_text(model):
    assert model(answering="letters").answering == "letters"
    assert model(answering="letters", reasoning_tokens=100).answering == "text"
    assert model(answering="letters", reasoning_effort="low").answering == "text"


def test_what_is_set_of_reasoning_is_said(model):
    assert model().reasoning is None
    assert model(reasoning_tokens=100, reasoning_effort="low").reasoning == "at most 100 tokens, effort low"
