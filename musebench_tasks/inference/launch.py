"""Starts the workers: in this process, or as independent processes that share nothing but the run folder.

No collective operation anywhere: a worker that dies takes nothing with it, and what it held is claimed again.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from musebench_tasks.inference.endings import end_because_hung
from musebench_tasks.inference.ranks import own_local_rank, own_rank
from musebench_tasks.inference.task_plan import Answered, Observer, TaskPlan
from musebench_tasks.inference.work import work
from musebench_tasks.inference.worker_pool import WorkerPool
from musebench_tasks.models import Model, load_model
from musebench_tasks.models.offline import offline_rule, servers_of


@dataclass(frozen=True)
class Job:
    """All work of one model in a run."""

    model: str
    """The model spec."""
    plans: tuple[TaskPlan, ...]
    options: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of `load_model`."""
    offline: bool = False
    """Whether nothing but the model's own servers may be reached."""


def run_here(job: Job, model: Model, observer: Observer, *, may_end: bool = False) -> None:
    """Work through the job in this process; `may_end`: a hanging model ends it, as nothing else can."""
    with offline_rule(servers_of(model), job.offline):
        for plan in job.plans:
            work(plan, model, own_rank(), observer, on_hung=end_because_hung if may_end else None, ends=may_end)


def run_processes(job: Job, processes: int, observer: Observer, notice: Callable[[str], None]) -> None:
    """Work through the job with `processes` independent processes; this one only follows their journals.

    A worker that dies is started again, as long as there are answers between; `notice` is told.

    Raises what stops a run (a leak, a budget), and a MuseError when all of them failed, with the last words of one.
    """
    processes = min(processes, max(len(plan.units) for plan in job.plans))
    with tempfile.TemporaryDirectory(prefix="musebench-") as scratch:
        job_file = Path(scratch) / "job.pickle"
        job_file.write_bytes(pickle.dumps(job))
        devices = {own_rank() * processes + each: own_local_rank() * processes + each for each in range(processes)}
        with WorkerPool(job_file, job.plans, devices, observer, notice) as workers:
            workers.follow()


def work_on_job(job_file: Path, worker: int) -> None:
    """What a worker process does: load the model once, work through all its tasks."""
    job: Job = pickle.loads(job_file.read_bytes())
    with offline_rule((), job.offline):
        model = load_model(job.model, **job.options)
    with offline_rule(servers_of(model), job.offline):
        for plan in job.plans:
            work(plan, model, worker, lambda task, response: None, on_hung=end_because_hung, ends=True)


def open_tasks(plans: Sequence[TaskPlan]) -> list[str]:
    """Names of tasks that still have requests without a response."""
    return [plan.task for plan in plans if not Answered(plan).all]
