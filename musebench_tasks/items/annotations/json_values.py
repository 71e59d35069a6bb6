"""JSON: one object a recording, in the shape that tasks ask for; one, a list, a map by id, or lines of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, reason
from musebench_tasks.base.text import nearest
from musebench_tasks.items.annotations.jams import is_jams, read_jams
from musebench_tasks.items.annotations.raw_values import (
    END_NAMES,
    ID_NAMES,
    LABEL_NAMES,
    NAMES,
    START_NAMES,
    FilePlace,
    RawValue,
    named_recording,
    stated,
    tempo_in,
    time_in,
)
from musebench_tasks.items.annotations.values import commonest, key_parts

_IDS = ("id", "item_id", "track_id", "recording_id")
_ID = re.compile(rf'"(?:{"|".join(_IDS)})"\s*:\s*"([^"\\]+)"')


def parsed(text: str) -> Any:
    """A JSON value with exact decimals; InputError where it is none, or an object holds a key twice."""
    try:
        return json.loads(text, parse_float=Decimal, object_pairs_hook=_unrepeated)
    except (ValueError, ArithmeticError, RecursionError) as problem:
        raise InputError(f"is no JSON ({reason(problem)}). Correct it.") from problem


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'the key "{repeated[:40]}" stands twice in one object')
    return values


def read_json(text: str, place: FilePlace) -> Iterator[RawValue | Problem]:
    """Everything in a JSON file; `place` is of the recording that the file's name names."""
    value = parsed(text)
    if is_jams(value):
        yield from read_jams(value, place)
    elif isinstance(value, dict):
        yield from read_object(value, place)
    elif isinstance(value, list) and value and all(isinstance(each, dict) and _id_of(each) for each in value):
        for position, each in enumerate(value, start=1):
            yield from _fields(each, place.of(_id_of(each) or "", position))
    elif isinstance(value, list) and _is_segment_list(value):
        yield place.value("segments", *raw_segments(value))
    elif isinstance(value, list) and any(isinstance(each, dict) and _id_of(each) for each in value):
        for position, each in enumerate(value, start=1):
            yield from _entry(each, place.of("", position))
    else:
        raise InputError(
            "should be an object with tempo_bpm, key, time_signature or segments, or a list of such objects, each "
            f'with its "id"; found {_kind(value)}. Correct it.'
        )


def read_json_lines(text: str, file: str) -> Iterator[RawValue | Problem]:
    """One object a line, each with its id."""
    for place, value in parsed_lines(text, file):
        if isinstance(value, Problem):
            yield value
        else:
            yield from _entry(value, place)


def parsed_lines(text: str, file: str) -> Iterator[tuple[FilePlace, Any]]:
    """The value of each line, or the problem with it, of the recording that a broken line names."""
    for number, line in enumerate(text.split("\n"), start=1):
        place = FilePlace(file, "", number)
        if not line.strip():
            continue
        try:
            yield place, parsed(line)
        except InputError as error:
            yield from ((place, each) for each in place.of(_id_in(line), number).problems(error))


def _entry(value: Any, place: FilePlace) -> Iterator[RawValue | Problem]:
    """One of several objects, each with its id."""
    named = _id_of(value) if isinstance(value, dict) else None
    if named is None:
        yield place.problem(
            f'should be an object with an "id", found {_kind(value)}{_without_id(value)}.', "Correct it."
        )
    else:
        yield from _fields(value, place.of(named, place.row))


def _without_id(value: Any) -> str:
    return f" with {', '.join(value)[:80] or 'nothing'}" if isinstance(value, dict) else ""


def _id_in(line: str) -> str:
    """The recording that a broken line names: the only id in it that can be read."""
    names = {named_recording(name) for name in _ID.findall(line)}
    return names.pop() if len(names) == 1 else ""


