"""Which cells of a dataset only the evaluator may know: what no question is made of (MU-04).

Known fields and telling column names say what a cell is; any other column counts where it tells rows apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.items.card import default_config
from musebench_tasks.items.files import SUFFIXES, configs_of
from musebench_tasks.items.load import BLIND, REFERENCES, config_table
from musebench_tasks.items.locate import Location, locate
from musebench_tasks.items.tables import Table, read_table

EVALUATOR_FILE = ".evaluator"
"""NAME.evaluator.jsonl (.parquet, .json, .csv) beside the dataset's folder NAME: what is kept out of the repository."""


class Secret(StrEnum):
    """What a cell is, as far as looking for it goes."""

    TITLE = "a title"
    ARTIST = "a name of an artist"
    PLATFORM = "an id or address of a platform"
    HASH = "a source hash"
    CAPTION = "a caption"
    INTENT = "a core intent"
    ANSWER = "a correct answer"
    STRATEGY = "a distractor strategy"
    TAG = "a tag"
    ATTRIBUTION = "an attribution"
    CLUSTER = "a cluster id"
    ITEM = "an item id"
    FILE = "a name of a source file"
    TRANSCRIPT = "another item's transcript"
    OTHER = "a text of the evaluator's"


_BY_NAME = (
    (Secret.HASH, r"hash|sha\d|md5|fingerprint|checksum"),
    (Secret.PLATFORM, r"(^|_)ids?$|url|link|uri|isrc|handle|annotator|submi"),
    (Secret.INTENT, r"intent"),
    (Secret.STRATEGY, r"strateg"),
    (Secret.ANSWER, r"answer|gold|solution"),
    (Secret.CAPTION, r"caption|narrati|descri|synopsis|summary|rationale|explanation"),
    (Secret.FILE, r"file|path"),
    (Secret.ARTIST, r"artist|composer|author|performer|director|channel|uploader|singer|band$|creator|owner"),
    (Secret.TITLE, r"title|name$|album|film|movie|song|track|work$"),
    (Secret.TAG, r"tags?$|keyword"),
)
_BY_FIELD = {
    "id": Secret.ITEM,
    "cluster_id": Secret.CLUSTER,
    "tags": Secret.TAG,
    "attribution": Secret.ATTRIBUTION,
    "answer": Secret.ANSWER,
}
_HARMLESS_FIELDS = (
    "media", "question", "options", "distractors", "transcript", "alignment", "kind", "category", "subdomain",
    "difficulty", "license", "start_s", "end_s", "duration_s", "tempo_bpm", "beat_unit", "key", "time_signature",
    "segments", "multi_valued",
)  # fmt: skip
_HARMLESS = re.compile(r"licen[cs]e|categor|difficult|language|split|version|(^|_)(fps|width|height|format|codec)$")
NUMBERED = frozenset({Secret.PLATFORM, Secret.HASH, Secret.CLUSTER, Secret.ITEM})
"""What may be a whole number."""
_DISTINCT_SHARE = 0.5
"""Of a column of unknown meaning: where fewer of its cells differ, it holds classes, not secrets."""


class SecretCell(NamedTuple):
    """One text that must not be sent."""

    secret: Secret
    column: str
    text: str


def evaluator_cells(task: TaskConfig, *, offline: bool = False) -> Iterator[SecretCell]:
    """All cells of the task's data that only the evaluator may know, from every configuration that lies here.

    A column that is read as an item's field is told by the field; gold of recordings (keys, tempi, metres, labels) is
    left out: its words are those that any answer is made of.
    """
    location = locate(task, (BLIND, REFERENCES), offline=offline)
    for table in _tables(task, location):
        fields = _fields(task)
        for column in table.columns:
            field = fields.get(column)
            if column in table.embedded:
                texts, secret = _embedded_names(table, column), Secret.FILE
            elif field in _HARMLESS_FIELDS or (field is None and _HARMLESS.search(column.lower())):
                continue
            else:
                secret = _BY_FIELD[field] if field is not None else _secret(column)
                texts = [text for row in table.rows for text in _texts(row.get(column), secret in NUMBERED)]
            if secret is not Secret.OTHER or len(set(texts)) >= _DISTINCT_SHARE * max(1, len(table.rows)):
                yield from (SecretCell(secret, column, text) for text in dict.fromkeys(texts))


def _tables(task: TaskConfig, location: Location) -> Iterator[Table]:
    """The tables that items and gold are read from, the default one where it is another, and the file beside them."""
    seen: set[str | None] = set()
    declared = configs_of(location.directory) if location.file is None else {}
    for name in (BLIND, REFERENCES) if task.dataset_name is None else (BLIND,):
        if not seen or (name in declared and name not in seen):
            config, table = config_table(task, location, name)
            if config not in seen:
                seen.add(config)
                yield table
    whole = default_config(declared)
    if task.dataset_name is None and whole is not None and whole not in seen:
        # What no run needs may be absent: of a repository on the Hub it is not even fetched.
        with suppress(InputError):
            yield config_table(task, location, whole)[1]
    folder = location.directory if location.file is None else location.file.with_suffix("")
    for suffix in SUFFIXES:
        beside = folder.parent / f"{folder.name}{EVALUATOR_FILE}{suffix}"
        if beside.is_file():
            yield read_table(beside.parent, [beside])


def _fields(task: TaskConfig) -> dict[str, str]:
    """Column -> the field that is read from it."""
    fields = dict.fromkeys((*task.protocol.media, "media"), "media")
    for field in (*_HARMLESS_FIELDS, *_BY_FIELD):
        named = getattr(task.columns, field) or field
        fields |= dict.fromkeys((named,) if isinstance(named, str) else named, field)
    return {str(column): field for column, field in fields.items()}


def _secret(column: str) -> Secret:
    return next((secret for secret, names in _BY_NAME if re.search(names, column.lower())), Secret.OTHER)


def _texts(cell: Any, numbers: bool) -> Iterator[str]:
    """Every text in a cell, whatever it is nested in; whole numbers as their digits, where `numbers` count.

    An `id` inside a cell says which option or segment a text is about.
    """
    if isinstance(cell, str):
        yield cell
    elif isinstance(cell, int) and not isinstance(cell, bool) and numbers:
        yield str(cell)
    elif isinstance(cell, dict | list | tuple):
        for each in [cell[key] for key in cell if key != "id"] if isinstance(cell, dict) else cell:
            yield from _texts(each, numbers)


def _embedded_names(table: Table, column: str) -> list[str]:
    """Names of the files whose bytes stand in a Parquet column, without their endings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names: list[str] = []
    for file in dict.fromkeys(origin.file for origin in table.origins):
        with pq.ParquetFile(file) as parquet:
            kind = parquet.schema_arrow.field(column).type
            if pa.types.is_struct(kind) and kind.get_field_index("path") >= 0:
                cells = parquet.read(columns=[f"{column}.path"]).column(0).to_pylist()
                names += [Path(cell["path"]).stem for cell in cells if cell and cell["path"]]
    return names
