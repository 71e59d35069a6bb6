"""Writes a dataset repo: README.md, eval.yaml, croissant.json and `<config>/test-*.parquet` with the media inside.

Same rows, same bytes: rows are sorted by id and nothing holds a time. Ids that sort rows of one medium together save
space. A repo appears whole or not at all: it is written beside its place and then renamed.

Files stream well: a row group holds as many rows as fit into 1.5 MB (at least one), so that reading one row fetches
little more than that row. The first group is a file of its own, because `datasets` reads a file in
steps of up to 32 MB: who streams only the first rows takes no more than that group. A medium that several rows of a
group share is stored once (Parquet dictionary).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from musebench_tasks.assembly.about import ABOUT_FILE, About, read_about
from musebench_tasks.assembly.cards import Card, card_text, row_licenses
from musebench_tasks.assembly.croissant import CROISSANT_FILE, croissant_text
from musebench_tasks.assembly.rules import check_items
from musebench_tasks.assembly.rules.cells import Row
from musebench_tasks.assembly.rules.findings import line_of
from musebench_tasks.assembly.schemas import (
    CONFIGS,
    DISTRACTOR_COLUMNS,
    MEDIA_TYPES,
    SCHEMAS,
    SPLIT,
    Column,
    Schema,
    arrow_schema,
    dataset_schema,
    stored_options,
)
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_written
from musebench_tasks.base.resources import resource

ROW_GROUP_BYTES = 1_500_000
SHARD_BYTES = 500_000_000
DICTIONARY_BYTES = 1 << 30
FILE_NAME = f"{SPLIT}-00000-of-00001.parquet"


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
        _write_groups(file, columns, groups)
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


def _write_groups(path: Path, columns: Sequence[Column], groups: Sequence[Sequence[Row]]) -> None:
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


def check_rows(dataset: str, rows: Sequence[Row], *, label_like: frozenset[str] = frozenset()) -> list[str]:
    """Every fault of `rows` (columns of the `default` config) that stops a build; empty if they can be built.

    `label_like` names the items whose options may begin with a bare letter (key names, forms; answers.md 3.5).
    """
    return [line_of(each) for each in check_items(rows, dataset, label_like=label_like).stopping]


def option_texts(row: Row) -> list[str]:
    """The option texts of a choice row of either dataset."""
    if "options" in row:
        return [option["text"] for option in row["options"]]
    return [row["answer"], *(row[name] for name in DISTRACTOR_COLUMNS)]


EVAL_FILE, CARD_FILE = "eval.yaml", "README.md"
OURS = (*CONFIGS, CARD_FILE, EVAL_FILE, CROISSANT_FILE, "manifest.json")
"""What a build writes, or what a push makes of it; anything else in a repo that is built again stays there."""
__all__ = ["EVAL_FILE", "FILE_NAME", "media_cell", "refuse_place", "write_repository"]


def write_repository(
    directory: Path,
    dataset: str | Schema,
    rows: Sequence[Row],
    card: Card,
    *,
    label_like: frozenset[str] = frozenset(),
    about: About | None = None,
) -> Path:
    """Write the dataset repo of `rows` (columns of the `default` config, media as {bytes, path}) into `directory`.

    An existing repo there is replaced. A schema in the place of a name is that of rows which were checked already.
    `about` is by default that of the demonstration, or the name on the card; `label_like` is as in `check_rows`.
    Faulty rows are an InputError with one line a fault, and nothing is written. Returns the directory.
    """
    schema = dataset_schema(dataset) if isinstance(dataset, str) else dataset
    problems = check_rows(dataset, rows, label_like=label_like) if isinstance(dataset, str) else []
    if problems:
        raise InputError("\n".join(problems))
    refuse_place(directory)
    about = about or (demo_about(schema.dataset) if card.demonstration else About(pretty_name=card.pretty_name))
    ordered = sorted(rows, key=lambda row: str(row[schema.id_column]))
    partial = directory.parent / f".{directory.name}.{os.getpid()}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        _write(partial, schema, ordered, card, about)
        _put_in_place(partial, directory)
    except OSError as error:
        raise not_written(directory, error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return directory


def refuse_place(directory: Path) -> None:
    """InputError where a repo in `directory` could not be loaded, or where something else lies there."""
    if (directory / f"{directory.name}.py").exists():
        script = f"{directory.name}.py"
        raise InputError(f"{directory}: {script} makes the repo unloadable. Rename or remove that file.")
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory}: is a file. Choose another place.")
    if directory.is_dir() and any(directory.iterdir()) and not (directory / CARD_FILE).is_file():
        raise InputError(f"{directory}: holds something that is no dataset repo. Choose another place.")
    parent = next(each for each in directory.absolute().parents if each.exists())
    try:
        tempfile.TemporaryDirectory(dir=parent, prefix=".musebench-build-").cleanup()
    except OSError as error:
        raise not_written(directory, error) from error


def demo_about(dataset: str) -> About:
    """What is said of a demonstration of this package."""
    return read_about(resource("dataset_scripts") / dataset / "demo" / ABOUT_FILE)


def _write(directory: Path, schema: Schema, rows: Sequence[Row], card: Card, about: About) -> None:
    files: dict[str, list[str]] = {}
    for config in CONFIGS:
        folder = directory / config
        folder.mkdir(parents=True)
        cells = [_config_row(schema, config, row) for row in rows]
        files[config] = [f"{config}/{each.name}" for each in write_shards(folder, schema.config(config), cells)]
    sizes = {name: sum((directory / path).stat().st_size for path in paths) for name, paths in files.items()}
    text = card_text(schema, card, rows, sizes, about)
    (directory / CARD_FILE).write_text(text, encoding="utf-8")
    (directory / EVAL_FILE).write_text(_eval_text(schema, about), encoding="utf-8")
    described = croissant_text(directory, schema, about, row_licenses(rows), _versions(rows), files)
    (directory / CROISSANT_FILE).write_text(described, encoding="utf-8")


def _versions(rows: Sequence[Row]) -> set[str]:
    return {str(row["version"]) for row in rows if "version" in row}


def _eval_text(schema: Schema, about: About) -> str:
    """eval.yaml, of which the Hub makes boards: the dataset, and its tasks; of a choice benchmark its accuracy."""
    tasks = [{"id": "accuracy", "config": "default", "split": SPLIT}]
    if schema.dataset in SCHEMAS:
        own = resource("dataset_scripts") / schema.dataset / EVAL_FILE
        tasks = yaml.safe_load(own.read_text(encoding="utf-8"))["tasks"]
    name = about.pretty_name or schema.dataset
    told = {
        "name": name,
        "description": " ".join((about.description or f"The items of {name}.").split()),
        "evaluation_framework": "musebench",
        "tasks": tasks,
    }
    return yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=120)


def _put_in_place(made: Path, directory: Path) -> None:
    """Rename the finished repo to its place; what others put into an older one there comes along."""
    if not directory.exists():
        made.replace(directory)
        return
    for entry in directory.iterdir():
        if entry.name not in OURS:
            (shutil.copytree if entry.is_dir() else shutil.copy2)(entry, made / entry.name)
    before = directory.parent / f".{directory.name}.{os.getpid()}.before"
    directory.replace(before)
    made.replace(directory)
    shutil.rmtree(before)


def _config_row(schema: Schema, config: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of `row` that config `config` holds."""
    cells = dict(row)
    if config == "blind" and schema.blind_extra:
        cells["options"] = stored_options(str(row[schema.id_column]), tuple(option_texts(row)))
    return {column.name: cells[column.name] for column in schema.config(config)}
