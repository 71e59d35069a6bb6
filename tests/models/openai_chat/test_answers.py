"""What answers say: refusals, reasoning, tool calls, tokens and cost told apart."""

import json

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Kind, Status
from musebench_tasks.evaluation.read_answers import read_answer
from musebench_tasks.models.chat_reply import UnreadableReplyError, read_completion, split_reasoning


def test_the_answer_comes_with_all_that_the_server_tells(ask, make_request):
    request = make_request()
    response = ask(request)
    assert (response.key, response.raw, response.finish_reason) == (request.key, "B", "stop")
    assert (response.prompt_tokens, response.completion_tokens, response.cached_tokens) == (100, 1, 64)
    assert response.attempts == 1
    assert response.latency_s > 0
    assert (response.received.frames_used, response.received.audio_route) == (2, "native")


@pytest.mark.parametrize(
    ("fault", "raw", "finish_reason"),
    [
        ("refusal", "I'm sorry, I cannot help with that.", "stop"),
        ("refusal_field", "I will not.", "refusal"),
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
    assert (response.finish_reason, response.prompt_tokens) == ("content_filter", 100)
    assert "content_filter" in response.error


@pytest.mark.parametrize(
    ("fault", "raw", "status", "rule"),
    [
        (None, "B", Status.OK, None),
        ("refusal", "I'm sorry, I cannot help with that.", Status.REFUSED, "refusal"),
        ("refusal_field", "I will not.", Status.REFUSED, "refusal"),
        ("empty", "", Status.UNPARSED, "empty"),
        ("null", "", Status.UNPARSED, "empty"),
        ("length", "Let me think about", Status.TRUNCATED, None),
        ("reasoning", "B", Status.OK, None),
        ("think", "B", Status.OK, None),
        ("reasoning_length", "", Status.TRUNCATED, None),
        ("tool_call", "", Status.UNPARSED, "tool_call"),
        ("function_call", "", Status.UNPARSED, "tool_call"),
        ("content_filter", None, Status.BACKEND_ERROR, None),
    ],
)
@pytest.mark.parametrize("kind", [Kind.SINGLE, Kind.MUSIC])
def test_every_kind_of_answer_ends_in_its_status(server, ask, make_request, kind, fault, raw, status, rule):
    server.fault = fault
    server.reply = lambda body: '{"tempo": 100}' if kind is Kind.MUSIC else "B"
    request = make_request(kind=kind)
    response = ask(request)
    prediction = read_answer(request, response)
    if kind is Kind.MUSIC:
        if status is Status.OK:
            return
        fields = (prediction.parsed or {}).values()
        assert {each.status for each in fields} <= {status}
        assert {each.rule for each in fields} <= {rule} or rule is None
    else:
        assert prediction.rule == rule or rule is None
    assert (response.raw, prediction.status) == (raw, status)


@pytest.mark.parametrize("fault", ["reasoning", "think", "reasoning_length"])
def test_reasoning_comes_apart_from_the_answer(server, ask, make_request, fault):
    server.fault = fault
    response = ask(make_request())
    assert response.reasoning == "It is a violin, so B."
    assert response.raw == ("" if fault == "reasoning_length" else "B")
    assert [note.partition(":")[0] for note in response.notes] == ["reasoning"] * (fault == "reasoning_length")


@pytest.mark.parametrize("fault", ["tool_call", "function_call"])
def test_a_tool_call_is_a_violation_and_flagged(server, ask, make_request, fault):
    server.fault = fault
    request = make_request()
    response = ask(request)
    assert (response.violation, response.failure) == ("tool_call", None)
    assert "protocol_violation" in read_answer(request, response).flags


@pytest.mark.parametrize("kind", [Kind.SINGLE, Kind.MUSIC])
def test_a_tool_call_in_the_text_is_a_violation_too(server, ask, make_request, kind):
    server.reply = lambda body: '<tool_call>{"name": "listen", "arguments": {"answer": "B"}}</tool_call>'
    request = make_request(kind=kind)
    response = ask(request)
    prediction = read_answer(request, response)
    assert response.violation == "tool_call"
    assert prediction.status is Status.UNPARSED
    assert "protocol_violation" in prediction.flags


def test_an_answer_beside_a_tool_call_is_read_and_flagged(server, ask, make_request):
    server.reply = lambda body: "<tool_call>{}</tool_call> The answer is C."
    request = make_request()
    prediction = read_answer(request, ask(request))
    assert (prediction.status, prediction.flags) == (Status.OK, ("protocol_violation",))
    assert prediction.parsed == (request.options[2].id,)


def reply(message=None, usage=None, finish_reason="stop"):
    choice = {"message": {"role": "assistant", "content": "B", **(message or {})}, "finish_reason": finish_reason}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


@pytest.mark.parametrize(
    ("usage", "counts", "media_tokens"),
    [
        (None, (None,) * 6, None),
        ({"prompt_tokens": 9, "completion_tokens": 2}, (9, 2, None, None, None, None), None),
        (  # OpenAI
            {
                "prompt_tokens": 90,
                "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 30},
                "completion_tokens_details": {"reasoning_tokens": 15},
            },
            (90, 20, 64, 15, 30, None),
            30,
        ),
        (  # vLLM with --enable-prompt-tokens-details
            {
                "prompt_tokens": 90,
                "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 64, "multimodal_tokens": {"video": 40, "audio": 25}},
            },
            (90, 20, 64, None, 25, 40),
            65,
        ),
        (  # vLLM, where the sound got lost
            {"prompt_tokens": 90, "prompt_tokens_details": {"multimodal_tokens": {"image": 40}}},
            (90, None, None, None, 0, 40),
            40,
        ),
        (  # SGLang
            {"prompt_tokens": 90, "completion_tokens": 20, "prompt_tokens_details": None, "reasoning_tokens": 7},
            (90, 20, None, 7, None, None),
            None,
        ),
        ({"prompt_tokens": -1, "completion_tokens": True, "prompt_tokens_details": "none"}, (None,) * 6, None),
        ("many", (None,) * 6, None),
    ],
)
def test_tokens_are_counted_as_each_server_tells_them(usage, counts, media_tokens):
    completion = read_completion(reply(usage=usage))
    assert tuple(completion.tokens) == counts
    assert completion.media_tokens == media_tokens


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"reasoning_content": "hm"}, "B", "hm"),
        ({"reasoning": "hm"}, "B", "hm"),
        ({"reasoning": {"effort": "low"}}, "B", None),
        ({"reasoning_content": "hm", "content": "<think>so</think>B"}, "B", "hm\nso"),
        ({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "B"}]}, "B", "hm"),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}, "", "hm"),
    ],
)
def test_reasoning_is_found_where_servers_put_it(message, text, reasoning):
    completion = read_completion(reply(message))
    assert (completion.text, completion.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("B", "", "B"),
        ("<think>hm</think>\n\nB", "hm", "B"),
        ("hm</think>B", "hm", "B"),
        ("<Thinking>\nhm\n</Thinking> B", "hm", "B"),
        ("<think>hm", "", "<think>hm"),
        ("<think></think>B", "", "B"),
    ],
)
def test_think_tags_part_reasoning_from_the_answer(text, reasoning, answer):
    assert split_reasoning(text) == (reasoning, answer)


