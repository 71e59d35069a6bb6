"""The manifest of a published repository: the hash of every file, sent last, so that half of a set is seen as such.

Whoever loads a repository of this package from the Hub compares what came with it, whatever a cache, a broken download
or an offline look-up handed out (faults_hub.md 2, 10, 12, 16).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import sha256_of, write_text
from musebench_tasks.base.records.base import Record
from musebench_tasks.base.resources import cache_directory
from musebench_tasks.items.card import CARD, card_head

MANIFEST = "manifest.json"
PACKAGE_TAG = "musebench-tasks"
"""In the card of every repository that this package makes; such a repository has a manifest, or is not whole."""


class FileEntry(Record):
    """One file of a repository."""

    sha256: str
    size: int
    rows: int | None = None
    """Of a Parquet file."""


class Manifest(Record):
    """manifest.json: all other files of a repository."""

    schema_version: str = "1"
    files: Mapping[str, FileEntry]

    def text(self) -> str:
        """As it lies in the repository: one file a line."""
        return json.dumps(self.model_dump(mode="json", exclude_none=True), sort_keys=True, indent=1) + "\n"


def read_manifest(path: Path) -> Manifest:
    """A manifest; InputError where it is none."""
    try:
        return Manifest.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as problem:
        raise InputError(f"{path}: is no manifest of this version. Fetch or push the repository again.") from problem


def needs_manifest(directory: Path) -> bool:
    """Whether a repository says that this package made it."""
    path = directory / CARD
    text = path.read_text(encoding="utf-8-sig", errors="replace") if path.is_file() else ""
    tags = card_head(text).get("tags")
    return isinstance(tags, list) and PACKAGE_TAG in tags


def wrong_files(
    directory: Path, manifest: Manifest, paths: Iterable[str], *, remember: bool = False
) -> Iterator[tuple[str, str]]:
    """Which of the files `paths` are not those of the manifest: path, and what is wrong.

    `remember` spares hashing a file that was found right before, as long as its size and time stay.
    """
    for path in paths:
        expected = manifest.files.get(path)
        if path == MANIFEST:
            continue
        if expected is None:
            yield path, f"is not in {MANIFEST}"
        elif not (_is_known if remember else _is_as_expected)(directory / path, expected):
            yield path, f"is not the file that {MANIFEST} names (SHA-256 {expected.sha256[:12]}…)"


def _is_as_expected(file: Path, expected: FileEntry) -> bool:
    return file.is_file() and file.stat().st_size == expected.size and sha256_of(file) == expected.sha256


def _is_known(file: Path, expected: FileEntry) -> bool:
    """As `_is_as_expected`, with a note in the cache of every file that was."""
    if not file.is_file():
        return False
    status = file.stat()
    stamp = f"{file.resolve()}|{status.st_size}|{status.st_mtime_ns}|{expected.sha256}"
    note = cache_directory() / "verified" / hashlib.sha256(stamp.encode()).hexdigest()
    if note.exists():
        return True
    if not _is_as_expected(file, expected):
        return False
    write_text(note, "")
    return True
