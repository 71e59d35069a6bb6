"""Sheets that come back to their owner: all rows as they were given, and what is wrong with each in a column more."""

from __future__ import annotations

import csv
import io
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import shown_path, write_text
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import canonical_json
from musebench_tasks.items.files import ERRORS
from musebench_tasks.items.tables import TABS, Table, read_table, separator_of

PROBLEMS = "problems"
_MARK = b"\xef\xbb\xbf"
_TEXT_TABLES = (".csv", TABS)


def row_numbers(table: Table) -> list[int]:
    """What messages call each row: its number in the file, from 1; where there are several files, in all of them."""
    if len({origin.file for origin in table.origins}) == 1:
        return [origin.row + 1 for origin in table.origins]
    return list(range(1, len(table.rows) + 1))


def problem_text(finding: Problem) -> str:
    """What is wrong with a row, as it stands in the column `problems`."""
    column = f"{finding.column}: " if finding.column else ""
    return f"{finding.severity.name} {finding.code}: {column}{finding.message}"


def of_findings(table: Table, findings: Iterable[Problem]) -> dict[int, list[str]]:
    """What is wrong with each row, by its position in the table."""
    positions = {number: position for position, number in enumerate(row_numbers(table))}
    problems: dict[int, list[str]] = defaultdict(list)
    for each in findings:
        if each.row is not None:
            problems[positions[each.row]].append(problem_text(each))
    return problems


def errors_file(table: Table, directory: Path) -> Path:
    """Where the sheet of a build lies: with the table's media, so that it can be built; else beside `directory`."""
    folder, first = table.directory, table.origins[0].file
    if folder.parent.name != "snapshots" and os.access(folder, os.W_OK):
        return folder / f"{first.stem.removesuffix(ERRORS)}{ERRORS}.csv"
    return directory.parent / f"{directory.name}{ERRORS}.csv"


def write_errors_sheet(path: Path, table: Table, problems: Mapping[int, Sequence[str]]) -> str:
    """Write all rows of the table's files with a column `problems`, empty where a row has none; says how many have.

    `problems` by position. CSV or TSV by the name, with the separators of the table where that is CSV too, and its mark
    in front. Lists are written as JSON, which reads back as it was. Embedded media are left out.
    """
    if path.suffix.lower() not in _TEXT_TABLES:
        raise InputError(f"--sheet is {path}: name a file that ends in {' or '.join(_TEXT_TABLES)}.")
    refuse_replacing(path, table)
    whole = _whole(table)
    told = {table.origins[position]: " / ".join(dict.fromkeys(texts)) for position, texts in problems.items()}
    columns = _own_columns(whole)
    rows = [[*row, told.get(origin, "")] for row, origin in zip(_cells(whole, columns), whole.origins, strict=True)]
    mark, separator = _notation(table.origins[0].file, path)
    write_text(path, mark + sheet_text([*columns, PROBLEMS], rows, separator))
    count = sum(map(bool, told.values()))
    return f"{shown_path(path)}: {count} of {len(table.rows)} rows have something in the column `{PROBLEMS}`."


def refuse_replacing(path: Path, table: Table) -> None:
    """InputError where `path` holds anything but these rows as they came back before, such as what was corrected."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}. Make it, or choose another place.")
    if path.exists() and not is_replaceable(path, table):
        raise InputError(f"{path}: is there already, with other content. Give another name, or remove it.")


def is_replaceable(path: Path, table: Table) -> bool:
    """Whether a file holds the rows of `table` as they came back before, so that nothing is lost with it."""
    try:
        before = read_table(path.parent, [path])
    except InputError:
        return False
    whole = _whole(table)
    columns = _own_columns(whole)
    are_same = _own_columns(before) == columns and _as_text(_cells(before, columns)) == _as_text(_cells(whole, columns))
    return PROBLEMS in before.columns and are_same


def _whole(table: Table) -> Table:
    """The table with all rows and columns of its files, whatever a task makes of them or leaves out."""
    return read_table(table.directory, list(dict.fromkeys(origin.file for origin in table.origins)))


def _own_columns(table: Table) -> list[str]:
    """The columns of the owner's own sheet; without media inside, and without what an earlier check wrote."""
    return [name for name in table.columns if name not in table.embedded | {PROBLEMS}]


def _cells(table: Table, columns: Sequence[str]) -> list[list[Any]]:
    return [[row.get(name) for name in columns] for row in table.rows]


def _as_text(rows: Iterable[Sequence[Any]]) -> list[list[str]]:
    return [["" if cell is None else _writable(str(_as_cell(cell))) for cell in row] for row in rows]


def _notation(table: Path, path: Path) -> tuple[str, str]:
    """The mark in front by which spreadsheet programs know UTF-8, and what stands between cells."""
    if path.suffix.lower() == TABS or table.suffix.lower() not in _TEXT_TABLES:
        is_marked = table.suffix.lower() not in _TEXT_TABLES or _is_marked(table)
        return "\ufeff" * is_marked, "\t" if path.suffix.lower() == TABS else ","
    separator = separator_of(table) if table.suffix.lower() == ".csv" else ","
    return "\ufeff" * _is_marked(table), separator if separator in ",;\t" else ","


def _is_marked(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(3) == _MARK


def sheet_text(head: Sequence[str], rows: Iterable[Sequence[Any]], separator: str = ",") -> str:
    """Rows as a table of text; lists as JSON. What text cannot hold, half a character or U+0000, as its escape."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(head)
    writer.writerows(map(_as_cell, row) for row in rows)
    return _writable(text.getvalue())


def _writable(text: str) -> str:
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def _as_cell(value: Any) -> Any:
    """A value as one cell of a table of text."""
    return canonical_json(value) if isinstance(value, list | dict) else value