def read_object(value: dict[str, Any], place: FilePlace) -> Iterator[RawValue | Problem]:
    """One recording's object, or a map from ids to such objects."""
    extracted = _extracted(value)
    if extracted is not None:
        yield from _fields(extracted, place)
    elif any(name.casefold() in NAMES for name in value):
        yield from _fields(value, place.of(_id_of(value) or place.recording))
    elif value and (all(map(_is_object, value.values())) or any(map(_has_fields, value.values()))):
        for name, each in value.items():
            inner = FilePlace(f'{place.file}, "{name[:60]}"', named_recording(name))
            if _is_object(each):
                yield from _fields(each, inner)
            else:
                yield inner.problem(f"should be an object with {', '.join(NAMES)}, found {_kind(each)}.", "Correct it.")
    else:
        found = ", ".join(value)[:80] or "an empty object"
        near = nearest(next(iter(value)), NAMES) if value else ""
        raise InputError(Problem(f"has no known field, found {found}{near}.", f"Known: {', '.join(NAMES)}."))


def _extracted(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Tempo, key and duration in what Essentia's extractor writes of a recording (AcousticBrainz keeps it so)."""
    rhythm, tonal, about = (value.get(name) for name in ("rhythm", "tonal", "metadata"))
    if not isinstance(rhythm, dict) or not isinstance(tonal, dict):
        return None
    properties = about.get("audio_properties") if isinstance(about, dict) else None
    key = {"tonic": tonal.get("key_key"), "scale": tonal.get("key_scale")}
    found = {
        "bpm": rhythm.get("bpm"),
        "key": key if None not in key.values() else None,
        "duration": properties.get("length") if isinstance(properties, dict) else None,
    }
    return {name: each for name, each in found.items() if each is not None}


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _has_fields(value: Any) -> bool:
    return isinstance(value, dict) and any(name.casefold() in NAMES for name in value)


def _id_of(value: Mapping[str, Any]) -> str | None:
    named = next((value[name] for name in _IDS if value.get(name) not in (None, "")), None)
    return named_recording(str(named)) if isinstance(named, (str, int)) and not isinstance(named, bool) else None


def _fields(value: dict[str, Any], place: FilePlace) -> Iterator[RawValue | Problem]:
    if not place.recording:
        yield place.problem("has no id.", "Fill it.")
        return
    given: dict[str, list[Any]] = {}
    for name, each in value.items():
        if name.casefold() in NAMES:
            given.setdefault(NAMES[name.casefold()], []).append(each)
    if not given:
        found = ", ".join(name for name in value if name not in ID_NAMES)[:80] or "nothing"
        yield place.problem(f"has no known field, found {found}.", f"Known: {', '.join(NAMES)}.")
    for field, values in given.items():
        if any(each != values[0] for each in values[1:]):
            yield place.problem("has two names with different values.", "Keep one.", field)
        elif field == "segments":
            yield _segments(value, values[0], place)
        elif field == "key" and isinstance(values[0], (list, tuple)) and _are_texts(values[0]):
            key, several = commonest(key_parts(_with_times(value, values[0])))
            yield place.value(field, key, several=several)
        else:
            yield place.value(field, _scalar(field, values[0]))


def _are_texts(value: Sequence[Any]) -> bool:
    return all(isinstance(each, str) for each in value)


def _with_times(value: dict[str, Any], keys: Sequence[str]) -> list[tuple[Any, Any, str]]:
    """Keys with the times that GiantSteps' second annotations keep in lists beside theirs."""
    starts, ends = value.get("start_times"), value.get("end_times")
    if not isinstance(starts, list) or not isinstance(ends, list) or not len(starts) == len(ends) == len(keys):
        return [(0, 0, key) for key in keys]
    return list(zip(starts, ends, keys, strict=True))


def _segments(value: dict[str, Any], segments: Any, place: FilePlace) -> RawValue | Problem:
    segments = _plain(segments)
    if segments is None:
        return place.value("segments", None)
    if not isinstance(segments, (list, tuple)):
        return place.problem(f"should be a list, found {_kind(segments)}.", "Correct it.", "segments")
    raw, rows = raw_segments(segments)
    labels = value.get("labels")
    if isinstance(labels, list):
        if len(labels) != len(raw):
            found = f"has {len(raw)} intervals and {len(labels)} labels."
            return place.problem(found, "Correct it.", "segments")
        raw = [(*each[:2], label) if isinstance(each, tuple) else each for each, label in zip(raw, labels, strict=True)]
    return place.value("segments", raw, rows)


def raw_segments(values: Sequence[Any]) -> tuple[list[Any], tuple[int, ...]]:
    """Segments as (start, end, label), and their positions from 1; what has no such shape stays as it is.

    Objects with start and end, lists of two or three, or boundaries alone.
    """
    if not isinstance(values, (list, tuple)):
        raise ValueError("no list")
    if len(values) > 1 and all(_is_boundary(each) for each in values):
        times = [_time(each) for each in values]
        return [(start, end, "") for start, end in pairwise(times)], tuple(range(1, len(times)))
    return [_segment(each) for each in values], tuple(range(1, len(values) + 1))


def _segment(value: Any) -> Any:
    if isinstance(value, dict):
        start, end = (_first(value, names) for names in (START_NAMES, END_NAMES))
        label = _first(value, LABEL_NAMES)
        return value if start is None or end is None else (_time(start), _time(end), "" if label is None else label)
    if isinstance(value, (list, tuple)) and len(value) in (2, 3):
        return (_time(value[0]), _time(value[1]), *(value[2:] or [""]))
    return value


def _first(value: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _time(value: Any) -> Any:
    return time_in(value) if isinstance(value, str) else value


def _is_boundary(value: Any) -> bool:
    return (isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)) or (
        isinstance(value, str) and not isinstance(time_in(value), str)
    )


def read_given(values: Mapping[str, Any] | Sequence[Any], what: str) -> Iterator[RawValue | Problem]:
    """Values at hand: objects with their ids, or a map from ids to objects; `what` stands for the file."""
    named_rows = values.items() if isinstance(values, Mapping) else ((None, row) for row in values)
    for position, (name, row) in enumerate(named_rows, start=1):
        place = FilePlace(what, "", position) if name is None else FilePlace(f'{what}, "{str(name)[:60]}"', "")
        if not isinstance(row, Mapping):
            found = f"should be a mapping with {', '.join(NAMES)}, found {type(row).__name__}."
            yield place.problem(found, "Correct it.")
            continue
        named = _id_of(row) if name is None else named_recording(str(name))
        if not named:
            yield place.problem('has no "id".', "Add it.")
        else:
            yield from _fields({str(key): value for key, value in row.items()}, place.of(named, place.row))


def _is_segment_list(values: list[Any]) -> bool:
    return bool(values) and (
        all(isinstance(_segment(each), tuple) for each in values)
        or (len(values) > 1 and all(map(_is_boundary, values)))
    )


def _scalar(field: str, value: Any) -> Any:
    """A value as its reader takes it."""
    value = in_one_piece(field, _plain(value))
    if isinstance(value, str) and stated(value) is None:
        return None
    if field == "tempo" and isinstance(value, str):
        return tempo_in(value)
    if field == "duration_s" and isinstance(value, str):
        return time_in(value)
    return value


def in_one_piece(field: str, value: Any) -> Any:
    """A key or time signature whose two parts are told apart, or a list of one, as one value."""
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return value[0]
    if field == "key" and isinstance(value, dict):
        tonic, mode = value.get("tonic"), value.get("mode", value.get("scale"))
        return f"{tonic} {mode}" if isinstance(tonic, str) and isinstance(mode, str) else value
    if field == "time_signature" and isinstance(value, dict):
        return [value.get("numerator"), value.get("denominator")]
    return value


def _plain(value: Any) -> Any:
    """Arrays as lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