@pytest.mark.parametrize(
    ("reason", "kept", "is_withheld"),
    [
        ("content_filter", "content_filter", True),
        ("content_filter: RECITATION", "content_filter: RECITATION", True),
        ("stop", "stop", False),
        ("", None, False),
        (None, None, False),
    ],
)
def test_what_ended_an_answer_is_kept_as_told_and_known_as_withheld(reason, kept, is_withheld):
    completion = read_completion(reply(finish_reason=reason))
    assert (completion.finish_reason, completion.is_withheld) == (kept, is_withheld)


def test_parts_of_a_refusal_are_one():
    completion = read_completion(reply({"content": [{"type": "refusal", "refusal": "No."}]}))
    assert (completion.text, completion.finish_reason) == ("No.", "refusal")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'"B"', b"null", b'{"choices": [{"message": null}]}'])
def test_what_is_no_completion_is_unreadable(content):
    with pytest.raises(UnreadableReplyError):
        read_completion(content)


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text("some/model: {input: 2.00, cached_input: 0.50, output: 8.00}\n")
    return path


@pytest.mark.parametrize("fault", [None, "tool_call", "content_filter"])
def test_what_an_answer_costs_is_recorded_whatever_it_says(server, ask, make_request, prices, fault):
    server.fault = fault
    assert ask(make_request(), prices=prices).cost_usd == pytest.approx((36 * 2 + 64 * 0.5 + 8) / 1e6)


def test_without_counts_the_cost_is_unknown_and_noted(server, ask, make_request, prices):
    server.fault = "no_usage"
    response = ask(make_request(), prices=prices)
    assert (response.raw, response.cost_usd) == ("B", None)
    assert response.notes == ("cost: the server told no token counts",)


def test_without_prices_there_is_no_cost(ask, make_request):
    assert ask(make_request()).cost_usd is None


@pytest.mark.parametrize(
    ("counted", "notes"),
    [
        ({"video": 40, "audio": 25}, ()),
        ({"image": 40}, ("media: the server counted no tokens of the sound that was sent",)),
        ({"audio": 25, "image": 0}, ("media: the server counted no tokens of the pictures that were sent",)),
        ({}, ()),
    ],
)
def test_media_that_reached_nobody_by_the_servers_own_counts_are_noted(server, ask, make_request, counted, notes):
    server.usage = {
        "prompt_tokens": 90,
        "completion_tokens": 1,
        "prompt_tokens_details": {"multimodal_tokens": counted},
    }
    response = ask(make_request())
    assert response.notes == notes
    assert response.received.media_tokens == (sum(counted.values()) or None)


def test_where_no_media_were_sent_none_are_missed(server, ask, make_request):
    server.usage = {"prompt_tokens": 90, "completion_tokens": 1, "prompt_tokens_details": {"audio_tokens": 0}}
    request = make_request(condition=CONDITIONS["text_only"], parts=(), audio_route="none")
    assert ask(request, modalities=frozenset()).notes == ()
