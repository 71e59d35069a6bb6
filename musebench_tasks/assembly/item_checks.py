"""Asks the rules about the rows of a task, of a repository, or of the sheet that one is built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from musebench_tasks.assembly.errors_sheet import row_numbers
from musebench_tasks.assembly.media_findings import Medium
from musebench_tasks.assembly.rules import EVERY_ITEM, Findings, Flaw, check_configs, check_items, check_questions
from musebench_tasks.assembly.rules.findings import Finding, findings_of, in_order
from musebench_tasks.assembly.rules.question import ANY, DEMANDS, Question
from musebench_tasks.assembly.rules.told import tag_of
from musebench_tasks.assembly.schemas import CONFIGS, SCHEMAS, Schema
from musebench_tasks.errors import InputError
from musebench_tasks.items.files import configs_of, data_files
from musebench_tasks.items.filters import kept
from musebench_tasks.items.load import BLIND, REFERENCES, config_table
from musebench_tasks.items.locate import Location, locate
from musebench_tasks.items.mapping import map_columns
from musebench_tasks.items.problems import Problems
from musebench_tasks.items.rows import BuiltItem, build_items, build_references
from musebench_tasks.items.tables import Table, read_table
from musebench_tasks.records import Reference, TaskConfig

DEFAULT = "default"
_DEMO = "_demo"


class CheckedItems(NamedTuple):
    """What was found in some rows, the table they stand in, and the media they name."""

    findings: Findings
    table: Table
    media: tuple[Medium, ...] = ()


def check_task(task: TaskConfig, *, offline: bool = False) -> CheckedItems:
    """The rules on a task's rows: all of its benchmark's where its columns are there, else those on any question."""
    location = locate(task, (BLIND, REFERENCES), offline=offline)
    name = location.benchmark.removesuffix(_DEMO)
    if location.file is None and name in SCHEMAS:
        table = _config_table(location, DEFAULT, task.test_split)
        if table is not None and _columns_of(SCHEMAS[name]) <= set(table.columns):
            return CheckedItems(_repository(task, name, location, table), table)
    return _mapped(task, location)


def _columns_of(schema: Schema) -> set[str]:
    return {column.name for column in schema.columns}


def _config_table(location: Location, config: str, split: str) -> Table | None:
    """The rows of one config; None where the data have no such config here."""
    configs = configs_of(location.directory)
    if config not in configs if configs else config != DEFAULT:
        return None
    try:
        files = data_files(location.directory, config if configs else None, config, split)[1]
    except InputError:
        return None
    return read_table(location.directory, files)


def _repository(task: TaskConfig, name: str, location: Location, table: Table) -> Findings:
    """The rows of `default`, and whether `blind` and `references` agree with them."""
    found = check_items(table.rows, name, file=shown_file(table), label_like=EVERY_ITEM, media=False)
    others = {config: _config_table(location, config, task.test_split) for config in CONFIGS if config != DEFAULT}
    there = {config: each.rows for config, each in others.items() if each is not None}
    return found + check_configs(name, table.rows, there)


def shown_file(table: Table) -> str:
    """What messages call a table: its file, or the folder of its files."""
    files = list(dict.fromkeys(origin.file for origin in table.origins))
    return table.shown(files[0]) if len(files) == 1 else table.directory.name


class _Noted(Problems):
    """Problems by row, as they are told."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []

    def add(self, place: str, column: str | None, message: object) -> None:
        super().add(place, column, message)
        self.found.append((place, column or "", str(message)))

    def findings(self, tables: Iterable[Table], mapping: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
        """As findings, each beside its row; `mapping` as `map_columns` gives it."""
        rows: dict[str, tuple[str, int, Any]] = {}
        for table in tables:
            file = shown_file(table)
            for position, number in enumerate(row_numbers(table)):
                rows[table.place(position)] = (file, number, table.rows[position].get(mapping["id"][0]))
        told: set[tuple[str, str, str]] = set()
        for place, column, message in dict.fromkeys(self.found):
            where, row, name = rows.get(place, (place, None, None))
            tag = tag_of(message, column, mapping.get("answer", ()))
            if (place, column, tag) in told:
                continue
            told.add((place, column, tag))
            yield from findings_of([Flaw(tag, column, message)], where, row, None if name is None else str(name))


def _mapped(task: TaskConfig, location: Location) -> CheckedItems:
    """The rules on questions, on what a task's `columns` say of any table."""
    problems = _Noted()
    asked_config, table = config_table(task, location, BLIND)
    built = build_items(task, location.benchmark, table, problems)
    gold_config, gold = config_table(task, location, REFERENCES)
    references: Mapping[str, Reference] = {}
    if not (gold_config == BLIND and asked_config == BLIND):
        by_id = {each.item.id: each for each in built}
        references = build_references(task, location.benchmark, gold, by_id, problems)
    mapping = map_columns(task, table) | map_columns(task, gold, ("id", "answer"))
    found = in_order(problems.findings([table, gold], mapping), len(table.rows))
    if task.kind != "choice":
        return CheckedItems(found, table)
    chosen = kept(task, built)
    questions = [_question(task, table, each, references.get(each.item.id)) for each in chosen]
    rows = row_numbers(table)
    numbers = [rows[each.position] for each in chosen]
    demands = DEMANDS.get(location.benchmark.removesuffix(_DEMO), ANY)
    asked = check_questions(questions, file=shown_file(table), numbers=numbers, label_like=EVERY_ITEM, demands=demands)
    return CheckedItems(in_order((*found, *asked), len(table.rows)), table)


def _question(task: TaskConfig, table: Table, built: BuiltItem, reference: Reference | None) -> Question:
    item, columns = built.item, map_columns(task, table)
    places = {option.id: place for place, option in enumerate(item.options)}
    right = [places[each] for each in (reference.answer or () if reference else ()) if each in places]
    named = ["/".join(columns.get(field, ())) for field in ("question", "options", "answer")]
    if not named[1]:
        named[1] = "/".join((*columns.get("answer", ()), *columns.get("distractors", ())))
    medium = _medium(table, columns.get("media", ()), built)
    return Question(
        item.id,
        item.kind.value,
        item.question or "",
        tuple([option.text for option in item.options]),
        frozenset(right),
        item.cluster_id or medium,
        f"{medium}|{item.start_s}|{item.end_s}",
        (named[0], named[1], named[2]),
        "options" in columns,
    )


def _medium(table: Table, columns: Sequence[str], built: BuiltItem) -> str:
    """What names a row's medium: its file; the row itself where media are embedded."""
    cell: Any = table.rows[built.position].get(columns[0]) if columns else None
    if isinstance(cell, dict):
        cell = cell.get("path")
    return str(cell) if cell else f"row {built.position + 1}"
