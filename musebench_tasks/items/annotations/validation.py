"""Raw values validated: references must be right, estimates may be anything a tracker writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import MUSIC_FIELDS, Segment, Status
from musebench_tasks.items import cells, music
from musebench_tasks.items.annotations.files import TWO_VALUES, RawAnnotations, read_raw, values_at_hand
from musebench_tasks.items.annotations.raw_values import FilePlace, RawValue
from musebench_tasks.values import validate_reference

ATTRIBUTES = {"tempo": "tempo_bpm", "key": "key", "time_signature": "time_signature", "segments": "segments"}
NEVER_REPAIRED = "Correct the interval; references are never repaired."


@dataclass(frozen=True)
class Annotation:
    """What one side's files say of one recording; None = nothing."""

    id: str
    tempo_bpm: Any = None
    """References: a float. Estimates: the number or text that was written, for the scorer; others alike."""
    key: Any = None
    time_signature: Any = None
    segments: Any = None
    duration_s: float | None = None
    cluster_id: str | None = None
    statuses: Mapping[str, Status] = field(default_factory=dict)
    """Of an estimate's fields without a value: `unparsed` where something stood there, else `missing`."""
    found: Mapping[str, RawValue] = field(default_factory=dict, repr=False, compare=False)
    """Where each value stands."""


@dataclass(frozen=True)
class Annotations:
    """All recordings of a file or folder."""

    annotations: tuple[Annotation, ...]
    problems: tuple[Problem, ...] = ()
    """References with a problem lack the field concerned; such estimates are `unparsed`, or `missing` where no
    recording is named."""
    passed_over: Mapping[str, int] = field(default_factory=dict)
    """Suffixes of files that are no annotations, and how many there are."""
    several: Mapping[str, int] = field(default_factory=dict)
    """How many values of a field are the commonest of several."""
    flags: Mapping[str, int] = field(default_factory=dict)
    """How many references' segments were sorted, clipped by up to 0.5 s to their duration, or have gaps."""
    fields: tuple[str, ...] = ()
    """The fields that stand anywhere, readable or not."""
    is_one_unnamed: bool = False
    """One file of one recording, named by the file alone."""


