"""VLMEvalKit's prediction tables, `MODEL_DATASET.xlsx` (or .tsv, .csv, .json): the dataset's rows and `prediction`.

The item is named by `item_id` or else by `index`; the options as shown stand under A, B, C and so on. `answer` and what
a judge added are never read. Circular evaluation repeats a question under a larger index: no items of ours.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from musebench_tasks.bridges.logs.rows import Log, LoggedAnswer, identity, read_json, with_failures
from musebench_tasks.errors import InputError, nearest
from musebench_tasks.records import LETTERS, HarnessBlock

SEPARATORS = {".csv": ",", ".tsv": "\t"}
TEXT = "prediction"
LONGEST_CELL = 2**31 - 1


def read_vlmevalkit(path: Path) -> Log:
    """The answers of one table."""
    rows = list(_rows(path))
    if not rows:
        raise InputError(f"{path}: holds no rows.")
    return Log(
        source=str(path),
        answers=tuple(_answer(place, row) for place, row in rows),
        harness=HarnessBlock(name=f"VLMEvalKit (prediction {path.suffix[1:]})", version=None),
        model=_model(path),
    )


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Place and cells of each row."""
    kind = path.suffix.lower()
    if kind == ".json":
        found = read_json(path)
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise InputError(f"{path}: is no list of rows.")
        table = [(f"{path} row {number}", row) for number, row in enumerate(found, start=1)]
    elif kind in SEPARATORS:
        table = _text_table(path, SEPARATORS[kind])
    elif kind == ".xlsx":
        table = _workbook(path)
    else:
        raise InputError(f"{path}: a table of VLMEvalKit ends in .xlsx, .tsv, .csv or .json.")
    if table and TEXT not in table[0][1]:
        near = nearest(TEXT, table[0][1])
        raise InputError(f'{path}: has no column "{TEXT}"{near}, so holds no answers.')
    yield from table


def _text_table(path: Path, separator: str) -> list[tuple[str, dict[str, Any]]]:
    csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter=separator)
            return [(f"{path} row {number}", row) for number, row in enumerate(reader, start=2)]
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror}).") from problem
    except (UnicodeDecodeError, csv.Error) as problem:
        raise InputError(f"{path}: is no table in UTF-8 ({problem}).") from problem


def _workbook(path: Path) -> list[tuple[str, dict[str, Any]]]:
    try:
        openpyxl = import_module("openpyxl")
    except ImportError as problem:
        raise InputError(
            f"{path}: reading .xlsx needs openpyxl (pip install openpyxl). Or save the sheet as .csv and import that; "
            "VLMEvalKit writes .tsv itself with PRED_FORMAT=tsv."
        ) from problem
    try:
        sheet = openpyxl.load_workbook(path, read_only=True, data_only=True).active
        lines = list(sheet.iter_rows(values_only=True))
    except Exception as problem:  # openpyxl raises errors of many libraries
        raise InputError(f"{path}: cannot be read as a workbook ({problem}).") from problem
    names = [str(each) for each in lines[0]] if lines else []
    cells = (["" if each is None else str(each) for each in line] for line in lines[1:])
    return [
        (f"{path} row {number}", dict(zip(names, line, strict=False))) for number, line in enumerate(cells, start=2)
    ]


def _answer(place: str, row: dict[str, Any]) -> LoggedAnswer:
    told = {name: row.get(name) for name in ("item_id", "index", "run", "condition")}
    order = row.get("option_order")
    if order:
        told["option_order"] = _order(order, place) if isinstance(order, str) else order
    text = row.get(TEXT)
    return LoggedAnswer(
        place,
        **identity(told, place, ("item_id", "index")),
        option_texts=_options(row),
        **with_failures("" if text is None else str(text)),
    )


def _order(cell: str, place: str) -> Any:
    """The list in a cell, written as JSON or with blanks between the ids."""
    if not cell.lstrip().startswith("["):
        return cell.split()
    try:
        return json.loads(cell)
    except ValueError as problem:
        raise InputError(f'{place}, column "option_order": is no list ({cell[:60]}).') from problem


def _options(row: dict[str, Any]) -> tuple[str, ...] | None:
    """The texts under A, B, C and so on, up to the first empty cell."""
    texts: list[str] = []
    for letter in LETTERS:
        cell = row.get(letter)
        if cell is None or not str(cell).strip():
            break
        texts.append(str(cell))
    return tuple(texts) or None


def _model(path: Path) -> str | None:
    """The folder, or the one above it, that the file's name begins with: outputs/MODEL/MODEL_DATASET.xlsx."""
    folders = [each.name for each in path.absolute().parents[:2]]
    return next((name for name in folders if name and path.name.startswith(f"{name}_")), None)
