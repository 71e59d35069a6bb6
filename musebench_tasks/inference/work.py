"""One worker's loop: claim a media file, answer what is still open on it, journal every answer, next."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack

from musebench_tasks.base.cost_meter import UNMETERED
from musebench_tasks.base.errors import BudgetReachedError, DeviceLostError
from musebench_tasks.base.records import Response
from musebench_tasks.inference.asking import Asking, answers_in, given_up
from musebench_tasks.inference.budget import Spending
from musebench_tasks.inference.journal import Journal, JournalEntry, journal_path
from musebench_tasks.inference.leases import INCIDENTS_TO_GIVE_UP, Leases
from musebench_tasks.inference.task_plan import Answered, Observer, TaskPlan
from musebench_tasks.inference.watchdog import Watchdog
from musebench_tasks.inference.work_units import WorkUnit
from musebench_tasks.models import Model

POLL_S = 0.2
LONGEST_POLL_S = 5.0
OnHung = Callable[[TaskPlan, WorkUnit, float], None]
"""Called from a thread of its own when no answer to a unit came for so many seconds; its lease is given back then."""


def work(
    plan: TaskPlan, model: Model, worker: int, observer: Observer, *, on_hung: OnHung | None = None, ends: bool = False
) -> None:
    """Answer everything of `plan` that is open and that nobody else is at; returns when all is answered.

    `worker` is the number of the journal that is wanted; another is taken where a living process has it. The
    observer hears of this worker's answers at once, of others' when it looks for more work. `ends`: `on_hung` ends
    the process. A MuseError of the model stops the work, a KeyboardInterrupt too; leases are given back.
    """
    with ExitStack() as held:
        leases = held.enter_context(Leases(plan.folder))
        if ends:
            held.enter_context(leases.telling_crashes())
        number = held.enter_context(leases.seat(worker))
        journal = held.enter_context(Journal(journal_path(plan.folder, number)))

        def hung(unit: WorkUnit, seconds: float) -> None:
            leases.note(unit.id, "hung")
            leases.give_back(unit.id)
            if on_hung is not None:
                on_hung(plan, unit, seconds)

        watchdog = held.enter_context(Watchdog(plan.unit_timeout_s, hung, ends_process=ends))
        own = _Worker(plan, model, leases, journal, watchdog, observer)
        in_flight = max(1, int(getattr(model, "units_in_flight", 1)))
        if in_flight == 1:
            own.take_part()
        else:
            own.run_threads(in_flight)


def poll_s(idle_s: float) -> float:
    """Seconds until the next look at what others hold, by how long there was nothing to do.

    A tenth of that: the end is never found out much later than it came, and many workers that wait for the last one do
    not keep a file server busy, of which each look lists a folder and opens every journal.
    """
    return min(max(POLL_S, idle_s / 10), LONGEST_POLL_S)


class _Worker:
    """The threads of one worker, and what they share. A model that takes one unit at a time is asked in the main
    thread: only there can a user's function be interrupted."""

    def __init__(
        self,
        plan: TaskPlan,
        model: Model,
        leases: Leases,
        journal: Journal,
        watchdog: Watchdog,
        observer: Observer,
    ) -> None:
        self._plan, self._leases, self._journal, self._watchdog = plan, leases, journal, watchdog
        self._observer = observer
        self._answered = Answered(plan, journal.path)
        self._spending = None if plan.budget is None else Spending(plan.budget)
        cost_meter = self._spending or UNMETERED
        self._asking = Asking(model, plan.limits, answers_in(plan.reuse), self._before_asking, plan.guard, cost_meter)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._problem: BaseException | None = None
        self._open = list(plan.units)
        self._round: deque[WorkUnit] = deque()
        self._claimed = True
        """Whether anything could be claimed in this round: else the next one waits a little."""
        self._idle_since: float | None = None
        """When this worker began to wait for what others hold."""
        self._in_hands: set[str] = set()
        self._suspect: str | None = None

    def run_threads(self, number: int) -> None:
        """Work in so many threads until all is answered; raises what one of them met."""
        threads = [threading.Thread(target=self._serve, name=f"unit-{each}", daemon=True) for each in range(number)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(POLL_S)
        finally:
            self._stop.set()
        if self._problem is not None:
            raise self._problem

    def _serve(self) -> None:
        try:
            self.take_part()
        except BaseException as problem:
            with self._lock:
                self._problem = self._problem or problem
            self._stop.set()

    def take_part(self) -> None:
        """Take unit after unit until none is left for this thread."""
        while not self._stop.is_set():
            unit, wait = self._next()
            if unit is not None:
                if self._work_on(unit):
                    self._claimed, self._idle_since = True, None
            elif wait:
                since = self._idle_since = self._idle_since or time.monotonic()
                self._stop.wait(poll_s(time.monotonic() - since))
            else:
                return

    def _next(self) -> tuple[WorkUnit | None, bool]:
        """A unit to try, in the plan's order; else whether there may be one later."""
        with self._lock:
            while self._round:
                unit = self._round.popleft()
                if unit.id not in self._in_hands and self._answered.lacks(unit):
                    return unit, False
            self._refresh()
            self._open = [unit for unit in self._open if self._answered.lacks(unit)]
            free = [unit for unit in self._open if unit.id not in self._in_hands]
            self._round.extend(free)
            claimed, self._claimed = self._claimed, False
            if not free:
                return None, False
            return (self._round.popleft(), False) if claimed else (None, True)

    def _work_on(self, unit: WorkUnit) -> bool:
        """Answer what is open of `unit`; False where another worker holds it, or it must wait for its turn."""
        with self._leases.claim(unit.id) as held:
            if not held:
                return False
            incidents = self._leases.incidents(unit.id)
            if not self._begin(unit, suspect=bool(incidents)):
                return False
            try:
                with self._lock:
                    self._refresh()
                if len(incidents) >= INCIDENTS_TO_GIVE_UP:
                    responses = given_up(unit, incidents, self._is_open)
                else:
                    self._asking.prepare(unit, self._is_open)
                    responses = self._asking.answers_to(unit, self._is_open)
                with self._watchdog.watching(unit) as answered:
                    for number, response in enumerate(responses):
                        self._record(response)
                        answered()
                        if number == 0:
                            self._leases.clear_incidents(unit.id)
                        # Where the budget is spent the model ends by itself: what is on its way is paid for, and kept.
                        if self._stop.is_set() and not isinstance(self._problem, BudgetReachedError):
                            break
            except DeviceLostError:
                # As if this worker had died here: who meets it twice at one medium is not sent there again.
                self._leases.note(unit.id, "died")
                raise
            finally:
                self._end(unit)
                self._journal.settle()
        return True

    def _begin(self, unit: WorkUnit, suspect: bool) -> bool:
        """A unit at which a worker died is worked on alone: should it happen again, no other is blamed."""
        with self._lock:
            if self._suspect is not None or (suspect and self._in_hands):
                return False
            self._in_hands.add(unit.id)
            if suspect:
                self._suspect = unit.id
            return True

    def _end(self, unit: WorkUnit) -> None:
        with self._lock:
            self._in_hands.discard(unit.id)
            if self._suspect == unit.id:
                self._suspect = None

    def _record(self, response: Response) -> None:
        with self._lock:
            self._journal.append(response)
            self._answered.add(response.key)
            self._observer(self._plan.task, response)

    def _refresh(self) -> None:
        """Take in what other workers wrote. The lock is held."""
        others: list[JournalEntry] = self._answered.refresh()
        for entry in others:
            self._observer(self._plan.task, entry.response)

    def _is_open(self, key: str) -> bool:
        return key not in self._answered

    def _before_asking(self) -> None:
        if self._spending is not None:
            self._spending.require_more()
