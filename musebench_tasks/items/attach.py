"""Gives items their media: where they lie, their SHA-256, and the window inside them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from musebench_tasks.items import cells
from musebench_tasks.items.media_index import Medium, file_media, parquet_media
from musebench_tasks.items.problems import Problems
from musebench_tasks.items.rows import BuiltItem
from musebench_tasks.items.tables import Table
from musebench_tasks.items.windows import fit_window
from musebench_tasks.records import Item, MediaSource, canonical_json

DECLARING = ("platform_id", "expected_duration_s", "fingerprint")
"""Columns that say which medium a link leads to, and how to know it again."""


def attach_media(table: Table, column: str | None, built: Iterable[BuiltItem], problems: Problems) -> list[Item]:
    """Items with media source, SHA-256 and window; a medium that nobody can find leaves the SHA-256 None."""
    built = list(built)
    if column is None:
        return [_with_cluster(each.item, None) for each in built]
    media = _embedded(table, column, built) if column in table.embedded else {}
    for position, medium in media.items():
        if medium.sha256 is None and not medium.path:
            problems.add(table.place(position), column, cells.EMPTY)
    media |= _linked(table, column, [each for each in built if _path_of(table, column, each, media)], media, problems)
    return [_attached(table, column, each, media.get(each.position, Medium(None))) for each in built]


def _needs_duration(item: Item) -> bool:
    return bool(item.start_s) and item.end_s is not None


def _embedded(table: Table, column: str, built: list[BuiltItem]) -> dict[int, Medium]:
    by_file: dict[Path, list[BuiltItem]] = {}
    for each in built:
        by_file.setdefault(table.origins[each.position].file, []).append(each)
    found: dict[int, Medium] = {}
    for file, members in by_file.items():
        timed = [table.origins[each.position].row for each in members if _needs_duration(each.item)]
        media = parquet_media(file, column, timed)
        for each in members:
            medium = media[table.origins[each.position].row]
            found[each.position] = medium if medium.sha256 is None else medium._replace(path=None)
    return found


def _path_of(table: Table, column: str, each: BuiltItem, media: dict[int, Medium]) -> str | None:
    """The path that a row names; None where bytes are embedded or nothing is named."""
    if column in table.embedded:
        medium = media[each.position]
        return medium.path if medium.sha256 is None else None
    return cells.media_path(table.rows[each.position].get(column))


def _linked(
    table: Table, column: str, built: list[BuiltItem], media: dict[int, Medium], problems: Problems
) -> dict[int, Medium]:
    names: dict[int, str] = {}
    for each in built:
        name = _path_of(table, column, each, media) or ""
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            # A dataset could otherwise name any file of this machine and have it sent to a model.
            message = f'"{name}" leaves the dataset\'s folder. Write a path inside it.'
            problems.add(table.place(each.position), column, message)
        else:
            names[each.position] = name
    timed = {names[each.position] for each in built if each.position in names and _needs_duration(each.item)}
    known = file_media(table.directory, names.values(), timed) if names else {}
    return {position: known[name]._replace(path=name) for position, name in names.items()}


def _attached(table: Table, column: str, each: BuiltItem, medium: Medium) -> Item:
    origin = table.origins[each.position]
    if medium.path is not None:
        declared = _declared(table.rows[each.position])
        source = MediaSource(path=str(table.directory / medium.path), sha256=medium.sha256, declared=declared)
    else:
        source = MediaSource(path=str(origin.file), row=origin.row, column=column, sha256=medium.sha256)
    start, end = fit_window(each.item.start_s, each.item.end_s, medium.duration_s)
    item = each.item.model_copy(update={"media": source, "start_s": start, "end_s": end})
    return _with_cluster(item, medium.sha256)


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
