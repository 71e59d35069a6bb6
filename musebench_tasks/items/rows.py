"""Rows of a table as Items (never looking at gold) and as References."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, Problems
from musebench_tasks.base.records import Cells, Item, Kind, MusicTruth, Option, Reference, TaskConfig
from musebench_tasks.base.text import shown
from musebench_tasks.items import cells, choice, music
from musebench_tasks.items.derived import Unreadable
from musebench_tasks.items.mapping import GOLD_FIELDS, Mapping, map_columns, require
from musebench_tasks.items.option_cells import read_options, unlabelled_answer, wrong_texts
from musebench_tasks.items.tables import Origin, Table
from musebench_tasks.items.windows import window_fault

_TEXT_FIELDS = ("category", "subdomain", "difficulty", "license", "attribution", "alignment")
_TIME_READERS = {"start_s": cells.seconds, "end_s": cells.seconds, "duration_s": cells.duration}


class BuiltItem(NamedTuple):
    """An item as its row gives it, before its medium is looked at."""

    item: Item
    position: int
    """Of its row in the table."""


class FaultyRow(NamedTuple):
    """What could be read of a row that is no item: enough to look at its gold too, so that all is told at once."""

    id: str | None
    origin: Origin
    kind: Kind | None
    options: tuple[Option, ...]
    window_s: float | None


class ReadItems(NamedTuple):
    """The rows of a table as items, as far as they can be read."""

    sound: list[BuiltItem]
    faulty: list[FaultyRow]

    @property
    def by_id(self) -> dict[str, BuiltItem]:
        """The sound ones; of several with one id, which are told, the first."""
        return {each.item.id: each for each in reversed(self.sound)}


class _AskedRow(NamedTuple):
    """What gold is compared with; `id` None where the row is no item, and its gold only looked at."""

    id: str | None
    kind: Kind | None
    options: tuple[Option, ...]
    window_s: float | None


class RowReader:
    """Reads the cells of one row; problems are collected and the cell becomes None."""

    def __init__(self, table: Table, mapping: Mapping, problems: Problems) -> None:
        self.table, self.mapping, self.problems = table, mapping, problems

    def read(self, position: int, field: str, reader: Callable[[Any], Any]) -> Any:
        """What `reader` makes of the field's cell; None if there is no column or the cell is wrong."""
        columns = self.mapping.get(field)
        return None if columns is None else self.read_column(position, columns[0], reader)

    def add(self, position: int, problems: Iterable[Problem], column: str = "") -> None:
        """Note what is wrong with a row."""
        self.problems.add(*(self.table.placed(position, each, column) for each in problems))

    def read_column(self, position: int, column: str, reader: Callable[[Any], Any]) -> Any:
        """What `reader` makes of the cell in `column`; None if it is wrong."""
        cell = self.table.rows[position].get(column)
        if isinstance(cell, Unreadable):
            self.add(position, cell.problems)
            return None
        try:
            return reader(cell)
        except InputError as error:
            self.add(position, error.problems, column)
            return None


def build_items(task: TaskConfig, benchmark: str, table: Table, problems: Problems) -> list[BuiltItem]:
    """The items of every row that can be read; what cannot is added to `problems`. Gold columns are left alone."""
    return read_items(task, benchmark, table, problems).sound


def read_items(task: TaskConfig, benchmark: str, table: Table, problems: Problems) -> ReadItems:
    """`build_items`, and what could be read of the other rows."""
    mapping = map_columns(task, table)
    wanted = ["id"]
    if task.kind == "choice":
        wanted += ["question", *(("distractors", "answer") if _unordered(task, mapping) else ("options",))]
    if task.protocol.media:
        wanted.append("media")
    require(task, table, mapping, wanted)
    reader = RowReader(table, mapping, problems)
    rows = [_read_row(task, benchmark, reader, position) for position in range(len(table.rows))]
    _report_duplicates(table, mapping["id"][0], rows, problems)
    sound = [each for each in rows if isinstance(each, BuiltItem)]
    read = ReadItems(sound, [each for each in rows if isinstance(each, FaultyRow)])
    first = read.by_id
    repeated = [_as_faulty(table, each) for each in sound if first[each.item.id] is not each]
    return ReadItems(sound, [*repeated, *read.faulty])


