"""Several processes in one run folder: ranks of a launcher, nodes with a folder in common, and what they do once."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.twelve import EVERYTHING, TASK, Twelve

from musebench_tasks.evaluation import run_scores
from musebench_tasks.inference import leases

PACE = {"PACE_S": "0.004"}


@pytest.fixture
def twelve(tmp_path):
    return Twelve(tmp_path)


def note_scoring():
    """Each scoring of a task leaves a line."""
    original = run_scores.score_folder

    def noted(*arguments, **more):
        with Path("scorings").open("a") as scorings:
            scorings.write("scored\n")
        return original(*arguments, **more)

    run_scores.score_folder = noted


def journals(twelve, out="out"):
    return {path.name: path.read_text().count("\n") for path in (twelve.folder / out).rglob("worker-*.jsonl")}


def together(number):
    """Nobody gets on before so many are at work."""
    return {"FAULTS": " ".join(f"wait:{item}:{number}" for item in range(4)), "CROWD": str(number)}


@pytest.mark.parametrize("variable", ["RANK", pytest.param("SLURM_PROCID", marks=pytest.mark.slow)])
def test_ranks_share_the_work_and_the_first_speaks(twelve, variable):
    ranks = [
        twelve.start("out", "--no-report", before=note_scoring, **{variable: str(rank)}, **together(3))
        for rank in range(3)
    ]
    assert [twelve.wait(rank) for rank in ranks] == [0, 0, 0]
    assert sorted(twelve.calls) == sorted(twelve.ended("out")) == EVERYTHING
    assert set(journals(twelve)) == {"worker-0.jsonl", "worker-1.jsonl", "worker-2.jsonl"}
    assert sum(journals(twelve).values()) == len(EVERYTHING)
    assert (twelve.folder / "scorings").read_text() == "scored\n"
    told = [twelve.told(rank) for rank in ranks]
    assert told[1:] == ["", ""]
    assert "24/24   0 failed" in told[0]
    assert told[0].endswith("predictions and scores  out\n")


def test_ranks_end_with_the_same_code_once_the_first_has_spoken(twelve):
    faults = {"FAULTS": "raise:1:9 raise:2:9"}
    ranks = [twelve.start("out", RANK=str(rank), **faults, **PACE) for rank in range(2)]
    assert twelve.wait(ranks[1]) == 3
    assert (twelve.folder / "out" / "report" / "index.html").is_file()
    assert twelve.wait(ranks[0]) == 3
    assert twelve.told(ranks[1]) == ""
    assert "report                  out/report/index.html" in twelve.told(ranks[0])
    assert "musebench: coverage 0.8333 of twelve" in twelve.told(ranks[0])


def test_a_rank_with_a_problem_of_its_own_says_which_it_is(twelve):
    rank = twelve.start("out", RANK="3", command=["run", "--tasks", "no_such_task", "--model", "random"])
    assert twelve.wait(rank) == 2
    assert twelve.told(rank).startswith("musebench (rank 3): ")


def test_ranks_that_retry_ask_each_failure_once(twelve):
    assert twelve.run("out", "--no-report", FAULTS="raise:1:9 raise:2:9 raise:7:9") == 3
    asked = len(twelve.calls)
    ranks = [
        twelve.start("out", "--no-report", "--retry", "errors", RANK=str(rank), FAULTS="raise:7:9", CROWD="3")
        for rank in range(3)
    ]
    assert {twelve.wait(rank) for rank in ranks} == {3}
    assert sorted(twelve.calls[asked:]) == ["item-01 full", "item-02 full", "item-07 full"]
    statuses = [json.loads(line)["status"] for line in twelve.results("out")["predictions.jsonl"].splitlines()]
    assert statuses.count("backend_error") == 1


def nodes(twelve, number, before=None, **environment):
    """Plain runs as on machines of their own: other names, other caches, no rank."""
    return [
        twelve.start(
            "out",
            "--no-report",
            before=before,
            MUSEBENCH_HOST=f"node-{node}",
            MUSEBENCH_CACHE=str(twelve.folder / f"cache-{node}"),
            **environment,
        )
        for node in range(number)
    ]


def impatient():
    leases.STALE_AFTER_S, leases.HEARTBEAT_S = 2.0, 0.1


def test_nodes_share_a_folder_without_being_numbered(twelve):
    assert [twelve.wait(node) for node in nodes(twelve, 3, **PACE)] == [0, 0, 0]
    assert sorted(twelve.calls) == sorted(twelve.ended("out")) == EVERYTHING
    assert sum(journals(twelve).values()) == len(EVERYTHING)
    assert not list((twelve.folder / "out").rglob("leases"))


def test_what_a_dead_node_held_is_taken_over_when_it_was_silent(twelve):
    assert twelve.run("whole", "--no-report") == 0
    first, second = nodes(twelve, 2, before=impatient, **PACE)
    twelve.wait_for(40, first, second)
    os.kill(first, signal.SIGKILL)
    assert twelve.wait(first) == -signal.SIGKILL
    assert twelve.wait(second) == 0
    assert sorted(twelve.ended("out")) == EVERYTHING
    assert twelve.results("out") == twelve.results("whole")
    # Nobody here can know that the other node will not write again: its journal stays its own.
    before = journals(twelve)
    assert twelve.run("out", "--no-report", MUSEBENCH_HOST="node-9") == 0
    assert journals(twelve) == before


def change(twelve, out, *more, task=TASK):
    """What is asked of the model when a run is given with a change."""
    (twelve.folder / "twelve.yaml").write_text(task)
    before = len(twelve.calls)
    assert twelve.run(out, "--no-report", *more) == 0
    return sorted(twelve.calls[before:])


def test_a_changed_question_asks_only_what_it_affects(twelve):
    video = TASK.replace("[audio]", "[video]")
    texts = [call for call in EVERYTHING if call.endswith("text_only")]
    assert change(twelve, "old", "--max-frames", 8, task=video) == EVERYTHING
    fewer = change(twelve, "fewer", "--max-frames", 4, "--reuse", "old", task=video)
    assert fewer == sorted(set(EVERYTHING) - set(texts))
    assert change(twelve, "same", "--max-frames", 8, "--reuse", "old", task=video) == []
    worded = video + "system: Answer at once.\n"
    assert change(twelve, "worded", "--max-frames", 8, "--reuse", "old", task=worded) == EVERYTHING
    assert change(twelve, "both", "--max-frames", 4, "--reuse", "old", "fewer", task=video) == []
    assert twelve.results("both")["predictions.jsonl"] == twelve.results("fewer")["predictions.jsonl"]


def test_a_folder_never_holds_answers_to_two_questions(twelve):
    together = [twelve.start("out", "--no-report", "--limit", limit, RANK=str(limit - 5), **PACE) for limit in (5, 6)]
    assert sorted(twelve.wait(each) for each in together) == [0, 2]
    lines = (twelve.told(each) for each in together)
    assert sum("run.yaml differs from what you ask now" in line for line in lines) == 1


def subprocess_of(twelve, *command, **environment):
    environment = {**os.environ, "MUSEBENCH_CACHE": str(twelve.folder / "cache"), **environment}
    command = [sys.executable, "-m", *command]
    return subprocess.run(command, cwd=twelve.folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["die", "hang"])
def test_worker_processes_survive_a_medium_that_ends_them(twelve, kind):
    more = ["--processes", "2", "--unit-timeout", "1", "--min-coverage", "0.5", "--out", "out", "--no-report"]
    done = subprocess_of(twelve, "musebench_tasks", *twelve.command, *more, FAULTS=f"{kind}:5:9")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("and is started again") == 2
    assert twelve.calls.count("item-05 full") == 2
    assert sorted(set(twelve.ended("out"))) == EVERYTHING
    done = subprocess_of(twelve, "musebench_tasks", *twelve.command, "--out", "out", "--retry", "errors", "--no-report")
    assert done.returncode == 0, done.stderr
    assert twelve.run("whole", "--no-report") == 0
    assert twelve.results("out") == twelve.results("whole")


@pytest.mark.slow
def test_a_budget_that_a_worker_process_finds_spent_stops_all_and_scores_what_is_there(twelve):
    assert twelve.run("out", "--no-report", FAULTS="raise:1:9 raise:2:9 raise:7:9") == 3
    (journal,) = (twelve.folder / "out").rglob("worker-0.jsonl")
    first, *others = journal.read_text().splitlines()
    journal.write_text("\n".join([json.dumps({**json.loads(first), "cost_usd": 5.0}), *others, ""]))
    (twelve.folder / "prices.yaml").write_text("model: {input: 1, output: 1}\n")
    again = [*twelve.command, "--out", "out", "--retry", "errors", "--processes", "2", "--no-report"]
    done = subprocess_of(twelve, "musebench_tasks", *again, "--prices", "prices.yaml", "--budget", "4")
    assert done.returncode == 3
    assert "musebench: The budget of 4 USD is spent (5.0000 USD)." in done.stderr
    assert len(twelve.calls) == len(EVERYTHING)
    done = subprocess_of(twelve, "musebench_tasks", *again, "--prices", "prices.yaml", "--budget", "6")
    assert done.returncode == 0, done.stderr
    assert len(twelve.calls) == len(EVERYTHING) + 3


LAUNCHERS = {
    "torchrun": ["torch.distributed.run", "--nproc-per-node", "2", "-m", "musebench_tasks"],
    "accelerate": ["accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1",
                   "--mixed_precision", "no", "--dynamo_backend", "no", "-m", "musebench_tasks"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_launcher_of_processes_needs_nothing_more(twelve, torch, launcher):
    done = subprocess_of(twelve, *LAUNCHERS[launcher], *twelve.command, "--out", "out", **together(2))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("24/24   0 failed") == 1
    assert sorted(twelve.calls) == sorted(twelve.ended("out")) == EVERYTHING
    assert len(journals(twelve)) == 2
