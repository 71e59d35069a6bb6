"""One worker's loop: claim a media file, answer what is still open on it, journal every answer, next."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from musebench_tasks.errors import BackendError, BackendTimeoutError, MediaError, MediaUnavailableError, MuseError
from musebench_tasks.inference.journal import Journal, JournalReader, journal_path, read_responses
from musebench_tasks.inference.leases import Leases
from musebench_tasks.inference.plan import WorkUnit
from musebench_tasks.media import MediaGroup
from musebench_tasks.models import Model, failed
from musebench_tasks.models.frame_scorers import frame_scorer
from musebench_tasks.records import Limits, MediaPart, Request, Response, Status

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
    reuse: tuple[Path, ...] = ()
    """MODEL/TASK folders of the same model whose answers to equal requests are taken over, looked up when work begins:
    a task before this one may just have been answered."""


def work(plan: TaskPlan, model: Model, worker: int, observer: Observer) -> None:
    """Answer everything of `plan` that is open and that nobody else is at; returns when all is answered."""
    answered = Answered(plan)
    known = _answers_in(plan.reuse)
    leases = Leases(plan.folder, worker)
    with Journal(journal_path(plan.folder, worker)) as journal:
        while open_units := [unit for unit in plan.units if answered.lacks(unit)]:
            claimed = False
            for unit in open_units:
                with leases.claim(unit.id) as held:
                    if not held:
                        continue
                    claimed = True
                    answered.refresh()
                    for response in _answers_to(unit, plan.limits, model, answered, known):
                        journal.append(response)
                        answered.add(response.key)
                        observer(plan.task, response)
            if not claimed:
                time.sleep(POLL_S)
            answered.refresh()


def _answers_in(folders: Iterable[Path]) -> dict[str, Response]:
    """The answers that lie in `folders`, by key; failures are asked again."""
    found: dict[str, Response] = {}
    for folder in folders:
        found.update({key: each for key, each in read_responses(folder).items() if each.failure is None})
    return found


def _answers_to(
    unit: WorkUnit, limits: Limits, model: Model, answered: Answered, known: Mapping[str, Response]
) -> Iterator[Response]:
    """One response to each request of `unit` that is still open, group by group."""
    file_parts = tuple({part.identity: part for group in unit.groups for part in group[0].parts}.values())
    for group in unit.groups:
        pending = [request for request in group if request.key not in answered]
        yield from _answer(group, pending, file_parts, limits, model, known)


def _answer(
    planned: tuple[Request, ...],
    pending: Sequence[Request],
    file_parts: tuple[MediaPart, ...],
    limits: Limits,
    model: Model,
    known: Mapping[str, Response],
) -> Iterator[Response]:
    """One response to each pending request: reused, answered, or failed with the reason."""
    asked = []
    for request in pending:
        earlier = known.get(request.key)
        if earlier is None:
            asked.append(request)
        else:
            yield earlier.model_copy(
                update={"item_id": request.item_id, "run": request.run, "condition": request.condition}
            )
    if asked:
        group = MediaGroup(tuple(asked), limits, planned=planned, file_parts=file_parts, find_scorer=frame_scorer)
        yield from _ask(group, model)


def _ask(group: MediaGroup, model: Model) -> Iterator[Response]:
    open_requests = {request.key: request for request in group.requests}
    failure, error = Status.BACKEND_ERROR, "the model ended without an answer to this request"
    try:
        for response in model.answer(group):
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
