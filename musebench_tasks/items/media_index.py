"""SHA-256 and duration of media, remembered on disk so that a second load hashes nothing again.

An entry holds for one file path, size and modification time, and carries its own SHA-256; anything else is computed
anew. Losing or damaging the index costs time only.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.base.resources import cache_directory

_BATCH_ROWS = 8
"""Media cells held in memory at once while a Parquet file is hashed."""
_BLOCK_BYTES = 1 << 20


class IndexedMedium(NamedTuple):
    """What is known about one medium."""

    sha256: str | None
    """None where there are no bytes."""
    duration_s: float | None = None
    path: str | None = None
    """Of a Parquet cell without bytes: the path that stands in it."""


def parquet_media(file: Path, column: str, timed: Iterable[int] = ()) -> list[IndexedMedium]:
    """The medium of every row of a media column; durations for the rows named in `timed` only."""
    timed = set(timed)
    key = _stamp(file) | {"column": column}
    known = _load(file, key)
    rows: list[list[Any]] = known or []
    if not known:
        rows = [
            [hashlib.sha256(data).hexdigest() if data is not None else None, path, *_timing(number in timed, data)]
            for number, (data, path) in enumerate(_cells(file, column))
        ]
        _save(file, key, rows)
    elif any(len(rows[number]) == 2 for number in timed):
        for number, (data, _) in enumerate(_cells(file, column)):
            if number in timed and len(rows[number]) == 2:
                rows[number] += _timing(True, data)
        _save(file, key, rows)
    return [IndexedMedium(row[0], row[2] if len(row) > 2 else None, row[1]) for row in rows]


def file_media(directory: Path, names: Iterable[str], timed: Iterable[str] = ()) -> dict[str, IndexedMedium]:
    """The medium of each file named relative to `directory`; sha256 None where no file lies."""
    timed = set(timed)
    key = {"directory": str(directory)}
    known: dict[str, list[Any]] = _load(directory, key) or {}
    entries: dict[str, list[Any]] = {}
    for name in dict.fromkeys(names):
        file = directory / name
        if file.is_file():
            entries[name] = _file_entry(file, known.get(name), name in timed)
    if any(known.get(name) != entry for name, entry in entries.items()):
        _save(directory, key, known | entries)
    found = {name: IndexedMedium(entry[2], entry[3] if len(entry) > 3 else None) for name, entry in entries.items()}
    return {name: found.get(name, IndexedMedium(None)) for name in names}


def _file_entry(file: Path, known: list[Any] | None, timed: bool) -> list[Any]:
    status = file.stat()
    entry = [status.st_size, status.st_mtime_ns]
    if known is None or known[:2] != entry:
        known = [*entry, _file_sha256(file)]
    if timed and len(known) == 3:
        return [*known, probe_duration_s(file)]
    return known


def probe_duration_s(medium: bytes | Path) -> float | None:
    """Seconds that the container of `medium` declares; None if it cannot be opened or declares none."""
    import av

    with contextlib.suppress(OSError, ValueError, av.FFmpegError):
        source: Any = io.BytesIO(medium) if isinstance(medium, bytes) else str(medium)
        with av.open(source) as container:
            if container.duration is not None:
                return float(container.duration) / 1_000_000
    return None


def _timing(wanted: bool, data: bytes | None) -> list[float | None]:
    if not wanted:
        return []
    return [probe_duration_s(data) if data is not None else None]


def _cells(file: Path, column: str) -> Iterator[tuple[bytes | None, str | None]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as parquet:
        for group in range(parquet.num_row_groups):  # Asked for several groups, pyarrow keeps all that it has read.
            for batch in parquet.iter_batches(batch_size=_BATCH_ROWS, row_groups=[group], columns=[column]):
                for cell in batch.column(0).to_pylist():
                    yield (cell.get("bytes"), cell.get("path")) if isinstance(cell, dict) else (cell, None)


def _file_sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _stamp(file: Path) -> dict[str, Any]:
    status = file.stat()
    return {"file": str(file), "size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _entry_path(of: Path, key: dict[str, Any]) -> Path:
    name = hashlib.sha256(f"{of}|{key.get('column', '')}".encode()).hexdigest()[:32]
    return cache_directory() / "index" / f"{name}.json"


def _load(of: Path, key: dict[str, Any]) -> Any:
    try:
        stored = json.loads(_entry_path(of, key).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(stored, dict) or stored.get("key") != key:
        return None
    media = stored.get("media")
    return media if stored.get("sha256") == _digest(key, media) else None


def _digest(key: dict[str, Any], media: Any) -> str:
    return hashlib.sha256(json.dumps([key, media], sort_keys=True).encode()).hexdigest()


def _save(of: Path, key: dict[str, Any], media: Any) -> None:
    path = _entry_path(of, key)
    # A cache that cannot be written (read-only home, full disk) must not stop a run.
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        content = {"key": key, "media": media, "sha256": _digest(key, media)}
        partial.write_text(json.dumps(content), encoding="utf-8")
        partial.replace(path)
