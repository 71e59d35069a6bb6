"""Asks the rules about the rows of a task, of a repository, or of the sheet that one is built from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.assembly.drafts import RIGHTS
from musebench_tasks.assembly.links import LINK_NAMES
from musebench_tasks.assembly.media_findings import Medium
from musebench_tasks.assembly.rules import EVERY_ITEM, Findings, check_configs, check_items, check_questions
from musebench_tasks.assembly.rules.cells import rights_flaws, window_flaws
from musebench_tasks.assembly.rules.findings import findings_of, in_order, judged
from musebench_tasks.assembly.rules.questions import ANY, DEMANDS, Question
from musebench_tasks.assembly.schemas import CONFIGS, SCHEMAS, SPLIT, Column, ColumnType, Schema
from musebench_tasks.assembly.sheet import row_numbers
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, Problems
from musebench_tasks.base.records import Columns, Reference, TaskConfig, TaskMetadata
from musebench_tasks.items.files import configs_of, data_files
from musebench_tasks.items.filters import kept
from musebench_tasks.items.load import BLIND, REFERENCES, config_table
from musebench_tasks.items.locate import Location, locate
from musebench_tasks.items.mapping import GOLD_FIELDS, map_columns
from musebench_tasks.items.rows import BuiltItem, build_references, read_items
from musebench_tasks.items.tables import Row, Table, read_table

DEFAULT = "default"
ID = "id"
QUESTION_COLUMNS = frozenset({"id", "question", "options", "answer"})
"""Of a choice benchmark without a mapping."""
_DEMO = "_demo"


class CheckedItems(NamedTuple):
    """What was found in some rows, the table they stand in, and the media they name."""

    findings: Findings
    table: Table
    media: tuple[Medium, ...] = ()
    names: tuple[str, ...] = ()
    """What media's findings call each row."""
    media_column: str = ""


class KnownMedium(NamedTuple):
    """What is known of a medium before it is decoded to its end."""

    seconds: float | None
    sha256: str | None


UNKNOWN = KnownMedium(None, None)


def _durations(known: Mapping[str, KnownMedium] | None) -> dict[str, float]:
    return {name: each.seconds for name, each in (known or {}).items() if each.seconds is not None}


def check_task(
    task: TaskConfig,
    *,
    offline: bool = False,
    dataset: str | None = None,
    known: Mapping[str, KnownMedium] | None = None,
) -> CheckedItems:
    """The rules on a task's data: all of a benchmark's on its columns, else those on any question; and on its configs.

    `dataset`: the benchmark whose columns the data are said to have; by default the one whose columns they do have.
    `known`: what is known of media, by the id of the row.
    """
    location = locate(task, (BLIND, REFERENCES), offline=offline)
    if location.file is not None:
        return _mapped(task, location, known)
    default = _config_table(location.directory, DEFAULT, task.test_split)
    if default is None:
        return _mapped(task, location, known)
    is_plain = task.columns == Columns() or location.benchmark.removesuffix(_DEMO) in SCHEMAS
    named = dataset or (_benchmark_of(default) if is_plain else None)
    if named is not None:
        schema = SCHEMAS[named]
        found = _benchmark_findings(named, location.directory, task.test_split, default, known)
        names = [str(row.get(schema.id_column)) for row in default.rows]
        return CheckedItems(found, default, (), tuple(names), schema.media_column)
    checked = _mapped(task, location, known)
    id_column = task.columns.id or ID
    compared = _compared(location.directory, task.test_split, default, id_column=id_column)
    is_built = set(configs_of(location.directory)) >= set(CONFIGS) and set(default.columns) >= set(RIGHTS)
    rights = _rights(default, id_column) if is_built else ()
    return checked._replace(findings=checked.findings + compared + Findings(tuple(rights), 0))


def _rights(default: Table, id_column: str) -> Iterator[Problem]:
    """Licences and credits of a repository that was built from a table of its owner's own."""
    file = shown_file(default)
    for number, row in enumerate(default.rows, start=1):
        name = row.get(id_column)
        yield from findings_of(rights_flaws(row), file, number, None if name is None else str(name))


def check_repository(directory: Path) -> Findings:
    """The rules on every split of a built repository, whatever it is called: its columns tell which rules.

    Columns of a benchmark of this package get all of its rules, other questions those on any question, other rows none.
    """
    configs = configs_of(directory)
    splits = configs[DEFAULT].patterns if DEFAULT in configs else {}
    return sum((_split_findings(directory, split or SPLIT) for split in splits), Findings((), 0))


def _split_findings(directory: Path, split: str) -> Findings:
    default = _config_table(directory, DEFAULT, split)
    if default is None:
        return Findings((), 0)
    if _benchmark_of(default) is None and not set(default.columns) >= QUESTION_COLUMNS:
        return Findings((), len(default.rows)) + _compared(directory, split, default)
    task = TaskConfig(
        task=directory.name,
        dataset_path=str(directory.absolute()),
        test_split=split,
        kind="choice",
        metric_list=(),
        metadata=TaskMetadata(headline="accuracy"),
    )
    return check_task(task, offline=True).findings


def _benchmark_of(table: Table) -> str | None:
    """The benchmark of this package whose columns a table has."""
    columns = set(table.columns)
    return next((name for name, schema in SCHEMAS.items() if columns >= {each.name for each in schema.columns}), None)


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


