"""Rows of segments as raw (start, end, label), in the four layouts that are in use.

The first row decides: `start end [label]` (two times), `start label` (one time; the last row, labelled `end`, says
where the last segment ends), or boundaries alone (one time a row, segments lie between them). A last row `end` without
any length is the end of the recording, no segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from musebench_tasks.base.problems import Problem
from musebench_tasks.items.annotations.raw_values import is_time, number_in, time_in
from musebench_tasks.items.annotations.text import CellLine

END_LABELS = frozenset({"end", "fin", ""})
"""Labels of the row that ends the last segment, in lists of starts."""


class SegmentRows(NamedTuple):
    """Raw segments, the line of each, and what is wrong with other lines."""

    segments: list[Any]
    lines: tuple[int, ...]
    problems: tuple[Problem, ...] = ()


def read_rows(lines: Sequence[CellLine]) -> SegmentRows:
    """The segments of lines of cells (at least one line); their problems lack the file."""
    first = lines[0].cells
    if not is_time(first[0]):
        found = " ".join(first)[:60]
        wrong = Problem(f'should begin with a time in seconds, found "{found}".', "Correct it.", row=lines[0].number)
        return SegmentRows([], (), (wrong,))
    if len(first) == 1:
        return _between([(line.number, line.cells[0], "") for line in lines], lines, cells=1)
    if is_time(first[1]):
        return _intervals(lines)
    return _between([(line.number, line.cells[0], _label(line.cells[1:])) for line in lines], lines, cells=2)


def hundredths_in_seconds(lines: Sequence[CellLine]) -> list[CellLine]:
    """Lines whose first two cells count hundredths of a second, as lines of seconds."""
    return [line._replace(cells=[*map(_from_hundredths, line.cells[:2]), *line.cells[2:]]) for line in lines]


def _from_hundredths(cell: str) -> str:
    time = number_in(cell)
    return cell if isinstance(time, str) else format(Decimal(str(time)) / 100, "f")


def _intervals(lines: Sequence[CellLine]) -> SegmentRows:
    segments, numbers, problems = [], [], []
    for line in lines:
        if len(line.cells) < 2:
            found = f'should be "start end label", found "{line.cells[0][:60]}".'
            problems.append(Problem(found, "Complete it.", row=line.number))
            continue
        segments.append((time_in(line.cells[0]), time_in(line.cells[1]), _label(line.cells[2:])))
        numbers.append(line.number)
    if len(segments) > 1 and _is_end_mark(*segments[-1]):
        del segments[-1], numbers[-1]
    return SegmentRows(segments, tuple(numbers), tuple(problems))


def _label(cells: Sequence[str]) -> str:
    """What stands behind the times: Isophonics leaves a cell empty before it, RWC quotes it."""
    label = " ".join(filter(None, cells))
    return label[1:-1].strip() if len(label) > 1 and label[0] == label[-1] == '"' else label


def _is_end_mark(start: Any, end: Any, label: str) -> bool:
    return start == end and label.casefold() in END_LABELS - {""}


def _between(rows: Sequence[tuple[int, str, str]], lines: Sequence[CellLine], *, cells: int) -> SegmentRows:
    """Segments from each row's time to the next one's."""
    problems = [
        Problem(f'should be one time in seconds, found "{" ".join(line.cells)[:60]}".', "Correct it.", row=line.number)
        for line in lines
        if not is_time(line.cells[0]) or (cells == 1 and len(line.cells) > 1)
    ]
    last, _, label = rows[-1]
    if cells == 2 and label.strip().casefold() not in END_LABELS:
        found = f'"{label[:60]}" starts in the last row and ends nowhere.'
        problems.append(Problem(found, 'Add a row with the end and the label "end".', row=last))
    if len(rows) == 1 and not problems:
        problems.append(Problem("is one boundary, a segment needs two.", "Complete the file.", row=last))
    if problems:
        return SegmentRows([], (), tuple(problems))
    segments = [(time_in(start), time_in(end), label) for (_, start, label), (_, end, _) in pairwise(rows)]
    return SegmentRows(segments, tuple(number for number, _, _ in rows[:-1]))
