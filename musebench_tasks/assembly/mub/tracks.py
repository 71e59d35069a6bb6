"""From assertions to tracks: the last submission wins field by field, and what it says is validated (MU-01, MU-07).

For every field the last submission that says anything about it counts, also where what it says is wrong: an older
value never stands in for a newer one that cannot be read. Last is the latest time; submissions without a time come
before all others; ties go to the greater submission id, then to the greater annotator id (9 before 10). A submission
without id, annotator and time, such as a file that stands alone, comes first of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from musebench_tasks.assembly.mub.assertions import AnnotationSubmission, Archive, Assertion, Fact
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import MUSIC_FIELDS, Segment
from musebench_tasks.base.text import shown
from musebench_tasks.items.annotations import Annotation, RawAnnotations, RawValue
from musebench_tasks.items.annotations.raw_values import FilePlace
from musebench_tasks.items.annotations.validation import validate_references
from musebench_tasks.items.annotations.values import is_same_value
from musebench_tasks.values import parse_metre

CHANGING = ("tempo", "key", "time_signature")
FAULTY, INCOMPLETE, NOT_ANNOTATED = "with faults", "with a field missing", "not annotated"
COMPOUND = frozenset({6, 9, 12})


@dataclass(frozen=True)
class MubTrack:
    """A track with one legal value for each field."""

    id: str
    tempo_bpm: float
    key: str
    time_signature: str
    segments: tuple[Segment, ...]
    duration_s: float
    beat_unit: str
    multi_valued: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    provenance: Mapping[str, AnnotationSubmission] = field(default_factory=dict)
    """The submission that each field is taken from."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Where each fact stands."""


@dataclass(frozen=True)
class UnusableTrack:
    """A track that cannot be used, and why."""

    id: str
    reasons: tuple[Problem, ...]
    kind: str = FAULTY
    """`FAULTY`, or where nothing is wrong but what lacks: `INCOMPLETE`, `NOT_ANNOTATED`."""


def validate_tracks(archive: Archive) -> tuple[list[MubTrack], list[UnusableTrack]]:
    """The tracks of an archive in the order of their ids: those that can be used, and the others."""
    assertions: dict[str, list[Assertion]] = {track: [] for track in archive.facts}
    for each in archive.assertions:
        assertions.setdefault(each.submission.track, []).append(each)
    problems: dict[str, list[Problem]] = {}
    for problem in archive.problems:
        if problem.item is not None:
            problems.setdefault(problem.item, []).append(problem)
    tracks: list[MubTrack] = []
    refused: list[UnusableTrack] = []
    for track in sorted(assertions.keys() | problems.keys()):
        result = _validate(track, assertions.get(track, []), problems.get(track, []), archive.facts.get(track, {}))
        if isinstance(result, MubTrack):
            tracks.append(result)
        else:
            refused.append(result)
    return tracks, refused


def _validate(
    track: str, assertions: Sequence[Assertion], problems: Sequence[Problem], facts: Mapping[str, Fact]
) -> MubTrack | UnusableTrack:
    chosen: dict[str, Assertion] = {}
    reasons = list(problems)
    for name in (*MUSIC_FIELDS, "duration_s"):
        last = last_assertions(assertions, name)
        reasons += [each.entry for each in last if isinstance(each.entry, Problem)]
        stated = [(each, each.entry) for each in last if isinstance(each.entry, RawValue)]
        if not stated:
            continue
        chosen[name], first = stated[0]
        other = next((each for _, each in stated[1:] if not is_same_value(name, each.value, first.value)), None)
        if other is not None:
            twice = FilePlace(f"{first.place} and {other.place}", track)
            reasons.append(twice.problem("one submission says two things.", "Keep one of the two.", name))
    if reasons:
        return UnusableTrack(track, tuple(dict.fromkeys(reasons)))
    if not chosen.keys() & set(MUSIC_FIELDS):
        return UnusableTrack(track, (Problem("nobody annotated it.", place=f"track {shown(track)}"),), NOT_ANNOTATED)
    annotations = validate_references(RawAnnotations({track: _found(chosen)}, [], {}))
    if annotations.problems:
        return UnusableTrack(track, annotations.problems)
    lacking = _lacking(annotations.annotations[0])
    return (
        UnusableTrack(track, tuple(lacking), INCOMPLETE)
        if lacking
        else _track(annotations.annotations[0], chosen, facts)
    )


