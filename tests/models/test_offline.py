"""Offline, only the servers that a model names are reached, whatever library tries."""

import asyncio
import contextlib
import http.client
import os
import socket
import threading
import urllib.request

import pytest

from musebench_tasks.models import load_model
from musebench_tasks.models.offline import OfflineError, offline_rule, refuse_if_tried, servers_of


@pytest.fixture
def listener():
    """A server on this machine that takes connections and says nothing; counts them."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)
        yield server


def port(server):
    return server.getsockname()[1]


def by_socket(server):
    socket.create_connection(("127.0.0.1", port(server)), timeout=2)


def by_exchange(server):
    with socket.socket() as each:
        each.settimeout(2)
        each.connect_ex(("127.0.0.1", port(server)))


def by_datagram(server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as each:
        each.sendto(b"hello", ("127.0.0.1", port(server)))


def by_message(server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as each:
        each.sendmsg([b"hello"], [], 0, ("127.0.0.1", port(server)))


def by_urllib(server):
    urllib.request.urlopen(f"http://127.0.0.1:{port(server)}/", timeout=2)


def by_http_client(server):
    http.client.HTTPConnection("127.0.0.1", port(server), timeout=2).request("GET", "/")


def by_asyncio(server):
    asyncio.run(asyncio.wait_for(asyncio.open_connection("127.0.0.1", port(server)), 2))


def by_name(server):
    socket.getaddrinfo("no-such-place.example", 80)


def by_old_name(server):
    socket.gethostbyname("no-such-place.example")


WAYS = (by_socket, by_exchange, by_datagram, by_message, by_urllib, by_http_client, by_asyncio, by_name, by_old_name)


def run(thread):
    thread.start()
    thread.join()
    refuse_if_tried()


def quietly(way, server):
    with contextlib.suppress(Exception):
        way(server)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_the_network_is_refused(listener, way):
    told = r"^--offline: test_offline\.py line \d+ \(by_\w+\) tried to (connect|look)"
    with pytest.raises(OfflineError, match=told), offline_rule(()):
        way(listener)


def test_a_swallowed_refusal_comes_out_at_the_end(listener):
    told = f"connect to 127.0.0.1:{port(listener)}; no server is named"
    with pytest.raises(OfflineError, match=told), offline_rule(()):
        quietly(by_socket, listener)


def test_a_refusal_in_another_thread_is_seen(listener):
    thread = threading.Thread(target=quietly, args=(by_socket, listener))
    with pytest.raises(OfflineError), offline_rule(()):
        run(thread)


def test_named_servers_are_reached_by_name_and_by_number(listener):
    for host in ("127.0.0.1", "localhost", "LOCALHOST"):
        with offline_rule([f"http://{host}:{port(listener)}/v1"]):
            by_socket(listener)
            socket.create_connection((host, port(listener)), timeout=2).close()


def test_another_port_of_a_named_server_is_refused(listener):
    with pytest.raises(OfflineError, match="only localhost:1 may be reached"), offline_rule(["http://localhost:1/v1"]):
        by_socket(listener)


def test_a_proxy_leads_to_a_named_server(listener, monkeypatch):
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{port(listener)}")
    with offline_rule(["https://models.example/v1"]):
        by_socket(listener)


def test_unix_sockets_stay_free(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as each, offline_rule(()):
        server.bind("s")
        server.listen()
        each.connect("s")
        socket.socketpair()[0].close()


def test_outside_of_the_block_all_is_free(listener):
    with offline_rule((), active=False):
        by_socket(listener)
    with offline_rule(()):
        pass
    by_socket(listener)
    refuse_if_tried()


def test_hugging_faces_libraries_know_and_forget(monkeypatch):
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.delenv("TRANSFORMERS_OFFLINE", raising=False)
    with offline_rule(()):
        assert constants.HF_HUB_OFFLINE
        assert os.environ["HF_HUB_OFFLINE"] == os.environ["TRANSFORMERS_OFFLINE"] == "1"
    assert not constants.HF_HUB_OFFLINE
    assert os.environ["HF_HUB_OFFLINE"] == "0"
    assert "TRANSFORMERS_OFFLINE" not in os.environ


def test_a_download_from_the_hub_is_refused_before_anything_is_sent(monkeypatch, tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    errors = pytest.importorskip("huggingface_hub.errors")
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", False)
    with offline_rule(()), pytest.raises(errors.LocalEntryNotFoundError):
        hub.hf_hub_download("nobody/nothing", "config.json", cache_dir=tmp_path)


def test_models_name_their_servers(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def answer(question):\n    return 'A'\nanswer.servers = 'http://localhost:11434'\n")
    assert servers_of(load_model(f"python:{file}:answer")) == ("http://localhost:11434",)
    assert servers_of(load_model("random")) == ()
    named = servers_of(load_model("openai:m@http://one:1/v1,http://two:2/v1"))
    assert [each.partition("/v1")[0] for each in named] == ["http://one:1", "http://two:2"]
