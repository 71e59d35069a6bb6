"""A task's items and their references, with the hashes that pin them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problems
from musebench_tasks.base.records import ERRATA_FILE, Item, Reference, TaskConfig, canonical_json
from musebench_tasks.items import cells
from musebench_tasks.items.attach import attach_media
from musebench_tasks.items.derived import with_derived_columns
from musebench_tasks.items.files import data_files
from musebench_tasks.items.filters import chosen_rows, kept, refuse_unmet
from musebench_tasks.items.hub import fetch_also
from musebench_tasks.items.locate import Location, locate
from musebench_tasks.items.mapping import map_columns
from musebench_tasks.items.rows import ReadItems, build_items, build_references, read_items
from musebench_tasks.items.tables import Table, read_table

BLIND, REFERENCES = "blind", "references"
VERSION_COLUMN = "version"


class LoadedItems(NamedTuple):
    """The items of a task, sorted by id, and what pins them."""

    items: tuple[Item, ...]
    data_sha256: str
    source: str
    """Where they came from, for people."""
    version: str


class LoadedReferences(NamedTuple):
    """The gold of a task's items."""

    references: dict[str, Reference]
    references_sha256: str


def load_items(task: TaskConfig, *, offline: bool = False) -> LoadedItems:
    """The items that pass the task's filter, without gold; InputError lists every wrong row at once.

    Read from the configuration `blind` where there is one. Media are hashed once and remembered; a medium that
    nobody can find leaves its SHA-256 None.
    """
    location = locate(task, (BLIND,), offline=offline)
    table, problems = config_table(task, location, BLIND)[1], Problems()
    built = build_items(task, location.benchmark, table, problems)
    column = media_column(task, table)
    items = sorted(attach_media(table, column, kept(task, built), problems), key=lambda item: item.id)
    version = _version(task, location, table, problems)
    problems.refuse(InputError)
    refuse_unmet(task, [each.item for each in built], table.called)
    if not items:
        raise InputError(f"{table.called}: no row passes the filter {task.filter} of {task.task}. Correct the filter.")
    return LoadedItems(tuple(items), data_sha256(items), location.source, version)


def load_references(task: TaskConfig, *, offline: bool = False) -> LoadedReferences:
    """The gold of the task's items by item id; InputError lists every wrong row at once.

    Read from the configuration `references` where there is one, else from the columns beside the questions.
    """
    location = locate(task, (BLIND, REFERENCES), offline=offline)
    problems = Problems()
    asked = config_table(task, location, BLIND)
    read = read_items(task, location.benchmark, asked[1], problems)
    references = read_gold(task, location, asked[0], read, problems)
    problems.refuse(InputError)
    ordered = {name: references[name] for name in sorted(each.item.id for each in kept(task, read.sound))}
    return LoadedReferences(ordered, references_sha256(ordered.values()))


def read_gold(
    task: TaskConfig, location: Location, asked_config: str | None, read: ReadItems, problems: Problems
) -> dict[str, Reference]:
    """The gold of all items that were `read` of a configuration, kept or not; what is wrong goes to `problems`.

    How an answer column is written shows in the whole of it.
    """
    gold_config, gold = config_table(task, location, REFERENCES)
    if gold_config == BLIND and asked_config == BLIND:
        raise InputError(f"{gold.called}: publishes no gold (only the configuration {BLIND}). Its owner scores.")
    return build_references(task, location.benchmark, gold, read.by_id, problems, read.faulty)


def media_column(task: TaskConfig, table: Table) -> str | None:
    """Where the media of the task's items stand; None where it uses none."""
    media = map_columns(task, table, ("media",)).get("media")
    return media[0] if media and task.protocol.media else None


def errata_file(task: TaskConfig, *, offline: bool = False) -> Path | None:
    """errata.yaml of the task's data: what was retired and re-keyed since older versions. None where there is none."""
    location = locate(task, (BLIND,), offline=offline)
    if location.hub_id is not None and location.commit is not None:
        fetch_also(location.hub_id, location.commit, ERRATA_FILE, offline=offline)
    file = location.directory / ERRATA_FILE
    return file if file.is_file() else None


def data_sha256(items: Iterable[Item]) -> str:
    """SHA-256 over one line an item, sorted by id: id, canonical JSON of what is asked, SHA-256 of the medium.

    Covers content only: no gold, no file layout, no name of a folder. A medium that the data link to
    counts by what they declare of it: platform id, seconds and fingerprint, whether or not it was fetched.
    """
    digest = hashlib.sha256()
    for item in sorted(items, key=lambda each: each.id):
        asked = item.model_dump(mode="json", exclude={"media", "benchmark"})
        medium = (item.media.declared or item.media.sha256) if item.media else None
        digest.update(f"{item.id}\t{canonical_json(asked)}\t{medium or ''}\n".encode())
    return digest.hexdigest()


def references_sha256(references: Iterable[Reference]) -> str:
    """SHA-256 over one line of canonical JSON a reference, sorted by item id."""
    digest = hashlib.sha256()
    for reference in sorted(references, key=lambda each: each.item_id):
        digest.update(f"{reference.canonical_json()}\n".encode())
    return digest.hexdigest()


def config_table(task: TaskConfig, location: Location, preferred: str) -> tuple[str | None, Table]:
    """The table that a task reads, and its configuration: `preferred` where the data have it."""
    if location.file is not None:
        config, files = None, [location.file]
    else:
        config, files = data_files(location.directory, task.dataset_name, preferred, task.test_split)
    table = read_table(location.directory, files)
    if not table.rows:
        named = ", ".join(table.shown(file) for file in files[:8])
        raise InputError(f"{named}: has no rows. Write them, or correct the path in the task.")
    return config, chosen_rows(task, with_derived_columns(task, table), gold_only=preferred == REFERENCES)


def _version(task: TaskConfig, location: Location, table: Table, problems: Problems) -> str:
    """What the rows call their version, else the commit, else the task's version."""
    named: set[str] = set()
    for position, row in enumerate(table.rows):
        cell = row.get(VERSION_COLUMN)
        if cell is None:
            continue
        try:
            named.add(cells.identifier(cell) if isinstance(cell, str) else str(cell))
        except InputError as error:
            problems.add(*(table.placed(position, each, VERSION_COLUMN) for each in error.problems))
    return ",".join(sorted(named)) or location.commit or str(task.metadata.version)
