"""`score_estimates`: a tracker's files, or values at hand, against references; no task, no model, no run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import write_text
from musebench_tasks.base.problems import lines
from musebench_tasks.base.records import MUSIC_FIELDS, Status
from musebench_tasks.base.text import counted, few, one_line, shown
from musebench_tasks.estimates.against_mir_eval import CLEANED, PeerRow
from musebench_tasks.evaluation.estimated import Estimate, segments_fault
from musebench_tasks.evaluation.recordings import WHERE, Recording, RecordingScores, score_recordings
from musebench_tasks.items.annotations import (
    Annotation,
    Annotations,
    Given,
    RawValue,
    read_estimates,
    read_references,
    within,
)
from musebench_tasks.measures.key import HEADLINE_VERSION as KEY_VERSION
from musebench_tasks.measures.tempo import HEADLINE_VERSION as TEMPO_VERSION

MOST_IDS = 10
"""Ids that a remark lists; the rest is counted."""
OUT_FORMATS = (".json", ".csv")
WORDS = {
    "sorted": "put in order",
    "clipped": "clipped to the recording",
    "clipped_far": "by more than 0.5 s",
    "dropped": "with intervals outside, dropped",
    "snapped": "with overlaps of up to 50 ms, snapped",
    "gaps": "with gaps, kept",
}
"""What was done to segments, and what was left (answers.md 4)."""
READS = {"tempo": "10 to 600 BPM", "key": "tonic and mode, Eb major", "time_signature": "n/d, 6/8"}
"""What is read as a value of a field."""


@dataclass(frozen=True)
class EstimateScores(RecordingScores):
    """Scores of estimates, and what there is to say about the files."""

    problems: tuple[str, ...] = ()
    """References that could not be used, one line each; those recordings are not scored in the field concerned."""
    notes: tuple[str, ...] = ()
    """Estimates that could not be read or are illegal: each counts as a miss."""
    remarks: tuple[str, ...] = ()
    """What else a reader should know: fields left out, files passed over, values taken of several."""

    @property
    def least_covered(self) -> tuple[float, str]:
        """The lowest coverage of a field, and which field's it is."""
        found = [(each.coverage, str(each.field)) for each in self.counts if each.field and each.coverage is not None]
        return min(found, key=lambda each: each[0], default=(1.0, ""))


def score_estimates(
    estimates: Given,
    references: Given,
    *,
    fields: Collection[str] | None = None,
    key_version: str = KEY_VERSION,
    tempo_version: str = TEMPO_VERSION,
    label_aware: bool = False,
    ignore_unknown: bool = False,
) -> EstimateScores:
    """Score estimates of tempo, key, time signature and segments against references, joined by recording.

    Each side is a file, a folder (JAMS, .lab, CSV, JSON, one-value text files), or values at hand: a map from ids to
    {"tempo_bpm": ..., "key": ..., "time_signature": ..., "segments": ...}, or a list of such with an "id".
    `fields` are scored, by default those that both sides have. Illegal references lead to `problems` and are not
    scored, unreadable estimates to `notes` and are misses. Raises InputError for a field found twice, for estimates of
    no recording (unless `ignore_unknown` leaves those aside, as `ignored`), and where nothing can be scored.
    """
    right, found = read_references(references), read_estimates(estimates)
    if right.is_one_unnamed and found.is_one_unnamed:
        found = _renamed(found, right.annotations[0].id)
    known = {each.id for each in right.annotations}
    attributed = within(found, known) if ignore_unknown else found
    wanted = _wanted(right, attributed, fields)
    try:
        scores = score_recordings(
            [_recording(each) for each in right.annotations],
            [_estimate(each) for each in found.annotations],
            fields=wanted,
            key_version=key_version,
            tempo_version=tempo_version,
            label_aware=label_aware,
            with_baselines=True,
            ignore_unknown=ignore_unknown,
        )
    except InputError as error:
        # What could not be read may be why an estimate is of no reference.
        raise InputError(*right.problems, *found.problems, *error.problems) from error
    return EstimateScores(
        **vars(scores),
        problems=tuple(lines(right.problems)),
        notes=(*_unread(found, known), *_invalid(found, scores)),
        remarks=(
            *_ignored(scores.ignored),
            *_remarks(right, attributed, wanted),
            *_cleaned("references", right.flags),
            *_cleaned("estimates", scores.flags),
        ),
    )


def _recording(annotation: Annotation) -> Recording:
    return Recording(
        annotation.id,
        annotation.cluster_id,
        annotation.duration_s,
        annotation.tempo_bpm,
        annotation.key,
        annotation.time_signature,
        annotation.segments,
    )


def _estimate(annotation: Annotation) -> Estimate:
    return Estimate(
        annotation.id,
        annotation.tempo_bpm,
        annotation.key,
        annotation.time_signature,
        annotation.segments,
        annotation.statuses,
    )


def _renamed(found: Annotations, name: str) -> Annotations:
    """Two single files that name no recording are of the same one."""
    problems = tuple(replace(each, items=(name,)) if each.items else each for each in found.problems)
    return replace(found, annotations=(replace(found.annotations[0], id=name),), problems=problems)


def _wanted(right: Annotations, found: Annotations, fields: Collection[str] | None) -> list[str]:
    """The fields to score: those asked for, else those that references and estimates have, else those of references."""
    if fields is not None:
        return list(fields)
    annotated = _annotated(right)
    if not annotated:
        raise InputError(*(right.problems or ["The references hold no tempo, key, time signature or segments."]))
    return [name for name in annotated if name in found.fields] or annotated


