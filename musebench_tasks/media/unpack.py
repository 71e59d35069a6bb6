"""From a MediaSource to bytes or a file: a plain file stays where it is, a Parquet cell is unpacked into the cache.

What is handed on was compared with the SHA-256 of the source, on every run: no answer depends on what the cache held.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import MediaError, MediaUnavailableError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import MediaSource
from musebench_tasks.media.cache import MediaCache, write_in_one_step
from musebench_tasks.media.sniff import HEAD_BYTES, refuse_what_is_no_medium

_CHUNK = 1 << 20
Stamp = tuple[int, int]


@dataclass(frozen=True)
class MediaFile:
    """A medium as a file on disk. `name` is what messages call it."""

    path: Path
    sha256: str
    name: str


def source_name(source: MediaSource) -> str:
    """What messages call a source: its file name, and row (from 1) and column in a Parquet file."""
    name = Path(source.path).name
    return name if source.row is None else f'{name} row {source.row + 1}, column "{source.column}"'


def read_media_bytes(source: MediaSource) -> bytes:
    """The encoded bytes of a source, verified against its SHA-256."""
    name = source_name(source)
    data = _cell_bytes(source, name) if source.row is not None else _existing(source.path, name).read_bytes()
    refuse_what_is_no_medium(data[:HEAD_BYTES], name)
    _require_match(source, hashlib.sha256(data).hexdigest(), name)
    return data


def media_sha256(source: MediaSource) -> str:
    """SHA-256 of the encoded bytes of a source as they lie there now, 64 hex digits."""
    name = source_name(source)
    if source.row is not None:
        return hashlib.sha256(_cell_bytes(source, name)).hexdigest()
    return current_sha256(_existing(source.path, name))


def media_file(source: MediaSource, cache: MediaCache) -> MediaFile:
    """The source as a verified file; `media_unavailable`, `not_media` or `mismatch` where that fails."""
    name = source_name(source)
    path = _existing(source.path, name)
    if source.row is not None:
        return _unpacked(source, path, name, cache)
    digest = _verified_sha256(path, _stamp(path), name)
    _require_match(source, digest, name)
    return MediaFile(path, digest, name)


def current_sha256(path: Path) -> str:
    """SHA-256 of a file; computed again only when its size or time of change differ."""
    return _file_sha256(path, _stamp(path))


def _unpacked(source: MediaSource, parquet: Path, name: str, cache: MediaCache) -> MediaFile:
    digest = source.sha256 or _cell_sha256(source, _stamp(parquet))
    path = cache.path("sources", digest, ".media")
    if path.is_file() and current_sha256(path) == digest:
        cache.touch(path)
        return MediaFile(path, digest, name)
    write_in_one_step(path, [read_media_bytes(source)])
    cache.added(path)
    return MediaFile(path, digest, name)


def _existing(path: str, name: str) -> Path:
    found = Path(path)
    try:
        is_there = found.is_file()
    except PermissionError:
        is_there = False  # A folder above it may not be entered.
    if not is_there:
        raise MediaUnavailableError("media_unavailable", f"{name}: no file lies at {path}.")
    if not os.access(found, os.R_OK):
        raise MediaUnavailableError("unreadable", f"{name}: it may not be read (Permission denied). Run `chmod u+r`.")
    return found


def _require_match(source: MediaSource, digest: str, name: str) -> None:
    if source.sha256 is not None and source.sha256 != digest:
        raise MediaError(
            "mismatch",
            f"{name}: SHA-256 is {digest[:12]}…, the data set says {source.sha256[:12]}…. Fetch the file again.",
        )


def _stamp(path: Path) -> Stamp:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=4096)
def _verified_sha256(path: Path, stamp: Stamp, name: str) -> str:
    with path.open("rb") as file:
        refuse_what_is_no_medium(file.read(HEAD_BYTES), name)
    return _file_sha256(path, stamp)


@lru_cache(maxsize=4096)
def _file_sha256(path: Path, stamp: Stamp) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


@lru_cache(maxsize=4096)
def _cell_sha256(source: MediaSource, stamp: Stamp) -> str:
    return media_sha256(source)


def _cell_bytes(source: MediaSource, name: str) -> bytes:
    """The bytes of one cell; only its row group is read."""
    path = _existing(source.path, name)
    cell = _cell(path, source.row or 0, source.column or "", name)
    data = cell.get("bytes") if isinstance(cell, dict) else cell
    if isinstance(data, bytes):
        return data
    beside = cell.get("path") if isinstance(cell, dict) else cell
    if not isinstance(beside, str):
        raise MediaUnavailableError("media_unavailable", f"{name}: the cell is empty.")
    return _existing(str(path.parent / beside), name).read_bytes()


def _cell(path: Path, row: int, column: str, name: str) -> Any:
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            first = 0
            for group in range(file.metadata.num_row_groups):
                rows = file.metadata.row_group(group).num_rows
                if row < first + rows:
                    return file.read_row_group(group, columns=[column]).column(column)[row - first].as_py()
                first += rows
    except (pyarrow.ArrowException, KeyError, OSError) as error:
        raise MediaError("unreadable", f"{name}: the Parquet file cannot be read ({reason(error)}).") from error
    raise MediaUnavailableError("media_unavailable", f"{name}: the file has only {first} rows.")
