"""One worker's loop: claim a media file, answer what is still open on it, journal every answer, next."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from musebench_tasks.errors import BackendError, BackendTimeoutError, MediaError, MediaUnavailableError, MuseError
from musebench_tasks.inference.journal import Journal, JournalReader, journal_path
from musebench_tasks.inference.leases import Leases
from musebench_tasks.inference.plan import WorkUnit
from musebench_tasks.media import MediaGroup
from musebench_tasks.models import Model, failed
from musebench_tasks.records import Limits, Request, Response, Status

POLL_S = 0.2
Observer = Callable[[str, Response], None]
"""Called with the task's name and a response, once it is in the journal."""


@dataclass(frozen=True)
class TaskPlan:
    """What a worker needs to know of one MODEL/TASK: where, what, and what counts as answered."""

    task: str
    folder: Path
    units: tuple[WorkUnit, ...]
    limits: Limits
    retry_before: dict[int, int] = field(default_factory=dict)
    """Worker number -> byte position: failures that stand before it in that journal are asked again."""
    reuse: dict[str, Response] = field(default_factory=dict)
    """Answers by key, from other tasks of this run and other runs."""


def work(plan: TaskPlan, model: Model, worker: int, observer: Observer) -> None:
    """Answer everything of `plan` that is open and that nobody else is at; returns when all is answered."""
    answered = Answered(plan)
    leases = Leases(plan.folder, worker)
    with Journal(journal_path(plan.folder, worker)) as journal:
        while open_units := [unit for unit in plan.units if answered.lacks(unit)]:
            claimed = sum(_work_unit(unit, plan, model, journal, leases, answered, observer) for unit in open_units)
            if not claimed:
                time.sleep(POLL_S)
            answered.refresh()


def _work_unit(
    unit: WorkUnit,
    plan: TaskPlan,
    model: Model,
    journal: Journal,
    leases: Leases,
    answered: Answered,
    observer: Observer,
) -> bool:
    """Answer one unit under its lease; False where another worker holds it."""
    with leases.claim(unit.id) as held:
        if not held:
            return False
        answered.refresh()
        for group in unit.groups:
            pending = [request for request in group if request.key not in answered]
            for response in _answer(pending, plan, model):
                journal.append(response)
                answered.add(response.key)
                observer(plan.task, response)
    return True


def _answer(pending: Sequence[Request], plan: TaskPlan, model: Model) -> Iterable[Response]:
    """One response to each pending request: reused, answered, or failed with the reason."""
    asked = []
    for request in pending:
        known = plan.reuse.get(request.key)
        if known is None:
            asked.append(request)
        else:
            yield known.model_copy(
                update={"item_id": request.item_id, "run": request.run, "condition": request.condition}
            )
    if asked:
        yield from _ask(asked, plan.limits, model)


def _ask(asked: Sequence[Request], limits: Limits, model: Model) -> Iterable[Response]:
    open_requests = {request.key: request for request in asked}
    failure, error = Status.BACKEND_ERROR, "the model ended without an answer to this request"
    try:
        for response in model.answer(MediaGroup(requests=tuple(asked), limits=limits)):
            if open_requests.pop(response.key, None) is not None:
                yield response
    except MediaUnavailableError as problem:
        failure, error = Status.MEDIA_UNAVAILABLE, str(problem)
    except MediaError as problem:
        failure, error = Status.MEDIA_ERROR, str(problem)
    except BackendTimeoutError as problem:
        failure, error = Status.TIMEOUT, str(problem)
    except BackendError as problem:
        error = str(problem)
    except MuseError:
        raise
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"
    for request in open_requests.values():
        yield failed(request, failure, error)


class Answered:
    """Which keys of a plan have a response, kept up to date from all journals."""

    def __init__(self, plan: TaskPlan) -> None:
        self._retry_before = plan.retry_before
        self._reader = JournalReader(plan.folder)
        self._keys: set[str] = set()
        self.refresh()

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def add(self, key: str) -> None:
        """Note a key that this worker just answered."""
        self._keys.add(key)

    def lacks(self, unit: WorkUnit) -> bool:
        """Whether a request of `unit` is still open."""
        return any(request.key not in self._keys for group in unit.groups for request in group)

    def refresh(self) -> None:
        """Read what all workers have written since."""
        for entry in self._reader.read_new():
            asked_again = entry.response.failure is not None and entry.offset < self._retry_before.get(entry.worker, 0)
            if not asked_again:
                self._keys.add(entry.response.key)
