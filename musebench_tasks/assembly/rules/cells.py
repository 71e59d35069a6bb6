"""Rules on single cells: missing, of another type, outside a closed list, rights, windows and excerpts.

Of rows of which some cells cannot be read each rule says what the others tell, so that all faults come at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.schemas import MEDIA_TYPES, SCHEMAS, STRUCTS, Column, ColumnType, Schema
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import nearest, shown


class UnknownCellError(Exception):
    """A rule looks at a cell that could not be read; what is wrong there is told elsewhere."""


class KnownCells(dict[str, Any]):
    """The cells of a row that could be read; to look at another is an UnknownCellError."""

    def __missing__(self, column: str) -> Any:
        raise UnknownCellError(column)


def known_cells(row: Mapping[str, Any], unknown: Collection[str]) -> KnownCells:
    """The row without the cells that could not be read."""
    return KnownCells({column: cell for column, cell in row.items() if column not in unknown})


def as_known(*rules: Callable[[], Iterable[Problem]]) -> Iterator[Problem]:
    """What each rule says, as far as the cells that it looks at are known."""
    for rule in rules:
        try:
            yield from rule()
        except UnknownCellError:
            continue


Row = Mapping[str, Any]
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
NO_RIGHTS = ("", "NOASSERTION", "NONE")
"""An empty cell, and what SPDX writes where nobody says anything, or grants nothing."""
ADDRESS = re.compile(r"https?://[^\s/]+\.[^\s]+")
TYPES: dict[ColumnType, tuple[type, ...]] = {ColumnType.STRING: (str,), ColumnType.FLOAT: (float, int)}
ELEMENTS: dict[ColumnType, tuple[type, ...]] = {ColumnType.STRINGS: (str,), ColumnType.FLOATS: (float, int)}


def cell_flaws(schema: Schema, row: Row, *, media: bool = True) -> Iterator[Problem]:
    """Missing, unknown and empty cells, wrong types, and names that are no plain file names."""
    columns = _by_name(schema.dataset)
    if not row.keys() <= columns.keys():
        for unknown in (name for name in row if name not in columns):
            close = nearest(unknown, columns)
            yield flaw("COLUMN_UNKNOWN", unknown, f"no column of {schema.dataset}{close}.", "Rename or remove it.")
    for column, is_fine in _quick_looks(schema.dataset, media=media):
        if not is_fine(row.get(column.name)):
            yield from cell_flaw(column, row)
    yield from name_flaws(row.get(schema.id_column), schema.id_column)


def name_flaws(name: Any, column: str) -> Iterator[Problem]:
    """An id after which no file can be named."""
    if isinstance(name, str) and name and not PLAIN_NAME.fullmatch(name):
        advice = "Use letters, digits, dot, hyphen and underscore, a letter or digit first."
        yield flaw("ID_NOT_PLAIN", column, f"{shown(name)} is no plain file name.", advice)


@lru_cache(maxsize=16)
def _by_name(dataset: str) -> dict[str, Column]:
    return {column.name: column for column in SCHEMAS[dataset].columns}


@lru_cache(maxsize=16)
def _quick_looks(dataset: str, *, media: bool) -> list[tuple[Column, Callable[[Any], bool]]]:
    """For each column a quick look that lets through most cells that are fine, and none that is not."""
    looked = [column for column in SCHEMAS[dataset].columns if media or column.type not in MEDIA_TYPES]
    return [(column, QUICK_LOOKS.get(column.type, _never)) for column in looked]


def _never(value: Any) -> bool:
    return False


def _is_text(value: Any) -> bool:
    return type(value) is str and value != "" and not value.isspace()


def _is_number(value: Any) -> bool:
    return type(value) is float and math.isfinite(value)


def _is_texts(value: Any) -> bool:
    return type(value) is list and all(map(_is_string, value))


def _is_options(value: Any) -> bool:
    return type(value) is list and all(map(_is_option, value))


def _is_string(value: Any) -> bool:
    return type(value) is str


def _is_option(value: Any) -> bool:
    return type(value) is dict and value.keys() == _OPTION and type(value["id"]) is type(value["text"]) is str


_OPTION = STRUCTS[ColumnType.OPTIONS].keys()
QUICK_LOOKS: dict[ColumnType, Callable[[Any], bool]] = {
    ColumnType.STRING: _is_text,
    ColumnType.FLOAT: _is_number,
    ColumnType.STRINGS: _is_texts,
    ColumnType.OPTIONS: _is_options,
}


def cell_flaw(column: Column, row: Row) -> Iterator[Problem]:
    """What is wrong with one cell, apart from its meaning."""
    name = column.name
    if name not in row:
        advice = "Add it, or set it to null." if column.nullable else "Add it."
        yield flaw("CELL_MISSING", name, "missing.", advice)
        return
    value: Any = row[name]
    if value is None or (value == "" and not column.nullable):
        if not column.nullable:
            yield flaw("CELL_MISSING", name, "empty.", "Fill it in.")
    elif column.type in MEDIA_TYPES:
        yield from medium_flaw(name, value)
    elif not _is_one_of(value, TYPES.get(column.type, (list, tuple))):
        found = f"{type(value).__name__} {shown(value)} found, {column.type.value} expected."
        yield flaw("CELL_TYPE", name, found, "Correct the cell.")
    elif column.type is ColumnType.STRING:
        if not value.strip() and not column.nullable:
            yield flaw("CELL_MISSING", name, "holds blanks only.", "Fill it in.")
    elif column.type is ColumnType.FLOAT:
        if not _is_finite(value):
            advice = "Give the value, or leave the row out."
            yield flaw("CELL_TYPE", name, f"{shown(value)} is not a finite number.", advice)
    else:
        yield from element_flaws(column, value)


def element_flaws(column: Column, values: Sequence[Any]) -> Iterator[Problem]:
    """Elements of a list that are of another type; the first one."""
    if column.type in STRUCTS:
        wanted = STRUCTS[column.type]
        for value in values:
            is_right = isinstance(value, Mapping) and value.keys() == wanted.keys()
            if not is_right or any(not _fits(value[name], kind) for name, kind in wanted.items()):
                found = f"{shown(value)} is no element of {column.type.value}."
                yield flaw("CELL_TYPE", column.name, found, f"Give {{{', '.join(wanted)}}}.")
                return
        return
    kinds = ELEMENTS[column.type]
    for value in values:
        if not _is_one_of(value, kinds):
            yield flaw("CELL_TYPE", column.name, f"{shown(value)} found in a {column.type.value}.", "Correct it.")
            return
        if isinstance(value, (float, int)) and not _is_finite(value):
            yield flaw("CELL_TYPE", column.name, f"{shown(value)} is not a finite number.", "Give the value.")
            return


def _is_one_of(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


def _is_finite(value: float) -> bool:
    """Also of a whole number; one that no float holds is as good as infinite."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _fits(value: Any, kind: str) -> bool:
    if kind == "string":
        return isinstance(value, str)
    return _is_one_of(value, (int, float))


