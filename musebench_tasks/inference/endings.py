"""How a worker ends before its work does: told to stop, left by its parent, or hanging."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from musebench_tasks.inference.leases import give_back_everything
from musebench_tasks.inference.task_plan import TaskPlan, names_medium
from musebench_tasks.inference.work_units import WorkUnit

EXIT_HUNG = 1
PARENT_POLL_S = 0.5
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def stopped_in_order() -> Iterator[None]:
    """In the block a request to terminate ends the work as Ctrl-C does: journals whole, leases given back.

    Signals that are ignored stay so (`nohup`); outside the main thread nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.getsignal(each) for each in _SIGNALS}
    changed = [each for each, handler in before.items() if handler is signal.SIG_DFL]
    for each in changed:
        signal.signal(each, _interrupt)
    try:
        yield
    finally:
        for each in changed:
            signal.signal(each, signal.SIG_DFL)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def end_with_parent(parent: int) -> None:
    """Start a thread that ends this process when the one that started it is gone: nobody would know of the work."""
    threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_S)
    give_back_everything()
    os._exit(1)


def end_because_hung(plan: TaskPlan, unit: WorkUnit, seconds: float) -> None:
    """Say so and end this process; what it held besides is free for others."""
    give_back_everything()
    told = (
        f"{plan.task}: {names_medium(unit)}: no answer for {seconds:.0f} s, so this worker was ended. Everything "
        "answered is kept; give the same command again to go on, --unit-timeout SECONDS gives more time."
    )
    print(f"musebench: {told}", file=sys.stderr, flush=True)
    os._exit(EXIT_HUNG)
