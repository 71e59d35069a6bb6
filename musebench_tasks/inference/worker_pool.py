"""The worker processes of one run, as their parent sees them: started, followed, and started again when they die."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from musebench_tasks.base.errors import (
    BudgetReachedError,
    InputError,
    LeakError,
    ModelUnusableError,
    MuseError,
    OfflineError,
)
from musebench_tasks.inference.leases import note_death
from musebench_tasks.inference.process_id import ProcessId, process_here
from musebench_tasks.inference.task_plan import Answered, Observer, TaskPlan

COMMAND = (sys.executable, "-m", "musebench_tasks.inference.worker_process")
THREADS_VARIABLE = "OMP_NUM_THREADS"
"""By which torch, numpy and other libraries take threads; what the user set stands."""
FOLLOW_S = 0.3
STOP_S = 10.0
"""What a worker has to end in order before it is killed."""
FRUITLESS = 3
"""Deaths a worker without one answer of anybody between them, after which nobody is started any more."""
STOPS_ALL = (BudgetReachedError, LeakError, OfflineError)
"""Problems of one worker that end the work of all."""
_TOLD_APART = {each.__name__: each for each in (*STOPS_ALL, InputError, ModelUnusableError)}


class WorkerPool:
    """Worker processes on a job file. As a context manager it leaves none of them running."""

    def __init__(
        self,
        job_file: Path,
        plans: Sequence[TaskPlan],
        devices: Mapping[int, int],
        observer: Observer,
        notice: Callable[[str], None],
    ) -> None:
        """`devices`: worker number -> LOCAL_RANK, by which models choose a device; `notice` is told of deaths."""
        self._plans, self._observer, self._notice = plans, observer, notice
        self._answered = [Answered(plan) for plan in plans]
        self._fruitless = 0
        threads = threads_each(len(devices))
        self._workers = [_PoolWorker(job_file, number, device, threads) for number, device in devices.items()]

    def __enter__(self) -> WorkerPool:
        for worker in self._workers:
            worker.start()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.process.terminate()
        deadline = time.monotonic() + STOP_S
        for worker in self._workers:
            worker.end_by(deadline)

    def follow(self) -> None:
        """Report what the workers write until they have ended; MuseError where all of them failed."""
        done_since = None
        while sum(self._look_after(worker) for worker in self._workers):
            time.sleep(FOLLOW_S)
            self._report()
            if all(answered.all for answered in self._answered):
                done_since = done_since or time.monotonic()
                if time.monotonic() - done_since > STOP_S:
                    break
        self._report()
        problems = [worker.problem for worker in self._workers]
        if all(problems):
            raise (
                InputError(_all_failed(problems))
                if all(isinstance(problem, InputError) for problem in problems)
                else MuseError(_all_failed(problems))
            )

    def _look_after(self, worker: _PoolWorker) -> bool:
        """Whether the worker is at work, started again where it died. Raises a problem that stops all."""
        if worker.problem is not None:
            return False
        if worker.process.poll() is None:
            return True
        if worker.process.returncode == 0:
            return False
        told = worker.reported_problem()
        if isinstance(told, STOPS_ALL):
            raise told
        if told is None:
            for plan in self._plans:
                note_death(plan.folder, worker.holder)
            self._fruitless += 1
            if self._fruitless <= FRUITLESS * len(self._workers):
                self._notice(f"{worker.name} ended ({worker.last_words()}) and is started again")
                worker.start()
                return True
            told = MuseError(worker.last_words())
        worker.problem = told
        return False

    def _report(self) -> None:
        for plan, answered in zip(self._plans, self._answered, strict=True):
            for entry in answered.refresh():
                self._fruitless = 0
                self._observer(plan.task, entry.response)


def threads_each(workers: int) -> int:
    """Threads for the arithmetic of each of so many workers, so that together they take the cores that there are."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # Not on macOS.
        cores = os.cpu_count() or 1
    return max(1, cores // workers)


class _PoolWorker:
    """One worker process, and those started in its place."""

    def __init__(self, job_file: Path, number: int, device: int, threads: int) -> None:
        self._command = [*COMMAND, str(job_file), str(number)]
        self._environment = {THREADS_VARIABLE: str(threads), **os.environ, "LOCAL_RANK": str(device)}
        self.name = f"worker {number}"
        self._log = job_file.with_name(f"worker-{number}.log")
        self._told = problem_file(job_file, number)
        self.process: subprocess.Popen[bytes]
        self.holder: ProcessId
        self.problem: MuseError | None = None
        """Why it works no more, though there may be work."""

    def start(self) -> None:
        """Start the process."""
        with self._log.open("wb") as output:
            self.process = subprocess.Popen(
                self._command, stdout=output, stderr=subprocess.STDOUT, env=self._environment
            )
        self.holder = process_here(self.process.pid)

    def end_by(self, deadline: float) -> None:
        """Wait for the process, which was told to end; kill it at the deadline."""
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def reported_problem(self) -> MuseError | None:
        """The problem that the worker ended with; None where it died without a word."""
        with suppress(OSError, ValueError):
            kind, message = json.loads(self._told.read_text(encoding="utf-8"))
            return _TOLD_APART.get(kind, MuseError)(message)
        return None

    def last_words(self) -> str:
        """The last line that the worker wrote, and how it ended."""
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        code = self.process.returncode
        return lines[-1] if lines else f"signal {-code}" if code < 0 else f"exit {code}"


def problem_file(job_file: Path, number: int) -> Path:
    """Where a worker process leaves the problem that it ends with."""
    return job_file.with_name(f"problem-{number}.json")


def report_problem(job_file: Path, number: int, problem: MuseError) -> None:
    """Leave the problem for the parent; without room for it the parent reads the last line that was printed."""
    with suppress(OSError):
        text = json.dumps([type(problem).__name__, str(problem)])
        problem_file(job_file, number).write_text(text, encoding="utf-8")


def _all_failed(problems: Sequence[MuseError | None]) -> str:
    return f"Every worker process failed. The first said: {problems[0]}"
