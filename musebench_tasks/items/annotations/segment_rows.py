"""Rows of segments as raw (start, end, label), in the four layouts that are in use.

The first row decides: `start end [label]` (two times), `start label` (one time; the last row, labelled `end`, says
where the last segment ends), or boundaries alone (one time a row, segments lie between them).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from musebench_tasks.items.annotations.found import is_time, time_in
from musebench_tasks.items.annotations.text import Line

END_LABELS = frozenset({"end", "fin", ""})
"""Labels of the row that ends the last segment, in lists of starts."""


class Rows(NamedTuple):
    """Raw segments, the line of each, and what is wrong with other lines."""

    segments: list[Any]
    lines: tuple[int, ...]
    faults: tuple[tuple[int, str], ...] = ()


def read_rows(lines: Sequence[Line]) -> Rows:
    """The segments of lines of cells (at least one line)."""
    first = lines[0].cells
    if not is_time(first[0]):
        found = " ".join(first)[:60]
        return Rows([], (), ((lines[0].number, f'should begin with a time in seconds, found "{found}". Correct it.'),))
    if len(first) == 1:
        return _between([(line.number, line.cells[0], "") for line in lines], lines, cells=1)
    if is_time(first[1]):
        return _intervals(lines)
    return _between([(line.number, line.cells[0], " ".join(line.cells[1:])) for line in lines], lines, cells=2)


def _intervals(lines: Sequence[Line]) -> Rows:
    segments, numbers, faults = [], [], []
    for line in lines:
        if len(line.cells) < 2:
            faults.append((line.number, f'should be "start end label", found "{line.cells[0][:60]}". Complete it.'))
            continue
        label = line.cells[2] if len(line.cells) > 2 else ""
        segments.append((time_in(line.cells[0]), time_in(line.cells[1]), label))
        numbers.append(line.number)
    return Rows(segments, tuple(numbers), tuple(faults))


def _between(rows: Sequence[tuple[int, str, str]], lines: Sequence[Line], *, cells: int) -> Rows:
    """Segments from each row's time to the next one's."""
    faults = [
        (line.number, f'should be one time in seconds, found "{" ".join(line.cells)[:60]}". Correct it.')
        for line in lines
        if not is_time(line.cells[0]) or (cells == 1 and len(line.cells) > 1)
    ]
    last, _, label = rows[-1]
    if cells == 2 and label.strip().casefold() not in END_LABELS:
        message = f'"{label[:60]}" starts in the last row and ends nowhere. Add a row with the end and the label "end".'
        faults.append((last, message))
    if len(rows) == 1 and not faults:
        faults.append((last, "is one boundary, a segment needs two. Complete the file."))
    if faults:
        return Rows([], (), tuple(faults))
    segments = [(time_in(start), time_in(end), label) for (_, start, label), (_, end, _) in pairwise(rows)]
    return Rows(segments, tuple(number for number, _, _ in rows[:-1]))
