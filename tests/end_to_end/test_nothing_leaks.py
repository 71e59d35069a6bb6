"""A dataset full of words that nobody but the evaluator may know, put to each kind of model that writes down what it
gets: nothing of them arrives, and a run in which something would arrive stops before it does.
"""

import base64
import json
import sys
import textwrap

import av
import pytest
from fakes.openai_server import FakeOpenAIServer
from fakes.secret_dataset import canary, write_secret_dataset

import musebench_tasks
from musebench_tasks.api import RunSettings
from musebench_tasks.base.errors import LeakError
from musebench_tasks.cli import main
from musebench_tasks.items import load_items
from musebench_tasks.tasks import load_task

MARK = b"canary"

PROGRAM = """
import json, os, pathlib, sys
seen = {"argv": sys.argv[1:], "stdin": sys.stdin.read(), "environment": dict(os.environ), "files": {}}
for argument in sys.argv[1:]:
    path = pathlib.Path(argument)
    if len(argument) < 200 and path.is_file():
        seen["files"][path.name] = path.read_bytes().hex()
        seen["beside"] = sorted(each.name for each in path.parent.iterdir())
out = pathlib.Path(OUT)
(out / f"{len(list(out.iterdir()))}.json").write_text(json.dumps(seen))
print("A")
"""
FUNCTION = """
import json, os, pathlib

def answer(question):
    seen = {name: question[name] for name in question if name not in ("audio", "frames", "frame_times_s")}
    seen["arrays"] = {name: repr(question[name]) for name in ("audio", "frames", "frame_times_s")}
    seen["attributes"] = sorted(vars(question))
    seen["environment"] = dict(os.environ)
    out = pathlib.Path(OUT)
    (out / f"{len(list(out.iterdir()))}.json").write_text(json.dumps(seen))
    return "A"
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("MUSEBENCH_CACHE", str(folder))
    monkeypatch.delenv("PYTEST_CURRENT_TEST", raising=False)
    return folder


@pytest.fixture
def task(tmp_path, cache):
    return write_secret_dataset(tmp_path)


@pytest.fixture
def ask(tmp_path, task):
    def ask(model, conditions=("all",), **settings):
        settings = RunSettings(model_options=settings or None)
        out = tmp_path / "run"
        return musebench_tasks.run(model=model, tasks=str(task), out=out, conditions=conditions, settings=settings)

    return ask


@pytest.fixture
def hashes(task):
    items = load_items(load_task(str(task))).items
    return [part.encode() for item in items for part in (item.media.sha256, item.media.sha256[:16])]


@pytest.fixture
def written(tmp_path):
    """Writes a program that notes what it sees; gives its path and what it has noted."""
    notes = tmp_path / "notes"
    notes.mkdir()

    def write(source):
        path = tmp_path / "model.py"
        path.write_text(f"OUT = {str(notes)!r}\n" + textwrap.dedent(source))
        return path, lambda: [json.loads(each.read_text()) for each in sorted(notes.iterdir())]

    return write


def assert_no_secret(content, hashes):
    """None of the marked words, in any common encoding of text, and no hash of a source."""
    lowered = content.lower()
    for mark in (MARK, "canary".encode("utf-16-le"), "canary".encode("utf-16-be"), *hashes):
        place = lowered.find(mark)
        assert place < 0, lowered[max(0, place - 60) : place + 60]


def assert_no_tags(path, content):
    path.write_bytes(content)
    with av.open(str(path)) as container:
        told = [dict(container.metadata), *(dict(stream.metadata) for stream in container.streams)]
    assert MARK not in json.dumps(told).lower().encode()
    assert not {"title", "comment", "artist"} & {name.lower() for each in told for name in each}


def test_a_function_sees_none_of_it(ask, written, hashes):
    path, notes = written(FUNCTION)
    outcome = ask(f"python:{path}:answer")
    assert not outcome.failures
    assert len(notes()) == 6
    assert any("shape" in note["arrays"]["frames"] or "[[" in note["arrays"]["frames"] for note in notes())
    for note in notes():
        assert_no_secret(json.dumps(note).encode(), hashes)


def test_a_program_sees_none_of_it(ask, written, hashes, tmp_path, cache):
    path, notes = written(PROGRAM)
    outcome = ask(
        f"command:{sys.executable} {path} {{audio}} {{video}} {{prompt_file}} {{prompt}}", ["full", "no_audio"]
    )
    assert not [each for each in outcome.failures if "gives none" not in each.example]
    full = [note for note in notes() if len(note["files"]) == 3]
    assert full
    for note in notes():
        files = {name: bytes.fromhex(content) for name, content in note["files"].items()}
        assert_no_secret(json.dumps({**note, "files": sorted(files)}).encode(), hashes)
        for name, content in files.items():
            assert_no_secret(content, hashes)
            if not name.endswith(".txt"):
                assert_no_tags(tmp_path / f"copy-of-{name}", content)
    for each in cache.rglob("*"):
        assert MARK not in each.name.lower().encode()


def strings(value):
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, list | tuple):
        for each in value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("video_as", ["frames", "clip"])
def test_a_server_sees_none_of_it(ask, hashes, tmp_path, video_as):
    with FakeOpenAIServer() as server:
        outcome = ask(f"openai:m@{server.url}", video_as=video_as)
    assert not outcome.failures
    assert len(server.requests) == 6
    for number, request in enumerate(server.requests):
        assert_no_secret(request["raw"], hashes)
        assert_no_secret(json.dumps([request["path"], request["headers"]]).encode(), hashes)
        long = [each.rpartition("base64,")[2] for each in strings(request["body"]) if len(each) > 2000]
        for place, encoded in enumerate(long):
            content = base64.b64decode(encoded)
            assert_no_secret(content, hashes)
            assert_no_tags(tmp_path / f"{number}-{place}.media", content)


def test_a_server_without_sound_sees_the_own_transcript_only(ask, hashes):
    with FakeOpenAIServer() as server:
        ask(f"openai:m@{server.url}", ["full"], modalities=["video"])
    said = [request["raw"].lower().count(b"transcriptcanary") for request in server.requests]
    assert said == [1, 1]
    for request in server.requests:
        own = request["raw"].lower().partition(b"transcriptcanary")[2][:1]
        assert_no_secret(request["raw"].lower().replace(b"transcriptcanary" + own, b""), hashes)


LEAKS = {
    "system": ("more", f'system: "You hear {canary("title", 1)}"\n', "the system text, line 1, holds a title"),
    "template": ("template", "It is {{ question }}\n\n{{ answer_str }}\n" + canary("caption", 0), "the prompt, line"),
    "transcript": ("transcript", f"He said: {canary('core_intent', 0)}", "holds a core intent"),
}


@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_run_in_which_something_would_leak_stops_before_it_does(tmp_path, cache, leak, processes):
    where, text, told = LEAKS[leak]
    more, change = (text, {}) if where == "more" else ("", {0: {"transcript": text}} if where == "transcript" else {})
    if where == "template":
        (tmp_path / "own.jinja").write_text(text)
        more = f"doc_to_text: {tmp_path / 'own.jinja'}\n"
    task = write_secret_dataset(tmp_path, films=False, more=more, change=change)
    with FakeOpenAIServer() as server, pytest.raises(LeakError, match=told) as caught:
        musebench_tasks.run(
            model=f"openai:m@{server.url}",
            tasks=str(task),
            out=tmp_path / "run",
            settings=RunSettings(processes=processes, model_options={"modalities": ["video"]}),
        )
    assert not server.requests
    assert MARK.decode() not in str(caught.value).replace("item item0canary", "").replace("item item1canary", "")


def test_a_setting_of_the_model_may_leak_as_well(task, tmp_path):
    with (
        FakeOpenAIServer() as server,
        pytest.raises(LeakError, match="the body of the request holds a name of an artist"),
    ):
        musebench_tasks.run(
            model=f"openai:m@{server.url}",
            tasks=str(task),
            out=tmp_path / "run",
            settings=RunSettings(model_options={"extra": {"user": canary("artist_name", 0)}}),
        )
    assert not server.requests


def test_the_command_says_where_and_ends_with_1(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    task = write_secret_dataset(tmp_path, films=False, more=f'system: "You hear {canary("title", 1)}"\n')
    assert main(["run", "--tasks", str(task), "--model", "random", "--no-report"]) == 1
    told = capsys.readouterr().err
    assert "holds a title" in told
    assert "Take it out of the task's template, its `system`" in told
    assert "Traceback" not in told
    assert not list(tmp_path.rglob("predictions.jsonl"))