def _as_faulty(table: Table, built: BuiltItem) -> FaultyRow:
    item = built.item
    return FaultyRow(item.id, table.origins[built.position], item.kind, item.options, item.window_s)


def _unordered(task: TaskConfig, mapping: Mapping) -> bool:
    """Whether options are to be made of answer and distractors (a blind configuration lists them instead)."""
    return task.columns.distractors is not None and ("distractors" in mapping or "options" not in mapping)


def _read_row(task: TaskConfig, benchmark: str, reader: RowReader, position: int) -> BuiltItem | FaultyRow:
    before = len(reader.problems)
    item_id = reader.read(position, "id", lambda cell: cells.required(cells.identifier, cell))
    fields = _shared(reader, position)
    if task.protocol.media and reader.mapping["media"][0] not in reader.table.embedded:
        reader.read(position, "media", cells.named_medium)
    given: tuple[Option, ...] = ()
    kind: Kind | None = Kind.MUSIC
    if task.kind == "choice":
        kind = reader.read(position, "kind", choice.kind_of) if "kind" in reader.mapping else Kind.SINGLE
        fields["question"] = reader.read(position, "question", lambda cell: cells.required(cells.text, cell))
        given = _options(task.cells, benchmark, reader, position, item_id or "")
    if item_id is None or kind is None or len(reader.problems) > before:
        window = _window_s(fields["start_s"], fields["end_s"], fields["duration_s"])
        return FaultyRow(item_id, reader.table.origins[position], kind, given, window)
    cluster = fields.pop("cluster_id") or ""
    item = Item(id=item_id, benchmark=benchmark, kind=kind, options=given, cluster_id=cluster, **fields)
    return BuiltItem(item, position)


def _shared(reader: RowReader, position: int) -> dict[str, Any]:
    fields = {name: reader.read(position, name, lambda cell: cells.optional(cells.text, cell)) for name in _TEXT_FIELDS}
    fields["transcript"] = reader.read(position, "transcript", cells.transcript)
    for name, read in _TIME_READERS.items():
        fields[name] = reader.read(position, name, lambda cell, read=read: cells.optional(read, cell))  # type: ignore[misc]
    fields["cluster_id"] = reader.read(position, "cluster_id", lambda cell: cells.optional(cells.text, cell))
    fields["tags"] = reader.read(position, "tags", lambda cell: cells.texts(cell) if cell else ()) or ()
    fault = window_fault(fields["start_s"], fields["end_s"], fields["duration_s"])
    if fault is not None:
        reader.add(position, [replace(fault, column=reader.mapping[fault.column][0])])
        fields["end_s"] = fields["duration_s"] = None
    return fields


def _window_s(start_s: float | None, end_s: float | None, duration_s: float | None) -> float | None:
    return end_s - start_s if start_s is not None and end_s is not None else duration_s


def _options(written: Cells, benchmark: str, reader: RowReader, position: int, item_id: str) -> tuple[Option, ...]:
    row = reader.table.rows[position]

    def listed(_: Any) -> tuple[Option, ...]:
        options = read_options(item_id, written, [row.get(name) for name in reader.mapping["options"]])
        choice.check_options(benchmark, options)
        return options

    if "distractors" in reader.mapping:
        return _unordered_options(benchmark, reader, position, item_id)
    return reader.read(position, "options", listed) or ()


def _unordered_options(benchmark: str, reader: RowReader, position: int, item_id: str) -> tuple[Option, ...]:
    columns = reader.mapping["distractors"]
    parts = [reader.read_column(position, name, lambda cell: wrong_texts(cell, len(columns))) for name in columns]

    def unordered(cell: Any) -> tuple[Option, ...]:
        answer = cells.required(lambda each: each, cell, choice.NO_ANSWER)
        if None in parts:
            cells.texts(answer)
            return ()
        wrong = [text for part in parts for text in part]
        options = choice.answer_and_distractors(benchmark, item_id, answer, wrong)
        choice.check_options(benchmark, options)
        return options

    return reader.read(position, "answer", unordered) or ()


def _report_duplicates(table: Table, column: str, rows: Sequence[BuiltItem | FaultyRow], problems: Problems) -> None:
    first: dict[str, int] = {}
    for position, row in enumerate(rows):
        name = row.item.id if isinstance(row, BuiltItem) else row.id
        if name is not None and first.setdefault(name, position) != position:
            problems.add(table.placed(position, _repeated_id(table, name, first[name]), column))


