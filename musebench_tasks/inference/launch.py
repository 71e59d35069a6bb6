"""Starts the workers: in this process, or as independent processes that share nothing but the run folder.

No collective operation anywhere: a worker that dies takes nothing with it, and what it held is claimed again.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from musebench_tasks.errors import InputError, MuseError
from musebench_tasks.inference.journal import JournalReader
from musebench_tasks.inference.work import Observer, TaskPlan, work
from musebench_tasks.models import Model, load_model

FOLLOW_S = 0.3


@dataclass(frozen=True)
class Job:
    """All work of one model in a run."""

    model: str
    """The model spec."""
    plans: tuple[TaskPlan, ...]
    options: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of `load_model`."""


def own_worker_number() -> int:
    """This process's number: the rank a launcher such as torchrun gave it, else 0."""
    return int(os.environ.get("RANK", "0"))


def run_here(job: Job, model: Model, observer: Observer) -> None:
    """Work through the job in this process."""
    for plan in job.plans:
        work(plan, model, own_worker_number(), observer)


def run_processes(job: Job, processes: int, observer: Observer) -> None:
    """Work through the job with `processes` independent processes; this one only follows their journals.

    Raises MuseError when all of them ended and something is still open, with the last words of one.
    """
    processes = min(processes, max(len(plan.units) for plan in job.plans))
    first = own_worker_number() * processes
    with tempfile.TemporaryDirectory(prefix="musebench-") as scratch:
        job_file = Path(scratch) / "job.pickle"
        job_file.write_bytes(pickle.dumps(job))
        logs = [Path(scratch) / f"worker-{first + index}.log" for index in range(processes)]
        followers = [_Follower(plan) for plan in job.plans]
        workers = [_start(job_file, first + index, log) for index, log in enumerate(logs)]
        try:
            while any(worker.poll() is None for worker in workers):
                time.sleep(FOLLOW_S)
                for follower in followers:
                    follower.report(observer)
        finally:
            for worker in workers:
                worker.terminate()
                worker.wait()
        for follower in followers:
            follower.report(observer)
        if all(worker.returncode for worker in workers):
            kind = InputError if all(worker.returncode == InputError.exit_code for worker in workers) else MuseError
            raise kind(f"Every worker process failed. The first said: {_last_line(logs[0])}")


def work_on_job(job_file: Path, worker: int) -> None:
    """What a worker process does: load the model once, work through all its tasks."""
    job: Job = pickle.loads(job_file.read_bytes())
    model = load_model(job.model, **job.options)
    for plan in job.plans:
        work(plan, model, worker, lambda task, response: None)


class _Follower:
    """Reports what appears in a plan's journals from now on."""

    def __init__(self, plan: TaskPlan) -> None:
        self._task = plan.task
        self._reader = JournalReader(plan.folder)
        for _ in self._reader.read_new():
            pass

    def report(self, observer: Observer) -> None:
        for entry in self._reader.read_new():
            observer(self._task, entry.response)


def _start(job_file: Path, worker: int, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "musebench_tasks.inference.worker_process", str(job_file), str(worker)]
    environment = {**os.environ, "LOCAL_RANK": os.environ.get("LOCAL_RANK", str(worker))}
    with log.open("wb") as output:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing"


def journal_sizes(folder: Path) -> dict[int, int]:
    """Bytes in every worker's journal: what stood there before this run, for `--retry errors`."""
    sizes: dict[int, int] = {}
    for path in (folder / "responses").glob("worker-*.jsonl"):
        sizes[int(path.stem.removeprefix("worker-"))] = path.stat().st_size
    return sizes


def open_tasks(plans: Sequence[TaskPlan]) -> list[str]:
    """Names of tasks that still have requests without a response."""
    from musebench_tasks.inference.work import Answered

    return [plan.task for plan in plans if any(map(Answered(plan).lacks, plan.units))]
