"""The other verbs, and runs that build on runs."""

import json

import pytest
import yaml


@pytest.fixture(scope="module")
def done_run(in_empty_folder):
    folder = in_empty_folder.folder / "verbs"
    done = in_empty_folder(
        "run", "--tasks", "musebench_demo", "mub_demo", "--model", "random", "--sample", "stratified:8",
        "--conditions", "full,text_only,noise", "--out", folder, "--no-report",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("suite.yaml", "valid"),
        ("scores.json", "2 valid scorecards"),
        ("random/musebench_demo/run.yaml", "valid run configuration of musebench_demo · random"),
        ("random/musebench_demo/scores.json", "valid scorecard of musebench_demo · random"),
        ("random/mub_demo/predictions.jsonl", "16 valid predictions, all of them planned"),
    ],
)
def test_every_file_of_a_run_is_valid(done_run, in_empty_folder, name, said):
    done = in_empty_folder("validate", done_run / name)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


def test_the_suite_of_a_run_asks_the_same_again(done_run, in_empty_folder, results_of):
    again = in_empty_folder.folder / "again"
    done = in_empty_folder("run", "--suite", done_run / "suite.yaml", "--out", again, "--no-report")
    assert done.returncode == 0, done.stderr
    assert results_of(again) == results_of(done_run)


def test_each_task_plans_the_conditions_it_has(done_run):
    planned = {
        task: yaml.safe_load((done_run / "random" / task / "run.yaml").read_text())["protocol"]["conditions"]
        for task in ("musebench_demo", "mub_demo")
    }
    assert planned == {"musebench_demo": ["full", "text_only"], "mub_demo": ["full", "noise"]}


COUNTING = """
def answer(question):
    open("asked.txt", "a").write("x")
    return "A"

answer.kinds = {"single"}
"""


@pytest.mark.parametrize("reuse", ["first", "first/python_counting.py_answer/hummusqa_demo"])
def test_answers_to_equal_requests_are_reused_not_asked_again(musebench, reuse):
    (musebench.folder / "counting.py").write_text(COUNTING)
    asked = musebench.folder / "asked.txt"
    arguments = ["run", "--tasks", "hummusqa_demo", "--model", "python:counting.py:answer", "--no-report"]
    assert musebench(*arguments, "--out", "first", "--limit", "8").returncode == 0
    first = len(asked.read_text())
    done = musebench(*arguments, "--out", "second", "--reuse", reuse)
    assert done.returncode == 0, done.stderr
    (journal,) = (musebench.folder / "second").rglob("worker-0.jsonl")
    distinct = len(journal.read_text().splitlines())
    assert first < distinct <= 240
    assert len(asked.read_text()) == distinct


def test_tasks_are_listed_shown_and_checked(musebench):
    assert "mub_demo" in musebench("tasks", "list").stdout
    shown = yaml.safe_load(musebench("tasks", "show", "hummusqa_demo").stdout)
    assert (shown["task"], shown["protocol"]["runs"]) == ("hummusqa_demo", 4)
    assert musebench("tasks", "check").returncode == 0
    (musebench.folder / "bad.yaml").write_text("task: bad\nkind: choise\n")
    done = musebench("tasks", "check", "bad.yaml")
    assert done.returncode == 2
    assert "bad.yaml line 2" in done.stderr
    assert "choice" in done.stderr


def test_models_are_listed(musebench):
    listed = musebench("models", "list").stdout
    for spec in ("random", "dsp", "replay:FILE", "openai:MODEL@URL", "transformers:ID_OR_DIR"):
        assert spec in listed


def test_a_report_is_written_for_a_run(done_run, in_empty_folder):
    done = in_empty_folder("report", done_run)
    assert done.returncode == 0, done.stderr
    assert "<html" in (done_run / "report" / "index.html").read_text()


def test_predictions_replay_to_the_same_scores(done_run, musebench):
    file = done_run / "random" / "musebench_demo" / "predictions.jsonl"
    done = musebench(
        "run", "--tasks", "musebench_demo", "--model", f"replay:{file}", "--sample", "stratified:8",
        "--conditions", "full,text_only", "--out", "replayed", "--no-report",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (replayed,) = (musebench.folder / "replayed").glob("*/musebench_demo/scores.json")
    original = done_run / "random" / "musebench_demo" / "scores.json"
    assert json.loads(replayed.read_text())["scores"] == json.loads(original.read_text())["scores"]


def test_conditions_in_another_order_are_the_same_question(musebench):
    asked = ["run", "--tasks", "hummusqa_demo", "--model", "random", "--limit", "2", "--out", "out", "--no-report"]
    assert musebench(*asked, "--conditions", "full,silence").returncode == 0
    done = musebench(*asked, "--conditions", "silence,full")
    assert done.returncode == 0, done.stderr
