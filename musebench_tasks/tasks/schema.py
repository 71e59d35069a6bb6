"""Holds a YAML tree against a record: every problem as one line with file, line, key, what was found and a fix."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from musebench_tasks.errors import nearest
from musebench_tasks.records import (
    Cells,
    Chunking,
    Columns,
    GenerationSettings,
    MetricConfig,
    NarratorRemoval,
    Protocol,
    Record,
    TaskConfig,
    TaskMetadata,
)
from musebench_tasks.tasks.yaml_tree import Location, Tree, nearest_key

INNER_RECORDS: dict[str, type[Record]] = {
    "columns": Columns,
    "cells": Cells,
    "protocol": Protocol,
    "chunking": Chunking,
    "narrator_removal": NarratorRemoval,
    "generation_kwargs": GenerationSettings,
    "metric_list": MetricConfig,
    "metadata": TaskMetadata,
}
TYPE_WORDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping (key: value)",
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "finite_number": "a finite number",
}


def schema_problems(tree: Tree, record: type[Record], *, partial: bool = False) -> list[str]:
    """Where `tree` breaks the form of `record`; a `partial` tree (a file to be included) may lack keys."""
    try:
        # JSON mode is strict about types ("4" is no number) yet takes lists for tuples and text for enums.
        record.model_validate_json(json.dumps(tree.plain()), strict=True)
    except ValidationError as error:
        return list(_lines(tree, record, error, partial))
    return []


def _lines(tree: Tree, record: type[Record], error: ValidationError, partial: bool) -> Iterator[str]:
    wanted: dict[Location, list[str]] = {}
    for each in error.errors(include_url=False):
        kind, location = each["type"], _written(tree, each["loc"])
        if kind == "missing":
            if not partial:
                missing = str(each["loc"][-1])
                yield tree.error((*location, missing), "is missing. Add it.")
        elif kind == "extra_forbidden":
            yield tree.error(location, _unknown_key(record, location))
        else:
            wanted.setdefault(location, []).append(_phrase(kind, each))
    for location, phrases in wanted.items():
        found = json.dumps(tree.at(location).plain(), ensure_ascii=False)
        choices = " or ".join(dict.fromkeys(phrases))
        yield tree.error(location, f"{choices}, found {found[:80]}{_close(phrases, tree.at(location).value)}.")


def _written(tree: Tree, location: tuple[int | str, ...]) -> Location:
    """`location` without the branches of unions, which pydantic appends but nobody wrote."""
    written: list[int | str] = []
    for part in location:
        deeper = tree.at((*written, part))
        if deeper is tree.at(tuple(written)):
            break
        written.append(part)
    return tuple(written)


def _phrase(kind: str, error: Any) -> str:
    if kind in ("literal_error", "enum"):
        return f"should be {error['ctx']['expected']}"
    if kind == "too_short":
        return "should not be empty"
    if kind in TYPE_WORDS:
        return f"should be {TYPE_WORDS[kind]}"
    return str(error["msg"]).removeprefix("Value error, ").replace("Input ", "").replace("String ", "")


def _close(phrases: list[str], value: Any) -> str:
    known = [word for phrase in phrases for word in phrase.split("'")[1::2]]
    return nearest(value, known) if isinstance(value, str) else ""


def _owner(record: type[Record], parents: list[str]) -> type[Record]:
    """The record whose keys stand under `parents`."""
    for name in parents:
        annotation = record.model_fields[name].annotation if name in record.model_fields else None
        inner = annotation if isinstance(annotation, type) and issubclass(annotation, Record) else None
        record = inner or INNER_RECORDS.get(name, record)
    return record


def _unknown_key(record: type[Record], location: Location) -> str:
    key = str(location[-1])
    parents = [part for part in location[:-1] if isinstance(part, str)]
    owner = _owner(record, parents)
    hint = nearest_key(key, owner.model_fields)
    if not hint and record is TaskConfig:
        elsewhere = [name for name, inner in INNER_RECORDS.items() if key in inner.model_fields]
        hint = f' (belongs under "{elsewhere[0]}")' if elsewhere and not parents else ""
    return f"is no known key{hint or '. Known: ' + ', '.join(owner.model_fields)}."
