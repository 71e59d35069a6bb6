"""How many requests a server has at a time: as many as it answers gladly, never more than allowed.

The limit starts low and doubles while all goes well. A server that says it is overloaded (429, 503) or lets a deadline
pass halves it, once for all requests that were on their way together, and from then on it grows by one. Where latency
grows as fast as the limit does, nothing is won: that growth is taken back, and after a rest a little more is tried. A
Retry-After holds for everybody.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from statistics import median
from typing import NamedTuple, TypeVar

FIRST_LIMIT = 4
GAIN = 0.25
"""Share of a growth of the limit that must show as more answers a second; below it the growth is taken back."""
REST = 4
"""Rounds without growth after one that was taken back."""
SHORTEST_ROUND = 8
"""Answers that a round counts at least: of fewer, the median tells little."""


class Ticket(NamedTuple):
    """A request on its way."""

    number: int


class Pace:
    """The rule, without a clock or threads: times are given to it. All times are in seconds."""

    def __init__(self, most: int, first: int = FIRST_LIMIT) -> None:
        """`most` requests at a time at most, `first` at the beginning."""
        self.most = most
        self.limit = min(most, first)
        self.in_flight = 0
        self._started = 0
        self._eased_at = 0
        """Requests that started before this number have been answered for by a smaller limit."""
        self._changed_at = 0
        """Requests up to this number began under another limit."""
        self._has_eased = self._has_taken_back = False
        self._paused_until = -math.inf
        self._latencies: list[float] = []
        self._was_full = False
        self._grown_from: tuple[int, float] | None = None
        """The limit before the last growth, and answers a second under it."""
        self._rest = 0

    def wait_s(self, now: float) -> float:
        """How long from `now` until a request may start: 0 = at once, infinite = until another has ended."""
        if self.in_flight >= self.limit:
            return math.inf
        return max(0.0, self._paused_until - now)

    def start(self) -> Ticket:
        """A request starts."""
        self._started += 1
        self.in_flight += 1
        self._was_full = self._was_full or self.in_flight >= self.limit
        return Ticket(self._started)

    def succeed(self, ticket: Ticket, latency_s: float) -> None:
        """A request was answered. Those that began under another limit tell nothing of this one."""
        self.in_flight -= 1
        if ticket.number <= self._changed_at:
            return
        self._latencies.append(latency_s)
        if len(self._latencies) >= max(self.limit, SHORTEST_ROUND):
            self._end_round()

    def fail(self, ticket: Ticket) -> None:
        """A request ended in a way that says nothing of the server's load."""
        self.in_flight -= 1

    def throttle(self, ticket: Ticket, now: float, retry_after_s: float | None = None) -> None:
        """The server had too much to do, and perhaps told when to come again."""
        self.in_flight -= 1
        if retry_after_s is not None:
            self._paused_until = max(self._paused_until, now + retry_after_s)
        if ticket.number > self._eased_at:
            self.limit = max(1, self.limit // 2)
            self._eased_at, self._has_eased = self._started, True
            self._grown_from = None
            self._begin_round(is_changed=True)

    def _begin_round(self, is_changed: bool) -> None:
        if is_changed:
            self._changed_at = self._started
        self._latencies = []
        self._was_full = self.in_flight >= self.limit

    def _end_round(self) -> None:
        """As many answers came as may be on their way: grow, stay, or take the last growth back."""
        rate = self.limit / max(median(self._latencies), 1e-9)
        was_full, before = self._was_full, self.limit
        if was_full and self._grown_from is not None and not _pays(self._grown_from, (self.limit, rate)):
            self.limit, self._rest, self._has_taken_back = self._grown_from[0], REST, True
            self._grown_from = None
        elif self._rest:
            self._rest -= 1
        elif was_full and self.limit < self.most:
            self._grown_from = (self.limit, rate)
            self.limit = min(self.most, self._grown())
        elif was_full:
            self._grown_from = None
        self._begin_round(is_changed=self.limit != before)

    def _grown(self) -> int:
        """The next limit to try: by one where the server was too busy before, by a quarter where more won nothing."""
        if self._has_eased:
            return self.limit + 1
        return self.limit + max(1, self.limit // 4) if self._has_taken_back else 2 * self.limit


def _pays(before: tuple[int, float], after: tuple[int, float]) -> bool:
    """Whether a larger limit brought answers faster, by `GAIN` of what it grew at least."""
    (old_limit, old_rate), (limit, rate) = before, after
    return rate >= old_rate * (1 + GAIN * (limit / old_limit - 1))


class Slot:
    """A request's place at the gate; its holder says how the request ended, else it counts as failed."""

    def __init__(self) -> None:
        self.latency_s: float | None = None
        self.throttled = False
        self.retry_after_s: float | None = None

    def answered(self, latency_s: float) -> None:
        """The request was answered."""
        self.latency_s = latency_s

    def overloaded(self, retry_after_s: float | None = None) -> None:
        """The server had too much to do."""
        self.throttled, self.retry_after_s = True, retry_after_s


class Gate:
    """Lets as many threads through to one server as its pace allows."""

    def __init__(self, pace: Pace, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace = pace
        self._clock = clock
        self._changed = threading.Condition()
        self._urgent = 0

    @contextmanager
    def slot(self, urgent: bool = True) -> Iterator[Slot]:
        """Wait for a place and hold it. Urgent requests, whose medium the server has read already, go first."""
        ticket = self._enter(urgent)
        slot = Slot()
        try:
            yield slot
        finally:
            with self._changed:
                if slot.latency_s is not None:
                    self._pace.succeed(ticket, slot.latency_s)
                elif slot.throttled:
                    self._pace.throttle(ticket, self._clock(), slot.retry_after_s)
                else:
                    self._pace.fail(ticket)
                self._changed.notify_all()

    def _enter(self, urgent: bool) -> Ticket:
        with self._changed:
            self._urgent += urgent
            try:
                while (wait_s := self._pace.wait_s(self._clock())) > 0 or (self._urgent and not urgent):
                    self._changed.wait(None if wait_s in (0, math.inf) else wait_s)
            finally:
                self._urgent -= urgent
                self._changed.notify_all()
            return self._pace.start()


_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


def as_they_end(
    call: Callable[[_Given], _Found], given: Sequence[_Given], number: int, name: str = "musebench-call"
) -> Iterator[_Found]:
    """What `call` returns for each of `given`, in the order in which the calls end, `number` of them at a time.

    A call that raises ends the iteration with what it raised. Where the iteration ends early no further call begins,
    and those that are on their way are not waited for.
    """
    waiting: queue.SimpleQueue[_Given] = queue.SimpleQueue()
    for each in given:
        waiting.put(each)
    ended: queue.SimpleQueue[Future[_Found]] = queue.SimpleQueue()
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            try:
                each = waiting.get_nowait()
            except queue.Empty:
                return
            outcome: Future[_Found] = Future()
            try:
                outcome.set_result(call(each))
            except BaseException as problem:
                outcome.set_exception(problem)
            ended.put(outcome)

    for _ in range(min(number, len(given))):
        threading.Thread(target=work, name=name, daemon=True).start()
    try:
        for _ in given:
            yield ended.get().result()
    finally:
        stopped.set()
