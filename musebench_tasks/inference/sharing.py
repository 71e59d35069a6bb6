"""What several processes in one run folder do once: whoever comes first does it under the lock.

What another process did counts only when it did it while this one was at work, on the same state of affairs: a command
that is given again does everything again.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from musebench_tasks.inference.run_folder import LOCK_FILE, finishing

POLL_S = 0.1
ENDED = "ended"


class Sharing:
    """The things done once in a run folder, as one process sees them that begins now."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._before = self._read()

    @contextmanager
    def turn(self, what: str, state: object) -> Iterator[bool]:
        """Alone in the folder for the block; yields whether `what` is still to be done on `state`, then notes it."""
        with finishing(self._run):
            done = self._read()
            told = done.get(what)
            mine = told is None or told == self._before.get(what) or told["state"] != json.dumps(state)
            yield mine
            if mine:
                self._write({**done, what: {"state": json.dumps(state), "by": uuid.uuid4().hex}})

    def tell_end(self) -> None:
        """Tell the processes of this run that wait for it that this one, which speaks for all, has said its say."""
        with self.turn(ENDED, uuid.uuid4().hex):
            pass

    def await_end(self, seconds: float) -> None:
        """Wait until another process told its end since this one began; at most so long."""
        deadline = time.monotonic() + seconds
        while self._read().get(ENDED) == self._before.get(ENDED) and time.monotonic() < deadline:
            time.sleep(POLL_S)

    def _read(self) -> dict[str, dict[str, str]]:
        with suppress(OSError, ValueError):
            found: dict[str, dict[str, str]] = json.loads((self._run / LOCK_FILE).read_text(encoding="utf-8"))
            return found
        return {}

    def _write(self, done: dict[str, dict[str, str]]) -> None:
        """In place: the file is the lock. Without room for it the others do the same once more."""
        with suppress(OSError):
            (self._run / LOCK_FILE).write_text(json.dumps(done), encoding="utf-8")
