"""Locks between processes: held by one at a time, freed by the system when it dies."""

from __future__ import annotations

import errno
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.files import not_written

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


@contextmanager
def locked(path: Path) -> Iterator[IO[bytes]]:
    """Hold the lock file, made where it is missing; other processes wait. Raises MuseError where that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("a+b")
    except OSError as problem:
        raise not_written(path.parent, problem) from problem
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as problem:
            told = "the file system has no locks" if problem.errno in _NO_LOCKS else "cannot be locked"
            raise MuseError(
                f"{path}: {told} ({problem.strerror}). Choose an --out on a file system with locks "
                "(Lustre: mounted with -o flock)."
            ) from problem
        yield lock
