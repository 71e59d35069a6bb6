"""Rules on the three configs of a repository: the same rows in each, no gold in blind, the same gold in references."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from musebench_tasks.assembly.features import MEDIA_TYPES
from musebench_tasks.assembly.rules.collection import Placed
from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.schemas import Schema
from musebench_tasks.base.text import few, shown

Rows = Sequence[Mapping[str, Any]]


def config_flaws(schema: Schema, default: Rows, others: Mapping[str, Rows]) -> Iterator[tuple[str, Placed]]:
    """(config, flaw) for `blind` and `references` against `default`; rows without media, which are hashed elsewhere."""
    media = {column.name for column in schema.columns if column.type in MEDIA_TYPES}
    for config, rows in others.items():
        wanted = {column.name for column in schema.config(config)} - media
        columns = {name for row in rows for name in row} - media
        gold = {column.name for column in schema.columns if column.is_gold}
        if config == "blind":
            for name in sorted(columns & gold):
                problem = flaw("GOLD_IN_BLIND", name, "a column of gold.", "Build the repository again.")
                yield config, Placed(None, problem)
        for name in sorted((columns ^ wanted) - (gold if config == "blind" else set())):
            found = "is missing." if name in wanted else f"is no column of {config}."
            yield config, Placed(None, flaw("CONFIGS_DIFFER", name, found, "Build the repository again."))
        for placed in row_flaws(schema, default, rows):
            yield config, placed


def row_flaws(schema: Schema, default: Rows, rows: Rows) -> Iterator[Placed]:
    """Ids that only one of two configs has, and cells in which they differ."""
    media = {column.name for column in schema.columns if column.type in MEDIA_TYPES}
    known = {row.get(schema.id_column): row for row in default}
    names = [row.get(schema.id_column) for row in rows]
    repeated = Counter(names) - Counter(row.get(schema.id_column) for row in default)
    for text, absent in (
        ("default has rows that are not here", [name for name in known if name not in set(names)]),
        ("holds rows that default does not have", [name for name in names if name not in known]),
        (
            "holds rows more often than default",
            [name for name in repeated if name in known],
        ),
    ):
        if absent:
            found = f"{text}: {few([str(each) for each in absent])}."
            problem = flaw("CONFIGS_DIFFER", schema.id_column, found, "Build the repository again.")
            yield Placed(None, problem)
    for position, (name, row) in enumerate(zip(names, rows, strict=True)):
        other = known.get(name, {})
        for column in row:
            if column in other and column not in media and row[column] != other[column]:
                found = f"{shown(row[column])}, but {shown(other[column])} in default."
                yield Placed(position, flaw("CONFIGS_DIFFER", column, found, "Build the repository again."))
