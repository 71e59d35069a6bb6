"""Writes a page piece by piece, so that a long one never stands in memory; a reader sees the old or the new page."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from musebench_tasks.base.files import not_written
from musebench_tasks.pages.text import fit

_PIECE = 1 << 16


def write_page(path: Path, pieces: Iterable[str]) -> None:
    """Replace `path` by the joined `pieces`, made fit for a page, as UTF-8.

    Raises InputError where the place cannot be written, MuseError where the disk is full.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            for piece in _joined(pieces):
                file.write(fit(piece).encode())
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as problem:
        raise not_written(path, problem) from problem
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """The same text in pieces of some size: a template yields many small ones."""
    waiting: list[str] = []
    length = 0
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length >= _PIECE:
            yield "".join(waiting)
            waiting.clear()
            length = 0
    yield "".join(waiting)