def medium_flaw(name: str, value: Any) -> Iterator[Problem]:
    """A medium is bytes with a plain file name."""
    if not isinstance(value, Mapping) or not value.get("bytes"):
        yield flaw("MEDIUM_UNUSABLE", name, "no media bytes.", "Give {bytes, path} with the encoded file.")
    elif not isinstance(value.get("path"), str) or not PLAIN_NAME.fullmatch(value["path"]):
        found = f"{shown(value.get('path'))} is no plain file name."
        yield flaw("MEDIUM_UNUSABLE", name, found, "Name the file after the id.")


def vocabulary(column: str, value: str, known: Sequence[str]) -> Iterator[Problem]:
    """A value outside a closed vocabulary."""
    if value not in known:
        found = f"{shown(value)} is none of {', '.join(known)}{nearest(value, known)}."
        yield flaw("VOCABULARY", column, found, "Correct it.")


def rights_flaws(row: Row) -> Iterator[Problem]:
    """A row without an SPDX id of its licence, or without a credit."""
    for name in ("license", "attribution"):
        written = row.get(name)
        if not str(written or "").strip():
            yield flaw("RIGHTS", name, "is empty.", "Fill it (a column, or once for all rows in about.yaml).")
        elif name == "license":
            yield from licence_flaws(row)
        elif written in NO_RIGHTS:
            yield flaw("RIGHTS", name, f"{shown(written)} credits nobody.", "Name whom to credit.")


