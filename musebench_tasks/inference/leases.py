"""Leases: who works on what, as files that exist or do not.

A lease is made by exclusive creation, kept alive by touching it, and removed when its work is journalled. It is stale
when its process on this machine is gone, or when nobody touched it for `STALE_AFTER_S`. That time is measured by the
clock of who waits, from one look at the file to another: clocks of other machines, and of a file server, may go wrong.
Two workers on one unit do no harm (the journals settle it), so units need no more than that.

A seat is the right to write the journal of one number. Two writers would tear its lines, so a seat is taken over only
from a process that is known to be gone, never because it was silent.

An incident is a worker that died or hung at a unit. It counts where somebody lived through it or the worker itself told
of its crash, so that a run that was killed as a whole leaves none; a unit with `INCIDENTS_TO_GIVE_UP` of them and no
answer between is given up. Who takes over from one that died before its own time notes that it was left, and a parent
that saw the death says so later.
"""

from __future__ import annotations

import faulthandler
import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Literal

from musebench_tasks.base.files import not_written
from musebench_tasks.inference.locks import locked
from musebench_tasks.inference.process_id import ProcessId, read_process_id, this_process

HEARTBEAT_S = 5.0
STALE_AFTER_S = 60.0
INCIDENTS_TO_GIVE_UP = 2
"""Incidents at one unit after which nobody is sent there any more."""
Incident = Literal["died", "hung"]
_LEASES, _INCIDENTS = "leases", ".incidents"
_LEFT = "left"
_SEAT = "worker-"
_in_use: list[Leases] = []


class Leases:
    """The leases of one MODEL/TASK folder, as one worker sees them. Use as a context manager, which ends the heart."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder / _LEASES
        self._holder = this_process()
        self._clock = clock
        self._looks: dict[str, tuple[tuple[int, str], float]] = {}
        """Lease -> what it looked like when it last changed, and when that was."""
        self._held: set[Path] = set()
        self._ended = threading.Event()
        self._heart: threading.Thread | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise not_written(self.folder, problem) from problem
        self._left_behind = self._dead_or_foreign()
        """Leases that lay here before this worker came, with whose they are: it did not live through their end."""

    def __enter__(self) -> Leases:
        _in_use.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _in_use.remove(self)
        self._ended.set()
        if self._heart is not None:
            self._heart.join()
        self.give_back_all()
        self._note_the_dead()

    @contextmanager
    def claim(self, unit: str) -> Iterator[bool]:
        """Hold the lease of `unit` for the block; yields False where another worker holds it."""
        path = self.folder / unit
        if not self._create(path) and not self._take_over(path):
            yield False
            return
        self._keep_alive(path)
        try:
            yield True
        finally:
            self._give_back(path)

    def telling_crashes(self) -> AbstractContextManager[None]:
        """In the block a crash of this process leaves word for who takes over."""
        return telling_crashes(self.folder, self._holder)

    def give_back(self, unit: str) -> None:
        """Let others have `unit`, from whatever thread."""
        self._give_back(self.folder / unit)

    @contextmanager
    def seat(self, first: int) -> Iterator[int]:
        """Hold a journal's number for the block: `first`, or the next one that no other process may be writing."""
        number = first
        while not self._take_seat(self.folder / f"{_SEAT}{number}"):
            number += 1
        path = self.folder / f"{_SEAT}{number}"
        self._held.add(path)
        try:
            yield number
        finally:
            self._give_back(path)

    def give_back_all(self) -> None:
        """Give back every lease and seat, from whatever thread."""
        for path in tuple(self._held):
            self._give_back(path)

    def incidents(self, unit: str) -> tuple[Incident, ...]:
        """What happened to workers at `unit` since its last answer."""
        told = _read_incidents(self.folder / f"{unit}{_INCIDENTS}").values()
        return tuple("hung" if how == "hung" else "died" for how in told if how != _LEFT)

    def note(self, unit: str, how: Incident) -> None:
        """Note that this worker hangs at `unit`."""
        with locked(self.folder / ".lock"):
            _add_incident(self.folder / unit, self._holder, how)

    def clear_incidents(self, unit: str) -> None:
        """Forget the incidents at `unit`: an answer came."""
        (self.folder / f"{unit}{_INCIDENTS}").unlink(missing_ok=True)

    def _keep_alive(self, path: Path) -> None:
        self._held.add(path)
        if self._heart is None:
            self._heart = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
            self._heart.start()

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT_S):
            for path in tuple(self._held):
                with suppress(OSError):
                    os.utime(path)

    def _give_back(self, path: Path) -> None:
        """Remove the lease, unless another worker took it over meanwhile."""
        self._held.discard(path)
        with suppress(OSError):
            if path.read_text(encoding="utf-8") == self._holder.text:
                path.unlink()

    def _create(self, path: Path) -> bool:
        try:
            try:
                file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            except FileNotFoundError:  # Another process cleared the folder: it thought the work done.
                self.folder.mkdir(parents=True, exist_ok=True)
                file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return False
        except OSError as problem:
            raise not_written(path, problem) from problem
        try:
            with os.fdopen(file, "w", encoding="utf-8") as handle:
                handle.write(self._holder.text)
        except OSError as problem:
            path.unlink(missing_ok=True)
            raise not_written(path, problem) from problem
        return True

    def _take_over(self, path: Path) -> bool:
        """Claim a stale lease; the lock lets one worker at a time judge and remove."""
        if not self._is_stale(path):
            return False
        with locked(self.folder / ".lock"):
            # Once more: while this worker waited for the lock another may have taken the lease over, and lives.
            if not self._is_stale(path):
                return False
            text = _text_of(path)
            holder = None if text is None else read_process_id(text)
            if holder is not None:
                seen = self._left_behind.get(path.name) != text or has_crashed(self.folder, holder)
                _add_incident(path, holder, "died" if seen else _LEFT)
            path.unlink(missing_ok=True)
            return self._create(path)

    def _note_the_dead(self) -> None:
        """Note where others died, for who comes after: a launcher that loses one process ends them all."""
        for path in self._paths():
            holder = read_process_id(_text_of(path) or "") if _is_lease(path) else None
            if holder is not None and holder.is_gone() and self._left_behind.get(path.name) != holder.text:
                with locked(self.folder / ".lock"):
                    _add_incident(path, holder, "died")

    def _paths(self) -> list[Path]:
        with suppress(OSError):
            return list(self.folder.iterdir())
        return []

    def _take_seat(self, path: Path) -> bool:
        if self._create(path):
            return True
        with locked(self.folder / ".lock"):
            holder = read_process_id(_text_of(path) or "")
            # Silence is not enough here: a writer that only paused would tear the lines of the one who came after.
            if holder is None or not holder.is_gone():
                return False
            path.unlink(missing_ok=True)
            return self._create(path)

    def _is_stale(self, path: Path) -> bool:
        """Whether nobody works under the lease any more. A lease that is gone counts as stale: it can be made anew."""
        look = _look_at(path)
        if look is None:
            return True
        before = self._looks.get(path.name)
        if before is None or before[0] != look:
            if before is not None:
                self._left_behind.pop(path.name, None)
            self._looks[path.name] = before = (look, self._clock())
        quiet_s = self._clock() - before[1]
        holder = read_process_id(look[1])
        if holder is None:  # Its writer died between making the file and filling it, or is about to fill it.
            return quiet_s > HEARTBEAT_S
        return quiet_s > STALE_AFTER_S or holder.is_gone()

    def _dead_or_foreign(self) -> dict[str, str]:
        found = {}
        for path in self._paths():
            look = _look_at(path) if _is_lease(path) else None
            holder = None if look is None else read_process_id(look[1])
            if look is not None and (holder is None or holder.is_gone() or holder.host != self._holder.host):
                found[path.name] = look[1]
                self._looks[path.name] = (look, self._clock())
        return found


