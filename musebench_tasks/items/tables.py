"""Rows of Parquet, JSON lines, JSON and CSV files, and of workbooks. Media bytes stay where they are."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import shown_path
from musebench_tasks.base.problems import Problem, reason
from musebench_tasks.items.display_names import folder_called

Row = dict[str, Any]
TABS = ".tsv"
WORKBOOKS = (".xlsx", ".xls", ".ods")
SEPARATORS = (",", ";", "\t")
_SAID = re.compile(r'"?sep=(?P<separator>[,;\t|])"?')
LONGEST_CELL = 2**24
"""Characters. Python's own limit, 131072, is less than a transcript may have."""


class Origin(NamedTuple):
    """Where a row stands."""

    file: Path
    row: int
    """From 0 in the whole file."""


class Table(NamedTuple):
    """The rows of one or more files."""

    directory: Path
    """What media paths are relative to."""
    columns: tuple[str, ...]
    embedded: frozenset[str]
    """Columns whose cells hold encoded media; absent from `rows`."""
    rows: list[Row]
    origins: list[Origin]
    called: str
    """What messages call the folder (`folder_called`)."""
    derived: frozenset[str] = frozenset()
    """Columns that a task made of others; in no file."""

    def place(self, number: int) -> str:
        """`FILE row N` (N from 1) for the row at position `number`."""
        origin = self.origins[number]
        return f"{self.shown(origin.file)} row {origin.row + 1}"

    def placed(self, number: int, problem: Problem, column: str | None = None) -> Problem:
        """The problem with the file, and with the row at position `number` in it; `column` is what is to blame."""
        origin = self.origins[number]
        return problem.at(place=self.shown(origin.file), row=origin.row + 1, column=column or "")

    def shown(self, file: Path) -> str:
        """A file as messages name it."""
        return str(Path(self.called) / file.relative_to(self.directory))


def read_table(directory: Path, files: Sequence[Path]) -> Table:
    """All rows of `files`, without embedded media."""
    columns: dict[str, None] = {}
    embedded: set[str] = set()
    rows: list[Row] = []
    origins: list[Origin] = []
    for file in files:
        try:
            names, media, found = _read(file)
        except UnicodeDecodeError as error:
            broken = _first_broken(file)
            raise InputError(f"{shown_path(file)}: is not UTF-8 text ({broken}). Save it as UTF-8.") from error
        except (OSError, ValueError, pa.ArrowException) as error:
            raise InputError(f"{shown_path(file)}: cannot be read ({reason(error)}).") from error
        columns.update(dict.fromkeys(names))
        embedded.update(media)
        rows += found
        origins += [Origin(file, number) for number in range(len(found))]
    return Table(directory, tuple(columns), frozenset(embedded), rows, origins, folder_called(directory))


def _first_broken(file: Path) -> str:
    """Where the first byte stands that is no UTF-8; a reader of lines knows its place in a part of the file only."""
    content = file.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return f"line {content.count(10, 0, error.start) + 1}, byte {error.start + 1}"
    return "but it was a moment ago"


def _read(file: Path) -> tuple[list[str], list[str], list[Row]]:
    if file.stat().st_size == 0:
        return [], [], []
    suffix = file.suffix.lower()
    if suffix == ".parquet":
        return _read_parquet(file)
    readers = {".jsonl": _read_json_lines, ".json": _read_json, ".csv": _read_cells, TABS: _read_cells}
    rows = list((readers | dict.fromkeys(WORKBOOKS, _read_workbook))[suffix](file))
    return list(dict.fromkeys(name for row in rows for name in row)), [], rows


def _read_parquet(file: Path) -> tuple[list[str], list[str], list[Row]]:
    with pq.ParquetFile(file) as parquet:
        schema = parquet.schema_arrow
        media = [field.name for field in schema if _holds_bytes(field.type)]
        wanted = [name for name in schema.names if name not in media]
        rows = parquet.read(columns=wanted).to_pylist() if wanted else [{} for _ in range(parquet.metadata.num_rows)]
    return list(schema.names), media, rows


def _holds_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return any(kind.field(number).name == "bytes" for number in range(kind.num_fields))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _read_json_lines(file: Path) -> Iterator[Row]:
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield _object(_parsed(line))
                except ValueError as error:
                    raise ValueError(f"line {number}: {error}") from error


def _read_json(file: Path) -> Iterator[Row]:
    rows = _parsed(file.read_text(encoding="utf-8-sig"))
    if not isinstance(rows, list):
        raise ValueError("should be a list of objects, one a row")
    return map(_object, rows)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unrepeated)
    except RecursionError as error:
        raise ValueError("values are nested too deeply. Write objects, and lists of plain values") from error


def _unrepeated(pairs: list[tuple[str, Any]]) -> Row:
    """An object; ValueError where a key stands twice, of which JSON readers silently keep one."""
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        start = json.dumps(row, ensure_ascii=True)[:60]
        raise ValueError(f'the key "{repeated}" stands twice in the object {start}... Remove one')
    return row


