"""Writes a dataset repo: README.md, eval.yaml and `<config>/test-00000-of-00001.parquet` with the media inside.

Same rows, same bytes: rows are sorted by id, nothing holds a time, and one row group holds as many rows as fit into
1.5 MB (at least one), so that reading one row fetches little more than that row (hf_stack.md 2.5). A medium that
several rows of a group share is stored once (Parquet dictionary): ids that sort such rows together save space.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from musebench_tasks.assembly.cards import Card, card_text
from musebench_tasks.assembly.features import MEDIA_TYPES, Column, arrow_schema
from musebench_tasks.assembly.row_checks import check_rows, option_texts
from musebench_tasks.assembly.schemas import CONFIGS, SPLIT, Schema, dataset_schema, stored_options
from musebench_tasks.errors import InputError
from musebench_tasks.resources import resource

ROW_GROUP_BYTES = 1_500_000
DICTIONARY_BYTES = 1 << 30
FILE_NAME = f"{SPLIT}-00000-of-00001.parquet"
EVAL_FILE = "eval.yaml"

Row = Mapping[str, Any]


def write_repository(
    directory: Path,
    dataset: str,
    rows: Sequence[Row],
    card: Card,
    eval_yaml: Path | None = None,
    *,
    label_like: frozenset[str] = frozenset(),
) -> Path:
    """Write the dataset repo of `rows` (columns of the `default` config, media as {bytes, path}) into `directory`.

    An existing repo there is replaced. `eval_yaml` is by default the one of `dataset_scripts/NAME`; `label_like` is as
    in `check_rows`. Faulty rows are an InputError with one line a fault, and nothing is written. Returns the directory.
    """
    schema = dataset_schema(dataset)
    problems = check_rows(dataset, rows, label_like=label_like)
    if (directory / f"{directory.name}.py").exists():
        problems.append(f"{directory}: {directory.name}.py makes the repo unloadable. Rename or remove that file.")
    if problems:
        raise InputError("\n".join(problems))
    ordered = sorted(rows, key=lambda row: str(row[schema.id_column]))
    directory.mkdir(parents=True, exist_ok=True)
    sizes = {}
    for config in CONFIGS:
        folder = directory / config
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        columns = schema.config(config)
        cells = [config_row(schema, config, row) for row in ordered]
        sizes[config] = write_parquet(folder / FILE_NAME, columns, cells)
    (directory / "README.md").write_text(card_text(schema, card, ordered, sizes), encoding="utf-8")
    shutil.copyfile(eval_yaml or resource("dataset_scripts") / dataset / EVAL_FILE, directory / EVAL_FILE)
    return directory


def config_row(schema: Schema, config: str, row: Row) -> dict[str, Any]:
    """The cells of `row` that config `config` holds."""
    cells = dict(row)
    if config == "blind" and schema.blind_extra:
        cells["options"] = stored_options(str(row[schema.id_column]), tuple(option_texts(row)))
    return {column.name: cells[column.name] for column in schema.config(config)}


def write_parquet(path: Path, columns: Sequence[Column], rows: Sequence[Row]) -> int:
    """One Parquet file, media uncompressed and stored once a group, everything else compressed; returns its bytes."""
    schema = arrow_schema(columns)
    compression = {leaf: "NONE" if leaf.endswith(".bytes") else "ZSTD" for leaf in leaf_names(columns)}
    with pq.ParquetWriter(
        path, schema, compression=compression, use_dictionary=True, dictionary_pagesize_limit=DICTIONARY_BYTES
    ) as writer:
        for group in row_groups(columns, rows):
            arrays = {column.name: [row[column.name] for row in group] for column in columns}
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=len(group))
    return path.stat().st_size


def leaf_names(columns: Sequence[Column]) -> list[str]:
    """The Parquet column paths of columns."""
    names = []
    for column in columns:
        field = arrow_schema([column]).field(0)
        names += [".".join((column.name, *rest)) for rest in nested_names(field.type)]
    return names


def nested_names(kind: Any) -> Iterator[tuple[str, ...]]:
    """The paths below a column of an Arrow type, down to its leaves."""
    if pa.types.is_list(kind):
        yield from (("list", "element", *rest) for rest in nested_names(kind.value_type))
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from ((field.name, *rest) for rest in nested_names(field.type))
    else:
        yield ()


def row_groups(columns: Sequence[Column], rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Consecutive rows in groups of at most ROW_GROUP_BYTES, at least one row each; a shared medium counts once."""
    group: list[Row] = []
    media: set[bytes] = set()
    size = 0
    for row in rows:
        added = row_size(columns, row, media)
        if group and size + added > ROW_GROUP_BYTES:
            yield group
            group, media, size = [], set(), 0
            added = row_size(columns, row, media)
        group.append(row)
        media.update(media_bytes(columns, row))
        size += added
    if group:
        yield group


def media_bytes(columns: Sequence[Column], row: Row) -> list[bytes]:
    """The media of a row."""
    return [row[column.name]["bytes"] for column in columns if column.type in MEDIA_TYPES]


def row_size(columns: Sequence[Column], row: Row, seen: set[bytes]) -> int:
    """About how many bytes a row adds to a group that already holds the media `seen`."""
    text = sum(len(str(row[column.name])) for column in columns if column.type not in MEDIA_TYPES)
    return text + sum(len(each) for each in media_bytes(columns, row) if each not in seen)


def media_cell(encoded: bytes, name: str) -> dict[str, Any]:
    """A media cell: the encoded file's bytes under a masked file name."""
    return {"bytes": encoded, "path": name}
