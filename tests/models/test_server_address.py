"""Where servers are, and the way there."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.models import load_model
from musebench_tasks.models.api_keys import ApiKey
from musebench_tasks.models.chat_client import ChatClient, ChatError, Retries
from musebench_tasks.models.server_address import ServerAddress

ANSWER = json.dumps({"choices": [{"message": {"content": "B"}, "finish_reason": "stop"}]}).encode()
ONCE = Retries(max_attempts=1, max_overloaded=1)


class Proxy(BaseHTTPRequestHandler):
    """Answers in the place of every server, or refuses with `status`."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer()

    def answer(self):
        self.server.asked.append((self.requestline, self.headers["Host"], self.headers["Proxy-Authorization"]))
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    do_CONNECT = answer

    def log_message(self, *_):
        return


@contextmanager
def proxy_of(monkeypatch, who="", status=200):
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with HTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        proxy.asked, proxy.status = [], status
        threading.Thread(target=proxy.serve_forever, args=(0.02,), daemon=True).start()
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://{who}127.0.0.1:{proxy.server_port}")
        yield proxy
        proxy.shutdown()


def ask(url):
    return ChatClient(url, retries=ONCE).complete((b'{"model":"m","messages":[]}',))


def test_a_proxy_asks_servers_without_encryption_in_our_place(monkeypatch):
    """Squid, for one, tunnels to port 443 alone unless it is told otherwise."""
    with proxy_of(monkeypatch, who="me:p%40ss@") as proxy:
        assert ask("http://models.example:8000/v1?a=b").text == "B"
    line = "POST http://models.example:8000/v1/chat/completions?a=b HTTP/1.1"
    assert proxy.asked == [(line, "models.example:8000", "Basic bWU6cEBzcw==")]


def test_a_proxy_is_a_tunnel_to_encrypted_servers_and_named_where_it_refuses(monkeypatch):
    with proxy_of(monkeypatch, who="me:p@", status=403) as proxy, pytest.raises(ChatError) as caught:
        ask("https://models.example/v1")
    assert proxy.asked[0][0].startswith("CONNECT models.example:443 HTTP/1.")
    assert proxy.asked[0][2] == "Basic bWU6cA=="
    way = f"(through the proxy 127.0.0.1:{proxy.server_port}; no_proxy=models.example goes without)"
    assert str(caught.value).endswith(way)
    assert "me:p" not in str(caught.value)


def test_a_proxy_that_refuses_in_our_place_is_named(monkeypatch):
    with proxy_of(monkeypatch, status=502) as proxy, pytest.raises(ChatError, match="HTTP 502: ") as caught:
        ask("http://models.example/v1")
    assert str(caught.value).endswith(
        f"(through the proxy 127.0.0.1:{proxy.server_port}; no_proxy=models.example goes without)"
    )


def test_this_machine_and_hosts_of_no_proxy_are_asked_straight(server, monkeypatch, make_group, make_request):
    with proxy_of(monkeypatch) as proxy:
        (response,) = load_model(f"openai:m@{server.url}").answer(make_group(make_request()))
        monkeypatch.setenv("no_proxy", "models.example")
        assert ServerAddress("http://models.example/v1").proxy is None
    assert (response.raw, proxy.asked) == ("B", [])


@pytest.mark.parametrize(
    ("base", "asked", "models"),
    [
        ("http://h:8000/v1", "http://h:8000/v1/chat/completions", "http://h:8000/v1/models"),
        ("http://h/v1/", "http://h/v1/chat/completions", "http://h/v1/models"),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions", "https://h/v1/models"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions", "http://[::1]:8000/v1/models"),
        (
            "https://h/openai/deployments/d?api-version=1",
            "https://h/openai/deployments/d/chat/completions",
            "https://h/openai/deployments/d/models?api-version=1",
        ),
    ],
)
def test_addresses_that_follow_from_the_one_that_is_given(base, asked, models):
    address = ServerAddress(base)
    assert (str(address), address.models, address.corrected) == (asked, models, None)


@pytest.mark.parametrize("path", ["/openai/deployments/d", "/openai/deployments/d/chat/completions?api-version=1"])
def test_azures_deployments_take_the_key_in_a_header_of_their_own(server, monkeypatch, path):
    """Azure's REST reference: api-key, or a token of Entra ID as Bearer; its newer /openai/v1 takes a key as Bearer."""
    key = ApiKey(secret="sk-hush")
    for url in (server.url.removesuffix("/v1") + path, server.url):
        ChatClient(url, retries=ONCE, api_key=key).complete((b'{"model":"m","messages":[]}',))
    azure, usual = (
        {name.lower(): value for name, value in sent["headers"].items() if "hush" in value} for sent in server.requests
    )
    assert (azure, usual) == ({"api-key": "sk-hush"}, {"authorization": "Bearer sk-hush"})


@pytest.mark.parametrize("url", ["ftp://h/v1", "h:8000/v1", "http://h:abc/v1", "https:///v1"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InputError, match="is no address of a server"):
        ServerAddress(url)


@pytest.mark.parametrize("base", ["http://127.0.0.1:{}", "http://127.0.0.1:{}/"])
def test_where_a_base_path_is_missing_the_usual_one_is_named(server, base):
    server.fault = "404"
    with pytest.raises(ChatError) as caught:
        ask(base.format(server.url.rpartition(":")[2].partition("/")[0]))
    assert caught.value.remedy == f"Correct the address, probably to {server.url}, or the model's name"