def _annotated(right: Annotations) -> list[str]:
    return [name for name in MUSIC_FIELDS if any(getattr(each, WHERE[name]) is not None for each in right.annotations)]


def _unread(found: Annotations, known: Collection[str]) -> Iterator[str]:
    """A line for each thing that could not be read, and what it counts as."""
    for problem in found.problems:
        if problem.item is None:
            yield f"{problem.text} It names no recording and counts for none."
        else:
            yield f"{problem.text} {'Counted as unparsed' if problem.item in known else 'Ignored: of no reference'}."


def _invalid(found: Annotations, scores: RecordingScores) -> Iterator[str]:
    """A line for each value that stood there and could not be scored."""
    durations = {case.item.id: case.item.duration_s for case in scores.cases}
    for annotation in found.annotations:
        for name, status in scores.statuses.get(annotation.id, {}).items():
            each = annotation.found.get(name)
            is_there = each is not None and each.value is not None and name not in annotation.statuses
            if each is not None and is_there and status is not Status.OK:
                yield one_line(f"{_what(each, durations[annotation.id])} Counted as {status.value}.")


def _what(found: RawValue, duration_s: float | None) -> str:
    if found.field != "segments":
        return f'{found.place}, field "{found.field}": {_text(found.value)} is not read ({READS[found.field]}).'
    fault = segments_fault(found.value, duration_s) if isinstance(found.value, Sequence) else (None, "shape")
    position, code = fault or (None, "invalid")
    if position is None:
        return f'{found.place}, field "segments": {code}.'
    return f'{found.place_of(position)}, field "segments": {code}: {_text(found.value[position])}.'


def _text(value: Any) -> str:
    if isinstance(value, tuple) and len(value) > 1:
        label = f" {value[2]}" if len(value) > 2 and value[2] else ""
        return f"{value[0]} to {value[1]}{label}"[:80]
    return shown(value)


def _remarks(right: Annotations, found: Annotations, wanted: Sequence[str]) -> Iterator[str]:
    left_out = [name for name in _annotated(right) if name not in wanted]
    if left_out:
        named = ", ".join(name.replace("_", " ") for name in left_out)
        yield f"not scored: {named} (in the references, in no estimate)"
    yield from _without_truth(right, found, left_out)
    for side, read in (("references", right), ("estimates", found)):
        for name, count in read.several.items():
            which = "the stronger of two, else the commonest," if name == "tempo" else "the commonest"
            yield f"{side}, {name.replace('_', ' ')}: {counted(count, 'file')} with several values; {which} counts"
        if read.passed_over:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(read.passed_over.items()))
            yield f"{side}: passed over {kinds}"


def _without_truth(right: Annotations, found: Annotations, left_out: Collection[str]) -> Iterator[str]:
    """Fields of estimates that nothing is scored of, since those recordings' references lack them."""
    true = {each.id: each for each in right.annotations}
    for name in (each for each in found.fields if each not in left_out):
        alone = [
            each.id
            for each in found.annotations
            if name in each.found and each.id in true and getattr(true[each.id], WHERE[name]) is None
        ]
        if alone:
            said = f"{counted(len(alone), 'estimate')} without a reference for it: {few(alone, MOST_IDS)}"
            yield f"not scored: {name.replace('_', ' ')} of {said}"


def _ignored(ids: Sequence[str]) -> Iterator[str]:
    if ids:
        yield f"ignored: {counted(len(ids), 'estimate')} of no reference: {few(ids, MOST_IDS)}"


def _cleaned(side: str, flags: Mapping[str, int]) -> Iterator[str]:
    if flags:
        told = ", ".join(f"{count} {WORDS[flag]}" for flag, count in flags.items())
        yield f"{side}, segments: {told}"


def estimates_json(scores: EstimateScores, peers: Sequence[PeerRow] = ()) -> str:
    """Everything as JSON: rows, counts, each recording's scores and statuses, what could not be read, the peers."""
    recordings: dict[str, dict[str, Any]] = {
        name: {"statuses": {field: status.value for field, status in statuses.items()}, "scores": {}}
        for name, statuses in scores.statuses.items()
    }
    for each in scores.measurements:
        if each.statistic is None:
            for name, value in zip(each.item_ids, each.columns[:, 0].tolist(), strict=True):
                recordings[name]["scores"][f"{each.metric}/{each.version}"] = round(value, 12)
    told = {name: list(getattr(scores, name)) for name in ("problems", "notes", "remarks", "ignored")}
    rows = [each._asdict() for each in peers]
    against = {"against": {"mir_eval": rows, "segments": CLEANED}} if peers else {}
    whole = {**scores.to_dict(), **told, **against, "recordings": recordings}
    return json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False)


def estimates_writer(out: Path | None) -> Callable[[EstimateScores, Sequence[PeerRow]], None] | None:
    """What writes scores to `out` by its suffix; None where nothing is to be written."""
    if out is None:
        return None
    if out.suffix.lower() not in OUT_FORMATS:
        raise InputError(f"{out}: scores are written as {' or '.join(OUT_FORMATS)}. Name such a file.")
    if out.is_dir():
        raise InputError(f"{out}: is a folder. Name a file.")
    if out.suffix.lower() == ".json":
        return lambda scores, peers: write_text(out, estimates_json(scores, peers) + "\n")
    return lambda scores, peers: write_text(out, _as_csv(scores))


def _as_csv(scores: EstimateScores) -> str:
    text = io.StringIO()
    rows = scores.table()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
