"""Whether data are a demonstration of this package, whatever the folder that they lie in is called."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from musebench_tasks.base.resources import demo_directory
from musebench_tasks.items.card import CARD, card_head

DEMO = "_demo"
"""What the name of a demonstration ends with."""
TAG = "demonstration"
"""What the card of one is tagged with."""
SHOWN = ("musebench", "hummusqa", "mub")
"""The benchmarks that demonstrations show."""


def is_demonstration(directory: Path, files: Iterable[Path] | None = None) -> bool:
    """Whether a folder is called one, its card says so, or any of its data files is one's, byte for byte.

    `files` None = the Parquet files in the folder and in those below it.
    """
    if directory.resolve().name.endswith(DEMO) or TAG in _tags(directory / CARD):
        return True
    found = [*directory.glob("*.parquet"), *directory.glob("*/*.parquet")] if files is None else files
    sizes = {file.stat().st_size: file for file in found if file.is_file()}
    for name in SHOWN:
        for file in demo_directory(name).glob("*/*.parquet"):
            same_size = sizes.get(file.stat().st_size)
            if same_size is not None and same_size.read_bytes() == file.read_bytes():
                return True
    return False


def benchmark_name(name: str, directory: Path, file: Path | None = None) -> str:
    """What data are called in tables and files: a demonstration never by the name of a benchmark (`mub_demo`).

    `file`: where a single one is read, not the folder.
    """
    if name.endswith(DEMO) or not is_demonstration(directory, None if file is None else [file]):
        return name
    return f"{name}{DEMO}"


def _tags(card: Path) -> Iterable[object]:
    if not card.is_file():
        return ()
    tags = card_head(card.read_text(encoding="utf-8-sig", errors="replace")).get("tags")
    return tags if isinstance(tags, list) else ()
