"""Asks the rules about the rows of a task, of a repository, or of the sheet that one is built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.assembly.errors_sheet import row_numbers
from musebench_tasks.assembly.links import LINK_NAMES
from musebench_tasks.assembly.media_findings import Medium
from musebench_tasks.assembly.rules import EVERY_ITEM, Findings, Flaw, check_configs, check_items, check_questions
from musebench_tasks.assembly.rules.findings import Finding, findings_of, in_order
from musebench_tasks.assembly.rules.question import ANY, DEMANDS, Question
from musebench_tasks.assembly.rules.told import tag_of
from musebench_tasks.assembly.schemas import CONFIGS, SCHEMAS, SPLIT, Schema
from musebench_tasks.errors import InputError
from musebench_tasks.items.files import configs_of, data_files
from musebench_tasks.items.filters import kept
from musebench_tasks.items.load import BLIND, REFERENCES, config_table
from musebench_tasks.items.locate import Location, locate
from musebench_tasks.items.mapping import map_columns
from musebench_tasks.items.problems import Problems
from musebench_tasks.items.rows import BuiltItem, build_items, build_references
from musebench_tasks.items.tables import Row, Table, read_table
from musebench_tasks.records import Reference, TaskConfig, TaskMetadata

DEFAULT = "default"
QUESTION_COLUMNS = frozenset({"id", "question", "options", "answer"})
"""Of a choice benchmark without a mapping."""
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
        table = _config_table(location.directory, DEFAULT, task.test_split)
        if table is not None and _has_columns_of(SCHEMAS[name], table):
            return CheckedItems(_repository(name, location.directory, task.test_split, table), table)
    return _mapped(task, location)


def check_repository(directory: Path) -> Findings:
    """The rules on every split of a built repository, whatever it is called: its columns tell which rules.

    Columns of a benchmark of this package get all of its rules, other questions those on any question, other rows none.
    """
    configs = configs_of(directory)
    splits = configs[DEFAULT].patterns if DEFAULT in configs else {}
    return sum((_split_findings(directory, split or SPLIT) for split in splits), Findings((), 0))


def _split_findings(directory: Path, split: str) -> Findings:
    table = _config_table(directory, DEFAULT, split)
    if table is None:
        return Findings((), 0)
    name = next((name for name, schema in SCHEMAS.items() if _has_columns_of(schema, table)), None)
    if name is not None:
        return _repository(name, directory, split, table)
    if not set(table.columns) >= QUESTION_COLUMNS:
        return Findings((), len(table.rows))
    ways = (DEFAULT, None) if configs_of(directory).keys() >= {BLIND, REFERENCES} else (DEFAULT,)
    return sum((_question_findings(directory, config, split) for config in ways), Findings((), 0))


def _question_findings(directory: Path, config: str | None, split: str) -> Findings:
    """The rules on questions as `config` holds them; None = as tasks read them, questions and answers apart."""
    task = TaskConfig(
        task=directory.name,
        dataset_path=str(directory.absolute()),
        dataset_name=config,
        test_split=split,
        kind="choice",
        metric_list=(),
        metadata=TaskMetadata(headline="accuracy"),
    )
    return _mapped(task, locate(task, (BLIND, REFERENCES), offline=True)).findings


def _has_columns_of(schema: Schema, table: Table) -> bool:
    return {column.name for column in schema.columns} <= set(table.columns)


def _config_table(directory: Path, config: str, split: str) -> Table | None:
    """The rows of one config; None where the data have no such config here."""
    configs = configs_of(directory)
    if config not in configs if configs else config != DEFAULT:
        return None
    try:
        files = data_files(directory, config if configs else None, config, split)[1]
    except InputError:
        return None
    return read_table(directory, files)


def _repository(name: str, directory: Path, split: str, table: Table) -> Findings:
    """The rows of `default`, and whether `blind` and `references` agree with them."""
    rows = _without_links(table)
    found = check_items(rows, name, file=shown_file(table), label_like=EVERY_ITEM, media=False)
    others = {config: _config_table(directory, config, split) for config in CONFIGS if config != DEFAULT}
    there = {config: _without_links(each) for config, each in others.items() if each is not None}
    return found + check_configs(name, rows, there)


def _without_links(table: Table) -> list[Row]:
    """The rows without what leads to media that are not in the repository: no rule is about it."""
    if not table.rows or not table.rows[0].keys() & set(LINK_NAMES):
        return table.rows
    return [{name: cell for name, cell in row.items() if name not in LINK_NAMES} for row in table.rows]


def shown_file(table: Table) -> str:
    """What messages call a table: its file, or the folder of its files."""
    files = list(dict.fromkeys(origin.file for origin in table.origins))
    return table.shown(files[0]) if len(files) == 1 else table.directory.name


def _told(problems: Problems, tables: Iterable[Table], mapping: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Problems as findings, each beside its row; `mapping` as `map_columns` gives it."""
    rows: dict[str, tuple[str, int, Any]] = {}
    for table in tables:
        file = shown_file(table)
        for position, number in enumerate(row_numbers(table)):
            rows[table.place(position)] = (file, number, table.rows[position].get(mapping["id"][0]))
    told: set[tuple[str, str, str]] = set()
    for place, column, message in problems:
        where, row, name = rows.get(place, (place, None, None))
        tag = tag_of(message, column, mapping.get("answer", ()))
        if (place, column, tag) in told:
            continue
        told.add((place, column, tag))
        yield from findings_of([Flaw(tag, column, message)], where, row, None if name is None else str(name))


def _mapped(task: TaskConfig, location: Location) -> CheckedItems:
    """The rules on questions, on what a task's `columns` say of any table."""
    problems = Problems()
    asked_config, table = config_table(task, location, BLIND)
    built = build_items(task, location.benchmark, table, problems)
    gold_config, gold = config_table(task, location, REFERENCES)
    references: Mapping[str, Reference] = {}
    if not (gold_config == BLIND and asked_config == BLIND):
        by_id = {each.item.id: each for each in built}
        references = build_references(task, location.benchmark, gold, by_id, problems)
    mapping = map_columns(task, table) | map_columns(task, gold, ("id", "answer"))
    found = in_order(_told(problems, [table, gold], mapping), len(table.rows))
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
