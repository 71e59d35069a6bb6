"""Rows of a table as Items (never looking at gold) and as References."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from musebench_tasks.items import cells, choice, music
from musebench_tasks.items.derived import Unreadable
from musebench_tasks.items.mapping import GOLD_FIELDS, Mapping, map_columns, require
from musebench_tasks.items.option_cells import read_options, unlabelled_answer
from musebench_tasks.items.problems import CellError, Problems
from musebench_tasks.items.tables import Table
from musebench_tasks.items.windows import window_fault
from musebench_tasks.records import Cells, Item, Kind, Option, Reference, TaskConfig

_TEXT_FIELDS = ("category", "subdomain", "difficulty", "license", "attribution", "alignment")
_TIME_READERS = {"start_s": cells.seconds, "end_s": cells.seconds, "duration_s": cells.duration}


class BuiltItem(NamedTuple):
    """An item as its row gives it, before its medium is looked at."""

    item: Item
    position: int
    """Of its row in the table."""
    given: tuple[Option, ...]
    """Options in the order the source lists them, which letter answers count in."""


class RowReader:
    """Reads the cells of one row; problems are collected and the cell becomes None."""

    def __init__(self, table: Table, mapping: Mapping, problems: Problems) -> None:
        self.table, self.mapping, self.problems = table, mapping, problems

    def read(self, position: int, field: str, reader: Callable[[Any], Any]) -> Any:
        """What `reader` makes of the field's cell; None if there is no column or the cell is wrong."""
        columns = self.mapping.get(field)
        if columns is None:
            return None
        cell = self.table.rows[position].get(columns[0])
        if isinstance(cell, Unreadable):
            self.problems.add(self.table.place(position), cell.column, cell.reason)
            return None
        try:
            return reader(cell)
        except CellError as error:
            self.problems.add(self.table.place(position), columns[0], error)
            return None


def build_items(task: TaskConfig, benchmark: str, table: Table, problems: Problems) -> list[BuiltItem]:
    """The items of every row that can be read; what cannot is added to `problems`. Gold columns are left alone."""
    mapping = map_columns(task, table)
    require(task, table, mapping, "id")
    if task.kind == "choice":
        require(task, table, mapping, "question")
        for field in ("distractors", "answer") if _unordered(task, mapping) else ("options",):
            require(task, table, mapping, field)
    if task.protocol.media and "media" not in mapping:
        require(task, table, mapping, "media")
    reader = RowReader(table, mapping, problems)
    built = [_build(task, benchmark, reader, position) for position in range(len(table.rows))]
    ids = _report_duplicates(table, mapping["id"][0], built, problems)
    return [each for each in built if each is not None and each.item.id in ids]


def _unordered(task: TaskConfig, mapping: Mapping) -> bool:
    """Whether options are to be made of answer and distractors (a blind configuration lists them instead)."""
    return task.columns.distractors is not None and ("distractors" in mapping or "options" not in mapping)


def _build(task: TaskConfig, benchmark: str, reader: RowReader, position: int) -> BuiltItem | None:
    before = len(reader.problems.lines)
    item_id = reader.read(position, "id", lambda cell: cells.required(cells.identifier, cell))
    fields = _shared(reader, position)
    if task.protocol.media and reader.mapping["media"][0] not in reader.table.embedded:
        reader.read(position, "media", cells.named_medium)
    given: tuple[Option, ...] = ()
    kind = Kind.MUSIC
    if task.kind == "choice" and item_id is not None:
        kind = reader.read(position, "kind", choice.kind_of) or Kind.SINGLE
        fields["question"] = reader.read(position, "question", lambda cell: cells.required(cells.text, cell))
        given = _options(task.cells, benchmark, reader, position, item_id)
    if len(reader.problems.lines) > before:
        return None
    cluster = fields.pop("cluster_id") or ""
    item = Item(id=item_id, benchmark=benchmark, kind=kind, options=given, cluster_id=cluster, **fields)
    return BuiltItem(item, position, given)


def _shared(reader: RowReader, position: int) -> dict[str, Any]:
    fields = {name: reader.read(position, name, lambda cell: cells.optional(cells.text, cell)) for name in _TEXT_FIELDS}
    fields["transcript"] = reader.read(position, "transcript", cells.transcript)
    for name, read in _TIME_READERS.items():
        fields[name] = reader.read(position, name, lambda cell, read=read: cells.optional(read, cell))  # type: ignore[misc]
    fields["cluster_id"] = reader.read(position, "cluster_id", lambda cell: cells.optional(cells.text, cell))
    fields["tags"] = reader.read(position, "tags", lambda cell: cells.texts(cell) if cell else ()) or ()
    fault = window_fault(fields["start_s"], fields["end_s"], fields["duration_s"])
    if fault is not None:
        reader.problems.add(reader.table.place(position), reader.mapping[fault.field][0], fault.message)
    return fields


