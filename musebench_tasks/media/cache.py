"""What was decoded once is kept: one file an entry, named by a hash of all that decides its content.

An entry is a JSON line (numbers, times, flags, SHA-256 of the rest) and after it the parts: JPEG files or float32
samples. It is written beside its place and renamed, so that two writers and a kill leave a whole entry or none; it is
verified on every read, and what fails is deleted and decoded again. Frames and sound are always read back from here,
on the first run too, so that results do not depend on what the cache held.

The size is bounded by $MUSEBENCH_CACHE_GB (20); what was not used for longest goes first.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
import uuid
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.files import not_written
from musebench_tasks.base.resources import cache_directory

DECODER_VERSION = "6"
"""Raised whenever the same settings would give other frames, samples or flags."""
DEFAULT_SIZE_GB = 20.0
FILE_GRACE_S = 600.0
"""Files that were handed out by path this recently are never evicted: somebody may be reading them."""
_MAGIC = "musebench-cache/1"
_MEMORY_BYTES = 1 << 29
_EVICT_TO = 0.9
_LOOK_AFTER = 1 / 16
"""Share of the bound that a process adds before it looks again what others did."""
_MEDIA_HELD = 4
_STALE_S = 3600.0
"""How much older than the newest file an unfinished one is before it counts as left by a process that was killed."""


class CacheWriteError(MuseError):
    """The cache cannot be written: disk full, no permission."""


Part = bytes | memoryview
"""Bytes; a memoryview spares the copy of an hour of sound."""


@dataclass(frozen=True)
class CacheEntry:
    """The content of one cache file."""

    details: dict[str, Any]
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """Bytes of its parts."""
        return sum(map(len, self.parts))


def entry_key(content: dict[str, Any]) -> str:
    """SHA-256 over `content` and the versions of everything that decodes."""
    full = {**content, "decoder": DECODER_VERSION, "libraries": _libraries()}
    return hashlib.sha256(json.dumps(full, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@lru_cache(maxsize=1)
def _libraries() -> dict[str, str]:
    return {each: version(each) for each in ("av", "soxr", "pillow")}


def write_entry(path: Path, details: dict[str, Any], parts: Sequence[Part]) -> None:
    """Write an entry in one step; CacheWriteError where the disk does not take it."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    head = {"magic": _MAGIC, "sha256": digest.hexdigest(), "lengths": [len(part) for part in parts], "details": details}
    line = json.dumps(head, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    write_in_one_step(path, [line, *parts])


def write_in_one_step(path: Path, parts: Sequence[Part]) -> None:
    """Write a file beside its place, then rename it there."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.writelines(parts)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise cache_write_error(path, error) from error


def cache_write_error(path: Path, error: OSError) -> CacheWriteError:
    """What the user reads when the cache takes nothing more."""
    return CacheWriteError(f"{not_written(path.parent, error)} MUSEBENCH_CACHE names the folder of the media cache.")


def read_entry(path: Path) -> CacheEntry | None:
    """The entry at `path` if it is there and whole; what is damaged is deleted."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    entry = _parsed(data)
    if entry is None:
        path.unlink(missing_ok=True)
    return entry


def _parsed(data: bytes) -> CacheEntry | None:
    line_end = data.find(b"\n")
    line, body = data[: max(0, line_end)], memoryview(data)[line_end + 1 :]
    try:
        head = json.loads(line)
        lengths, magic, digest = head["lengths"], head["magic"], head["sha256"]
    except (ValueError, KeyError, TypeError):
        return None
    if magic != _MAGIC or sum(lengths) != len(body) or hashlib.sha256(body).hexdigest() != digest:
        return None
    parts, start = [], 0
    for length in lengths:
        parts.append(body[start : start + length])
        start += length
    return CacheEntry(head["details"], tuple(parts))


def size_limit_bytes() -> int:
    """The bound from $MUSEBENCH_CACHE_GB."""
    text = os.environ.get("MUSEBENCH_CACHE_GB", "")
    try:
        gigabytes = float(text) if text else DEFAULT_SIZE_GB
    except ValueError:
        gigabytes = -1.0
    if not 0 <= gigabytes < float("inf"):
        raise InputError(f'MUSEBENCH_CACHE_GB is "{text}": give a number of gigabytes, for example 20.')
    return int(gigabytes * 1e9)


class MediaCache:
    """A folder of decoded media, bounded in size, with the entries used last also in memory."""

    def __init__(self, directory: Path | None = None, max_bytes: int | None = None) -> None:
        self.directory = (directory or cache_directory()) / "media"
        self.max_bytes = size_limit_bytes() if max_bytes is None else max_bytes
        self._memory: OrderedDict[str, CacheEntry] = OrderedDict()
        self._lock = threading.Lock()
        self._total: int | None = None
        """Bytes there when this process last looked; other processes write too."""
        self._unseen = 0
        """Bytes that this process added since."""
        self._held: deque[frozenset[Path]] = deque(maxlen=_MEDIA_HELD)

    def path(self, kind: str, key: str, suffix: str = ".entry") -> Path:
        """Where the file of `kind` (frames, audio, clips, sources) with this key lies."""
        return self.directory / kind / key[:2] / f"{key}{suffix}"

    def read(self, kind: str, key: str) -> CacheEntry | None:
        """A whole entry, or None; what was read lately comes from memory."""
        with self._lock:
            held = self._memory.get(key)
            if held is not None:
                self._memory.move_to_end(key)
                return held
        path = self.path(kind, key)
        entry = read_entry(path)
        if entry is not None:
            self.touch(path)
            self._remember(key, entry)
        return entry

    def write(self, kind: str, key: str, details: dict[str, Any], parts: Sequence[Part] = ()) -> None:
        """Write an entry, and forget what memory holds of it."""
        path = self.path(kind, key)
        write_entry(path, details, parts)
        with self._lock:
            self._memory.pop(key, None)
        self.added(path)

    def touch(self, path: Path) -> None:
        """Mark a file as used now."""
        try:
            os.utime(path)
        except OSError:
            return

    def added(self, *paths: Path) -> None:
        """Account for new files; evict when the bound is passed, but none of these.

        Several at once are what one medium gave and is asked for next: they are held while the next few media come, or
        a small cache would lose them before they are read.
        """
        with self._lock:
            if len(paths) > 1:
                self._held.append(frozenset(paths))
            self._unseen += sum(size for _, size, _ in filter(None, map(_status, paths)))
            if self._total is None or self._unseen > min(self.max_bytes - self._total, _LOOK_AFTER * self.max_bytes):
                self._total, self._unseen = self._evicted(keep=frozenset(paths).union(*self._held)), 0

    def _remember(self, key: str, entry: CacheEntry) -> None:
        with self._lock:
            self._memory[key] = entry
            while len(self._memory) > 1 and sum(each.size for each in self._memory.values()) > _MEMORY_BYTES:
                self._memory.popitem(last=False)

    def _evicted(self, keep: frozenset[Path]) -> int:
        """Delete the files unused for longest until 90 % of the bound is left; the bytes that stay."""
        files = sorted(_files(self.directory), key=lambda each: each[0])
        newest = files[-1][0] if files else 0.0
        stale = [each for each in files if each[2].suffix == ".tmp" and each[0] < newest - _STALE_S]
        for _, _, path in stale:
            path.unlink(missing_ok=True)
        files = [each for each in files if each not in stale]
        total = sum(size for _, size, _ in files)
        if total <= self.max_bytes:
            return total
        for modified, size, path in files:
            if total <= _EVICT_TO * self.max_bytes:
                break
            recent = path.suffix != ".entry" and modified > newest - FILE_GRACE_S
            if path not in keep and not recent:
                path.unlink(missing_ok=True)
                total -= size
        return total


def _files(directory: Path) -> list[tuple[float, int, Path]]:
    """(modification time, bytes, path) of every file below `directory` that is still there."""
    return [found for path in directory.rglob("*") if (found := _status(path)) is not None]


def _status(path: Path) -> tuple[float, int, Path] | None:
    """(modification time, bytes, path) of a file; None where there is none, or no more."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime, status.st_size, path) if stat.S_ISREG(status.st_mode) else None


@lru_cache(maxsize=8)
def _shared(directory: Path, max_bytes: int) -> MediaCache:
    return MediaCache(directory, max_bytes)


def shared_cache() -> MediaCache:
    """The cache of this process in the user's cache folder."""
    return _shared(cache_directory(), size_limit_bytes())
