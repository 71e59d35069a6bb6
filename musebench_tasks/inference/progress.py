"""How far a task is: requests, failures, and the time left, reckoned in media seconds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from musebench_tasks.base.records import Request, Response, Status
from musebench_tasks.inference.work_units import REQUEST_COST_S, WorkUnit


class Progress:
    """Counts the responses to one plan. A key counts once, however many requests share it."""

    def __init__(
        self,
        requests: Sequence[Request],
        units: Iterable[WorkUnit],
        known: Iterable[Response],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.planned = len(requests)
        self.answered = 0
        self.failures: Counter[Status] = Counter()
        self._asked_by = Counter(request.key for request in requests)
        self._cost_s = dict(_costs(units))
        self._left_s = sum(self._cost_s.values())
        self._seen: dict[str, Status | None] = {}
        for response in known:
            self.add(response)
        self._clock = clock
        self._started = clock()
        self._left_at_start_s = self._left_s

    @property
    def failed(self) -> int:
        """Requests that ended without a model's answer."""
        return sum(self.failures.values())

    def add(self, response: Response) -> None:
        """Count one response; a second one to a key replaces the first."""
        count = self._asked_by.get(response.key, 0)
        if response.key not in self._seen:
            self.answered += count
            self._left_s -= self._cost_s.get(response.key, 0.0)
        elif (before := self._seen[response.key]) is not None:
            self.failures[before] -= count
        self._seen[response.key] = response.failure
        if response.failure is not None:
            self.failures[response.failure] += count

    def time_left_s(self) -> float | None:
        """Seconds until all is answered at the pace so far; None before anything was answered."""
        done_s = self._left_at_start_s - self._left_s
        if done_s <= 0:
            return None
        return max(0.0, self._left_s * (self._clock() - self._started) / done_s)


def _costs(units: Iterable[WorkUnit]) -> Iterable[tuple[str, float]]:
    """What each key costs: its prompt, and its share of the window that its group decodes once."""
    for unit in units:
        for group in unit.groups:
            for request in group:
                yield request.key, REQUEST_COST_S + request.media_s / len(group)
