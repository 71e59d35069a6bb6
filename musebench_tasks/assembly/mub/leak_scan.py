"""Looks through a finished collection for what only the evaluator may know (MU-04).

Scanned are the cells that say what a row is, the names of its files, and, with the guard that every run carries, the
prompts that would be sent and whatever can be read in the bytes of the audio.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import LeakError
from musebench_tasks.base.records import Condition, Item, Kind, Request, TaskConfig
from musebench_tasks.base.text import shown as quoted
from musebench_tasks.evaluation.leaks import make_guard
from musebench_tasks.items import load_items
from musebench_tasks.items.evaluator_only import EVALUATOR_FILE
from musebench_tasks.prompts import render_prompt
from musebench_tasks.prompts.word_grams import words
from musebench_tasks.tasks import load_task

MASKED = ("id", "cluster_id", "audio")
_LEAST_LETTERS = 4


def evaluator_file(directory: Path) -> Path:
    """The evaluator's file of a dataset folder: beside it."""
    return directory.parent / f"{directory.name}{EVALUATOR_FILE}.jsonl"


def find_leaks(directory: Path) -> list[str]:
    """One line for each cell, file name, tag or prompt of a collection that tells more than it may."""
    lines = list(_telling_cells(directory))
    if not lines and "audio" in _columns(directory):
        lines += _telling_requests(directory)
    return lines


def _telling_cells(directory: Path) -> Iterator[str]:
    """Masked cells that hold a word of what they hide."""
    text = evaluator_file(directory).read_text(encoding="utf-8")
    secrets: dict[str, str] = {}
    for line in filter(None, text.split("\n")):
        row = json.loads(line)
        own = str(row.pop("id"))
        for column, secret in _texts(row):
            bare = " ".join(words(secret))
            if len(bare) >= _LEAST_LETTERS and own not in bare:
                secrets.setdefault(bare, column)
    for column in (each for each in MASKED if each in _columns(directory)):
        for number, row in enumerate(stored_rows(directory, "audio.path" if column == "audio" else column), start=1):
            shown = str(row["audio"]["path"] if column == "audio" else row[column])
            bare = " ".join(words(shown.rsplit(".", 1)[0]))
            told = secrets.get(bare) or next((secrets[word] for word in bare.split() if word in secrets), None)
            if told is not None:
                yield f'{directory} row {number}, column "{column}": {quoted(shown)} tells {quoted(told)}. Mask it.'


def _columns(directory: Path) -> list[str]:
    import pyarrow.parquet as pq

    return list(pq.read_schema(_files(directory)[0]).names)


def _files(directory: Path) -> list[Path]:
    return sorted((directory / "blind").glob("*.parquet"))


def _texts(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for column, value in row.items():
        for each in value if isinstance(value, list) else [value]:
            yield column, str(each)


def _telling_requests(directory: Path) -> Iterator[str]:
    """Prompts and media that the leak guard would not let pass."""
    task = load_task("mub").model_copy(update={"dataset_path": str(directory)})
    items = load_items(task, offline=True).items
    guard = make_guard(task, items, offline=True)
    with tempfile.TemporaryDirectory() as folder:
        for item, data, suffix in _media(directory, items):
            request = _request(task, item)
            path = Path(folder) / f"audio{suffix}"
            path.write_bytes(data)
            try:
                guard.check_requests([request])
                guard.check_file(request, path)
            except LeakError as error:
                yield from error.lines


def _media(directory: Path, items: tuple[Item, ...]) -> Iterator[tuple[Item, bytes, str]]:
    by_id = {item.id: item for item in items}
    for row in stored_rows(directory, "id", "audio"):
        yield by_id[row["id"]], row["audio"]["bytes"], Path(row["audio"]["path"]).suffix


def stored_rows(directory: Path, *columns: str) -> Iterator[dict[str, Any]]:
    """Rows of the config without truth, a row group at a time: the media may be more than fits into memory."""
    import pyarrow.parquet as pq

    for path in _files(directory):
        with pq.ParquetFile(path) as parquet:
            for group in range(parquet.num_row_groups):
                yield from parquet.read_row_group(group, columns=list(columns)).to_pylist()


def _request(task: TaskConfig, item: Item) -> Request:
    prompt = render_prompt(task, item, (), condition=Condition.FULL, audio_route="native")
    return Request(
        item_id=item.id,
        run=0,
        condition=Condition.FULL,
        kind=Kind.MUSIC,
        system=prompt.system,
        prompt=prompt.text,
        key="",
    )
