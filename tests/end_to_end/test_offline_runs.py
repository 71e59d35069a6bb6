"""Whole runs with `--offline`: what a user's function tries stops them, its named server is reached."""

import json
import socket
import textwrap

import pytest
from fakes.openai_server import FakeOpenAIServer

import musebench_tasks
from musebench_tasks.api import RunSettings
from musebench_tasks.base.errors import OfflineError

WAYS = {
    "urllib": "import urllib.request; urllib.request.urlopen(URL, timeout=2)",
    "socket": "import socket; socket.create_connection(('127.0.0.1', PORT), timeout=2)",
    "requests-like": "import http.client; http.client.HTTPConnection('127.0.0.1', PORT, timeout=2).request('GET', '/')",
}
HUB = "import huggingface_hub; huggingface_hub.HfApi(endpoint=URL).model_info('a/b', timeout=2)"
PROGRAM = """
URL, PORT = {url!r}, {port}

def answer(question):
    try:
        {way}
    except Exception:
        pass
    return "A"
"""


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def task(tmp_path):
    rows = [{"id": f"q{number}", "question": "Which?", "options": ["x", "y"], "answer": "x"} for number in range(3)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    path = tmp_path / "few.yaml"
    path.write_text(
        f"task: few\ndataset_path: {tmp_path / 'rows.jsonl'}\nkind: choice\n"
        "metric_list: [{metric: accuracy}]\nmetadata: {version: 1.0, headline: accuracy}\n"
    )
    return path


@pytest.fixture
def ask(tmp_path, task):
    def ask(model, **settings):
        return musebench_tasks.run(model=model, tasks=str(task), out=tmp_path / "run", settings=RunSettings(**settings))

    return ask


@pytest.fixture
def function(tmp_path, listener):
    def write(way, more=""):
        port = listener.getsockname()[1]
        path = tmp_path / "mine.py"
        url = f"http://127.0.0.1:{port}"
        path.write_text(textwrap.dedent(PROGRAM).format(url=url, port=port, way=way) + more.format(url=url))
        return f"python:{path}:answer"

    return write


def connected(listener):
    try:
        listener.accept()
    except BlockingIOError:
        return False
    return True


@pytest.mark.parametrize(
    ("way", "processes"), [*((way, 1) for way in WAYS), pytest.param("socket", 2, marks=pytest.mark.slow)]
)
def test_a_function_that_reaches_out_stops_the_run(ask, function, listener, way, processes):
    with pytest.raises(
        OfflineError, match=r"^--offline: \w+\.py line \d+ \(\w+\) tried to connect to 127\.0\.0\.1:\d+; no"
    ):
        ask(function(WAYS[way]), offline=True, processes=processes)
    assert not connected(listener)


def test_the_hubs_library_knows_that_there_is_no_hub(ask, function, listener):
    assert not ask(function(HUB), offline=True).failures
    assert not connected(listener)


def test_what_was_answered_before_is_kept_and_gone_on_from(ask, function, listener, tmp_path):
    late = (
        "import pathlib, time; p = pathlib.Path(__file__).with_suffix('.seen'); seen = p.exists(); p.touch(); seen and "
    )
    model = function(late + "__import__('socket').create_connection(('127.0.0.1', PORT), timeout=2)")
    with pytest.raises(OfflineError):
        ask(model, offline=True)
    journal = next((tmp_path / "run").rglob("worker-0.jsonl"))
    assert len(journal.read_text().splitlines()) == 1
    assert ask(model).scorecards[0].row("accuracy").n == 3


def test_a_named_server_of_a_function_is_reached(ask, function, listener):
    outcome = ask(function(WAYS["socket"], '\nanswer.servers = ["{url}/v1"]\n'), offline=True)
    assert not outcome.failures
    assert connected(listener)


def test_the_servers_of_a_chat_model_are_reached_and_no_others(ask):
    with FakeOpenAIServer() as server:
        assert not ask(f"openai:m@{server.url}", offline=True).failures
        assert len(server.requests) == 3


def test_without_the_flag_nothing_is_held_up(ask, function, listener):
    assert not ask(function(WAYS["socket"])).failures
    assert connected(listener)
