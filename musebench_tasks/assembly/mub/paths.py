"""Files that an archive names: they lie inside it, whatever the name says."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def file_inside(name: str, places: Iterable[tuple[Path, Path]]) -> Path | None:
    """The first file called `name` seen from a folder and inside a root, of pairs (folder, root); None for none.

    Names that lead out of the root, and those that no file could have, name none.
    """
    for folder, root in places:
        with suppress(OSError, ValueError):
            path = (folder / name).resolve()
            if path.is_relative_to(root.resolve()) and path.is_file():
                return path
    return None
