"""The rules on items, asked about the rows of a sheet before their media are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.media_rows import TimedRow
from musebench_tasks.assembly.rules import Findings, check_items, check_questions
from musebench_tasks.assembly.rules.findings import findings_of, in_order
from musebench_tasks.assembly.rules.question import musebench_question
from musebench_tasks.assembly.rules.times import window_flaws
from musebench_tasks.assembly.schemas import SCHEMAS, Schema
from musebench_tasks.assembly.sheet import Faults
from musebench_tasks.base.problems import Effect, Problem


class AskedRow(NamedTuple):
    """A row as the rules look at it."""

    number: int
    """What messages call it."""
    cells: Mapping[str, Any]
    duration_s: float | None = None
    """Of its medium, where that is known."""
    faulty: frozenset[str] = frozenset()
    """Columns that could not be read, of which that is told already."""
    source: str | None = None
    """What names its medium, where that is known."""


def rule_findings(schema: Schema, rows: Sequence[AskedRow], file: str, label_like: frozenset[str]) -> Findings:
    """What the rules say of the rows of a sheet; `file` is what messages call it."""
    if not rows:
        return Findings((), 0)
    numbers, sources = [row.number for row in rows], [row.source for row in rows]
    if schema.dataset in SCHEMAS:
        names = [str(row.cells[schema.id_column]) for row in rows]
        known = {name: row.duration_s for name, row in zip(names, rows, strict=True) if row.duration_s is not None}
        return check_items(
            [row.cells for row in rows],
            schema.dataset,
            file=file,
            numbers=numbers,
            label_like=label_like,
            media=False,
            durations=known,
            faulty=[row.faulty for row in rows],
            sources=sources,
        )
    questions = [musebench_question(row.cells) for row in rows]
    found = list(
        check_questions(
            questions,
            file=file,
            numbers=numbers,
            label_like=label_like,
            id_column=schema.id_column,
            sources=sources,
        )
    )
    for row in rows:
        found += findings_of(_window_flaws(row), file, row.number, str(row.cells[schema.id_column]))
    return in_order(found, len(rows))


def _window_flaws(row: AskedRow) -> Iterable[Problem]:
    start, end = row.cells["start_s"], row.cells["end_s"]
    return window_flaws("end_s", start, end, row.duration_s) if start is not None and end is not None else ()


def add_row_faults(schema: Schema, rows: Sequence[TimedRow], about: About, faults: Faults) -> list[str]:
    """Add what stops a build to `faults`; one line each kind of what does not."""
    asked = [
        AskedRow(number, row.cells, row.duration_s, row.faulty, row.content) for number, row in enumerate(rows, start=1)
    ]
    flags: list[Problem] = []
    for each in rule_findings(schema, asked, schema.dataset, frozenset(about.label_like)):
        if each.effect is Effect.STOP:
            position = None if each.row is None else rows[each.row - 1].position
            faults.add(position, each.column, replace(each, place="", row=None, items=()))
        else:
            flags.append(each)
    return list(_told(flags))


def _told(flags: Sequence[Problem]) -> Iterable[str]:
    counts = Counter(each.code for each in flags)
    for tag, count in sorted(counts.items()):
        first = next(each for each in flags if each.code == tag)
        where = f" (first: {first.item})" if first.item else ""
        yield f"{tag}: {count}{where}: {first.text}"
