"""Inspect's .eval archives: a header, and a file a sample, or a folder a sample where a log was cut into chunks.

Compressed with Deflate or, by later versions, with Zstandard, which `zipfile` reads in later versions of Python only.
A name may stand twice, from before and after a sample was asked again: the last one holds.
"""

from __future__ import annotations

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import SEEK_CUR
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read

HEADERS = ("header.json", "_journal/start.json")
"""What an archive tells of its run; only the second is there when the run did not end."""
ZIP = b"PK"
ZSTANDARD = 93
"""The number of this compression in archives (APPNOTE.TXT 4.4.5)."""
LOCAL_HEADER = struct.Struct("<4s5H3L2H")
"""What stands before a file in an archive, up to the lengths of its name and of what follows that (4.3.7)."""
WHOLE = re.compile(r"samples/.+_epoch_\d+\.json")
IN_CHUNKS = re.compile(r"(samples/.+_epoch_\d+/)sample\.json")


def is_archive(path: Path) -> bool:
    """Whether a log is such an archive, not JSON; InputError for one whose end is missing."""
    if zipfile.is_zipfile(path):
        return True
    try:
        with path.open("rb") as file:
            begins_so = file.read(len(ZIP)) == ZIP
    except OSError as problem:
        raise not_read(path, problem) from problem
    if begins_so or path.suffix == ".eval":
        found = "an archive without its end" if begins_so else "no archive"
        raise InputError(
            f"{path}: is {found}, so no .eval log that can be read. It may have been cut off while it was written or "
            "copied: copy it anew, or import the log that Inspect writes as JSON."
        )
    return False


def header_in(path: Path) -> Any:
    """What an archive tells of its run. InputError where it cannot be read, or is none of Inspect's."""
    with _opened(path) as archive:
        name = next((each for each in HEADERS if each in archive.namelist()), None)
        if name is None:
            raise InputError(f"{path}: has no {HEADERS[0]}, so is no log of Inspect.")
        return _json(archive, name)


def samples_in(path: Path) -> Iterator[tuple[str, Any]]:
    """Place and content of each sample, one after the other: they may hold media. InputError as for the header."""
    with _opened(path) as archive:
        names = sorted(set(archive.namelist()))
        for name in names:
            in_chunks = IN_CHUNKS.fullmatch(name)
            if in_chunks is not None:
                yield f"{path}/{name}", _joined(archive, in_chunks[1], names)
            elif WHOLE.fullmatch(name):
                yield f"{path}/{name}", _json(archive, name)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as problem:
        raise InputError(
            f"{path}: cannot be read ({problem}). Have Inspect write it as JSON: "
            f"`inspect log convert {path.name} --to json --output-dir json`."
        ) from problem


def _joined(archive: zipfile.ZipFile, folder: str, names: list[str]) -> Any:
    """A sample in chunks: its main file with its metadata, and its attachments by their numbers. Not its messages."""
    sample = _json(archive, f"{folder}sample.json")
    if not isinstance(sample, dict):
        return sample
    apart = f"{folder}metadata.json"
    starts = [int(each.removeprefix(f"{folder}attachments/").removesuffix(".json"))
              for each in names if each.startswith(f"{folder}attachments/")]  # fmt: skip
    chunks = [_json(archive, f"{folder}attachments/{start}.json") for start in sorted(starts)]
    attached = [text for chunk in chunks if isinstance(chunk, list) for text in chunk]
    return {
        **sample,
        "metadata": _json(archive, apart) if apart in names else {},
        "attachments": {str(number): text for number, text in enumerate(attached)},
    }


def _json(archive: zipfile.ZipFile, name: str) -> Any:
    return json.loads(_member(archive, name))


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The last file of that name."""
    about = archive.getinfo(name)
    if about.compress_type != ZSTANDARD or archive.fp is None:
        return archive.read(about)
    import pyarrow

    archive.fp.seek(about.header_offset)
    *_, name_length, extra_length = LOCAL_HEADER.unpack(archive.fp.read(LOCAL_HEADER.size))
    archive.fp.seek(name_length + extra_length, SEEK_CUR)
    packed = archive.fp.read(about.compress_size)
    content: bytes = pyarrow.decompress(packed, decompressed_size=about.file_size, codec="zstd", asbytes=True)
    if zlib.crc32(content) != about.CRC:
        raise zipfile.BadZipFile(f"{name} is damaged")
    return content
