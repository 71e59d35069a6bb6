"""Sheets that come back to their owner: rows as they were given, and what is wrong with them in a column more."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.rules.findings import Finding
from musebench_tasks.errors import InputError
from musebench_tasks.files import write_text
from musebench_tasks.items.tables import Table
from musebench_tasks.records import canonical_json

PROBLEMS = "problems"
DIALECTS = {".csv": "excel", ".tsv": "excel-tab"}


def row_numbers(table: Table) -> list[int]:
    """What messages call each row: its number in the file, from 1; where there are several files, in all of them."""
    if len({origin.file for origin in table.origins}) == 1:
        return [origin.row + 1 for origin in table.origins]
    return list(range(1, len(table.rows) + 1))


def write_errors_sheet(path: Path, table: Table, findings: Iterable[Finding]) -> int:
    """Write all rows of `table` with a column `problems`, empty where a row has none; returns how many rows have some.

    CSV, or TSV by the name. Lists are written as JSON, which reads back as it was. Embedded media are left out.
    """
    dialect = DIALECTS.get(path.suffix.lower())
    if dialect is None:
        raise InputError(f"--sheet is {path}: name a file that ends in {' or '.join(DIALECTS)}.")
    problems: dict[int, list[str]] = defaultdict(list)
    numbers = row_numbers(table)
    for each in findings:
        if each.row is not None:
            column = f"{each.field}: " if each.field else ""
            problems[each.row].append(f"{each.severity.name} {each.tag}: {column}{each.text}")
    told = [" / ".join(dict.fromkeys(problems.get(number, ()))) for number in numbers]
    columns = own_columns(table)
    rows = [[*(row.get(name) for name in columns), text] for row, text in zip(table.rows, told, strict=True)]
    write_text(path, sheet_text([*columns, PROBLEMS], rows, dialect))
    return sum(map(bool, told))


def own_columns(table: Table) -> list[str]:
    """The columns of the owner's own sheet; without media inside, and without what an earlier check wrote."""
    return [name for name in table.columns if name not in table.embedded | table.derived | {PROBLEMS}]


def sheet_text(head: Sequence[str], rows: Iterable[Sequence[Any]], dialect: str = "excel") -> str:
    """Rows as a table of text, with the mark in front by which spreadsheet programs know UTF-8; lists as JSON.

    What text cannot hold, half a character or U+0000, is written as its escape.
    """
    text = io.StringIO()
    writer = csv.writer(text, dialect=dialect)
    writer.writerow(head)
    writer.writerows(map(_as_cell, row) for row in rows)
    return "\ufeff" + text.getvalue().replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def _as_cell(value: Any) -> Any:
    """A value as one cell of a table of text."""
    return canonical_json(value) if isinstance(value, list | dict) else value
