"""What is answered to one unit: answers known from before, a model's answers, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from musebench_tasks.base.cost_meter import UNMETERED, CostMeter
from musebench_tasks.base.errors import BackendError, BackendTimeoutError, MediaError, MediaUnavailableError, MuseError
from musebench_tasks.base.problems import described
from musebench_tasks.base.records import Limits, MediaPart, Request, Response, Status
from musebench_tasks.inference.journal import read_responses
from musebench_tasks.inference.leases import Incident
from musebench_tasks.inference.task_plan import names_medium
from musebench_tasks.inference.work_units import WorkUnit
from musebench_tasks.media import MediaGroup
from musebench_tasks.models import Model, failed
from musebench_tasks.models.frame_scorers import frame_scorer
from musebench_tasks.models.offline import refuse_if_tried
from musebench_tasks.prompts.leak_guard import LeakGuard


def answers_in(folders: Iterable[Path]) -> dict[str, Response]:
    """The answers that lie in `folders`, by key; failures are asked again."""
    found: dict[str, Response] = {}
    for folder in folders:
        found.update({key: each for key, each in read_responses(folder).items() if each.failure is None})
    return found


class Asking:
    """Has a model answer units."""

    def __init__(
        self,
        model: Model,
        limits: Limits,
        known: Mapping[str, Response],
        before_asking: Callable[[], None],
        guard: LeakGuard | None = None,
        cost_meter: CostMeter = UNMETERED,
    ) -> None:
        """`known`: answers that need not be asked for; `before_asking` is called before each group that is asked.

        `cost_meter`: what a model asks before each request that costs money.
        """
        self._model, self._limits, self._known, self._before_asking = model, limits, known, before_asking
        self._guard, self._cost_meter = guard, cost_meter

    def prepare(self, unit: WorkUnit, is_open: Callable[[str], bool]) -> None:
        """Let a model that has to get ready do so, where something of `unit` will be asked.

        To fetch and load weights may take longer than any answer, and is no sign that the model hangs.
        """
        prepare = getattr(self._model, "prepare", None)
        if prepare is not None and any(self._must_be_asked(each.key, is_open) for each in unit.requests):
            prepare()

    def answers_to(self, unit: WorkUnit, is_open: Callable[[str], bool]) -> Iterator[Response]:
        """One response to each request of `unit` that is still open, group by group."""
        asked = [group for group in unit.groups if any(self._must_be_asked(each.key, is_open) for each in group)]
        file_parts = tuple({part.identity: part for group in asked for part in group[0].parts}.values())
        for group in unit.groups:
            pending = [request for request in group if is_open(request.key)]
            yield from self._answer(group, pending, file_parts)

    def _must_be_asked(self, key: str, is_open: Callable[[str], bool]) -> bool:
        return is_open(key) and key not in self._known

    def _answer(
        self, planned: tuple[Request, ...], pending: Sequence[Request], file_parts: tuple[MediaPart, ...]
    ) -> Iterator[Response]:
        """One response to each pending request: reused, answered, or failed with the reason."""
        asked = []
        for request in pending:
            earlier = self._known.get(request.key)
            if earlier is None:
                asked.append(request)
            else:
                yield _taken_over(earlier, request)
        if asked:
            self._before_asking()
            if self._guard is not None:
                self._guard.check_requests(asked)
            group = MediaGroup(
                tuple(asked),
                self._limits,
                planned=planned,
                file_parts=file_parts,
                find_scorer=frame_scorer,
                guard=self._guard,
                cost_meter=self._cost_meter,
            )
            yield from _ask(group, self._model)


def given_up(unit: WorkUnit, incidents: Sequence[Incident], is_open: Callable[[str], bool]) -> Iterator[Response]:
    """A failure to each open request of a unit that workers died or hung at."""
    hung = incidents.count("hung")
    died = len(incidents) - hung
    told = " and ".join(f"{count} {how}" for count, how in ((died, "died"), (hung, "hung")) if count)
    error = (
        f"{names_medium(unit)}: of the workers that were at it {told}, so nobody is sent there any more. "
        "--retry errors asks again."
    )
    failure = Status.TIMEOUT if incidents[-1] == "hung" else Status.BACKEND_ERROR
    for request in unit.requests:
        if is_open(request.key):
            yield failed(request, failure, error, attempts=len(incidents))


def _taken_over(earlier: Response, request: Request) -> Response:
    """An answer from before as the response to an equal request; it was paid for, and checked, where it was asked."""
    asked_as = {"item_id": request.item_id, "run": request.run, "condition": request.condition}
    prefix = None if earlier.prefix is None else earlier.prefix.model_copy(update={"check": None})
    return earlier.model_copy(update={**asked_as, "cost_usd": None, "prefix": prefix})


def _ask(group: MediaGroup, model: Model) -> Iterator[Response]:
    open_requests = {request.key: request for request in group.requests}
    failure, error = Status.BACKEND_ERROR, "the model ended without an answer to this request"
    try:
        for response in model.answer(group):
            refuse_if_tried()
            if open_requests.pop(response.key, None) is not None:
                yield response
    except MediaUnavailableError as problem:
        failure, error = Status.MEDIA_UNAVAILABLE, problem.text
    except MediaError as problem:
        failure, error = Status.MEDIA_ERROR, problem.text
    except BackendTimeoutError as problem:
        failure, error = Status.TIMEOUT, problem.text
    except BackendError as problem:
        error = problem.text
    except MuseError:
        raise
    except Exception as problem:
        error = described(problem)
    for request in open_requests.values():
        yield failed(request, failure, error)
