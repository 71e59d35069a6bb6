"""Decoding in a process of its own, which may hang or crash without harm: it is killed and started anew.

One child a process serves all jobs. It is a fresh interpreter (`python -m musebench_tasks.media.decode_child`), never
a fork and never a second run of the user's script. A job that shows no progress for `timeout_s` is killed:
`decode_timeout`. A child that dies on a job makes that medium `unreadable`.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from musebench_tasks.base.errors import MediaError, MuseError
from musebench_tasks.media.cache import CacheWriteError
from musebench_tasks.media.counts import note_counts

DEFAULT_TIMEOUT_S = 60.0
"""Seconds without progress after which a job is given up."""
START_TIMEOUT_S = 120.0
_COMMAND = ("-P", "-m", "musebench_tasks.media.decode_child")
_STDERR_SHOWN = 2000
_PATHS = ("path", "out")
"""Keys of jobs that hold paths."""


class DecodeProcess:
    """One decode child and the pipe to it; starts when first needed. Jobs from several threads wait for each other."""

    def __init__(self, command: Sequence[str] = _COMMAND) -> None:
        self._command = tuple(command)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: IO[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the running child."""
        return self._process.pid if self._process else None

    def run(self, job: dict[str, Any], timeout_s: float = DEFAULT_TIMEOUT_S) -> dict[str, Any]:
        """The result of a job; MediaError, CacheWriteError or MuseError where it fails."""
        with self._lock:
            try:
                process = self._started()
                self._write(process, job)
                message = self._reply(process, job, timeout_s)
            except BaseException:
                self.close()
                raise
        if "counts" in message:
            note_counts(job.get("path", job["name"]), message["counts"])
        if "done" in message:
            result: dict[str, Any] = message["done"]
            return result
        if message["failed"] == "media":
            raise MediaError(message["code"], message["explanation"])
        if message["failed"] == "cache":
            raise CacheWriteError(message["explanation"])
        raise MuseError(f"{job['name']}: decoding met a fault of the program itself:\n{message['explanation']}")

    def close(self) -> None:
        """Kill the child, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, self._errors):
            if stream is not None:
                _close_quietly(stream)

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the child)
        self._replies = queue.SimpleQueue()
        process = subprocess.Popen(
            [sys.executable, *self._command, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(),
            text=True,
            encoding="utf-8",
        )
        self._process = process
        threading.Thread(target=_pump, args=(process.stdout, self._replies), daemon=True).start()
        try:
            ready = self._replies.get(timeout=START_TIMEOUT_S)
        except queue.Empty:
            ready = None
        if ready is None:
            raise MuseError(f"The decode process did not start. It said: {self._said() or 'nothing'}")
        return process

    def _write(self, process: subprocess.Popen[str], job: dict[str, Any]) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(_anchored(job)) + "\n")
            process.stdin.flush()
        except OSError:
            return  # the child is gone: the reply says so

    def _reply(self, process: subprocess.Popen[str], job: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        while True:
            try:
                line = self._replies.get(timeout=timeout_s)
            except queue.Empty:
                raise MediaError(
                    "decode_timeout", f"{job['name']}: the decoder made no progress for {timeout_s:g} s and was ended."
                ) from None
            if line is None:
                raise MediaError("unreadable", f"{job['name']}: the decoder crashed on it ({_ending(process.wait())}).")
            message: dict[str, Any] = json.loads(line)
            if "progress" not in message:
                return message

    def _said(self) -> str:
        if self._errors is None:
            return ""
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-_STDERR_SHOWN:].strip()


def _anchored(job: dict[str, Any]) -> dict[str, Any]:
    """A job with absolute paths: this process may have left the folder in which its child was started."""
    anchored = {key: str(Path(job[key]).absolute()) for key in _PATHS if key in job}
    entries = {"entries": [_anchored(entry) for entry in job["entries"]]} if "entries" in job else {}
    return {**job, **anchored, **entries}


def _pump(stream: IO[str], replies: queue.SimpleQueue[str | None]) -> None:
    with stream:
        for line in stream:
            replies.put(line)
    replies.put(None)


def _environment() -> dict[str, str]:
    """The child finds this very package, whichever way it is installed."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _close_quietly(stream: IO[Any]) -> None:
    try:
        stream.close()
    except OSError:
        return


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit {code}"


_children: dict[int, DecodeProcess] = {}


def shared_process() -> DecodeProcess:
    """The decode child of this process; a forked copy of it gets one of its own."""
    child = _children.get(os.getpid())
    if child is None:
        child = _children.setdefault(os.getpid(), DecodeProcess())
        atexit.register(_close_own, os.getpid())
    return child


def _close_own(owner: int) -> None:
    if owner == os.getpid():
        _children[owner].close()