def _benchmark_findings(
    name: str, directory: Path, split: str, default: Table, known: Mapping[str, KnownMedium] | None
) -> Findings:
    """The rows of `default`, and whether `blind` and `references` agree with them."""
    rows, id_column = _without_links(default), SCHEMAS[name].id_column
    found = check_items(
        rows,
        name,
        file=shown_file(default),
        label_like=EVERY_ITEM,
        media=False,
        durations=_durations(known),
        sources=[(known or {}).get(str(row.get(id_column)), UNKNOWN).sha256 for row in rows],
    )
    return found + _compared(directory, split, default, SCHEMAS[name])


def _compared(
    directory: Path, split: str, default: Table, schema: Schema | None = None, id_column: str = ID
) -> Findings:
    """Whether the other configs agree with `default`; without a schema, in the columns that they share."""
    tables = {name: _config_table(directory, name, split) for name in CONFIGS if name != DEFAULT}
    there = {name: table for name, table in tables.items() if table is not None}
    if not there or (schema is None and any(id_column not in table.columns for table in (default, *there.values()))):
        return Findings((), 0)
    others = {name: _without_links(table) for name, table in there.items()}
    found = check_configs(schema or _own_schema(id_column, default, there), _without_links(default), others)
    named = [replace(each, place=shown_file(there[each.place])) for each in found]
    return Findings(tuple(named), 0)


def _own_schema(id_column: str, default: Table, others: Mapping[str, Table]) -> Schema:
    """The columns of a repository that is none of this package's benchmarks, as its configs have them."""
    columns = {config: set(table.columns) - set(LINK_NAMES) for config, table in others.items()}
    own = [each for each in default.columns if each not in LINK_NAMES]
    blind = columns.get(BLIND, set(own))
    return Schema(
        "",
        id_column,
        tuple(
            Column(
                each,
                ColumnType.AUDIO if each in default.embedded else ColumnType.STRING,
                is_gold=each in GOLD_FIELDS or each not in blind,
            )
            for each in own
        ),
        tuple(Column(each, ColumnType.STRING) for each in sorted(blind - set(own))),
        tuple(sorted(columns.get(REFERENCES, set()) - {id_column})),
    )


def _without_links(table: Table) -> list[Row]:
    """The rows without what leads to media that are not in the repository: no rule is about it."""
    if not table.rows or not table.rows[0].keys() & set(LINK_NAMES):
        return table.rows
    return [{name: cell for name, cell in row.items() if name not in LINK_NAMES} for row in table.rows]


def shown_file(table: Table) -> str:
    """What messages call a table: its file, or the folder of its files."""
    files = {str(origin.file) for origin in table.origins}
    return table.shown(Path(os.path.commonpath(files))) if files else table.called


def _told(problems: Problems, tables: Iterable[Table], mapping: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """What reading the rows told, each beside its row; `mapping` as `map_columns` gives it."""
    rows: dict[tuple[str, int | None], tuple[str, int, Any]] = {}
    for table in tables:
        file = shown_file(table)
        for position, number in enumerate(row_numbers(table)):
            origin = table.origins[position]
            name = table.rows[position].get(mapping["id"][0])
            rows[table.shown(origin.file), origin.row + 1] = (file, number, name)
    told: set[tuple[str, int | None, str, str]] = set()
    for each in map(judged, problems):
        if (kind := (each.place, each.row, each.column, each.code)) not in told:
            told.add(kind)
            where, row, name = rows.get((each.place, each.row), (each.place, None, None))
            yield replace(each, place=where, row=row, items=() if name is None else (str(name),))


def _mapped(task: TaskConfig, location: Location, known: Mapping[str, KnownMedium] | None = None) -> CheckedItems:
    """The rules on questions, on what a task's `columns` say of any table."""
    problems = Problems()
    asked_config, table = config_table(task, location, BLIND)
    read = read_items(task, location.benchmark, table, problems)
    gold_config, gold = config_table(task, location, REFERENCES)
    references: Mapping[str, Reference] = {}
    if not (gold_config == BLIND and asked_config == BLIND):
        references = build_references(task, location.benchmark, gold, read.by_id, problems, read.faulty)
    mapping = map_columns(task, table) | map_columns(task, gold, ("id", "answer"))
    found = in_order(_told(problems, [table, gold], mapping), len(table.rows))
    names = tuple([str(row.get(mapping["id"][0])) for row in table.rows])
    told = CheckedItems(found, table, (), names, "/".join(mapping.get("media", ())))
    if task.kind != "choice":
        return told
    chosen = kept(task, read.sound)
    questions = [_question(task, table, each, references.get(each.item.id)) for each in chosen]
    file, rows = shown_file(table), row_numbers(table)
    numbers = [rows[each.position] for each in chosen]
    demands = DEMANDS.get(location.benchmark.removesuffix(_DEMO), ANY)
    sources = [(known or {}).get(each.item.id, UNKNOWN).sha256 for each in chosen]
    asked = check_questions(
        questions, file=file, numbers=numbers, label_like=EVERY_ITEM, demands=demands, sources=sources
    )
    durations = _durations(known)
    column = "/".join(mapping.get("end_s", mapping.get("media", ())))
    late = [
        finding
        for each, number in zip(chosen, numbers, strict=True)
        for finding in findings_of(_late_window(each, column, durations), file, number, each.item.id)
    ]
    return told._replace(findings=in_order((*found, *asked, *late), len(table.rows)))


def _late_window(built: BuiltItem, column: str, durations: Mapping[str, float]) -> Iterator[Problem]:
    """A window that ends after what decodes."""
    start, end = built.item.start_s or 0.0, built.item.end_s
    if end is not None and built.item.id in durations:
        yield from window_flaws(column, start, end, durations[built.item.id])


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
