"""Notices a worker that hangs at a medium: a model that never returns, whatever time it was given.

A thread looks after the time since the last answer. Where the process may be ended, the interpreter's own timer
(`faulthandler`) stands behind it: it fires even when the model's code never lets another thread run.
"""

from __future__ import annotations

import faulthandler
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from musebench_tasks.inference.work_units import WorkUnit

LEAST_S = 1800.0
"""What every medium is given for its next answer: servers queue."""
PER_COST = 10.0
"""Seconds more for each second of media and each request of the unit."""
TICK_S = 1.0
GRACE_S = 60.0
"""How long the interpreter's timer waits for this thread to do it in order."""


def allowed_s(unit: WorkUnit, asked_s: float | None) -> float:
    """Seconds that a worker may spend on `unit` without an answer: what was asked for, else by what it holds."""
    return asked_s if asked_s is not None else LEAST_S + PER_COST * unit.cost_s


@dataclass
class _Watched:
    unit: WorkUnit
    allowed_s: float
    since_s: float
    """When the last answer came."""


class Watchdog:
    """Calls `on_hung(unit, seconds)` from its own thread, once for each unit that hangs."""

    def __init__(
        self,
        timeout_s: float | None,
        on_hung: Callable[[WorkUnit, float], None],
        *,
        ends_process: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`ends_process`: the interpreter's timer ends the process where not even `on_hung` can run."""
        self._timeout_s, self._on_hung, self._ends_process, self._clock = timeout_s, on_hung, ends_process, clock
        self._watched: dict[str, _Watched] = {}
        self._arm_s = LEAST_S
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Watchdog:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        self._disarm()

    @contextmanager
    def watching(self, unit: WorkUnit) -> Iterator[Callable[[], None]]:
        """Watch over the work on `unit` for the block; call what it yields after each answer."""
        watched = _Watched(unit, allowed_s(unit, self._timeout_s), self._clock())

        def answered() -> None:
            watched.since_s = self._clock()

        with self._lock:
            self._watched[unit.id] = watched
            if self._thread is None:
                self._arm_s = watched.allowed_s
                self._arm()
                self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
                self._thread.start()
        try:
            yield answered
        finally:
            with self._lock:
                self._watched.pop(unit.id, None)

    def look(self) -> None:
        """Tell of what hangs now."""
        now = self._clock()
        with self._lock:
            hung = [each for each in self._watched.values() if now - each.since_s > each.allowed_s]
            for each in hung:
                del self._watched[each.unit.id]
            self._arm_s = max((each.allowed_s for each in self._watched.values()), default=self._arm_s)
        for each in hung:
            self._on_hung(each.unit, now - each.since_s)
        self._arm()

    def _watch(self) -> None:
        shortest_s = TICK_S if self._timeout_s is None else min(TICK_S, self._timeout_s / 4)
        while not self._ended.wait(shortest_s):
            self.look()

    def _arm(self) -> None:
        """Have the process ended unless this is called again in time, whether or not anything is watched."""
        if self._ends_process:
            # Where standard error is no file there is nowhere to tell of it.
            with suppress(OSError, ValueError, AttributeError, RuntimeError):
                faulthandler.dump_traceback_later(self._arm_s + GRACE_S, exit=True)

    def _disarm(self) -> None:
        if self._ends_process:
            faulthandler.cancel_dump_traceback_later()
