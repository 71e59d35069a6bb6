"""Which column of a table holds which field: the task's `columns`, else the columns of our benchmarks."""

from __future__ import annotations

from collections.abc import Iterable

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.base.text import nearest
from musebench_tasks.items import cells
from musebench_tasks.items.tables import Table

SHARED_FIELDS = (
    "id",
    "media",
    "start_s",
    "end_s",
    "duration_s",
    "cluster_id",
    "category",
    "subdomain",
    "difficulty",
    "tags",
    "license",
    "attribution",
)
CHOICE_FIELDS = (*SHARED_FIELDS, "kind", "question", "options", "distractors", "transcript", "alignment", "answer")
MUSIC_FIELDS = (*SHARED_FIELDS, "tempo_bpm", "beat_unit", "key", "time_signature", "segments", "multi_valued")
GOLD_FIELDS = frozenset({"answer", "tempo_bpm", "beat_unit", "key", "time_signature", "segments", "multi_valued"})
ABSENT_WHERE_BLIND = GOLD_FIELDS | {"distractors"}
"""Fields whose columns a configuration without gold lacks, although the task names them."""
SILENT = " A set that was built --without-audio gets its recordings by the same build with --audio DIR and --force."

Mapping = dict[str, tuple[str, ...]]
"""Field -> its columns; only `distractors` and `options` may have several. Fields without a column are absent."""


def map_columns(task: TaskConfig, table: Table, wanted: Iterable[str] | None = None) -> Mapping:
    """The columns of the task's fields in `table`; InputError where the task names a column that is not there."""
    fields = CHOICE_FIELDS if task.kind == "choice" else MUSIC_FIELDS
    mapping: Mapping = {}
    absent: list[str] = []
    for field in fields if wanted is None else wanted:
        named = getattr(task.columns, field)
        columns = (named,) if isinstance(named, str) else tuple(named or ())
        missing = [column for column in columns if column not in table.columns]
        if field not in ABSENT_WHERE_BLIND:
            absent += [_missing(table, column, f"columns.{field} of the task {task.task}") for column in missing]
        if columns and not missing:
            mapping[field] = columns
        elif not columns and (default := _default(task, table, field)) is not None:
            mapping[field] = (default,)
    if absent:
        raise InputError(*absent)
    return mapping


def require(task: TaskConfig, table: Table, mapping: Mapping, fields: Iterable[str]) -> None:
    """InputError if nothing in `table` is mapped to one of the `fields`."""
    lines = []
    for field in fields:
        if field not in mapping:
            named = getattr(task.columns, field) or (_usual_media(task)[0] if field == "media" else field)
            columns = (named,) if isinstance(named, str) else named
            wanted = next((each for each in columns if each not in table.columns), field)
            hint = SILENT if field == "media" and task.kind == "music" else ""
            lines.append(_missing(table, wanted, f"{field} of the task {task.task}") + hint)
    if lines:
        raise InputError(*lines)


def _default(task: TaskConfig, table: Table, field: str) -> str | None:
    if field == "media":
        return next((each for each in _usual_media(task) if each in table.columns), None)
    # `distractors` has no default: options are a list unless the task says otherwise.
    return field if field != "distractors" and field in table.columns else None


def _usual_media(task: TaskConfig) -> tuple[str, ...]:
    """The columns in which media are looked for where the task names none."""
    return (*(each.value for each in task.protocol.media), "media")


def _missing(table: Table, column: str, who: str) -> str:
    where = table.shown(table.origins[0].file) if table.origins else table.called
    return (
        f'{where}: no column "{column}" ({who}){nearest(column, table.columns)}. '
        f"It has: {cells.names_shown(table.columns)}. Correct `columns` in the task, or the file."
    )
