"""The README's first command, and its promise: the same bytes, however the run came about."""

import json
import os
import random
import signal
import subprocess
import time

import pytest


@pytest.fixture(scope="module")
def demo(in_empty_folder):
    done = in_empty_folder("run")
    assert done.returncode == 0, done.stdout + done.stderr
    return in_empty_folder.folder / "runs" / "demo", done.stdout


def test_the_demo_covers_every_pair_that_a_model_supports(demo):
    folder, output = demo
    cards = json.loads((folder / "scores.json").read_text())["scorecards"]
    assert {(card["system"], card["task"]) for card in cards} == {
        ("random", "musebench_demo"),
        ("random", "hummusqa_demo"),
        ("random", "mub_demo"),
        ("dsp", "mub_demo"),
    }
    for card in cards:
        assert card["counts"][0]["coverage"] == 1.0
        assert card["baselines"]
        assert f"{card['task']} · full" in output
    assert (folder / "report" / "index.html").is_file()


def test_running_again_asks_nothing_and_gives_the_same_bytes(demo, in_empty_folder, results_of):
    folder, _ = demo
    before = results_of(folder)
    journals = {path: path.read_bytes() for path in folder.rglob("worker-*.jsonl")}
    assert in_empty_folder("run").returncode == 0
    assert results_of(folder) == before
    assert {path: path.read_bytes() for path in folder.rglob("worker-*.jsonl")} == journals


@pytest.mark.parametrize("processes", [1, 2])
def test_another_run_gives_the_same_bytes(demo, in_empty_folder, results_of, processes):
    folder, _ = demo
    other = in_empty_folder.folder / f"other{processes}"
    done = in_empty_folder("run", "--out", other, "--processes", processes, "--no-report")
    assert done.returncode == 0, done.stderr
    assert results_of(other) == results_of(folder)


def test_scoring_again_gives_the_same_bytes(demo, in_empty_folder, results_of):
    folder, _ = demo
    before = results_of(folder)
    for path in folder.rglob("scores.json"):
        path.unlink()
    assert in_empty_folder("score", folder).returncode == 0
    assert results_of(folder) == before


def answered(folder):
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("worker-*.jsonl"))


def kill_at_work(musebench, folder, arguments, wait_for, pause_s=0.0):
    """Start a run, kill it with SIGKILL once `wait_for` more answers stand in its journals."""
    goal = answered(folder) + wait_for
    process = musebench.start(*arguments)
    while answered(folder) < goal and process.poll() is None:
        time.sleep(0.01)
    time.sleep(pause_s)
    process.send_signal(signal.SIGKILL)
    process.wait()


def run_with_kills(musebench, model, results_of, waits, processes):
    arguments = ["run", "--tasks", "hummusqa_demo", "--model", model, "--no-report"]
    whole, killed = musebench.folder / "whole", musebench.folder / "killed"
    assert musebench(*arguments, "--out", whole).returncode == 0
    for wait_for, pause_s in waits:
        kill_at_work(musebench, killed, [*arguments, "--out", killed, "--processes", processes], wait_for, pause_s)
    done = musebench(*arguments, "--out", killed, "--processes", processes)
    assert done.returncode == 0, done.stderr
    assert results_of(killed) == results_of(whole)
    assert not (killed / "python" / "hummusqa_demo" / "leases").exists()


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_a_killed_run_resumes_to_the_same_bytes(musebench, slow_model, results_of, processes):
    run_with_kills(musebench, slow_model, results_of, [(7, 0.0), (11, 0.02)], processes)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_twenty_kills_at_random_moments(musebench, slow_model, results_of, processes):
    draw = random.Random(42)
    waits = [(draw.randrange(0, 4), draw.random() / 5) for _ in range(20)]
    run_with_kills(musebench, slow_model, results_of, waits, processes)


def workers_of(parent):
    listed = subprocess.run(["ps", "--ppid", str(parent), "-o", "pid="], capture_output=True, text=True, check=False)
    return [int(pid) for pid in listed.stdout.split()]


@pytest.mark.slow
def test_one_dead_worker_takes_nothing_with_it(musebench, slow_model, results_of):
    arguments = ["run", "--tasks", "hummusqa_demo", "--model", slow_model, "--no-report"]
    whole, wounded = musebench.folder / "whole", musebench.folder / "wounded"
    assert musebench(*arguments, "--out", whole).returncode == 0
    process = musebench.start(*arguments, "--out", wounded, "--processes", 2)
    while answered(wounded) < 6 and process.poll() is None:
        time.sleep(0.01)
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    assert process.wait(timeout=120) == 0
    assert results_of(wounded) == results_of(whole)


@pytest.mark.slow
def test_two_runs_at_once_in_one_folder_share_the_work(musebench, slow_model, results_of):
    arguments = ["run", "--tasks", "hummusqa_demo", "--model", slow_model, "--no-report"]
    whole, shared = musebench.folder / "whole", musebench.folder / "shared"
    assert musebench(*arguments, "--out", whole).returncode == 0
    ranks = [
        musebench.start(*arguments, "--out", shared, environment={"RANK": str(rank), "WORLD_SIZE": "2"})
        for rank in range(2)
    ]
    assert [rank.wait(timeout=120) for rank in ranks] == [0, 0]
    assert results_of(shared) == results_of(whole)
    lines = [path.read_text().splitlines() for path in sorted(shared.rglob("worker-*.jsonl"))]
    assert len(lines) == 2
    assert sum(map(len, lines)) == len({json.loads(line)["key"] for each in lines for line in each})
