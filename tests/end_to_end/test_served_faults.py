"""Servers with faults by chance: no answer is lost or asked for again, and the predictions are those of a quiet day."""

import json
import random
from collections import Counter

import pytest
from fakes.openai_server import FakeOpenAIServer

from musebench_tasks.api import RunSettings, run

PASSING = ["429", "500", "503", "drop", "cut", "invalid_json", "no_choices", "error_200", "abort"]
LASTING = ["400", "withheld", "content_filter"]
ITEMS = 12


def letter(body):
    text = body["messages"][-1]["content"]
    return "ABCD"[sum(map(ord, text)) % 4]


def ask(server, out, retry=False):
    """Twelve questions, one after the other in each medium, several media at a time."""
    options = {"concurrency": 4, "max_attempts": 4, "backoff_s": 0.001}
    settings = RunSettings(model_options=options, retry_errors=retry)
    return run(
        tasks="hummusqa_demo",
        model=f"openai:m@{server.url}",
        limit=ITEMS,
        conditions="text_only",
        out=out,
        settings=settings,
    )


def predictions(out):
    return {file.parent.name: file.read_bytes() for file in out.rglob("predictions.jsonl")}


def answers(out):
    """How many answers to each question stand in the journals."""
    lines = [json.loads(line) for file in out.rglob("worker-*.jsonl") for line in file.read_text().splitlines()]
    return Counter(line["key"] for line in lines if "failure" not in line)


def disturbed(tmp_path, seed):
    chance = random.Random(seed)
    with FakeOpenAIServer() as server:
        server.reply = letter
        take = server.take

        def take_by_chance(*args):
            body, _ = take(*args)
            with server.lock:
                draw = chance.random()
                fault = chance.choice(PASSING) if draw < 0.3 else chance.choice(LASTING) if draw < 0.35 else None
                server.answered += fault is None
            return body, fault

        server.answered = 0
        ask(server, tmp_path / "quiet")
        server.take, server.answered = take_by_chance, 0
        outcome = ask(server, tmp_path / "disturbed")
        for _ in range(50):
            if not outcome.failures:
                break
            outcome = ask(server, tmp_path / "disturbed", retry=True)
        answered = answers(tmp_path / "disturbed")
        assert outcome.failures == ()
        assert sum(answered.values()) == server.answered, "each answer that the server gave is kept"
        assert set(answered.values()) == {1}, "none is asked again"
        assert predictions(tmp_path / "disturbed") == predictions(tmp_path / "quiet")


def test_faults_by_chance_change_nothing(tmp_path):
    disturbed(tmp_path, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_many_faults_by_chance_change_nothing(tmp_path, seed):
    disturbed(tmp_path, seed)
