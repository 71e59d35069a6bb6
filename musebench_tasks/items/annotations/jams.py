"""JAMS: tempo, key_mode, beat_position and the segment namespaces, read without the jams library.

Of several annotations of a field the first that holds data is taken, of several segment namespaces the first of
`SEGMENT_NAMESPACES`. Of several tempi or keys the commonest counts (MU-07); ties: the longest in total, the one of most
confidence, the first. Key names are matched as a
whole: JAMS' own schema searches, so that "xyzC:major" passes it (music_metrics.md 1.4). JAMS has no time signature;
`beat_position` tells the number and unit of beats of each measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.items.annotations.raw_values import FilePlace, RawValue
from musebench_tasks.items.annotations.values import TimedValue, canonical_key, commonest, micros_in

SEGMENT_NAMESPACES = (
    *("segment_open", "segment_salami_function", "segment_salami_upper", "segment_salami_lower", "segment_tut"),
    "multi_segment",
)
NAMESPACES = {
    "tempo": ("tempo",),
    "key": ("key_mode",),
    "time_signature": ("beat_position",),
    "segments": SEGMENT_NAMESPACES,
}


class Observation(NamedTuple):
    """One entry of an annotation."""

    time: Any
    duration: Any
    value: Any
    confidence: Any = None


def is_jams(value: Any) -> bool:
    """Whether a JSON value is a JAMS file."""
    return isinstance(value, dict) and isinstance(value.get("annotations"), list) and "file_metadata" in value


def read_jams(value: Any, place: FilePlace) -> Iterator[RawValue | Problem]:
    """Everything in a JAMS file; `place` is of the recording that the file's name names."""
    if not is_jams(value):
        raise InputError('is no JAMS file: "annotations" and "file_metadata" are missing. Correct it.')
    metadata = value["file_metadata"]
    duration = metadata.get("duration") if isinstance(metadata, dict) else None
    if duration is not None and duration != 0:
        yield place.value("duration_s", duration)
    held = False
    for field, namespaces in NAMESPACES.items():
        try:
            observations = _first(value["annotations"], namespaces)
        except InputError as error:
            yield from place.problems(error, field)
            held = True
            continue
        if observations is not None:
            held = True
            yield _FIELDS[field](observations, place)
    if not held:
        known = ", ".join(name for names in NAMESPACES.values() for name in names)
        raise InputError(f"has no data under {known}. Remove it, or add an annotation.")


def _first(annotations: list[Any], namespaces: tuple[str, ...]) -> list[Observation] | None:
    """The data of the first annotation that holds any, of the first namespace that has one."""
    for namespace in namespaces:
        for annotation in annotations:
            if isinstance(annotation, dict) and annotation.get("namespace") == namespace:
                observations = _observations(annotation.get("data"), namespace)
                if observations:
                    return observations
    return None


def spare_namespaces(annotations: Iterable[Any]) -> Iterator[str]:
    """The namespace of each annotation that holds data and is not read: of another kind, or beside a better one."""
    filled = [each for each in annotations if isinstance(each, dict) and each.get("data")]
    names = [str(each.get("namespace"))[:40] for each in filled]
    for known in NAMESPACES.values():
        best = next((name for name in known if name in names), None)
        if best is not None:
            names.remove(best)
    yield from names


def _observations(data: Any, namespace: str) -> list[Observation]:
    """Data as a list of observations, or as one list for each of their parts."""
    if data is None:
        return []
    if isinstance(data, dict):
        columns = [data.get(name) for name in ("time", "duration", "value")]
        lists = [column for column in columns if isinstance(column, list)]
        if len(lists) != 3 or len({len(column) for column in lists}) != 1:
            raise InputError(f"the data of {namespace} should hold equally long lists time, duration, value.")
        sure = data.get("confidence")
        if not isinstance(sure, list) or len(sure) != len(lists[0]):
            sure = [None] * len(lists[0])
        return [Observation(*each) for each in zip(*lists, sure, strict=True)]
    if not isinstance(data, list) or not all(isinstance(each, dict) and "value" in each for each in data):
        raise InputError(f"the data of {namespace} should be a list of observations with time, duration and value.")
    return [Observation(each.get("time"), each.get("duration"), each["value"], each.get("confidence")) for each in data]


def _tempo(observations: list[Observation], place: FilePlace) -> RawValue:
    value, several = commonest(_part(each, _hashable(each.value)) for each in observations)
    return place.value("tempo", value, several=several)


def _key(observations: list[Observation], place: FilePlace) -> RawValue:
    named = [(each, canonical_key(str(each.value))) for each in observations]
    value, several = commonest(_part(each, name) for each, name in named if name)
    return place.value("key", value, several=several)


def _time_signature(observations: list[Observation], place: FilePlace) -> RawValue:
    metres = [each.value for each in observations if isinstance(each.value, dict)]
    metres = [each for each in metres if each.get("num_beats") is not None and each.get("beat_units") is not None]
    value, several = commonest(TimedValue(f"{each['num_beats']}/{each['beat_units']}") for each in metres)
    return place.value("time_signature", value, several=several)


def _segments(observations: list[Observation], place: FilePlace) -> RawValue:
    levels = [each.value.get("level") for each in observations if isinstance(each.value, dict)]
    kept = list(enumerate(observations, start=1))
    if levels:
        top = min((level for level in levels if isinstance(level, int)), default=0)
        kept = [(row, each) for row, each in kept if isinstance(each.value, dict) and each.value.get("level") == top]
    segments = [(each.time, _end(each), _label(each.value)) for _, each in kept]
    return place.value("segments", segments, tuple(row for row, _ in kept))


def _end(observation: Observation) -> Any:
    if _is_number(observation.time) and _is_number(observation.duration):
        return _exact(observation.time) + _exact(observation.duration)
    return observation.duration if not _is_number(observation.duration) else observation.time


def _label(value: Any) -> str:
    label = value.get("label") if isinstance(value, dict) else value
    return "" if label is None else str(label)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _exact(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


def _part(observation: Observation, value: Any) -> TimedValue:
    return TimedValue(value, micros_in(observation.time), micros_in(observation.duration), _confidence(observation))


def _confidence(observation: Observation) -> float:
    sure = float(observation.confidence) if _is_number(observation.confidence) else 0.0
    return sure if isfinite(sure) else 0.0


def _hashable(value: Any) -> Any:
    return value if isinstance(value, (int, float, Decimal, str, type(None))) else str(value)


_FIELDS = {"tempo": _tempo, "key": _key, "time_signature": _time_signature, "segments": _segments}
