"""A worker's journal: one response a line, appended and flushed, never rewritten.

A kill can tear the last line only; it is cut off before the next is written and skipped when read. Only who holds the
number's seat (`leases`) opens a journal to write.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.files import not_written, write_text
from musebench_tasks.base.records import Response
from musebench_tasks.base.validation import phrase
from musebench_tasks.inference.file_system import is_shared, refresh_listing
from musebench_tasks.inference.locks import locked

RETRY_FILE = "retry.json"
_NAME = re.compile(r"worker-(\d+)\.jsonl")


def journal_path(folder: Path, worker: int) -> Path:
    """The journal of worker number `worker` in a MODEL/TASK folder."""
    return folder / "responses" / f"worker-{worker}.jsonl"


class Journal:
    """Appends responses to one worker's file, from any thread. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._closed = False
        self._is_shared = is_shared(path.parent)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as problem:
            raise not_written(path, problem) from problem
        self._cut_torn_line()

    def append(self, response: Response) -> None:
        """Write one line and hand it to the operating system before returning.

        Raises MuseError when the disk is full; what was written before stays whole.
        """
        line = (response.model_dump_json(exclude_none=True) + "\n").encode()
        with self._lock:
            if self._closed:
                raise MuseError(f"{self.path}: the worker has ended; the request will be asked again.")
            self._write(line)

    def settle(self) -> None:
        """Make sure that other machines see all that was written; MuseError where that turns out to be impossible."""
        if self._is_shared and not self._closed:
            try:
                os.fsync(self._file)
            except OSError as problem:
                raise not_written(self.path, problem) from problem

    def _write(self, line: bytes) -> None:
        before = os.fstat(self._file).st_size
        try:
            written = os.write(self._file, line)
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError as problem:
            try:
                os.ftruncate(self._file, before)
            except OSError:  # What is written next would hang on to half a line; opened again, the file is cut there.
                self._close()
            raise not_written(self.path, problem) from problem

    def close(self) -> None:
        """Close the file; a thread that still has an answer cannot write it."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if not self._closed:
            self._closed = True
            with suppress(OSError):  # A file server tells once more what `settle` has told.
                os.close(self._file)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _cut_torn_line(self) -> None:
        """Cut what stands after the last line feed."""
        end = os.fstat(self._file).st_size
        position = end
        while position > 0:
            start = max(0, position - 65536)
            found = os.pread(self._file, position - start, start).rfind(b"\n")
            if found >= 0:
                position = start + found + 1
                break
            position = start
        if position < end:
            os.ftruncate(self._file, position)


@dataclass(frozen=True)
class JournalEntry:
    """A response and where it stands; entries of one key are ranked by `rank`, lowest first."""

    response: Response
    worker: int
    line: int
    offset: int
    """Byte position of the line's start."""

    @property
    def rank(self) -> tuple[bool, int, int]:
        """A model's answer beats an error; among equals the lowest (worker, line) stands."""
        return (self.response.failure is not None, self.worker, self.line)


@dataclass
class JournalReader:
    """Follows all journals of a MODEL/TASK folder; each call reads only what is new."""

    folder: Path
    own: Path | None = None
    """A journal that the reader's process writes itself: read by the first call only."""
    is_shared: bool = False
    """Whether other machines may be writing journals at this moment."""
    _positions: dict[Path, tuple[int, int]] = field(default_factory=dict)
    _began: bool = False

    def read_new(self) -> Iterator[JournalEntry]:
        """Entries appended since the last call, file by file in the order of worker numbers."""
        if self.is_shared:
            refresh_listing(self.folder / "responses")
        for path in sorted((self.folder / "responses").glob("worker-*.jsonl"), key=_worker_of):
            if not (self._began and path == self.own):
                yield from self._read_file(path)
        self._began = True

    def _read_file(self, path: Path) -> Iterator[JournalEntry]:
        for entry, position in _entries(path, *self._positions.get(path, (0, 0))):
            self._positions[path] = position
            yield entry


def read_journal(path: Path) -> Iterator[JournalEntry]:
    """All whole lines of one journal; InputError for one that is no response."""
    return (entry for entry, _ in _entries(path, 0, 0))


def _entries(path: Path, offset: int, line: int) -> Iterator[tuple[JournalEntry, tuple[int, int]]]:
    """The whole lines from `offset`, each with the offset and number of the line after it."""
    with path.open("rb") as file:
        file.seek(offset)
        for raw in file:
            if not raw.endswith(b"\n"):
                break
            entry = JournalEntry(_parse(raw, path, line), _worker_of(path), line, offset)
            offset, line = offset + len(raw), line + 1
            yield entry, (offset, line)


def read_responses(folder: Path) -> dict[str, Response]:
    """The response that stands for every key, by key."""
    best: dict[str, JournalEntry] = {}
    for entry in JournalReader(folder).read_new():
        keep_best(best, entry)
    return {key: entry.response for key, entry in best.items()}


def keep_best(best: dict[str, JournalEntry], entry: JournalEntry) -> None:
    """Put `entry` into `best` unless a better one stands there."""
    key = entry.response.key
    if key not in best or entry.rank < best[key].rank:
        best[key] = entry


def _worker_of(path: Path) -> int:
    match = _NAME.fullmatch(path.name)
    return int(match[1]) if match else -1


def _parse(raw: bytes, path: Path, line: int) -> Response:
    try:
        return Response.model_validate_json(raw)
    except ValidationError as problem:
        first = problem.errors()[0]
        raise InputError(
            f"{path} line {line + 1}: not a response ({'.'.join(map(str, first['loc'])) or 'line'}: {phrase(first)}). "
            "Remove the line; its request will be asked again."
        ) from problem


def retry_positions(folder: Path) -> dict[int, int]:
    """Worker number -> bytes of its journal that hold failures to be asked again (`--retry errors`).

    The first process notes where every journal ended; those that join it, or go on after a kill, find the note, so that
    each failure is asked again once.
    """
    place = folder / "leases" / RETRY_FILE
    with locked(place.with_name(".lock")):
        with suppress(OSError, ValueError):
            return {int(worker): int(size) for worker, size in json.loads(place.read_text(encoding="utf-8")).items()}
        sizes = journal_sizes(folder)
        write_text(place, json.dumps(sizes))
        return sizes


def journal_sizes(folder: Path) -> dict[int, int]:
    """Bytes in every worker's journal."""
    sizes: dict[int, int] = {}
    for path in (folder / "responses").glob("worker-*.jsonl"):
        sizes[int(path.stem.removeprefix("worker-"))] = path.stat().st_size
    return sizes
