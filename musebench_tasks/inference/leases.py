"""Leases: who works on what, as files that exist or do not.

A lease is made by exclusive creation, kept alive by touching it, and removed when its work is journalled.
It is stale when its process on this host is gone, or when nobody touched it for `STALE_AFTER_S`. Two
workers on one unit do no harm (the journals settle it), so nothing here needs more than that.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from musebench_tasks.errors import InputError, MuseError

HEARTBEAT_S = 5.0
STALE_AFTER_S = 60.0


class Leases:
    """The leases of one MODEL/TASK folder, as one worker sees them."""

    def __init__(self, folder: Path, worker: int) -> None:
        self.folder = folder / "leases"
        self._holder = json.dumps(
            {"host": socket.gethostname(), "pid": os.getpid(), "started": _start_of(os.getpid()), "worker": worker}
        )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(
                f"{self.folder}: cannot be written ({problem.strerror}). Choose another --out."
            ) from problem

    @contextmanager
    def claim(self, unit: str) -> Iterator[bool]:
        """Hold the lease of `unit` for the block; yields False where another worker holds it."""
        path = self.folder / unit
        if not self._create(path) and not self._take_over(path):
            yield False
            return
        stop = threading.Event()
        beat = threading.Thread(target=_heartbeat, args=(path, stop), daemon=True)
        beat.start()
        try:
            yield True
        finally:
            stop.set()
            beat.join()
            self._give_back(path)

    def _give_back(self, path: Path) -> None:
        """Remove the lease, unless another worker took it over meanwhile."""
        with suppress(FileNotFoundError):
            if path.read_text(encoding="utf-8") == self._holder:
                path.unlink()

    def _create(self, path: Path) -> bool:
        try:
            # Another process may have cleared the folder since: it thought the work done.
            self.folder.mkdir(exist_ok=True)
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return False
        except OSError as problem:
            raise self._no_room(path, problem) from problem
        try:
            with os.fdopen(file, "w", encoding="utf-8") as handle:
                handle.write(self._holder)
        except OSError as problem:
            path.unlink(missing_ok=True)
            raise self._no_room(path, problem) from problem
        return True

    @staticmethod
    def _no_room(path: Path, problem: OSError) -> MuseError:
        return MuseError(
            f"{path}: cannot be written ({problem.strerror}). Everything answered so far is kept; "
            "free some space and run the same command again."
        )

    def _take_over(self, path: Path) -> bool:
        """Claim a stale lease; the lock file lets one worker at a time judge and remove."""
        if not _is_stale(path):
            return False
        with (self.folder / ".lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_stale(path):
                return False
            path.unlink(missing_ok=True)
            return self._create(path)


def clear_leases(folder: Path) -> None:
    """Remove the lease folder of a MODEL/TASK folder once nobody needs it."""
    with suppress(OSError):
        (folder / "leases" / ".lock").unlink(missing_ok=True)
        (folder / "leases").rmdir()


def _is_stale(path: Path) -> bool:
    """Whether nobody works under the lease any more. A lease that is gone counts as stale: it can be made anew."""
    try:
        age_s = time.time() - path.stat().st_mtime
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return True
    if age_s > STALE_AFTER_S:
        return True
    try:
        holder = json.loads(text)
    except json.JSONDecodeError:
        return age_s > HEARTBEAT_S
    return bool(holder["host"] == socket.gethostname() and _start_of(holder["pid"]) != holder["started"])


def _start_of(pid: int) -> str | None:
    """Something that tells two processes of one number apart; None when there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:
        return "running"
    return "running"


def _heartbeat(path: Path, stop: threading.Event) -> None:
    while not stop.wait(HEARTBEAT_S):
        with suppress(OSError):
            path.touch(exist_ok=True) if path.exists() else None
