"""CSV and TSV: segments of one recording, or values (or segments) of many, told apart by the head line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from musebench_tasks.base.text import nearest
from musebench_tasks.items.annotations.json_values import raw_segments
from musebench_tasks.items.annotations.raw_values import (
    END_NAMES,
    ID_NAMES,
    LABEL_NAMES,
    NAMES,
    START_NAMES,
    Fault,
    RawValue,
    UnreadableError,
    column_named,
    is_time,
    metre_in,
    named_recording,
    stated,
    tempo_in,
    time_in,
)
from musebench_tasks.items.annotations.segment_rows import read_rows
from musebench_tasks.items.annotations.text import CellLine, cells_of, column_names, odd_length, rows_below

_CHORD = re.compile(r"[A-G][#b]*:[(\w]\S*")
KNOWN = (*NAMES, *ID_NAMES, *START_NAMES, *END_NAMES, *LABEL_NAMES)


def read_table(text: str, file: str, stem: str) -> Iterator[RawValue | Fault]:
    """Everything in a table; `stem` is the recording that the file's name names."""
    lines = cells_of(text)
    columns = column_names(lines[0])
    if is_time(columns[0]):
        yield from segments_of(lines, file, stem)
        return
    if not any(column in KNOWN for column in columns):
        found = ", ".join(lines[0].cells)[:80]
        raise UnreadableError(
            f"has no known column, found {found}{nearest(columns[0], KNOWN)}. Known: id, {', '.join(NAMES)}; "
            "start_s, end_s, label."
        )
    rows = rows_below(lines, [column for column in columns if column in KNOWN])
    identity = column_named(ID_NAMES, columns)
    if columns[0] == "time" and column_named(LABEL_NAMES, columns) is not None:
        columns[0] = START_NAMES[0]
    is_of_segments = column_named(START_NAMES, columns) is not None
    if is_of_segments and identity == column_named(LABEL_NAMES, columns):
        identity = None  # `name` is that of the section.
    whole = []
    for line in rows:
        message = odd_length(line, len(columns))
        if message is None:
            whole.append(line)
            continue
        named = stem if identity is None else named_recording("".join(line.cells[identity : identity + 1]))
        # Without one of its rows a recording's segments are others; a row of values is lost alone.
        yield Fault(named or None, "segments" if is_of_segments else None, f"{file} row {line.number}", message)
    read = _segment_table if is_of_segments else _value_table
    yield from read(whole, columns, file, stem, identity)


def segments_of(lines: list[CellLine], file: str, stem: str) -> Iterator[RawValue | Fault]:
    """The segments of one recording in lines of cells without a head."""
    rows = read_rows(lines)
    for number, message in rows.faults:
        yield Fault(stem, "segments", f"{file} row {number}", message)
    chord = next((label for *_, label in rows.segments if _CHORD.fullmatch(label)), None)
    if chord is not None:
        message = f'holds chords or keys, such as "{chord[:40]}", and no sections. Call its folder chords or keys.'
        yield Fault(stem, "segments", file, message)
    elif not rows.faults:
        yield RawValue(stem, "segments", rows.segments, file, rows=rows.lines)


def _segment_table(
    lines: list[CellLine], columns: list[str], file: str, stem: str, identity: int | None
) -> Iterator[RawValue | Fault]:
    """One row a segment, of one recording or, with a column of ids, of many."""
    start, end = column_named(START_NAMES, columns), column_named(END_NAMES, columns)
    label = column_named(LABEL_NAMES, columns)
    if end is None and label is None:
        raise UnreadableError("has a column of starts and none of ends. Add the column end_s.")
    kept = [position for position in (start, end, label) if position is not None]
    rows: dict[str, list[CellLine]] = {}
    for line in lines:
        named = stem if identity is None else named_recording(line.cells[identity])
        if not named:
            yield Fault(None, "segments", f"{file} row {line.number}", "has no id. Fill it.")
        else:
            rows.setdefault(named, []).append(line._replace(cells=[line.cells[position] for position in kept]))
    for named, its in rows.items():
        if end is None:
            yield from segments_of(its, file, named)
        else:
            found = [(time_in(cells[0]), time_in(cells[1]), "".join(cells[2:])) for _, cells in its]
            yield RawValue(named, "segments", found, file, rows=tuple(line.number for line in its))


def _value_table(
    lines: list[CellLine], columns: list[str], file: str, stem: str, identity: int | None
) -> Iterator[RawValue | Fault]:
    """One row a recording; without a column of ids there is one row, of the recording that the file is named after."""
    known = [(position, NAMES[column]) for position, column in enumerate(columns) if column in NAMES]
    if not known:
        raise UnreadableError(f"has ids and no values, found {', '.join(columns)[:80]}. Known: {', '.join(NAMES)}.")
    fields = [field for _, field in known]
    doubled = next((field for field in fields if fields.count(field) > 1), None)
    if doubled is not None:
        raise UnreadableError(f'has two columns for "{doubled}". Remove one.')
    if identity is None and len(lines) != 1:
        raise UnreadableError(f"has {len(lines)} rows and no column of ids. Add the column id.")
    for line in lines:
        named = stem if identity is None else named_recording(line.cells[identity])
        place = f"{file} row {line.number}"
        if not named:
            yield Fault(None, None, place, "has no id. Fill it.")
            continue
        for position, field in known:
            yield from _value(named, field, line.cells[position], file, line.number)


def _value(named: str, field: str, cell: str, file: str, row: int) -> Iterator[RawValue | Fault]:
    if stated(cell) is None:
        yield RawValue(named, field, None, file, row)
    elif field == "tempo":
        yield RawValue(named, field, tempo_in(cell), file, row)
    elif field == "time_signature":
        yield RawValue(named, field, metre_in(cell), file, row)
    elif field == "duration_s":
        yield RawValue(named, field, time_in(cell), file, row)
    elif field == "segments":
        try:
            segments, rows = raw_segments(json.loads(cell))
            yield RawValue(named, field, segments, file, row, rows)
        except (ValueError, RecursionError):
            yield Fault(named, field, f"{file} row {row}", "should be a JSON list of segments. Correct it.")
    else:
        yield RawValue(named, field, cell, file, row)
