"""YAML files of the user's own, read strictly: what is wrong is told with its file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Record
from musebench_tasks.base.text import nearest
from musebench_tasks.base.validation import phrase

_Record = TypeVar("_Record", bound=Record)


def read_mapping(path: Path, meaning: str) -> tuple[dict[str, Any], str]:
    """The `key: value` lines of a file and its text; `meaning` says what the file should have been."""
    try:
        text = path.read_text(encoding="utf-8")
        content = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{path} line {line}: {error.problem}.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot be read ({error}).") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: {meaning}.")
    return content, text


def read_record(path: Path, kind: type[_Record], meaning: str) -> _Record:
    """The record in a file; InputError names the line of what is wrong."""
    content, text = read_mapping(path, meaning)
    return make_record(content, kind, path, text)


def make_record(content: Any, kind: type[_Record], path: Path, text: str, within: tuple[str, ...] = ()) -> _Record:
    """The record that stands in `path` below the keys `within`; InputError names the line of what is wrong."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        # A misspelt key also leaves one missing: its name says more.
        problem = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        own = [str(key) for key in problem["loc"]]
        keys = [*within, *own]
        told = _explain(problem["type"], phrase(problem), keys, _known(kind, own))
        raise InputError(f"{path}{_line(text, keys)}: {told}") from error


def _known(kind: type[Record], keys: list[str]) -> list[str]:
    """The keys that are known where the last of `keys` stands."""
    for key in keys[:-1]:
        field = kind.model_fields.get(key)
        inner = [each for each in getattr(field.annotation, "__args__", ()) if _is_record(each)] if field else []
        if inner:
            kind = inner[0]
    return list(kind.model_fields)


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)


def _explain(kind: str, message: str, keys: list[str], known: list[str]) -> str:
    name = ".".join(keys)
    if kind == "missing":
        return f'"{name}" is missing.'
    if kind == "extra_forbidden":
        return f'unknown key "{name}"{nearest(keys[-1], known)}. Known: {", ".join(known)}.'
    return f'"{name}": {message}.' if name else f"{message}."


def _line(text: str, keys: list[str]) -> str:
    """` line N` of the deepest of `keys` that the YAML text has."""
    node, found = yaml.compose(text, Loader=yaml.SafeLoader), ""
    for key in keys:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        match = next((pair for pair in pairs if pair[0].value == key), None)
        if match is None:
            break
        found, node = f" line {match[0].start_mark.line + 1}", match[1]
    return found
