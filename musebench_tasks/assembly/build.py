"""From a folder of rows and media files to a dataset repo: what `dataset_scripts/NAME/build.py` runs.

The folder holds `rows.jsonl`, one row a line with the columns of the `default` config, the media column naming a file
in the folder. In the repo the medium is called after the row's id, so that no title or source shows.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.cards import default_card
from musebench_tasks.assembly.repository import media_cell, write_repository
from musebench_tasks.assembly.schemas import Schema, dataset_schema
from musebench_tasks.errors import InputError, MuseError

ROWS_FILE = "rows.jsonl"


def build_from_folder(dataset: str, source: Path, directory: Path) -> Path:
    """Build the repo of `dataset` in `directory` from the rows and media in `source`; returns `directory`."""
    schema = dataset_schema(dataset)
    path = source / ROWS_FILE
    if not path.is_file():
        raise InputError(f"{path}: not found. Write one JSON object a line with the columns of {dataset}.")
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [read_row(schema, path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    return write_repository(directory, dataset, rows, default_card(dataset, rows))


def read_row(schema: Schema, path: Path, number: int, line: str) -> dict[str, Any]:
    """One row with its medium read from the file it names."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{path} line {number}: no JSON ({error.msg} at column {error.colno}). Correct it.") from error
    if not isinstance(row, dict):
        raise InputError(f"{path} line {number}: {type(row).__name__} found. Write one JSON object a line.")
    name = row.get(schema.media_column)
    media = path.parent / name if isinstance(name, str) else None
    if media is None or not media.is_file():
        raise InputError(
            f'{path} line {number}, column "{schema.media_column}": no file {name}. Put it into {path.parent}.'
        )
    masked = f"{row.get(schema.id_column)}{media.suffix.lower()}"
    return {**row, schema.media_column: media_cell(media.read_bytes(), masked)}


def build_main(dataset: str, arguments: Sequence[str] | None = None) -> int:
    """The command line of `dataset_scripts/NAME/build.py`; returns the exit code."""
    parser = argparse.ArgumentParser(description=f"Build the dataset repo of {dataset}.")
    parser.add_argument("source", type=Path, help=f"folder with {ROWS_FILE} and the media files it names")
    parser.add_argument("directory", type=Path, help="the repo to write")
    chosen = parser.parse_args(arguments)
    try:
        print(build_from_folder(dataset, chosen.source, chosen.directory))
    except MuseError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0
