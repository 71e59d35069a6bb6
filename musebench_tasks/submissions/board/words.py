"""What stands beside the names of a table: what tells rows of one name apart, marks, and notes below the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from musebench_tasks.base.text import cut, few
from musebench_tasks.reports.tables import main_condition
from musebench_tasks.submissions.board.entries import Entry, settings_words
from musebench_tasks.submissions.board.names import looks_like, mixes_alphabets, shown
from musebench_tasks.submissions.board.standing import BoardRow, BoardTable

LONGEST_NOTE = 240
MOST_NAMED = 8
_LONGEST_VALUE = 24
_TOLD_ELSEWHERE = (
    *("media.frames", "media.max_frames", "decoding.reasoning", "system.tier"),
    *("prompt.system", "prompt.template"),
)
"""Fields of run.yaml that a row tells anyway, and those that `prompt.sha256` stands for."""


@dataclass(frozen=True)
class RowWords:
    """What stands beside one name."""

    name: str
    badges: tuple[str, ...]
    lines: tuple[str, ...]
    notes: tuple[int, ...]
    """Numbers of notes below the table, from 1."""


def table_words(table: BoardTable, handed_in: Sequence[Entry]) -> tuple[tuple[RowWords, ...], tuple[str, ...]]:
    """The words beside each row, and the notes below the table, each told once.

    `handed_in`: all submissions of the board, those that a later one stands for too.
    """
    here = Counter(each.card.system for each in handed_in if each.terms == table.first.terms)
    notes: dict[str, int] = {}
    words = []
    for row in table.rows:
        numbers = tuple(notes.setdefault(note, len(notes) + 1) for note in _notes(table, row))
        lines = tuple(filter(None, _lines(table, row, here[row.entry.card.system])))
        words.append(RowWords(shown(row.name), tuple(_badges(table, row)), lines, numbers))
    return tuple(words), tuple(notes)


def _badges(table: BoardTable, row: BoardRow) -> Iterator[str]:
    if row.entry.card.system_type != "model":
        yield row.entry.card.system_type
    if row.entry.is_imported:
        yield "imported"
    if _is_called_like_a_baseline(table, row):
        yield "not the baseline"
    if _looks_like_another(table, row):
        yield "look-alike letters"


def _is_called_like_a_baseline(table: BoardTable, row: BoardRow) -> bool:
    names = {looks_like(each.name) for each in table.table.baselines}
    return row.entry.card.system_type != "baseline" and looks_like(row.entry.card.system) in names


def _looks_like_another(table: BoardTable, row: BoardRow) -> bool:
    """Whether letters of another alphabet make a name look like one that it is not."""
    name = row.entry.card.system
    if name.isascii():
        return False
    others = {each.entry.card.system for each in table.rows} | {each.name for each in table.table.baselines}
    return mixes_alphabets(name) or looks_like(name) in {looks_like(each) for each in others - {name}}


def _lines(table: BoardTable, row: BoardRow, n_submissions: int) -> Iterator[str]:
    entry = row.entry
    yield entry.card.tier or ""
    yield settings_words(entry)
    yield _differences(row, [each for each in table.rows if each.name == row.name])
    if entry.is_imported:
        prompt = "" if entry.config.prompt.sha256 else "; prompt not known"
        yield f"from a log of {shown(entry.harness)}{prompt}"
    if n_submissions > 1:
        n_shown = sum(each.entry.card.system == entry.card.system for each in table.rows)
        replaced = f", {n_submissions - n_shown} of them replaced" if n_submissions > n_shown else ""
        yield f"{n_submissions} submissions under this name{replaced}"


def _differences(row: BoardRow, namesakes: Sequence[BoardRow]) -> str:
    """What tells rows of one name apart: `revision a1b2c3 · temperature 0.01`."""
    told = [dict(_leaves(each.entry)) for each in namesakes]
    own = dict(_leaves(row.entry))
    fields = dict.fromkeys(field for each in told for field in each if field not in _TOLD_ELSEWHERE)
    differing = [field for field in fields if len({repr(each.get(field)) for each in told}) > 1]
    return " · ".join(f"{field.rpartition('.')[2].replace('_', ' ')} {_value(own.get(field))}" for field in differing)


def _leaves(entry: Entry) -> Iterator[tuple[str, Any]]:
    blocks = entry.config.model_dump(mode="json", exclude={"harness": True, "benchmark": {"name", "version"}})
    for block, fields in blocks.items():
        if isinstance(fields, dict):
            yield from ((f"{block}.{field}", value) for field, value in fields.items())


def _value(value: Any) -> str:
    if value is None:
        return "not told"
    return cut(", ".join(map(str, value)) if isinstance(value, list) else str(value), _LONGEST_VALUE)


def _notes(table: BoardTable, row: BoardRow) -> Iterator[str]:
    """What was said of a submission, and what stands out in it."""
    entry = row.entry
    said = cut(entry.submission.notes, LONGEST_NOTE)
    if said:
        yield f"“{said}”"
    alike = [each for each in table.rows if each.answers is not None and each.answers == row.answers]
    if len(alike) > 1:
        yield f"The very same answers: {_named(alike)}."
    if entry.card.tools:
        yield f"Tools: {shown(', '.join(entry.card.tools))}."
    condition = main_condition([entry.card])
    heard, told = entry.n_heard(condition)
    if 0 < heard < told:
        yield f"Sound reached it in {heard} of {told} requests that it answered."
    if not entry.is_recorded(condition):
        yield "What of the media reached it is not recorded."
    if _is_called_like_a_baseline(table, row):
        yield f"A system that was handed in as “{shown(entry.card.system)}”; the baseline of that name stands below."
    if _looks_like_another(table, row):
        yield f"“{shown(entry.card.system)}” holds letters of another alphabet that look like those of another name."
    if entry.stored.scorer_version != entry.card.scorer_version:
        yield f"Handed in with scorer {entry.stored.scorer_version}, scored again with this one."


def _named(rows: Sequence[BoardRow]) -> str:
    """Names of rows, each once with how often it stands there; long lists are cut."""
    counted = Counter(shown(each.name) for each in rows)
    names = [name if number == 1 else f"{name} ({number} rows)" for name, number in counted.items()]
    return few(names, MOST_NAMED)
