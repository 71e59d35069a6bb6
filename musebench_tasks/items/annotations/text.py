"""Text files as lines of cells: byte-order marks, line ends, comments and separators are dealt with here."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, reason
from musebench_tasks.base.text import counted, shown
from musebench_tasks.items.annotations.raw_values import END_NAMES, LABEL_NAMES, START_NAMES, FilePlace, is_time

MOST_BYTES = 256 * 1024 * 1024
SEPARATORS = (";", "\t", ",", "|")
"""Of tables, in the order in which they are looked for: a comma may stand in decimal numbers."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE_END = re.compile(r"\r\n|\r|\n")


class CellLine(NamedTuple):
    """A line that holds something."""

    number: int
    """From 1."""
    cells: list[str]


def text_of(path: Path) -> str:
    """The text of a file in UTF-8 or, with a byte-order mark, UTF-16; InputError where it is none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"is larger than {MOST_BYTES // 2**20} MB, no annotation is. Remove it.")
        data = path.read_bytes()
    except OSError as problem:
        raise InputError(f"cannot be read ({problem.strerror}).") from problem
    encoding = "utf-16" if data.startswith(_UTF_16) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as problem:
        raise InputError(f"is no UTF-8 text (byte {problem.start + 1}). Save it as UTF-8.") from problem
    if "\0" in text:
        raise InputError("holds null bytes, so it is no text. Give an annotation, or remove the file.")
    if not text.strip():
        raise InputError("is empty. Fill it, or remove it.")
    return text


def words_of(text: str) -> list[CellLine]:
    """Lines of cells: separated by tabs, else by blanks (at most three), else by semicolons or commas.

    Lines that begin with # are comments; a first line that names columns is none.
    """
    numbered = enumerate(_LINE_END.split(text), start=1)
    lines = [CellLine(number, _words(line)) for number, line in numbered if line.strip() and line.lstrip()[0] != "#"]
    return lines[1:] if len(lines) > 1 and _is_head(lines[0]) else lines


def _words(line: str) -> list[str]:
    if "\t" in line.strip():
        return [cell.strip() for cell in line.rstrip().split("\t")]
    words = line.split(None, 2)
    for separator in () if is_time(words[0]) else (";", ","):
        cells = [cell.strip() for cell in line.split(separator, 2)]
        if len(cells) > 1 and is_time(cells[0]):
            return cells
    return words


def column_names(head: CellLine) -> list[str]:
    """The cells of a head line as names: in lower case, with _ for blanks and dashes."""
    return [re.sub(r"[ -]", "_", cell.casefold()) for cell in head.cells]


def rows_below(lines: Sequence[CellLine], columns: Sequence[str]) -> Sequence[CellLine]:
    """The rows of a table below its head line; InputError where there are none, or two of `columns` are one."""
    doubled = next((column for column in columns if columns.count(column) > 1), None)
    if doubled is not None:
        raise InputError(f"has the column {shown(doubled)} twice. Rename one.")
    if len(lines) == 1:
        raise InputError("has a head line and nothing below it. Fill it, or remove it.")
    return lines[1:]


def odd_length(line: CellLine, n_columns: int, place: FilePlace, field: str = "") -> Problem | None:
    """What is wrong with a row that has not as many cells as the head line; None where it has."""
    if len(line.cells) == n_columns:
        return None
    found = f"has {counted(len(line.cells), 'cell')}, the head line {n_columns}."
    return place.problem(found, "Quote cells that hold the separator.", field, line.number)


def _is_head(line: CellLine) -> bool:
    names = column_names(line)
    return names[0] in ("time", *START_NAMES) and {*names[1:]} <= {*END_NAMES, *LABEL_NAMES}


def cells_of(text: str) -> list[CellLine]:
    """Lines of a table, its separator being what the first line holds; InputError for broken quotes."""
    first = next(line for line in _LINE_END.split(text) if line.strip())
    bare = re.sub(r'"[^"]*"', "", first)
    separator = next((each for each in SEPARATORS if each in bare), ",")
    reader = csv.reader(_LINE_END.sub("\n", text).splitlines(keepends=True), delimiter=separator, strict=True)
    lines: list[CellLine] = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                lines.append(CellLine(reader.line_num, [cell.strip() for cell in row]))
    except csv.Error as problem:
        raise InputError(f"is no table (row {reader.line_num}: {reason(problem)}). Close its quotes.") from problem
    if not lines:
        raise InputError("holds empty cells only. Fill it, or remove it.")
    return lines
