"""Who holds a lease: a process on a machine, told apart from every other one, and whether it is gone.

A process is asked after only on its own machine. Machines are told apart by name, boot and process-id namespace, so
that two containers, or two nodes that share a name, are never taken for one.
"""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

HOST_VARIABLE = "MUSEBENCH_HOST"
"""Environment variable that replaces this machine's name, for machines that all have the same one."""


@dataclass(frozen=True)
class ProcessId:
    """One process on one machine."""

    host: str
    pid: int
    started: str | None

    @cached_property
    def text(self) -> str:
        """The holder as the content of a lease file."""
        return json.dumps({"host": self.host, "pid": self.pid, "started": self.started})

    def is_gone(self) -> bool:
        """Whether the process is known to have ended; False where it runs on another machine."""
        return self.host == this_host() and _start_of(self.pid) != self.started


def this_process() -> ProcessId:
    """The process that asks."""
    return ProcessId(this_host(), os.getpid(), _start_of(os.getpid()))


def process_here(pid: int) -> ProcessId:
    """The process of that number on this machine, as long as it runs."""
    return ProcessId(this_host(), pid, _start_of(pid))


def read_process_id(text: str) -> ProcessId | None:
    """The holder that a lease file names; None where the file is torn."""
    try:
        told = json.loads(text)
        return ProcessId(str(told["host"]), int(told["pid"]), told["started"])
    except (ValueError, KeyError, TypeError):
        return None


def this_host() -> str:
    """This machine: its name, what tells its boot apart, and the namespace that process ids belong to."""
    name = os.environ.get(HOST_VARIABLE) or socket.gethostname()
    return " ".join(filter(None, (name, _boot(), _namespace())))


def _boot() -> str:
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:8]
    return ""


def _namespace() -> str:
    with suppress(OSError):
        return str(Path("/proc/self/ns/pid").stat().st_ino)
    return ""


def _start_of(pid: int) -> str | None:
    """Something that tells two processes of one number apart; None when there is no such process, or only its shell."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return None if fields[0] in "ZX" else fields[19]
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:
        return "running"
    return "running"
