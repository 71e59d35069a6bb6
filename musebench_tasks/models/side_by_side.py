"""Several calls at a time, in threads that nobody has to wait for when the process is interrupted."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import TypeVar

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
