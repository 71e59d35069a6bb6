"""Gives items their media: where they lie, their SHA-256, and the window inside them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from musebench_tasks.base.problems import Problem, Problems
from musebench_tasks.base.records import Item, MediaSource, canonical_json
from musebench_tasks.base.text import shown
from musebench_tasks.items import cells
from musebench_tasks.items.media_index import IndexedMedium, file_media, parquet_media
from musebench_tasks.items.rows import BuiltItem
from musebench_tasks.items.tables import Table
from musebench_tasks.items.windows import fit_window

DECLARING = ("platform_id", "expected_duration_s", "fingerprint")
"""Columns that say which medium a link leads to, and how to know it again."""


def attach_media(table: Table, column: str | None, built: Iterable[BuiltItem], problems: Problems) -> list[Item]:
    """Items with media source, SHA-256 and window; a medium that nobody can find leaves the SHA-256 None."""
    built = list(built)
    if column is None:
        return [_with_cluster(each.item, None) for each in built]
    timed = {each.position for each in built if each.item.start_s and each.item.end_s is not None}
    media = media_of_rows(table, column, [each.position for each in built], timed, problems)
    return [_attached(table, column, each, media.get(each.position, IndexedMedium(None))) for each in built]


def media_of_rows(
    table: Table, column: str, positions: Sequence[int], timed: Collection[int], problems: Problems
) -> dict[int, IndexedMedium]:
    """The medium of the rows at `positions`, with its duration for those in `timed`; absent where a row names none."""
    media = _embedded(table, column, positions, timed) if column in table.embedded else {}
    for position, medium in media.items():
        if medium.sha256 is None and not medium.path:
            problems.add(table.placed(position, cells.EMPTY, column))
    named = {position: _path_of(table, column, position, media) for position in positions}
    return media | _linked(table, column, {where: name for where, name in named.items() if name}, timed, problems)


def _embedded(table: Table, column: str, positions: Sequence[int], timed: Collection[int]) -> dict[int, IndexedMedium]:
    by_file: dict[Path, list[int]] = {}
    for position in positions:
        by_file.setdefault(table.origins[position].file, []).append(position)
    found: dict[int, IndexedMedium] = {}
    for file, members in by_file.items():
        media = parquet_media(file, column, [table.origins[each].row for each in members if each in timed])
        for position in members:
            medium = media[table.origins[position].row]
            found[position] = medium if medium.sha256 is None else medium._replace(path=None)
    return found


def _path_of(table: Table, column: str, position: int, media: Mapping[int, IndexedMedium]) -> str | None:
    """The path that a row names; None where bytes are embedded or nothing is named."""
    if column in table.embedded:
        medium = media[position]
        return medium.path if medium.sha256 is None else None
    return cells.media_path(table.rows[position].get(column))


def _linked(
    table: Table, column: str, named: Mapping[int, str], timed: Collection[int], problems: Problems
) -> dict[int, IndexedMedium]:
    inside: dict[int, str] = {}
    for position, name in named.items():
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            # A dataset could otherwise name any file of this machine and have it sent to a model.
            leaves = Problem(f"{shown(name)} leaves the dataset's folder.", "Write a path inside it.")
            problems.add(table.placed(position, leaves, column))
        else:
            inside[position] = name
    timed_names = {name for position, name in inside.items() if position in timed}
    known = file_media(table.directory, inside.values(), timed_names) if inside else {}
    return {position: known[name]._replace(path=name) for position, name in inside.items()}


def _attached(table: Table, column: str, each: BuiltItem, medium: IndexedMedium) -> Item:
    origin = table.origins[each.position]
    if medium.path is not None:
        declared = _declared(table.rows[each.position])
        source = MediaSource(path=str(table.directory / medium.path), sha256=medium.sha256, declared=declared)
    else:
        source = MediaSource(path=str(origin.file), row=origin.row, column=column, sha256=medium.sha256)
    start, end = fit_window(each.item.start_s, each.item.end_s, medium.duration_s)
    item = each.item.model_copy(update={"media": source, "start_s": start, "end_s": end})
    return _with_cluster(item, medium.sha256)


def is_link(row: Mapping[str, Any]) -> bool:
    """Whether a row says where its medium is to be fetched from."""
    name = row.get(DECLARING[0])
    return isinstance(name, str) and bool(name)


def _declared(row: Mapping[str, Any]) -> str | None:
    """The hash of what a row declares of a medium that it links to; None where it declares nothing."""
    told = [row.get(name) for name in DECLARING]
    if not all(isinstance(each, str) and each for each in (told[0], told[-1])):
        return None
    return hashlib.sha256(canonical_json(told).encode()).hexdigest()


def _with_cluster(item: Item, media_sha256: str | None) -> Item:
    """Where no cluster is given, items that share a medium are one cluster: their errors are not independent."""
    if item.cluster_id:
        return item
    return item.model_copy(update={"cluster_id": media_sha256[:16] if media_sha256 else item.id})
