"""Which column of a table holds which field: the task's `columns`, else the names of datasets.md."""

from __future__ import annotations

from collections.abc import Iterable

from musebench_tasks.errors import InputError, nearest
from musebench_tasks.items.tables import Table
from musebench_tasks.records import TaskConfig

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

Mapping = dict[str, tuple[str, ...]]
"""Field -> its columns; only `distractors` and `options` may have several. Fields without a column are absent."""


def map_columns(task: TaskConfig, table: Table, wanted: Iterable[str] | None = None) -> Mapping:
    """The columns of the task's fields in `table`; InputError where the task names a column that is not there."""
    fields = CHOICE_FIELDS if task.kind == "choice" else MUSIC_FIELDS
    mapping: Mapping = {}
    for field in fields if wanted is None else wanted:
        named = getattr(task.columns, field)
        columns = (named,) if isinstance(named, str) else tuple(named or ())
        missing = [column for column in columns if column not in table.columns]
        if missing and field not in ABSENT_WHERE_BLIND:
            raise InputError(_missing(table, missing[0], f"columns.{field} of the task {task.task}"))
        if columns and not missing:
            mapping[field] = columns
        elif not columns and (default := _default(task, table, field)) is not None:
            mapping[field] = (default,)
    return mapping


def require(task: TaskConfig, table: Table, mapping: Mapping, field: str) -> None:
    """InputError if nothing in `table` is mapped to `field`."""
    if field not in mapping:
        named = getattr(task.columns, field) or field
        columns = (named,) if isinstance(named, str) else named
        wanted = next((each for each in columns if each not in table.columns), field)
        raise InputError(_missing(table, wanted, f"{field} of the task {task.task}"))


def _default(task: TaskConfig, table: Table, field: str) -> str | None:
    if field == "media":
        usual = (*(each.value for each in task.protocol.media), "media")
        return next((each for each in usual if each in table.columns), None)
    # `distractors` has no default: options are a list unless the task says otherwise.
    return field if field != "distractors" and field in table.columns else None


def _missing(table: Table, column: str, who: str) -> str:
    where = table.shown(table.origins[0].file) if table.origins else str(table.directory)
    return (
        f'{where}: no column "{column}" ({who}){nearest(column, table.columns)}. '
        f"It has: {', '.join(table.columns)}. Correct `columns` in the task, or the file."
    )
