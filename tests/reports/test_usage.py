"""What answers took, from journals: in words at the end of a run, and as a table of its report."""

import json

import pytest
from fakes.openai_server import FakeOpenAIServer

from musebench_tasks.api import RunSettings, remarks, run, usage_lines
from musebench_tasks.inference.usage import read_usage, usage_of
from musebench_tasks.reports import write_report
from musebench_tasks.reports.runs import read_parts
from musebench_tasks.reports.statuses import usage_table


def line(key, **told):
    return json.dumps({"key": key, "item_id": "i", "run": 0, "condition": "full", "latency_s": 0.1, **told})


@pytest.fixture
def folder(tmp_path):
    """A run of two tasks of one model; the second took an answer over from the first."""

    def write(task, *lines):
        place = tmp_path / "m" / task
        (place / "responses").mkdir(parents=True)
        (place / "run.yaml").write_text("")
        (place / "responses" / "worker-0.jsonl").write_text("".join(f"{each}\n" for each in lines))

    cached = {"prompt_tokens": 1000, "cached_tokens": 600, "completion_tokens": 30, "reasoning_tokens": 20}
    write("one", line("a", **cached, cost_usd=0.5), line("b", violation="tool_call"), line("c", raw="B", notes=[]))
    write("two", line("a", **cached), line("d", prompt_tokens=200, completion_tokens=5, notes=["letters: none"]))
    return tmp_path


def test_a_run_tells_tokens_cache_and_cost(folder):
    (told,) = usage_lines(read_usage(folder, ["m"]))
    assert told == ("tokens", "1,200 read (50% from the cache), 35 written (20 of reasoning), 0.5000 USD")


def test_a_run_tells_what_broke_the_protocol_and_what_was_made_up_for(folder):
    assert list(remarks(read_usage(folder, ["m"]))) == [
        ("one · m", "1 answer broke the protocol: called a tool, which none was offered"),
        ("two · m", "once: letters: none"),
    ]


def test_models_that_tell_no_tokens_are_not_told_of(tmp_path):
    (tmp_path / "m" / "one" / "responses").mkdir(parents=True)
    (tmp_path / "m" / "one" / "run.yaml").write_text("")
    (tmp_path / "m" / "one" / "responses" / "worker-0.jsonl").write_text(line("a", raw="B") + "\n" + line("b")[:-9])
    assert read_usage(tmp_path, ["m"]) == []
    assert usage_of(tmp_path / "m" / "one", "m") is None


@pytest.mark.slow
def test_a_report_shows_what_the_answers_took_where_it_is_told(tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("m: {input: 2.00, cached_input: 0.50, output: 8.00}\n")
    asked = {"tasks": "hummusqa_demo", "limit": 1, "conditions": "text_only"}
    with FakeOpenAIServer() as server:
        model = f"openai:m@{server.url}"
        run(**asked, models=["random", model], out=tmp_path / "run", settings=RunSettings(prices=prices))
    parts, _ = read_parts([tmp_path / "run"])
    assert usage_table(parts).rows == ((model, "400", "64%", "4", "–", "0.0004"),)
    assert usage_table(parts[:1]) is None
    assert "What the answers took" in write_report([tmp_path / "run"]).read_text()