def _object(value: Any) -> Row:
    if not isinstance(value, dict):
        raise ValueError(f"a row should be an object, found {str(value)[:40]!r}")
    return value


def _read_cells(file: Path) -> Iterator[Row]:
    """The rows of a CSV file, also one with semicolons or tabs, as spreadsheets save it. ValueError by row.

    Empty rows and nameless empty columns at the end are left out: spreadsheets save them where cells were once used.
    """
    csv.field_size_limit(LONGEST_CELL)
    with file.open(encoding="utf-8-sig", newline="") as lines:
        separator, above = _separator(lines, file.suffix.lower())
        reader = csv.reader(lines, strict=True, delimiter=separator)
        number = 0
        try:
            head = _head(next((row for row in reader if any(map(str.strip, row))), []))
            empty: list[Row] = []
            for number, row in enumerate(filter(None, reader), start=1):
                cells = row if any(row[len(head) :]) else row[: len(head)]
                if len(cells) != len(head):
                    raise ValueError(
                        f"row {number} has another number of cells than the head line: {len(row)}, not {len(head)}. "
                        f"Quote cells that hold a {_NAMES.get(separator, separator)}"
                    )
                # An empty cell is no value; CSV has no other way to say so.
                found: Row = {name: cell or None for name, cell in zip(head, cells, strict=True)}
                if any(cell.strip() for cell in cells):
                    yield from (*empty, found)
                    empty.clear()
                else:
                    empty.append(found)
        except csv.Error as error:
            raise ValueError(
                f"row {number + 1}, up to line {reader.line_num + above}: {_csv_problem(error)}"
            ) from error


def _read_workbook(file: Path) -> Iterator[Row]:
    """The rows of a workbook's first sheet, every cell as text, as a table of text would hold it. ValueError by row."""
    import python_calamine as calamine

    try:
        with calamine.load_workbook(str(file)) as workbook:
            found = workbook.get_sheet_by_index(0).to_python(skip_empty_area=False)
    except calamine.CalamineError as error:
        raise ValueError(f'{reason(error)}. Save its sheet as "CSV UTF-8" or as TSV, and give that file') from error
    rows = [[_cell_text(cell) for cell in row] for row in found]
    while rows and not any(map(str.strip, rows[-1])):
        rows.pop()
    filled = next((number for number, row in enumerate(rows) if any(map(str.strip, row))), 0)
    head = _head(rows[filled]) if rows else []
    for number, row in enumerate(rows[filled + 1 :], start=1):
        if any(row[len(head) :]):
            raise ValueError(f"row {number} has more cells than the head line. Name their columns, or remove them")
        yield {name: cell or None for name, cell in zip(head, row, strict=False)}


def _cell_text(cell: Any) -> str:
    """A cell of a workbook, which holds whole numbers with a point and days as days, as text."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return cell if isinstance(cell, str) else cell.isoformat() if hasattr(cell, "isoformat") else str(cell)


def _head(names: list[str]) -> list[str]:
    """The columns that a head line names; ValueError where two have the same name, or none."""
    while names and not names[-1]:
        names.pop()
    repeated = [name for name in names if names.count(name) > 1]
    if repeated and not repeated[0]:
        raise ValueError(f"{len(repeated)} columns of the head line have no name. Name or remove them")
    if repeated:
        raise ValueError(f'the column "{repeated[0]}" stands twice in the head line. Rename one')
    return names


def separator_of(file: Path) -> str:
    """What stands between the cells of a CSV file."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return _separator(lines, file.suffix.lower())[0]


_NAMES = {",": "comma", ";": "semicolon", "\t": "tab"}


def _separator(lines: TextIO, suffix: str) -> tuple[str, int]:
    """What stands between cells, and how many lines stand above the head line: `sep=;`, which Excel writes and reads.

    Where nothing says so it is what the head line holds most of, a comma in doubt.
    """
    first = next((line for line in lines if line.strip()), "")
    said = _SAID.fullmatch(first.rstrip("\r\n"))
    if said:
        return said["separator"], 1
    lines.seek(0)
    if suffix == TABS:
        return "\t", 0
    return max(SEPARATORS, key=first.count) if first.count(",") == 0 else ",", 0


def _csv_problem(error: csv.Error) -> str:
    """What is wrong with the quotes or the length of a cell, and what to do."""
    said = str(error)
    if "unexpected end" in said:
        return "a quote is opened and never closed. Close it, or write quotes inside a cell twice"
    if "expected after" in said:
        return "text follows a closing quote. Write quotes inside a cell twice, and quote the whole cell"
    if "field limit" in said:
        return f"a cell has more than {LONGEST_CELL} characters. Close its quotes, or shorten it"
    return said
