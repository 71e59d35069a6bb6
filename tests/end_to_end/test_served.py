"""A run against servers: several media in flight, what it cost, where it stops, and where the key is not."""

import json
import os
from pathlib import Path

import pytest
from fakes.openai_media import MediaModel
from fakes.openai_server import FakeOpenAIServer

from musebench_tasks.api import RunSettings, run
from musebench_tasks.base.errors import InputError
from musebench_tasks.cli import main
from musebench_tasks.models import model_slug

PRICE = "m: {input: 2.00, cached_input: 0.50, output: 8.00}\n"
COST_USD = (36 * 2 + 64 * 0.5 + 8) / 1e6
"""Of one answer of the fake server, which tells 100 tokens read, 64 of them cached, and one written."""


@pytest.fixture
def server():
    with FakeOpenAIServer() as server:
        server.reply = lambda body: "ABCD"[sum(map(ord, body["messages"][-1]["content"])) % 4]
        yield server


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text(PRICE)
    return path


def spec(server):
    return f"openai:m@{server.url}"


def command(server, out, *more):
    model = [] if "--model" in more else ["--model", spec(server)]
    return main(["run", "--tasks", "hummusqa_demo", *model, "--out", str(out), "--no-report", *map(str, more)])


def predictions(out):
    (file,) = out.rglob("predictions.jsonl")
    return file.read_bytes()


def journal(out):
    return [json.loads(line) for file in out.rglob("worker-*.jsonl") for line in file.read_text().splitlines()]


def test_several_media_are_in_flight_and_the_predictions_are_the_same(server, tmp_path):
    """Text alone: every item is a unit of its own, of the four orders of one question."""
    server.delay_s = 0.01
    settings = RunSettings(model_options={"concurrency": 4})
    asked = {"tasks": "hummusqa_demo", "model": spec(server), "limit": 6, "conditions": "text_only"}
    run(**asked, out=tmp_path / "many", settings=settings)
    assert server.most_in_flight > 1
    server.most_in_flight = 0
    run(**asked, out=tmp_path / "one", settings=RunSettings(model_options={"concurrency": 1}))
    assert server.most_in_flight == 1
    assert predictions(tmp_path / "many") == predictions(tmp_path / "one")


def test_the_end_tells_tokens_cache_cost_and_what_was_made_up_for(server, tmp_path, prices, capsys):
    server.faults = [None, "tool_call", "no_usage", "content_filter"]
    code = command(server, tmp_path / "run", "--limit", 2, "--conditions", "text_only", "--prices", prices)
    told = capsys.readouterr()
    assert code == 3
    assert "tokens                  700 read (64% from the cache), 7 written, 0.0008 USD\n" in told.out
    lines = [line.removeprefix(f"hummusqa_demo · {spec(server)}: ") for line in told.err.splitlines()]
    assert "1 answer broke the protocol: called a tool, which none was offered" in lines
    assert "once: cost: the server told no token counts" in lines
    assert any(line.startswith("1 ended as backend_error; the first: content_filter: ") for line in lines)


def test_a_run_without_a_server_tells_no_tokens(tmp_path, capsys):
    out = str(tmp_path / "run")
    assert main(["run", "--tasks", "mub_demo", "--model", "random", "--limit", "1", "--no-report", "--out", out]) == 0
    assert "tokens" not in capsys.readouterr().out


def test_a_budget_stops_the_run_and_a_larger_one_ends_it_as_if_nothing_had_been(server, tmp_path, prices, capsys):
    """Of four questions each: six answers' worth is spent within the second, which is not asked to its end."""
    card = tmp_path / "one_at_a_time.yaml"
    card.write_text(f"spec: {spec(server)}\noptions: {{concurrency: 1}}\n")
    asked = ["--model", card, "--limit", 4, "--conditions", "text_only", "--prices", prices]
    assert command(server, tmp_path / "cut", *asked, "--budget", f"{5.5 * COST_USD:.9f}") == 3
    told = capsys.readouterr()
    assert "The budget of 0.000616 USD is spent (0.0007 USD)" in told.err
    assert ", 6 written, 0.0007 USD" in told.out
    assert len(server.requests) == len(journal(tmp_path / "cut")) == 6
    assert command(server, tmp_path / "cut", *asked, "--budget", 1) == 0
    assert command(server, tmp_path / "whole", *asked) == 0
    sent = [each["raw"] for each in server.requests]
    assert len(sent) == 2 * len(set(sent)), "each question once in each run"
    assert predictions(tmp_path / "cut") == predictions(tmp_path / "whole")


