"""The columns of the three datasets (datasets.md), and the closed vocabularies their cells are checked against.

A column type is spelled three ways: as Arrow, for the Parquet metadata, for the card. Written with pyarrow alone, so
that no decoder (torchcodec, torch) is needed to build or to read a repo: media columns say `decode: false`, and
`datasets` hands their bytes on as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

import pyarrow as pa

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import make_options, shuffled_order
from musebench_tasks.base.text import nearest


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


CONFIGS = ("default", "blind", "references")
SPLIT = "test"
ALIGNMENTS = ("visual", "audio", "audiovisual", "text")
SUBDOMAINS = {
    "Cinematic": ("Cinematography", "Mise-en-scène", "Editing and Pacing", "Sound"),
    "Static Visual": ("Fine Art", "Photography"),
    "Stage Performing": ("Performance", "Stage Design", "Theatrical Lighting"),
    "Game": ("CG", "Interactive Visuals"),
}
"""MB-01."""
MUSIC_CATEGORIES = (
    "Melody",
    "Harmony",
    "Metre and Rhythm",
    "Instrumentation",
    "Musical Texture",
    "Sound Texture",
    "Performance",
    "Structure",
    "Mood and Expression",
    "Lyrics",
    "Genre and Style",
    "Historical and Cultural Context",
    "Functional Context",
)
"""HQ-05."""
DIFFICULTIES = ("Low", "Medium", "High")
"""HQ-06."""
DISTRACTOR_COLUMNS = ("distractor_1", "distractor_2", "distractor_3")

_TEXT, _FLOAT = ColumnType.STRING, ColumnType.FLOAT


class Schema(NamedTuple):
    """The columns of a dataset, the one that names a row, and what only the `blind` config holds."""

    dataset: str
    id_column: str
    columns: tuple[Column, ...]
    blind_extra: tuple[Column, ...] = ()
    references: tuple[str, ...] = ()
    """Gold columns of the `references` config; empty = all of them."""

    def config(self, name: str) -> tuple[Column, ...]:
        """The columns of config `default`, `blind` (no gold) or `references` (id and gold)."""
        if name == "default":
            return self.columns
        if name == "blind":
            return tuple(column for column in self.columns if not column.is_gold) + self.blind_extra
        gold = self.references or tuple(column.name for column in self.columns if column.is_gold)
        return tuple(column for column in self.columns if column.name in (self.id_column, *gold))

    @property
    def media_column(self) -> str:
        """The column that holds the medium."""
        return next(column.name for column in self.columns if column.type.value in ("audio", "video"))


MUSEBENCH = Schema(
    "musebench",
    "id",
    (
        Column("id", _TEXT),
        Column("video", ColumnType.VIDEO),
        Column("start_s", _FLOAT),
        Column("end_s", _FLOAT),
        Column("cluster_id", _TEXT),
        Column("category", _TEXT),
        Column("subdomain", _TEXT),
        Column("kind", _TEXT),
        Column("question", _TEXT),
        Column("options", ColumnType.OPTIONS),
        Column("transcript", _TEXT, nullable=True),
        Column("alignment", _TEXT),
        Column("answer", ColumnType.STRINGS, is_gold=True),
        Column("correct_answer", ColumnType.STRINGS, is_gold=True),
        Column("core_intent", _TEXT, is_gold=True),
        Column("distractor_strategies", ColumnType.STRATEGIES, is_gold=True),
        Column("license", _TEXT),
        Column("attribution", _TEXT),
        Column("version", _TEXT),
    ),
)
HUMMUSQA = Schema(
    "hummusqa",
    "identifier",
    (
        Column("identifier", _TEXT),
        Column("audio", ColumnType.AUDIO),
        Column("question", _TEXT),
        Column("answer", _TEXT, is_gold=True),
        *(Column(name, _TEXT, is_gold=True) for name in DISTRACTOR_COLUMNS),
        Column("main_category", _TEXT),
        Column("secondary_categories", _TEXT, nullable=True),
        Column("difficulty", _TEXT),
        Column("excerpt_start_time", _TEXT),
        Column("excerpt_end_time", _TEXT),
        Column("song_link", _TEXT, nullable=True),
        Column("jamendo_id", _TEXT),
        Column("song_name", _TEXT),
        Column("artist_name", _TEXT),
        Column("album_name", _TEXT, nullable=True),
        Column("song_license_url", _TEXT),
    ),
    blind_extra=(Column("options", ColumnType.OPTIONS),),
    references=("answer",),
)
MUB = Schema(
    "mub",
    "id",
    (
        Column("id", _TEXT),
        Column("audio", ColumnType.AUDIO),
        Column("duration_s", _FLOAT),
        Column("cluster_id", _TEXT),
        Column("tempo_bpm", _FLOAT, is_gold=True, nullable=True),
        Column("beat_unit", _TEXT, is_gold=True, nullable=True),
        Column("key", _TEXT, is_gold=True, nullable=True),
        Column("time_signature", _TEXT, is_gold=True, nullable=True),
        Column("segments", ColumnType.SEGMENTS, is_gold=True, nullable=True),
        Column("beats_s", ColumnType.FLOATS, is_gold=True, nullable=True),
        Column("downbeats_s", ColumnType.FLOATS, is_gold=True, nullable=True),
        Column("multi_valued", ColumnType.STRINGS, is_gold=True),
        Column("license", _TEXT),
        Column("attribution", _TEXT),
        Column("version", _TEXT),
    ),
)
SCHEMAS = {schema.dataset: schema for schema in (MUSEBENCH, HUMMUSQA, MUB)}


def dataset_schema(dataset: str) -> Schema:
    """The schema of `musebench`, `hummusqa` or `mub`."""
    if dataset not in SCHEMAS:
        raise InputError(
            f'"{dataset}" is no dataset of this package{nearest(dataset, SCHEMAS)}; use {", ".join(SCHEMAS)}'
        )
    return SCHEMAS[dataset]


def stored_options(item_id: str, texts: tuple[str, ...]) -> list[dict[str, str]]:
    """The options of an item in the stored order (that of run 0, seed 42), as the `options` column holds them."""
    by_id = {option.id: option for option in make_options(item_id, texts)}
    return [by_id[each].model_dump() for each in shuffled_order(item_id, 0, tuple(by_id))]


def choice_columns(item_id: str, correct: tuple[str, ...], distractors: Mapping[str, str]) -> dict[str, Any]:
    """The option and answer columns of a musebench row; `distractors` maps a wrong option's text to its strategy."""
    options = stored_options(item_id, (*correct, *distractors))
    right = [option for option in options if option["text"] in correct]
    wrong = [option for option in options if option["text"] not in correct]
    return {
        "options": options,
        "answer": [option["id"] for option in right],
        "correct_answer": [option["text"] for option in right],
        "distractor_strategies": [{"id": option["id"], "strategy": distractors[option["text"]]} for option in wrong],
    }
