"""What pydantic finds wrong with a record, in this project's words: where, what should stand there, what was found.

The one place that knows pydantic's errors. Who tells them puts the file, and the line where it is known, before.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from musebench_tasks.base.problems import Location, Problem
from musebench_tasks.base.text import closest, nearest, shown

_TYPES = {
    "string_type": "text",
    "string_sub_type": "text",
    "string_unicode": "text of whole characters",
    "bytes_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number of a size that can be held",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "none_required": "null",
    "tuple_type": "a list",
    "list_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "iterable_type": "a list",
    "dict_type": "a mapping (key: value)",
    "mapping_type": "a mapping (key: value)",
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "path_type": "a path",
    "date_type": "a day",
    "date_parsing": "a day",
    "date_from_datetime_parsing": "a day",
    "datetime_type": "a time",
    "datetime_parsing": "a time",
}
_FORMS = {
    "literal_error": "should be {expected}",
    "enum": "should be {expected}",
    "greater_than": "should be greater than {gt}",
    "greater_than_equal": "should be greater than or equal to {ge}",
    "less_than": "should be less than {lt}",
    "less_than_equal": "should be less than or equal to {le}",
    "multiple_of": "should be a multiple of {multiple_of}",
    "string_too_short": "should have at least {min_length} characters",
    "string_too_long": "should have at most {max_length} characters",
    "string_pattern_mismatch": "should be of the form {pattern}",
    "too_long": "should have at most {max_length} entries",
    "json_invalid": "is not JSON ({error})",
    "value_error": "{error}",
    "assertion_error": "{error}",
}
_PLAIN = {"too_short": "should not be empty", "recursion_loop": "should not hold itself"}
_SHOULD_BE = "should be "


class Code(StrEnum):
    """What is wrong with a value of a record."""

    MISSING = "missing"
    UNKNOWN = "unknown"
    """No such key."""
    NOT_JSON = "not_json"
    VALUE = "value"
    """Another kind of value, or one that is not allowed."""
    TEXT = "text"
    """A value of which text would have been right."""


def phrase(problem: Mapping[str, Any]) -> str:
    """What one of pydantic's errors asks for, without what was found: `should be a whole number`."""
    kind, context = problem["type"], problem.get("ctx") or {}
    if kind in _TYPES:
        return f"{_SHOULD_BE}{_TYPES[kind]}"
    if kind in _FORMS:
        return _FORMS[kind].format(**context)
    return _PLAIN.get(kind) or str(problem["msg"]).replace("Input ", "").replace("String ", "")


def first_phrase(error: ValidationError) -> str:
    """What the first of pydantic's errors asks for, where one value was looked at alone."""
    return phrase(error.errors(include_url=False)[0])


def faults(
    error: ValidationError, record: type[BaseModel], data: Any, *, noun: str = "field", partial: bool = False
) -> Iterator[Problem]:
    """Everything that is wrong with `data` as a `record`, one problem a location; `noun`: what its keys are called.

    A `partial` record (a file to be included) may lack keys.
    """
    wanted: dict[Location, list[Mapping[str, Any]]] = {}
    found = [(each, _written(data, each)) for each in error.errors(include_url=False)]
    for each, location in found:
        if each["type"] == "missing":
            if not partial:
                yield Problem("is missing.", "Add it.", Code.MISSING, location=location, noun=noun)
        elif each["type"] == "json_invalid":
            yield Problem(f"{phrase(each)}.", "Write it anew.", Code.NOT_JSON, noun=noun)
        elif each["type"] == "extra_forbidden":
            unknown = f"is no known {noun}{_hint(record, location, noun)}."
            yield Problem(unknown, code=Code.UNKNOWN, location=location, noun=noun)
        elif not (each["type"] in _TYPES and _is_understood(location, (other for _, other in found))):
            wanted.setdefault(location, []).append(each)
    for location, errors in wanted.items():
        phrases, value = [phrase(each) for each in errors], _at(data, location)
        code = Code.TEXT if any(_TYPES.get(each["type"]) == "text" for each in errors) else Code.VALUE
        said = f"{_choices(phrases)}, found {shown(value)}{_nearest(phrases, value)}."
        yield Problem(said, code=code, location=location, noun=noun)


def _written(data: Any, problem: Mapping[str, Any]) -> Location:
    """Where a problem stands, without the branches of unions, which pydantic names but nobody wrote."""
    is_missing = problem["type"] == "missing"
    parts = problem["loc"][:-1] if is_missing else problem["loc"]
    written: list[str | int] = []
    for part in parts:
        if _holds(data, part):
            written.append(part)
            data = data[part]
    return (*written, problem["loc"][-1]) if is_missing else tuple(written)


def _holds(value: Any, part: str | int) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, (list, tuple)) and isinstance(part, int) and part < len(value)


def _at(data: Any, location: Location) -> Any:
    for part in location:
        data = data[part]
    return data


def _is_understood(location: Location, others: Iterable[Location]) -> bool:
    """Whether another branch of a union took the value and found something wrong deeper inside."""
    return any(len(each) > len(location) and each[: len(location)] == location for each in others)


def _choices(phrases: list[str]) -> str:
    """`should be text or a list`."""
    first, *others = dict.fromkeys(phrases)
    return " or ".join([first, *(each.removeprefix(_SHOULD_BE) for each in others)])


def _nearest(phrases: list[str], value: Any) -> str:
    known = [word for phrase in phrases for word in phrase.split("'")[1::2]]
    return nearest(value, known) if isinstance(value, str) else ""


def _hint(record: type[BaseModel], location: Location, noun: str) -> str:
    """The key that an unknown one resembles, else the record inside that knows it, else all that are known."""
    key, owner = str(location[-1]), _owner(record, location[:-1])
    match = closest(key, owner.model_fields)
    if match:
        return f' (nearest known {noun}: "{match}")'
    elsewhere = _place_of(key, owner)
    return f' (belongs under "{elsewhere}")' if elsewhere else f". Known: {', '.join(owner.model_fields)}"


def _owner(record: type[BaseModel], location: Location) -> type[BaseModel]:
    """The record whose keys stand at `location`."""
    for name in location:
        field = record.model_fields.get(name) if isinstance(name, str) else None
        record = next(_records_in(field.annotation), record) if field else record
    return record


def _place_of(key: str, record: type[BaseModel]) -> str | None:
    """Under which key of `record`, or deeper, `key` is known."""
    for name, field in record.model_fields.items():
        for inner in _records_in(field.annotation):
            if key in inner.model_fields:
                return name
            deeper = _place_of(key, inner)
            if deeper:
                return f"{name}.{deeper}"
    return None


def _records_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The records that a field may hold, alone or in a list, a mapping or a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _records_in(inner)
