"""A file that is not there, and the one that was meant: slips in case, blanks and accents are the usual ones."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path

from musebench_tasks.errors import closest
from musebench_tasks.items.cells import shown

MOST_FILES = 10_000
"""In a folder that holds more, only case, blanks and accents are set aside: more takes too long."""


def nearest_file(directory: Path, name: str) -> str:
    """` (nearest: "…")` for the path in `directory` that is closest to `name`, or the empty string."""
    found = directory
    for part in Path(name).parts:
        names = sorted(each.name for each in found.iterdir()) if found.is_dir() else []
        match = part if part in names else _closest(part, names)
        if match is None:
            return ""
        found = found / match
    return f" (nearest: {shown(str(found.relative_to(directory)))})" if found.is_file() else ""


def _closest(name: str, names: Sequence[str]) -> str | None:
    same = next((each for each in names if _plain(each) == _plain(name)), None)
    if same is not None or len(names) > MOST_FILES:
        return same
    # Without their endings, which make short names alike.
    stems = {Path(each).stem: each for each in reversed(names)}
    alike = closest(Path(name).stem, stems)
    return stems[alike] if alike is not None else None


def _plain(name: str) -> str:
    """`name` without case, blanks and accents."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(each for each in letters if not unicodedata.combining(each) and not each.isspace())
