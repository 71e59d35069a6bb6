"""Ends what a user's function does after some seconds, by an alarm of the operating system.

Works in the main thread of a POSIX process and nowhere else. The alarm is heard between two steps of Python: code of
a C library runs to its own end first.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LONGEST_S = 1e8
"""No timer takes more; over three years."""
REPEAT_S = 1.0
"""The alarm comes again, should the function have caught the first one."""
_SOONEST_S = 1e-6


class TimeIsUpError(BaseException):
    """Not an Exception, so that `except Exception` in the function lets it pass."""


class TimeLimit:
    """A stretch of code, `running`, that takes at most `seconds`; None = as long as it likes."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.passed = False
        """Whether the alarm came in the last stretch."""
        self._armed = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Raises TimeIsUpError inside the block once the time has passed; the previous handler is put back after."""
        self.passed = False
        if self.seconds is None or not _has_alarms():
            yield
            return
        handler = signal.signal(signal.SIGALRM, self._ring)
        timer = signal.setitimer(signal.ITIMER_REAL, min(self.seconds, LONGEST_S), REPEAT_S)
        self._armed = True
        try:
            try:
                yield
            finally:
                self._armed = False
        finally:  # Once more: the alarm may come just before the line above.
            self._armed = False
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What is done in the block takes none of the time."""
        if not self._armed:
            yield
            return
        self._armed = False
        left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            yield
        finally:
            self._armed = True
            signal.setitimer(signal.ITIMER_REAL, max(left, _SOONEST_S), REPEAT_S)

    def _ring(self, *_: Any) -> None:
        if self._armed:
            self.passed = True
            raise TimeIsUpError


def _has_alarms() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
