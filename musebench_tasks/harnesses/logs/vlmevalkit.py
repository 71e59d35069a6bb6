"""VLMEvalKit's prediction tables, `MODEL_DATASET.xlsx` (or .tsv, .csv, .json): the dataset's rows and `prediction`.

The item is named by `item_id` or else by `index`, which may also be a row's number: then `question`, where it is there,
has to be the item's. The options as shown stand under A, B, C and so on. `answer` and what judges added are not read.
Circular evaluation repeats a question under a larger index: no items of ours. Facts: sources of 2024 to 2026.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import LETTERS, HarnessBlock, Status
from musebench_tasks.base.text import nearest
from musebench_tasks.harnesses.logs.rows import Log, LoggedAnswer, as_printed, identity, read_json
from musebench_tasks.harnesses.logs.workbook import MOST_CHARACTERS, read_workbook

SEPARATORS = {".csv": ",", ".tsv": "\t"}
TEXT = "prediction"
LONGEST_CELL = 2**31 - 1
NOTHING = ("", "nan")
CUT = "length"
"""Finish reason of a text that was cut off."""


def read_vlmevalkit(path: Path) -> Log:
    """The answers of one table."""
    rows = list(_rows(path))
    if not rows:
        raise InputError(f"{path}: holds no rows.")
    longest = MOST_CHARACTERS if path.suffix.lower() == ".xlsx" else math.inf
    return Log(
        source=str(path),
        answers=tuple(_answer(place, row, longest) for place, row in rows),
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
    for place, row in table:
        if TEXT not in row:
            raise InputError(f'{place}: has no column "{TEXT}"{nearest(TEXT, row)}, so holds no answer.')
    yield from table


def _text_table(path: Path, separator: str) -> list[tuple[str, dict[str, Any]]]:
    csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [
                (f"{path} row {number}", row)
                for number, row in enumerate(csv.DictReader(file, delimiter=separator), start=2)
            ]
    except OSError as problem:
        raise not_read(path, problem) from problem
    except (UnicodeDecodeError, csv.Error) as problem:
        raise InputError(f"{path}: is no table in UTF-8 ({reason(problem)}).") from problem
    short = next((place for place, row in rows if None in row.values()), None)
    if short is not None:
        raise InputError(f"{short}: has fewer cells than the first row. The table may have been cut off.")
    return rows


def _workbook(path: Path) -> list[tuple[str, dict[str, Any]]]:
    names, *lines = read_workbook(path) or [[]]
    rows = [dict(zip(names, [*line, *[""] * len(names)], strict=False)) for line in lines]
    return [(f"{path} row {number}", row) for number, row in enumerate(rows, start=2)]


def _answer(place: str, row: dict[str, Any], longest: float) -> LoggedAnswer:
    """The answer of a row; a text of `longest` characters was cut off by the file that holds it."""
    told: dict[str, Any] = {name: _cell(row.get(name)) for name in ("item_id", "index", "run", "condition")}
    order = row.get("option_order")
    told["option_order"] = order if isinstance(order, list) else _order(_cell(order), place)
    text = _cell(row.get(TEXT))
    return LoggedAnswer(
        place,
        **identity(told, place, ("item_id", "index")),
        option_texts=_options(row),
        finish_reason=CUT if len(text) >= longest else None,
        question=None if told["item_id"] else _cell(row.get("question")) or None,
        **_said(text),
    )


def _said(text: str) -> dict[str, Any]:
    """The fields of a prediction: an empty cell, or pandas' word for one, holds no answer that came."""
    if text.strip().lower() in NOTHING:
        return {"failure": Status.BACKEND_ERROR, "error": "the table holds no answer there (an empty cell, or nan)"}
    return as_printed(text)


def _cell(value: Any) -> str:
    """A cell as text: tables made with pandas hold NaN where nothing is, and 3.0 where 3 stood among gaps."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _order(cell: str, place: str) -> Any:
    """The list in a cell, written as JSON or with blanks between the ids; None where there is none."""
    if not cell.lstrip().startswith("["):
        return cell.split() or None
    try:
        return json.loads(cell)
    except ValueError as problem:
        raise InputError(f'{place}, column "option_order": is no list ({cell[:60]}).') from problem


def _options(row: dict[str, Any]) -> tuple[str, ...] | None:
    """The texts under A, B, C and so on, up to the first empty cell."""
    texts: list[str] = []
    for letter in LETTERS:
        cell = _cell(row.get(letter))
        if not cell.strip():
            break
        texts.append(cell)
    return tuple(texts) or None


def _model(path: Path) -> str | None:
    """The folder, or the one above it, that the file's name begins with: outputs/MODEL/MODEL_DATASET.xlsx."""
    folders = [each.name for each in path.absolute().parents[:2]]
    return next((name for name in folders if name and path.name.startswith(f"{name}_")), None)
