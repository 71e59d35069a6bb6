"""Rows as Parquet files that stream well: small row groups, media stored once a group, shards of half a gigabyte.

A row group holds as many rows as fit into 1.5 MB (at least one), so that reading one row fetches little more than that
row. The first group is a file of its own, because `datasets` reads a file in steps of up to 32 MB:
who streams only the first rows takes no more than that group. A medium that several rows of a group share is stored
once (Parquet dictionary).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from musebench_tasks.assembly.features import MEDIA_TYPES, Column, arrow_schema
from musebench_tasks.assembly.schemas import SPLIT

ROW_GROUP_BYTES = 1_500_000
SHARD_BYTES = 500_000_000
DICTIONARY_BYTES = 1 << 30
FILE_NAME = f"{SPLIT}-00000-of-00001.parquet"

Row = Mapping[str, Any]


class StoredMedium(Mapping[str, Any]):
    """A media cell whose bytes stay on disk until they are written: a dataset may be larger than the memory."""

    def __init__(self, file: Path, name: str) -> None:
        self.file, self.name = file, name

    def __getitem__(self, key: str) -> Any:
        """`bytes` or `path`."""
        if key == "bytes":
            return self.file.read_bytes()
        return {"path": self.name}[key]

    def __iter__(self) -> Iterator[str]:
        """The keys of a media cell."""
        return iter(("bytes", "path"))

    def __len__(self) -> int:
        """Two keys."""
        return 2


def media_cell(encoded: bytes, name: str) -> dict[str, Any]:
    """A media cell: the encoded file's bytes under a masked file name."""
    return {"bytes": encoded, "path": name}


def write_shards(folder: Path, columns: Sequence[Column], rows: Sequence[Row]) -> list[Path]:
    """Write rows in `folder`: the first group as one file, the rest in files of at most about SHARD_BYTES each.

    Returns the files in the order of the rows; they are one file where all rows fit into one group.
    """
    shards = list(_shards(columns, rows))
    files = [folder / f"{SPLIT}-{number:05d}-of-{len(shards):05d}.parquet" for number in range(len(shards))]
    for file, groups in zip(files, shards, strict=True):
        _write(file, columns, groups)
    return files


def _shards(columns: Sequence[Column], rows: Sequence[Row]) -> Iterator[list[list[Row]]]:
    """Row groups by the file they go into."""
    shard: list[list[Row]] = []
    size = 0
    for number, (group, group_size) in enumerate(row_groups(columns, rows)):
        if number == 1 or (shard and size + group_size > SHARD_BYTES):
            yield shard
            shard, size = [], 0
        shard.append(group)
        size += group_size
    yield shard


def _write(path: Path, columns: Sequence[Column], groups: Sequence[Sequence[Row]]) -> None:
    """One file, media uncompressed and stored once a group, everything else compressed."""
    schema = arrow_schema(columns)
    compression = {leaf: "NONE" if leaf.endswith(".bytes") else "ZSTD" for leaf in _leaf_names(columns)}
    with pq.ParquetWriter(
        path, schema, compression=compression, use_dictionary=True, dictionary_pagesize_limit=DICTIONARY_BYTES
    ) as writer:
        for group in groups:
            arrays = {column.name: [_cell(column, row) for row in group] for column in columns}
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=len(group))


def _cell(column: Column, row: Row) -> Any:
    cell = row[column.name]
    return dict(cell) if isinstance(cell, Mapping) else cell


def _leaf_names(columns: Sequence[Column]) -> list[str]:
    """The Parquet column paths of columns."""
    names = []
    for column in columns:
        field = arrow_schema([column]).field(0)
        names += [".".join((column.name, *rest)) for rest in _nested_names(field.type)]
    return names


def _nested_names(kind: Any) -> Iterator[tuple[str, ...]]:
    """The paths below a column of an Arrow type, down to its leaves."""
    if pa.types.is_list(kind):
        yield from (("list", "element", *rest) for rest in _nested_names(kind.value_type))
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from ((field.name, *rest) for rest in _nested_names(field.type))
    else:
        yield ()


def row_groups(columns: Sequence[Column], rows: Sequence[Row]) -> Iterator[tuple[list[Row], int]]:
    """Consecutive rows in groups of at most ROW_GROUP_BYTES, at least one row each, with the bytes of each group.

    A medium that rows of a group share counts once.
    """
    group: list[Row] = []
    media: set[Any] = set()
    size = 0
    for row in rows:
        added = _row_size(columns, row, media)
        if group and size + added > ROW_GROUP_BYTES:
            yield group, size
            group, media, size = [], set(), 0
            added = _row_size(columns, row, media)
        group.append(row)
        media.update(_media(columns, row))
        size += added
    if group:
        yield group, size


def _media(columns: Sequence[Column], row: Row) -> dict[Any, int]:
    """The media of a row, each by what names it (its file, else its bytes), with its size."""
    found: dict[Any, int] = {}
    for cell in (row[column.name] for column in columns if column.type in MEDIA_TYPES):
        if isinstance(cell, StoredMedium):
            found[cell.file] = cell.file.stat().st_size
        elif cell["bytes"]:
            found[cell["bytes"]] = len(cell["bytes"])
    return found


def _row_size(columns: Sequence[Column], row: Row, seen: set[Any]) -> int:
    """About how many bytes a row adds to a group that already holds the media `seen`."""
    text = sum(len(str(row[column.name])) for column in columns if column.type not in MEDIA_TYPES)
    return text + sum(size for medium, size in _media(columns, row).items() if medium not in seen)