def licence_flaws(row: Row) -> Iterator[Problem]:
    """A licence that is no SPDX id."""
    written = row["license"]
    canonical = spdx(str(written))
    if canonical is None:
        yield flaw("RIGHTS", "license", f"{shown(written)} is no SPDX id.", "Write it as in CC-BY-3.0 or CC0-1.0.")
    elif canonical != written:
        yield flaw("RIGHTS", "license", f"{shown(written)} is not spelled canonically.", f'Write "{canonical}".')


@lru_cache(maxsize=4096)
def spdx(text: str) -> str | None:
    """An SPDX licence expression in its canonical spelling; None if it is none."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        return str(canonicalize_license_expression(text))
    except InvalidLicenseExpression:
        return None


def address_flaws(column: str, text: str) -> Iterator[Problem]:
    """A licence's address that is none."""
    if not ADDRESS.fullmatch(text):
        yield flaw("RIGHTS", column, f"{shown(text)} is no address.", "Give the licence's https address.")


EXCERPT_SECONDS = (30, 90)
"""HQ-01."""
TOLERANCE_S = 0.1
"""Windows may end this much after the decoded end: encoders pad and cut by a frame."""
CUT_TOLERANCE_S = 1.0
"""Excerpt times are written in whole seconds."""
_TIME = re.compile(r"(?:\d+:){0,2}\d+(?:\.\d+)?")


def window_flaws(column: str, start_s: float, end_s: float, duration_s: float | None) -> Iterator[Problem]:
    """A window that is empty or lies outside a file of `duration_s` (None = not known)."""
    if not 0 <= start_s < end_s:
        found = f"the window {start_s:g} to {end_s:g} s is empty."
        yield flaw("CLIP_RANGE_INVALID", column, found, "Give 0 <= start < end.")
    elif duration_s is not None and end_s > duration_s + TOLERANCE_S:
        found = f"the window {start_s:g} to {end_s:g} s ends after the file's {duration_s:g} s."
        yield flaw("CLIP_RANGE_INVALID", column, found, "Shorten it to the file.")


def seconds(text: str) -> float | None:
    """Seconds of `mm:ss`, `hh:mm:ss` or plain seconds; None if the text is none of these."""
    if not _TIME.fullmatch(text):
        return None
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total


def excerpt_flaws(start: str, end: str, duration_s: float | None = None) -> Iterator[Problem]:
    """Excerpt times that are none, or an excerpt that is empty, too short, too long, or longer than its file."""
    columns = ("excerpt_start_time", "excerpt_end_time")
    times = [seconds(text) for text in (start, end)]
    for column, text, time in zip(columns, (start, end), times, strict=True):
        if time is None:
            found = f"{shown(text)} is no time."
            yield flaw("CLIP_RANGE_INVALID", column, found, "Write mm:ss, hh:mm:ss or seconds.")
    first, last = times
    if first is None or last is None:
        return
    shortest, longest = EXCERPT_SECONDS
    if last <= first:
        yield from window_flaws(columns[1], first, last, None)
    elif not shortest <= last - first <= longest:
        found = f"the excerpt lasts {last - first:g} s."
        yield flaw("EXCERPT_LENGTH", columns[1], found, f"Choose {shortest} to {longest} s.")
    elif duration_s is not None and duration_s < last - first - CUT_TOLERANCE_S:
        found = f"the excerpt lasts {last - first:g} s, its file {duration_s:g} s."
        yield flaw("CLIP_RANGE_INVALID", columns[1], found, "Give the whole piece, or a file cut to the excerpt.")
