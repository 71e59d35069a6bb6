"""The table that a dataset is built from: a workbook, CSV, TSV, JSON lines, JSON or Parquet.

What is wrong with its rows comes back as a sheet: all rows as they were given, with a column `problems`.
"""

from __future__ import annotations

import csv
import io
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from musebench_tasks.assembly.rules.findings import gathered, judged
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import shown_path, write_text
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import MediaSource, canonical_json
from musebench_tasks.base.text import few_lines, nearest, shown
from musebench_tasks.items import cells
from musebench_tasks.items.display_names import place_called
from musebench_tasks.items.files import ERRORS, SUFFIXES, TABS, UNDECIDED, data_files, is_beside_data
from musebench_tasks.items.media_index import parquet_media
from musebench_tasks.items.nearest_file import NearestFiles
from musebench_tasks.items.tables import WORKBOOKS, Table, read_table, separator_of

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


TABLES = (*SUFFIXES, TABS, *WORKBOOKS)
_SHOWN_LINES = 20


class Faults:
    """All that is wrong with a table so far, by row: positions count from 0, None where no row is to blame."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.found: dict[tuple[int | None, Problem], None] = {}
        self.notes: list[str] = []
        """What is worth knowing, but no fault."""
        self.names: dict[str, tuple[str, ...]] = {}
        """Our column: the sheet's that it is made of, where they differ."""

    def add(self, position: int | None, column: str, *problems: Problem | str) -> None:
        """Note what is wrong with a cell."""
        for each in problems:
            problem = (each if isinstance(each, Problem) else Problem(each)).at(column=column)
            known = problem.at(place=self.table.called) if position is None else self.table.placed(position, problem)
            self.found[position, known] = None

    def called(self, column: str) -> str:
        """A column of ours (or several, as in `answer/options`) as the sheet calls it."""
        if column in self.table.columns:
            return column
        named = [each for part in column.split("/") for each in self.names.get(part, (part,))]
        return "/".join(dict.fromkeys(named))

    @property
    def findings(self) -> list[tuple[int | None, Problem]]:
        """Each fault as a finding, with the position of its row, in the order of the rows."""
        ordered = sorted(self.found, key=lambda each: (each[0] is None, each[0] or 0))
        return [
            (position, judged(replace(problem, column=self.called(problem.column)))) for position, problem in ordered
        ]

    def refuse(self, directory: Path) -> None:
        """If anything is wrong, write the sheet of errors and raise InputError; else take an old sheet away.

        `directory` is the repository that was to be built.
        """
        findings = self.findings
        problems: dict[int, list[str]] = defaultdict(list)
        for position, each in findings:
            if position is not None:
                problems[position].append(problem_text(each))
        errors = errors_file(self.table, directory)
        is_source = errors in {origin.file for origin in self.table.origins}
        if not problems and not is_source and errors.exists() and is_replaceable(errors, self.table):
            errors.unlink()
        if not findings:
            return
        lines = [line for _, line in gathered(each for _, each in findings)]
        told = few_lines(lines, _SHOWN_LINES)
        if problems:
            told.append(self._written(errors, problems))
        raise InputError(*told)

    def _written(self, errors: Path, problems: Mapping[int, Sequence[str]]) -> str:
        if errors.exists() and not is_replaceable(errors, self.table):
            advice = "Build that file, or remove it."
            return f"{shown_path(errors)}: holds other rows than the table, perhaps corrected ones. {advice}"
        try:
            written = write_errors_sheet(errors, self.table, problems)
        except InputError as error:
            return error.problems[0].text
        return f"{written} Correct them there, and build that file."


def read_sheet(source: Path) -> Table:
    """The rows of a file, or of the one table (or the split `test`) in a folder; without what a check wrote there."""
    if source.is_file():
        return _read(source.parent, [source])
    if not source.is_dir():
        raise InputError(f"{source}: no such file or folder. Give the folder that holds the table and its media.")
    tables = tables_in(source)
    if len(tables) == 1 and tables[0].suffix.lower() in WORKBOOKS:
        return _read(source, tables)
    try:
        return _read(source, data_files(source, None, "default", "test")[1])
    except InputError as error:
        if len(tables) < 2 or all(each.code != UNDECIDED for each in error.problems):
            raise
        raise _several(source, tables) from error


