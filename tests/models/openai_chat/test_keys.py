"""The key goes to the server and nowhere else."""

import pytest

from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.models import load_model


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


@pytest.mark.parametrize("before", range(470, 505, 3))
def test_no_part_of_the_key_is_left_where_a_long_message_is_cut(server, ask, make_request, monkeypatch, before):
    """The fake server repeats the model's name in front of the key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    server.fault = "400"
    assert "sk-" not in ask(make_request(), name="m" * (before - len("Nothing here for : key "))).error


def test_without_a_key_none_is_sent(server, ask, make_request, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ask(make_request())
    assert "Authorization" not in server.requests[0]["headers"]


@pytest.mark.parametrize("url", ["https://me:hush@h/v1", "https://h/v1?api_key=hush", "https://h/v1?token=hush"])
def test_an_address_that_holds_a_secret_is_refused_without_repeating_it(url):
    with pytest.raises(InputError) as caught:
        load_model(f"openai:m@{url}")
    assert "holds a password or key" in str(caught.value)
    assert "hush" not in str(caught.value)


def test_an_address_may_have_a_query_without_secrets():
    load_model("openai:m@https://h/openai/deployments/m/chat/completions?api-version=2024-10-21")


def test_no_object_tells_the_key(model, monkeypatch):
    monkeypatch.setenv("OTHER_KEY", "sk-hush")
    asked = model(api_key_variable="OTHER_KEY")
    client = asked._replicas._clients[0]
    for each in (asked, client, asked._writer, asked._replicas):
        assert "sk-hush" not in repr(each)
    assert "sk-hush" not in asked.revision + asked.name


@pytest.mark.parametrize("url", ["http://h:abc/v1", "http://h:99999/v1", "http://h:0/v1", "https:///v1", "http://"])
def test_what_is_no_address_is_told(url):
    with pytest.raises(InputError, match="is no address of a server"):
        load_model(f"openai:m@{url}")