def last_assertions(assertions: Iterable[Assertion], name: str) -> list[Assertion]:
    """What the last submission that says anything about a field says about it: a value, faults, or both."""
    about = [each for each in assertions if _is_about(each.entry, name)]
    if not about:
        return []
    last = max(about, key=lambda each: each.submission.rank).submission
    return [each for each in about if each.submission.rank == last.rank]


def _is_about(entry: RawValue | Problem, name: str) -> bool:
    if isinstance(entry, Problem):
        return entry.column in (name, "")
    return entry.field == name and entry.value is not None


def _found(chosen: Mapping[str, Assertion]) -> dict[str, RawValue]:
    return {name: each.entry for name, each in chosen.items() if isinstance(each.entry, RawValue)}


def _lacking(annotation: Annotation) -> list[Problem]:
    """What a track must have and has not."""
    values = {"tempo": annotation.tempo_bpm, "key": annotation.key, "time_signature": annotation.time_signature}
    track = FilePlace(f"track {shown(annotation.id)}", annotation.id)
    problems = [track.problem("not stated.", "", name) for name, value in values.items() if value is None]
    if not annotation.segments:
        return [*problems, track.problem("not stated.", "", "segments")]
    unnamed = [number for number, each in enumerate(annotation.segments, start=1) if not each.label.strip()]
    if unnamed:
        told = ", ".join(map(str, unnamed[:5]))
        problems.append(track.problem(f"no label on segment {told}.", "Name the sections.", "segments"))
    return problems


def _track(annotation: Annotation, chosen: Mapping[str, Assertion], facts: Mapping[str, Fact]) -> MubTrack:
    several = [name for name in CHANGING if annotation.found[name].several]
    stated_unit = facts.get("beat_unit")
    return MubTrack(
        annotation.id,
        annotation.tempo_bpm,
        annotation.key,
        annotation.time_signature,
        annotation.segments,
        annotation.duration_s or annotation.segments[-1].end_s,
        stated_unit.value if stated_unit else beat_unit(annotation.time_signature),
        tuple(several),
        {name: fact.value for name, fact in facts.items()},
        {name: each.submission for name, each in chosen.items()},
        {name: fact.place for name, fact in facts.items()},
    )


def beat_unit(time_signature: str) -> str:
    """What a beat of a time signature is: a dotted quarter in 6/8, 9/8 and 12/8, else its denominator's note."""
    metre = parse_metre(time_signature)
    if metre is None:
        return ""
    is_compound = metre.denominator == 8 and metre.numerator in COMPOUND
    return "3/8" if is_compound else f"1/{metre.denominator}"


def history(assertions: Iterable[Assertion]) -> list[dict[str, Any]]:
    """All submissions of one track with everything that they say, the first submitted first."""
    submissions: dict[AnnotationSubmission, list[Assertion]] = {}
    for each in assertions:
        submissions.setdefault(each.submission, []).append(each)
    told = []
    for submission in sorted(submissions, key=lambda each: each.rank):
        entry: dict[str, Any] = {**submission.cells, "values": {}}
        for each in submissions[submission]:
            if isinstance(each.entry, Problem):
                entry.setdefault("faults", []).append(each.entry.text)
            else:
                value = each.stated if each.stated is not None else str(each.entry.value)
                entry["values"][each.entry.field] = {"place": each.entry.place, "stated": value}
        told.append(entry)
    return told