def tables_in(folder: Path) -> list[Path]:
    """The files of a folder that may be tables, those in the folder itself first; deeper down no JSON beside them."""
    files = sorted(folder.rglob("*"), key=lambda each: (len(each.parts), each))
    tables = [each for each in files if each.suffix.lower() in TABLES and not is_beside_data(each)]
    own = [each for each in tables if each.parent == folder]
    return [each for each in tables if each.parent == folder or each.suffix.lower() != ".json"] if own else tables


def _several(source: Path, tables: Sequence[Path]) -> InputError:
    named = ", ".join(str(each.relative_to(source)) for each in tables[:5])
    return InputError(f"{source}: holds several tables ({named}). Give one by its name: {tables[0]}")


def _read(folder: Path, files: Sequence[Path]) -> Table:
    unknown = next((file for file in files if file.suffix.lower() not in TABLES), None)
    if unknown is not None:
        raise InputError(f"{unknown}: is no table. Give {', '.join(TABLES)}.")
    table = read_table(folder, files)
    if not table.rows:
        raise InputError(f"{files[0]}: has no rows. Write them, or give another file.")
    return table._replace(columns=tuple(name for name in table.columns if name != PROBLEMS))


def media_sources(table: Table, column: str, faults: Faults, *, may_lack: bool = False) -> list[MediaSource | None]:
    """Where the medium of each row lies; None, with a fault unless `may_lack`, where there is none."""
    files = NearestFiles(table.directory)
    if column in table.embedded:
        return _embedded(table, column, faults, files, may_lack=may_lack)
    return [
        _file(table, position, column, row.get(column), faults, files, may_lack=may_lack)
        for position, row in enumerate(table.rows)
    ]


def _embedded(
    table: Table, column: str, faults: Faults, files: NearestFiles, *, may_lack: bool
) -> list[MediaSource | None]:
    known = {file: parquet_media(file, column) for file in dict.fromkeys(origin.file for origin in table.origins)}
    found: list[MediaSource | None] = []
    for position, origin in enumerate(table.origins):
        medium = known[origin.file][origin.row]
        if medium.sha256 is not None:
            found.append(MediaSource(path=str(origin.file), row=origin.row, column=column, sha256=medium.sha256))
        else:
            found.append(_file(table, position, column, medium.path, faults, files, may_lack=may_lack))
    return found


def _file(
    table: Table, position: int, column: str, cell: Any, faults: Faults, files: NearestFiles, *, may_lack: bool
) -> MediaSource | None:  # fmt: skip
    try:
        name = cells.named_medium(cell) if cell not in (None, "") or not may_lack else ""
    except InputError as error:
        faults.add(position, column, *error.problems)
        return None
    path = table.directory / name
    if name and (PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts):
        leaves = f"{shown(name)} leaves the folder of the table."
        faults.add(position, column, Problem(leaves, "Put the file into it.", "MEDIUM_UNUSABLE"))
    elif name and path.is_file():
        return MediaSource(path=str(path.absolute()))
    elif not may_lack:
        where = f"{place_called(table.called)}{files.hint(name)}"
        advice = "Put it there, or correct the name."
        faults.add(position, column, Problem(f"no file {shown(name)} lies in {where}.", advice, "MEDIUM_UNUSABLE"))
    return None


def note_unused(table: Table, known: Iterable[str], faults: Faults) -> None:
    """A note of the columns of the sheet that nothing is made of."""
    names = list(known)
    unused = [f'"{column}"{nearest(column, names)}' for column in table.columns if column not in names]
    if unused:
        faults.notes.append(f"nothing is made of the sheet's columns {', '.join(unused)}")
