"""The column types of a dataset repo, each spelled three ways: as Arrow, for the Parquet metadata, for the card.

Written with pyarrow alone, so that no decoder (torchcodec, torch) is needed to build or to read a repo: media columns
say `decode: false`, and `datasets` hands their bytes on as they are.
"""

import json
from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import pyarrow as pa


class ColumnType(Enum):
    """What a column holds."""

    STRING = "string"
    FLOAT = "float64"
    STRINGS = "list of string"
    FLOATS = "list of float64"
    OPTIONS = "options"
    STRATEGIES = "strategies"
    SEGMENTS = "segments"
    AUDIO = "audio"
    VIDEO = "video"


class Column(NamedTuple):
    """A column of a dataset: its name, its type, whether it is gold, whether a cell may be empty."""

    name: str
    type: ColumnType
    is_gold: bool = False
    nullable: bool = False


MEDIA_TYPES = frozenset({ColumnType.AUDIO, ColumnType.VIDEO})
SCALARS = {ColumnType.STRING: "string", ColumnType.FLOAT: "float64"}
LISTS = {ColumnType.STRINGS: "string", ColumnType.FLOATS: "float64"}
STRUCTS = {
    ColumnType.OPTIONS: {"id": "string", "text": "string"},
    ColumnType.STRATEGIES: {"id": "string", "strategy": "string"},
    ColumnType.SEGMENTS: {"start_s": "float64", "end_s": "float64", "label": "string"},
}
ARROW_SCALARS = {"string": pa.string(), "float64": pa.float64()}


def arrow_type(kind: ColumnType) -> Any:
    """The Arrow type of a column."""
    if kind in SCALARS:
        return ARROW_SCALARS[SCALARS[kind]]
    if kind in LISTS:
        return pa.list_(ARROW_SCALARS[LISTS[kind]])
    if kind in MEDIA_TYPES:
        return pa.struct({"bytes": pa.binary(), "path": pa.string()})
    return pa.list_(pa.struct({name: ARROW_SCALARS[dtype] for name, dtype in STRUCTS[kind].items()}))


def parquet_feature(kind: ColumnType) -> dict[str, Any]:
    """What the Parquet metadata say of a column."""
    if kind in SCALARS:
        return {"dtype": SCALARS[kind], "_type": "Value"}
    if kind in LISTS:
        return {"feature": {"dtype": LISTS[kind], "_type": "Value"}, "_type": "List"}
    if kind in MEDIA_TYPES:
        return {"decode": False, "_type": kind.value.capitalize()}
    fields = {name: {"dtype": dtype, "_type": "Value"} for name, dtype in STRUCTS[kind].items()}
    return {"feature": fields, "_type": "List"}


def card_feature(column: Column) -> dict[str, Any]:
    """What `dataset_info` in the card says of a column."""
    if column.type in SCALARS:
        return {"name": column.name, "dtype": SCALARS[column.type]}
    if column.type in LISTS:
        return {"name": column.name, "list": LISTS[column.type]}
    if column.type in MEDIA_TYPES:
        return {"name": column.name, "dtype": {column.type.value: {"decode": False}}}
    fields = [{"name": name, "dtype": dtype} for name, dtype in STRUCTS[column.type].items()]
    return {"name": column.name, "list": fields}


def arrow_schema(columns: Sequence[Column]) -> Any:
    """The Arrow schema of a file with these columns, with the metadata `datasets` reads."""
    features = {column.name: parquet_feature(column.type) for column in columns}
    return pa.schema(
        [pa.field(column.name, arrow_type(column.type)) for column in columns],
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )
