"""Looks over the data of a task before anything is asked, and reports instead of raising."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.errors import MuseError
from musebench_tasks.items.load import load_items, load_references
from musebench_tasks.items.locate import local_directory
from musebench_tasks.records import Item, Kind, MediaSource, TaskConfig


class DataCheck(NamedTuple):
    """What lies where a task's data should be; all zero and empty where they are not on this machine."""

    items: int
    """Those that the task's filter keeps; 0 where a row is wrong."""
    single: int
    multi: int
    music: int
    media_found: int
    """Files, or cells of Parquet files, that hold something. Whether it can be decoded shows in a run."""
    media_missing: list[str]
    """Paths inside the dataset's folder where no file lies."""
    problems: list[str]
    """One line each, as loading tells them."""
    source: str | None
    """The folder or file that was read; None where the data are only on the Hub, or not placed yet."""


def check_data(task: TaskConfig) -> DataCheck:
    """Reads items, references and media of a task whose data are local (a folder, a file, a demo); never the Hub."""
    problems: list[str] = []
    directory = _told(problems, lambda: local_directory(task))
    if directory is None:
        return DataCheck(0, 0, 0, 0, 0, [], problems, None)
    loaded = _told(problems, lambda: load_items(task, offline=True))
    _told(problems, lambda: load_references(task, offline=True))
    if loaded is None:
        return DataCheck(0, 0, 0, 0, 0, [], problems, task.dataset_path)
    kinds = Counter(item.kind for item in loaded.items)
    found, missing = _media(loaded.items, directory)
    counts = (len(loaded.items), kinds[Kind.SINGLE], kinds[Kind.MULTI], kinds[Kind.MUSIC])
    return DataCheck(*counts, found, missing, problems, loaded.source)


def _told(problems: list[str], load: Callable[[], Any]) -> Any:
    """What `load` gives; None where it fails, and why is added to `problems` (once, if two say the same)."""
    try:
        return load()
    except (MuseError, OSError) as error:
        problems += [line for line in str(error).splitlines() if line not in problems]
        return None


def _media(items: Iterable[Item], directory: Path) -> tuple[int, list[str]]:
    media: set[MediaSource] = {item.media for item in items if item.media is not None}
    missing = {os.path.relpath(medium.path, directory) for medium in media if medium.sha256 is None}
    found = sum(medium.sha256 is not None for medium in media)
    return found, sorted(missing)