def _options(written: Cells, benchmark: str, reader: RowReader, position: int, item_id: str) -> tuple[Option, ...]:
    row = reader.table.rows[position]

    def listed(_: Any) -> tuple[Option, ...]:
        options = read_options(item_id, written, [row.get(name) for name in reader.mapping["options"]])
        choice.check_options(benchmark, options)
        return options

    def unordered(cell: Any) -> tuple[Option, ...]:
        options = choice.answer_and_distractors(
            item_id, cells.required(lambda each: each, cell), [row.get(name) for name in reader.mapping["distractors"]]
        )
        choice.check_options(benchmark, options)
        return options

    if "distractors" in reader.mapping:
        return reader.read(position, "answer", unordered) or ()
    return reader.read(position, "options", listed) or ()


def _report_duplicates(table: Table, column: str, built: Sequence[BuiltItem | None], problems: Problems) -> set[str]:
    first: dict[str, int] = {}
    for each in built:
        if each is None:
            continue
        known = first.setdefault(each.item.id, each.position)
        if known != each.position:
            message = f'"{each.item.id}" stands in {table.place(known)} already. Give each row its own id.'
            problems.add(table.place(each.position), column, message)
    return set(first)


def build_references(
    task: TaskConfig, benchmark: str, table: Table, items: dict[str, BuiltItem], problems: Problems
) -> dict[str, Reference]:
    """The gold of `items` (by id) from the rows of `table`; every item must have exactly one row."""
    mapping = map_columns(task, table, ("id", *sorted(GOLD_FIELDS)))
    require(task, table, mapping, "id")
    reader = RowReader(table, mapping, problems)
    positions = _gold_positions(reader, items)
    if task.kind == "choice":
        require(task, table, mapping, "answer")
        references = dict(_choice_references(task, benchmark, reader, positions, items))
    else:
        references = {name: _music_reference(reader, where, items[name].item) for name, where in positions.items()}
    for name in sorted(set(items) - set(positions)):
        problems.add(str(table.directory.name), None, f'item "{name}" has no row with its answer. Add one.')
    return references


def _gold_positions(reader: RowReader, items: dict[str, BuiltItem]) -> dict[str, int]:
    positions: dict[str, int] = {}
    for position in range(len(reader.table.rows)):
        name = reader.read(position, "id", lambda cell: cells.required(cells.identifier, cell))
        if name in positions:
            message = f'"{name}" stands in {reader.table.place(positions[name])} already. Give each row its own id.'
            reader.problems.add(reader.table.place(position), reader.mapping["id"][0], message)
        elif name in items:
            positions[name] = position
    return positions


def _choice_references(
    task: TaskConfig, benchmark: str, reader: RowReader, positions: dict[str, int], items: dict[str, BuiltItem]
) -> Iterator[tuple[str, Reference]]:
    entries = {name: reader.read(position, "answer", choice.gold_entries) for name, position in positions.items()}
    known = {name: each for name, each in entries.items() if each is not None}
    if task.cells.option_labels:
        known = {
            name: tuple(unlabelled_answer(entry, items[name].given) for entry in each) for name, each in known.items()
        }
    letters = choice.uses_letters([(each, items[name].given) for name, each in known.items()])
    for name, gold in known.items():
        item = items[name].item
        try:
            right = choice.resolve(gold, item.options, items[name].given, letters)
            choice.check_gold(benchmark, item.kind, right, item.options)
        except CellError as error:
            reader.problems.add(reader.table.place(positions[name]), reader.mapping["answer"][0], error)
            continue
        yield name, Reference(item_id=name, answer=tuple(right))


def _music_reference(reader: RowReader, position: int, item: Item) -> Reference:
    values = {
        name: reader.read(position, name, lambda cell, read=read: cells.optional(read, cell))  # type: ignore[misc]
        for name, read in music.TRUTH_READERS.items()
    }
    duration = item.window_s
    values["segments"] = reader.read(
        position, "segments", lambda cell: cells.optional(lambda each: music.segments(each, duration), cell)
    )
    return Reference(item_id=item.id, music=music.truth(values))