def give_back_everything() -> None:
    """Give back whatever this process holds: it is about to end, from a thread that cannot end the work in order."""
    for leases in tuple(_in_use):
        leases.give_back_all()


def note_death(folder: Path, holder: ProcessId) -> None:
    """What the parent of a worker does that died: note where that happened, and free what it held."""
    with locked(folder / _LEASES / ".lock"):
        for path in (folder / _LEASES).iterdir():
            if read_process_id(_text_of(path) or "") == holder:
                if _is_lease(path):
                    _add_incident(path, holder, "died")
                path.unlink(missing_ok=True)
            elif path.suffix == _INCIDENTS and holder.text in _read_incidents(path):
                _add_incident(path.with_suffix(""), holder, "died")


def clear_leases(folder: Path) -> None:
    """Remove the lease folder of a MODEL/TASK folder whose every request has ended, but for the seats of others."""
    own = this_process()
    with suppress(OSError):
        for path in (folder / _LEASES).iterdir():
            holder = read_process_id(_text_of(path) or "") if path.name.startswith(_SEAT) else None
            if holder is None or holder.is_gone() or holder == own:
                path.unlink(missing_ok=True)
        (folder / _LEASES).rmdir()


def _is_lease(path: Path) -> bool:
    """Whether the file is the lease of a unit: neither seat nor incidents nor what begins with a dot."""
    return path.name.isalnum()


def _look_at(path: Path) -> tuple[int, str] | None:
    """Modification time and content; None where there is no lease. Opening asks a file server anew."""
    try:
        with path.open(encoding="utf-8") as file:
            return os.fstat(file.fileno()).st_mtime_ns, file.read()
    except OSError:
        return None


def _text_of(path: Path) -> str | None:
    look = _look_at(path)
    return None if look is None else look[1]


def _read_incidents(path: Path) -> dict[str, str]:
    """ProcessId -> how it ended. A later line on one goes before an earlier one."""
    lines = (_text_of(path) or "").splitlines()
    return {holder: how for holder, _, how in (line.rpartition(" ") for line in lines)}


def _add_incident(lease: Path, holder: ProcessId, how: str) -> None:
    """One line a worker; the first word on it stands, unless that was only that it left its lease.

    Without room for it the next worker finds out for itself.
    """
    path = lease.with_name(f"{lease.name}{_INCIDENTS}")
    if _read_incidents(path).get(holder.text, _LEFT) == _LEFT:
        with suppress(OSError), path.open("a", encoding="utf-8") as file:
            file.write(f"{holder.text} {how}\n")


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
