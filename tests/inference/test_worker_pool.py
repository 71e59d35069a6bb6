"""Worker processes as their parent sees them. The workers here are scripts that end as they are told."""

import json
import sys
import textwrap
import time

import pytest

from musebench_tasks.base.errors import (
    BudgetReachedError,
    DeviceLostError,
    InputError,
    LeakError,
    ModelUnusableError,
    MuseError,
)
from musebench_tasks.base.records import Limits
from musebench_tasks.inference import Journal, TaskPlan, journal_path, plan_units, worker_pool, worker_process
from musebench_tasks.inference.worker_pool import WorkerPool, report_problem
from musebench_tasks.models import answered

SCRIPT = """
import json, os, signal, sys, time
from pathlib import Path

job, number = Path(sys.argv[1]), sys.argv[2]
with open(job.with_name("starts"), "a") as starts:
    starts.write(f"{number} {os.environ['LOCAL_RANK']}\\n")
with open(job.with_name("threads"), "a") as threads:
    threads.write(os.environ["OMP_NUM_THREADS"] + "\\n")
for step in json.loads(job.read_text())[number]:
    if step == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif step == "die once" and not job.with_name("died").exists():
        job.with_name("died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    elif step == "answer":
        os.replace(job.with_name("answer"), Path(job.read_text() and json.loads(job.read_text())["journal"]))
    elif step == "stay":
        time.sleep(60)
    elif isinstance(step, list):
        job.with_name(f"problem-{number}.json").write_text(json.dumps(step))
        sys.exit(1)
"""


class Staged:
    """A plan of one request, and workers that do what a list of steps tells each of them."""

    def __init__(self, folder, request, monkeypatch):
        (folder / "worker.py").write_text(textwrap.dedent(SCRIPT))
        monkeypatch.setattr(worker_pool, "COMMAND", (sys.executable, "-S", "-E", str(folder / "worker.py")))
        monkeypatch.setattr(worker_pool, "FOLLOW_S", 0.01)
        self.folder, self.heard, self.notices = folder, [], []
        self.plan = TaskPlan("task", folder / "run", plan_units([request]), Limits())
        (folder / "run" / "responses").mkdir(parents=True)
        (folder / "run" / "leases").mkdir()
        with Journal(journal_path(folder, 0)) as journal:
            journal.append(answered(request, "A"))
        (folder / "responses" / "worker-0.jsonl").rename(folder / "answer")

    def follow(self, *steps, device=0):
        job = self.folder / "job"
        told = {str(number): each for number, each in enumerate(steps)}
        job.write_text(json.dumps({**told, "journal": str(journal_path(self.folder / "run", 0))}))
        devices = {number: number + device for number in range(len(steps))}
        with WorkerPool(
            job, [self.plan], devices, lambda *heard: self.heard.append(heard), self.notices.append
        ) as workers:
            workers.follow()

    @property
    def threads(self):
        return (self.folder / "threads").read_text().splitlines()

    @property
    def starts(self):
        return (self.folder / "starts").read_text().splitlines()


@pytest.fixture
def staged(tmp_path, request_of, monkeypatch):
    return Staged(tmp_path, request_of("a"), monkeypatch)


def test_the_parent_hears_of_every_answer(staged):
    staged.follow(["answer"], [], device=4)
    assert [(task, response.raw) for task, response in staged.heard] == [("task", "A")]
    assert sorted(staged.starts) == ["0 4", "1 5"]


def test_a_worker_that_dies_is_started_again(staged):
    staged.follow(["die once", "answer"])
    assert staged.starts == ["0 0"] * 2
    assert staged.notices == ["worker 0 ended (signal 9) and is started again"]


def test_workers_that_only_die_are_given_up(staged):
    with pytest.raises(MuseError, match=r"Every worker process failed. The first said: signal 9"):
        staged.follow(["die"])
    assert len(staged.starts) == worker_pool.FRUITLESS + 1


@pytest.mark.parametrize("kind", [LeakError, BudgetReachedError])
def test_a_problem_that_stops_all_ends_the_others(staged, kind):
    started = time.monotonic()
    with pytest.raises(kind, match="as it was told"):
        staged.follow(["stay"], [[kind.__name__, "as it was told"]])
    assert time.monotonic() - started < 30


def test_what_only_one_cannot_do_the_others_do(staged):
    staged.follow(["answer"], [["MuseError", "no memory on this GPU"]])
    assert len(staged.heard) == 1


def test_wrong_input_stays_wrong_input(staged):
    with pytest.raises(InputError, match="The first said: no such model"):
        staged.follow([["InputError", "no such model"]], [["InputError", "no such model"]])


def test_a_worker_that_stays_when_all_is_done_is_ended(staged, monkeypatch):
    monkeypatch.setattr(worker_pool, "STOP_S", 0.1)
    started = time.monotonic()
    staged.follow(["answer", "stay"])
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("kind", [MuseError, InputError, LeakError, BudgetReachedError, ModelUnusableError])
def test_the_kind_of_a_problem_reaches_the_parent(tmp_path, kind):
    job = tmp_path / "job"
    report_problem(job, 3, kind("what happened"))
    found = worker_pool._PoolWorker(job, 3, 0, 1).reported_problem()
    assert type(found) is kind
    assert str(found) == "what happened"


@pytest.mark.parametrize(("cores", "workers", "threads"), [(8, 1, "8"), (8, 3, "2"), (2, 2, "1"), (2, 5, "1")])
def test_workers_share_the_cores_among_them(staged, monkeypatch, cores, workers, threads):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(cores)), raising=False)
    staged.follow(["answer"], *[[]] * (workers - 1))
    assert staged.threads == [threads] * workers


def test_threads_that_the_user_set_stand(staged, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    staged.follow(["answer"], [])
    assert staged.threads == ["7"] * 2


def test_where_no_affinity_is_told_all_cores_are_shared(monkeypatch):
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    assert worker_pool.threads_each(4) == 1
    assert worker_pool.threads_each(2) == 3


@pytest.mark.parametrize(("problem", "told"), [(DeviceLostError("cuda:0 failed"), None), (MuseError("no"), "no")])
def test_a_worker_whose_device_failed_tells_nothing_so_that_another_is_started(tmp_path, monkeypatch, problem, told):
    def fail(job_file, worker):
        raise problem

    monkeypatch.setattr(worker_process, "work_on_job", fail)
    monkeypatch.setattr(worker_process, "end_with_parent", lambda parent: None)
    monkeypatch.setattr("sys.argv", ["worker", str(tmp_path / "job"), "3"])
    assert worker_process.main() == 1
    found = worker_pool._PoolWorker(tmp_path / "job", 3, 0, 1).reported_problem()
    assert (found and str(found)) == told
