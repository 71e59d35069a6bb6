"""The rules on items, asked about the rows of a sheet before their media are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.media_rows import TimedRow
from musebench_tasks.assembly.rules import Effect, Finding, check_items, check_questions
from musebench_tasks.assembly.rules.findings import Flaw, findings_of
from musebench_tasks.assembly.rules.question import musebench_question
from musebench_tasks.assembly.rules.times import window_flaws
from musebench_tasks.assembly.schemas import SCHEMAS, Schema
from musebench_tasks.assembly.sheet import Faults


def add_row_faults(schema: Schema, rows: Sequence[TimedRow], about: About, faults: Faults) -> list[str]:
    """Add what stops a build to `faults`; one line each kind of what does not."""
    label_like = frozenset(about.label_like)
    findings = _findings(schema, rows, label_like) if rows else []
    flags: list[Finding] = []
    for each in findings:
        if each.effect is Effect.STOP:
            faults.add(None if each.row is None else rows[each.row - 1].position, each.field, each.text)
        else:
            flags.append(each)
    return list(_told(flags))


def _findings(schema: Schema, rows: Sequence[TimedRow], label_like: frozenset[str]) -> list[Finding]:
    plain = [row.cells for row in rows]
    if schema.dataset in SCHEMAS:
        names = [str(row[schema.id_column]) for row in plain]
        known = {name: row.duration_s for name, row in zip(names, rows, strict=True) if row.duration_s is not None}
        return list(check_items(plain, schema.dataset, label_like=label_like, media=False, durations=known))
    questions = [musebench_question(cells) for cells in plain]
    findings = list(check_questions(questions, file=schema.dataset, label_like=label_like, id_column=schema.id_column))
    for number, row in enumerate(rows, start=1):
        findings += findings_of(_window_flaws(row), schema.dataset, number, str(row.cells["id"]))
    return findings


def _window_flaws(row: TimedRow) -> Iterable[Flaw]:
    start, end = row.cells["start_s"], row.cells["end_s"]
    return window_flaws("end_s", start, end, row.duration_s) if start is not None and end is not None else ()


def _told(flags: Sequence[Finding]) -> Iterable[str]:
    counts = Counter(each.tag for each in flags)
    for tag, count in sorted(counts.items()):
        first = next(each for each in flags if each.tag == tag)
        where = f" (first: {first.item})" if first.item else ""
        yield f"{tag}: {count}{where}: {first.text}"