def test_what_is_on_its_way_when_a_budget_is_spent_is_kept(server, tmp_path, prices):
    server.delay_s = 0.01
    asked = ["--limit", 12, "--conditions", "text_only", "--prices", prices, "--budget", f"{9 * COST_USD:.9f}"]
    assert command(server, tmp_path / "run", *asked) == 3
    assert 9 <= len(server.requests) <= 10
    assert len(journal(tmp_path / "run")) == len(server.requests)


def test_a_budget_needs_prices_and_a_price_for_every_model(server, tmp_path, prices, capsys):
    assert command(server, tmp_path / "run", "--budget", 1) == 2
    assert "A budget needs prices: add --prices FILE" in capsys.readouterr().err
    prices.write_text("another: {input: 1, output: 1}\n")
    assert command(server, tmp_path / "run", "--prices", prices, "--budget", 1) == 2
    assert 'no price for the model "m"' in capsys.readouterr().err
    with pytest.raises(InputError, match="A budget needs prices"):
        RunSettings(budget_usd=1.0)
    assert server.requests == []


@pytest.mark.parametrize(
    ("text", "told"), [(None, "prices.yaml: cannot be read"), ("m: {input: 1}\n", 'line 1: "m.output" is missing')]
)
def test_a_file_of_prices_is_looked_at_whatever_is_asked(tmp_path, capsys, text, told):
    path = tmp_path / "prices.yaml"
    if text:
        path.write_text(text)
    words = ["run", "--tasks", "mub_demo", "--model", "random", "--limit", "1", "--out", str(tmp_path / "run")]
    assert main([*words, "--prices", str(path)]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_what_other_models_of_the_folder_cost_counts(server, tmp_path, prices, capsys):
    prices.write_text(PRICE + PRICE.replace("m:", "n:"))
    asked = ["--limit", 1, "--conditions", "text_only", "--prices", prices, "--budget", f"{4.5 * COST_USD:.9f}"]
    assert command(server, tmp_path / "run", *asked) == 0
    assert command(server, tmp_path / "run", *asked, "--model", f"openai:n@{server.url}") == 3
    assert len(server.requests) == 5
    assert "is spent (0.0006 USD)" in capsys.readouterr().err


def test_prices_are_no_part_of_the_question(server, tmp_path, prices):
    asked = {"tasks": "hummusqa_demo", "model": spec(server), "limit": 1, "conditions": "text_only"}
    run(**asked, out=tmp_path / "run", settings=RunSettings(prices=prices))
    run(**asked, out=tmp_path / "run")
    assert len(server.requests) == 4


def children():
    """Command lines of the processes that this one has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = path.read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid():
                found.append((path.parent / "cmdline").read_bytes())
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="command lines are read from /proc")
@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_key_is_in_no_file_output_or_command_line(server, tmp_path, capsys, monkeypatch, processes):
    key, lines = "sk-very-secret", []
    monkeypatch.setenv("OPENAI_API_KEY", key)
    server.faults = ["400", "503"]
    server.reply = lambda body: lines.extend(children()) or "B"
    code = command(server, tmp_path / "run", "--limit", 2, "--conditions", "text_only", "--processes", processes)
    told = capsys.readouterr()
    assert code == 3
    assert server.requests[0]["headers"]["Authorization"] == f"Bearer {key}"
    assert [each["error"] for each in journal(tmp_path / "run") if "error" in each] == [
        "HTTP 400: Nothing here for m: key ***"
    ]
    assert processes == 1 or any(b"worker_process" in line for line in lines)
    assert not any(key.encode() in line for line in lines)
    assert key not in told.out + told.err
    for file in tmp_path.rglob("*"):
        assert key not in str(file)
        assert not file.is_file() or key.encode() not in file.read_bytes()


def test_where_a_replica_is_gone_the_others_answer_for_it(server, tmp_path, capsys):
    with FakeOpenAIServer() as gone:
        model = f"openai:m@{gone.url},{server.url}"
    settings = RunSettings(model_options={"max_attempts": 2, "backoff_s": 0.01})
    outcome = run(tasks="hummusqa_demo", model=model, limit=6, conditions="text_only", out=tmp_path, settings=settings)
    assert outcome.failures == ()
    assert len(server.requests) == len({each["raw"] for each in server.requests}) > 20
    notes = [note for line in journal(tmp_path / model_slug(model)) for note in line["notes"]]
    away = f"{gone.url}/chat/completions"
    assert set(notes) == {
        f"server: {server.url}/chat/completions answered in place of {away}",
        f"server: {away} is not there: Connection refused",
    }
    assert sum(note.endswith("Connection refused") for note in notes) == 1
    assert 0 < len(notes) < len(server.requests)


def test_a_replica_that_is_gone_is_told_in_one_line(server, tmp_path, capsys):
    """Of two tasks, and of two others that may answer in its place."""
    with FakeOpenAIServer() as gone, FakeOpenAIServer() as other:
        gone.fault, card = "500", tmp_path / "three.yaml"
        servers = f"{gone.url},{server.url},{other.url}"
        card.write_text(f"spec: openai:m@{servers}\noptions: {{max_attempts: 1}}\n")
        words = ["--tasks", "hummusqa_demo", "musebench_demo", "--conditions", "text_only", "--limit", "6"]
        assert main(["run", *words, "--model", str(card), "--no-report", "--out", str(tmp_path / "run")]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if gone.url in line]
    notes = [note for line in journal(tmp_path) for note in line["notes"]]
    assert lines == [
        f"{card}: {gone.url}/chat/completions did not answer all that it was asked: "
        f"{len(notes)} answers came from another server in its place"
    ]


def test_a_replica_that_dies_in_the_middle_costs_no_answer(server, tmp_path):
    asked = {"tasks": "hummusqa_demo", "limit": 8, "conditions": "text_only"}
    options = {"max_attempts": 2, "backoff_s": 0.01, "revision": "1"}
    with FakeOpenAIServer() as dying:
        dying.reply, take = server.reply, dying.take

        def take_until_it_dies(*args):
            body, _ = take(*args)
            return body, "drop" if len(dying.requests) > 5 else None

        dying.take = take_until_it_dies
        model = f"openai:m@{dying.url},{server.url}"
        outcome = run(**asked, model=model, out=tmp_path / "two", settings=RunSettings(model_options=options))
    run(**asked, model=spec(server), out=tmp_path / "one", settings=RunSettings(model_options=options))
    assert outcome.failures == ()
    assert len(dying.requests) > 5
    assert predictions(tmp_path / "two") == predictions(tmp_path / "one")


OTHERS = [pytest.param(each, marks=pytest.mark.slow) for each in ("sglang", "openai")]


@pytest.mark.parametrize("kind", ["vllm", *OTHERS])
def test_a_servers_prefix_cache_holds_a_medium_for_all_but_its_first_question(server, tmp_path, kind):
    """With several media in flight: the server decodes what it is sent, and keeps whole blocks of 16 tokens."""
    server.media, server.reply = MediaModel(), lambda body: "B"
    settings = RunSettings(model_options={"server": kind})
    run(tasks="hummusqa_demo", model=spec(server), limit=5, conditions="full", out=tmp_path, settings=settings)
    media = {json.dumps(sent["body"]["messages"][-1]["content"][:-1]) for sent in server.requests}
    lines = journal(tmp_path)
    anew = [line for line in lines if line["cached_tokens"] < 0.8 * line["prompt_tokens"]]
    assert len(media) > 1
    assert len(lines) == len(server.requests) >= 4 * len(media)
    assert len(anew) == len(media)
    assert all(line["received"]["audio_s"] > 0 for line in lines)