def _repeated_id(table: Table, name: str, first: int) -> Problem:
    found = f"{shown(name)} stands in {table.place(first)} already."
    return Problem(found, "Give each row its own id.", "ID_DUPLICATE")


def build_references(
    task: TaskConfig,
    benchmark: str,
    table: Table,
    items: dict[str, BuiltItem],
    problems: Problems,
    faulty: Iterable[FaultyRow] = (),
) -> dict[str, Reference]:
    """The gold of `items` (by id) from the rows of `table`; every item must have exactly one row.

    The gold of `faulty` rows is looked at too, and given to nobody.
    """
    mapping = map_columns(task, table, ("id", *sorted(GOLD_FIELDS)))
    require(task, table, mapping, ("id", "answer") if task.kind == "choice" else ("id",))
    reader = RowReader(table, mapping, problems)
    asked = _asked_by_position(reader, items, faulty)
    if task.kind == "choice":
        references = dict(_choice_references(task, benchmark, reader, asked))
    else:
        found = ((each.id, _music_truth(reader, where, each.window_s)) for where, each in asked.items())
        references = {name: Reference(item_id=name, music=truth) for name, truth in found if name is not None}
    for name in sorted(set(items) - {each.id for each in asked.values()}):
        lacks = f"item {shown(name)} has no row with its answer."
        problems.add(Problem(lacks, "Add one.", "EMPTY_ANSWER_SET", place=table.called))
    return references


def _asked_by_position(
    reader: RowReader, items: dict[str, BuiltItem], faulty: Iterable[FaultyRow]
) -> dict[int, _AskedRow]:
    """What each row of gold answers; rows that answer nothing that is asked are left out.

    A faulty row is found by its place where gold stands beside the questions, for it may lack an id of its own.
    """
    table = reader.table
    by_origin = {each.origin: each for each in faulty}
    by_name = {each.id: each for each in by_origin.values() if each.id is not None and each.id not in items}
    asked: dict[int, _AskedRow] = {}
    first: dict[str, int] = {}
    for position in range(len(table.rows)):
        name = reader.read(position, "id", lambda cell: cells.required(cells.identifier, cell))
        row = by_origin.get(table.origins[position]) or by_name.get(name)
        if name is not None and (name in items or name in by_name) and first.setdefault(name, position) != position:
            reader.add(position, [_repeated_id(table, name, first[name])], reader.mapping["id"][0])
        elif name in items and row is None:
            built = items[name]
            asked[position] = _AskedRow(name, built.item.kind, built.item.options, built.item.window_s)
        if row is not None and position not in asked:
            asked[position] = _AskedRow(None, row.kind, row.options, row.window_s)
    return asked


def _choice_references(
    task: TaskConfig, benchmark: str, reader: RowReader, asked: dict[int, _AskedRow]
) -> Iterator[tuple[str, Reference]]:
    # Where options are made of the answer, a row without options has told what is wrong with its answer.
    seen = [where for where, each in asked.items() if each.options or task.columns.distractors is None]
    entries = {where: reader.read(where, "answer", choice.gold_entries) for where in seen}
    known = {where: each for where, each in entries.items() if each is not None and asked[where].options}
    if task.cells.option_labels:
        known = {
            where: tuple(unlabelled_answer(entry, asked[where].options) for entry in each)
            for where, each in known.items()
        }
    letters = choice.uses_letters([(each, asked[where].options) for where, each in known.items()])
    for where, gold in known.items():
        name, kind, options, _ = asked[where]
        try:
            right = choice.resolve(gold, options, letters)
            if kind is not None:
                choice.check_gold(benchmark, kind, right, options)
        except InputError as error:
            reader.add(where, error.problems, reader.mapping["answer"][0])
            continue
        if name is not None:
            yield name, Reference(item_id=name, answer=tuple(right))


def _music_truth(reader: RowReader, position: int, duration: float | None) -> MusicTruth:
    values = {
        name: reader.read(position, name, lambda cell, read=read: cells.optional(read, cell))  # type: ignore[misc]
        for name, read in music.TRUTH_READERS.items()
    }
    values["segments"] = reader.read(
        position, "segments", lambda cell: cells.optional(lambda each: music.segments(each, duration), cell)
    )
    return music.truth(values)
