"""A process that crashes says so before it is gone (`faulthandler`), so that the medium it was at can be blamed though
nobody lived through it. Told apart that way are faults of native code; a kill leaves no word."""

from __future__ import annotations

import faulthandler
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from musebench_tasks.inference.process_id import ProcessId


@contextmanager
def telling_crashes(leases: Path, holder: ProcessId) -> Iterator[None]:
    """In the block a crash of this process leaves its traceback in the folder; not where somebody listens already."""
    path = _place(leases, holder)
    if faulthandler.is_enabled():
        yield
        return
    try:
        file = path.open("wb")
    except OSError:
        yield
        return
    with file:
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
            path.unlink(missing_ok=True)


def has_crashed(leases: Path, holder: ProcessId) -> bool:
    """Whether the process left word of a crash."""
    with suppress(OSError):
        return _place(leases, holder).stat().st_size > 0
    return False


def _place(leases: Path, holder: ProcessId) -> Path:
    return leases / f"{hashlib.sha256(holder.text.encode()).hexdigest()[:16]}.crash"