Given = str | Path | Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""A file, a folder, or values at hand: mappings with an id, or a map from ids to mappings."""


def read_references(given: Given) -> Annotations:
    """The truths in files or values: legal ones, and a problem for each that is not (music_metrics.md 5.2).

    Nothing is repaired: a recording lacks the field that has a problem, the others load. Raises InputError where
    there is nothing to read at all.
    """
    return validate_references(_gathered(given, "references"))


def read_estimates(given: Given) -> Annotations:
    """The estimates in files or values, as they were written.

    What cannot be read is `unparsed` and a problem, and a row that names no recording a problem alone: that recording
    is `missing`. Raises InputError, listing all, for fields found with two values: which counts must be clear.
    """
    return validate_estimates(_gathered(given, "estimates"))


def _gathered(given: Given, what: str) -> RawAnnotations:
    if isinstance(given, (str, Path)):
        return read_raw(Path(given))
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise InputError(
            f"The {what} are {given!r:.80}: give a file, a folder, or values: "
            '{"ID": {"tempo_bpm": 120}} or [{"id": "ID", "tempo_bpm": 120}].'
        )
    return values_at_hand(given, what)


def validate_references(gathered: RawAnnotations) -> Annotations:
    """`read_references` of what was gathered."""
    problems = list(gathered.problems)
    bad = {(problem.item, problem.column) for problem in problems}
    annotations = []
    flags: Counter[str] = Counter()
    for named, found in gathered.found.items():
        legal = {name: each for name, each in found.items() if (named, name) not in bad}
        annotations.append(_reference(named, legal, problems, flags))
    return replace(_annotations(gathered, annotations, problems), flags=dict(sorted(flags.items())))


def validate_estimates(gathered: RawAnnotations) -> Annotations:
    """`read_estimates` of what was gathered."""
    doubles = [problem for problem in gathered.problems if problem.code == TWO_VALUES]
    if doubles:
        raise InputError(*doubles)
    bad: dict[str | None, set[str]] = {}
    for problem in gathered.problems:
        bad.setdefault(problem.item, set()).add(problem.column)
    annotations = [_estimate(named, found, bad.get(named, set())) for named, found in gathered.found.items()]
    return _annotations(gathered, annotations, gathered.problems)


def within(annotations: Annotations, ids: Collection[str]) -> Annotations:
    """What is said of recordings of `ids` alone; problems are kept, for they may be why an id is unknown."""
    kept = tuple(each for each in annotations.annotations if each.id in ids)
    named = {name for each in kept for name in each.found}
    return replace(annotations, annotations=kept, fields=tuple(name for name in MUSIC_FIELDS if name in named))


def _annotations(
    gathered: RawAnnotations, annotations: Sequence[Annotation], problems: Sequence[Problem]
) -> Annotations:
    present = {name for found in gathered.found.values() for name in found}
    present |= {problem.column for problem in gathered.problems}
    return Annotations(
        tuple(annotations),
        tuple(problems),
        gathered.passed_over,
        _several(gathered),
        fields=tuple(name for name in MUSIC_FIELDS if name in present),
        is_one_unnamed=gathered.is_one_unnamed,
    )


def _several(gathered: RawAnnotations) -> dict[str, int]:
    counts = Counter(each.field for found in gathered.found.values() for each in found.values() if each.several)
    return {name: counts[name] for name in MUSIC_FIELDS if counts[name]}


def _reference(named: str, found: Mapping[str, RawValue], problems: list[Problem], flags: Counter[str]) -> Annotation:
    values: dict[str, Any] = {}
    for name in ("duration_s", "tempo", "key", "time_signature", "segments", "cluster_id"):
        each = found.get(name)
        if each is None or each.value is None:
            continue
        try:
            if name == "segments":
                values[name] = _legal_segments(each, values.get("duration_s"), problems, flags)
            else:
                values[ATTRIBUTES.get(name, name)] = _legal(each)
        except InputError as error:
            problems += FilePlace(each.file, named, each.row).problems(error, name)
    try:
        cells.identifier(named)
    except InputError as error:
        place = next((each.place for each in found.values()), "references")
        problems += FilePlace(place, "").problems(error, "id")
        return Annotation(named)
    return Annotation(named, **{name: value for name, value in values.items() if value is not None}, found=found)


def _legal(found: RawValue) -> Any:
    readers = {
        "duration_s": lambda value: cells.duration(_plain(value)),
        "tempo": lambda value: music.tempo(_plain(value)),
        "key": music.key,
        "time_signature": music.time_signature,
        "cluster_id": cells.identifier,
    }
    return readers[found.field](found.value)


def _plain(value: Any) -> Any:
    """Decimals as text, which the readers of cells take exactly."""
    return value if isinstance(value, (str, bool, int, float)) or value is None else str(value)


def _legal_segments(
    found: RawValue, duration_s: float | None, problems: list[Problem], flags: Counter[str]
) -> tuple[Segment, ...] | None:
    """Segments without a problem, or None."""
    checked = validate_reference(found.value, duration_s)
    for wrong in checked.problems:
        place = FilePlace(found.place_of(wrong.row), found.id)
        problems.append(place.problem(f"{wrong.code}: {wrong.found}.", NEVER_REPAIRED, "segments"))
    if checked.problems:
        return None
    flags.update(checked.flags)
    return music.segment_records(checked.intervals)


def _estimate(named: str, found: Mapping[str, RawValue], bad: set[str]) -> Annotation:
    values: dict[str, Any] = {}
    statuses: dict[str, Status] = {}
    for name in MUSIC_FIELDS:
        each = found.get(name)
        if each is None or each.value is None or name in bad:
            is_there = each is not None or name in bad or "" in bad
            statuses[name] = Status.UNPARSED if is_there else Status.MISSING
        else:
            values[ATTRIBUTES[name]] = each.value
    return Annotation(named, **values, statuses=statuses, found=found)
