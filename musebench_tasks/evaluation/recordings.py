"""Estimates of recordings scored against references: what one tracker's files or lists are worth.

Estimates are joined to the recordings by id, never the other way round (music_metrics.md 6): a recording without an
estimate is a miss inside the denominator, an id that stands twice or belongs to no recording refuses everything.
The definitions, errors and intervals are those of a task's scorecard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, Problems
from musebench_tasks.base.records import (
    MUSIC_FIELDS,
    Condition,
    Counts,
    Item,
    Kind,
    MusicTruth,
    Reference,
    ScoreRow,
    Status,
)
from musebench_tasks.base.text import closest, nearest
from musebench_tasks.evaluation.baselines import baseline_cases
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.counts import count_statuses, status_of_fields
from musebench_tasks.evaluation.estimated import Estimate, EstimatedField, read_estimate
from musebench_tasks.evaluation.measurement import Measurement, score_row
from musebench_tasks.evaluation.metrics.music import mub_key, mub_segments, mub_tempo, mub_time_signature
from musebench_tasks.items import cells, music
from musebench_tasks.measures.key import HEADLINE_VERSION as KEY_VERSION
from musebench_tasks.measures.tempo import HEADLINE_VERSION as TEMPO_VERSION
from musebench_tasks.version import __version__

WHERE = {"tempo": "tempo_bpm", "key": "key", "time_signature": "time_signature", "segments": "segments"}
"""The attribute of a recording, and of an estimate, that holds a field."""


@dataclass(frozen=True)
class Recording:
    """One recording and what is true of it. A truth that is None is not annotated and not scored."""

    id: str
    cluster: str | None = None
    """What its errors are shared with (composition, album); None = a cluster of its own."""
    duration_s: float | None = None
    """Seconds of audio; None = unknown: nothing is clipped, and structure is compared up to the reference's end."""
    tempo_bpm: float | None = None
    key: str | None = None
    time_signature: str | None = None
    segments: Sequence[Any] | None = None
    """Each a `records.Segment`, a mapping with start_s, end_s and label, or (start, end[, label])."""


@dataclass(frozen=True)
class RecordingScores:
    """What estimates scored: a row a number, and how many recordings got a value of each field."""

    rows: tuple[ScoreRow, ...]
    counts: tuple[Counts, ...]
    """Of the whole recordings (field None), then of each field scored: its recordings are those with a truth."""
    measurements: tuple[Measurement, ...] = field(repr=False)
    """Behind the rows: one score a recording."""
    statuses: Mapping[str, Mapping[str, Status]] = field(repr=False)
    """How each field ended that a recording has a truth of."""
    cases: tuple[Case, ...] = field(repr=False)
    """Each recording with its truth and the values that were read."""
    flags: Mapping[str, int] = field(default_factory=dict)
    """How many estimates had their segments sorted, clipped, clipped_far, dropped, snapped, or have gaps."""
    ignored: tuple[str, ...] = ()
    """Estimates of no recording that were left aside, where that was asked for."""
    baselines: tuple[ScoreRow, ...] = ()
    """The first row of each field for answers that look at no audio, where they were asked for."""

    @property
    def coverage(self) -> float | None:
        """The lowest coverage of any field: what `--min-coverage` is held against."""
        return min((each.coverage for each in self.counts if each.coverage is not None), default=None)

    def count(self, field_name: str | None = None) -> Counts:
        """How the recordings ended in a field (`tempo`, `key`, ...); None = as a whole."""
        return next(each for each in self.counts if each.field == field_name)

    def row(self, metric: str) -> ScoreRow | None:
        """The row of a metric id, with or without its version; None if there is none."""
        return next((row for row in self.rows if metric in (row.metric, f"{row.metric}/{row.version}")), None)

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame: value, error, interval, n, coverage and answered of each metric."""
        import pandas

        return pandas.DataFrame(self.table())

    def by_recording(self) -> Any:
        """The score of every recording as a pandas DataFrame: recordings down, metrics across."""
        import pandas

        columns = {
            f"{each.metric}/{each.version}": pandas.Series(each.columns[:, 0], index=list(each.item_ids))
            for each in self.measurements
            if each.statistic is None
        }
        frame = pandas.DataFrame(columns, index=list(self.statuses))
        frame.index.name = "id"
        return frame

    def table(self) -> list[dict[str, Any]]:
        """The rows as plain dictionaries."""
        return [self._flat(row) for row in self.rows]

    def _flat(self, row: ScoreRow) -> dict[str, Any]:
        count = self.count(field_of(row.metric))
        interval = row.interval
        return {
            "metric": row.metric,
            "version": row.version,
            "value": row.value,
            "standard_error": row.standard_error,
            "low": interval.low if interval else None,
            "high": interval.high if interval else None,
            "method": interval.method if interval else None,
            "n": row.n,
            "n_clusters": row.n_clusters,
            "coverage": count.coverage,
            "answered": count.answered,
            "note": row.note,
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "scorer_version": __version__,
            "scores": self.table(),
            "baselines": [
                {"system": row.system, "metric": row.metric, "version": row.version, "value": row.value, "n": row.n}
                for row in self.baselines
            ],
            "flags": dict(self.flags),
            "counts": [each.model_dump(mode="json", exclude={"condition"}) for each in self.counts],
        }


def score_recordings(
    recordings: Sequence[Recording],
    estimates: Iterable[Estimate],
    *,
    fields: Collection[str] | None = None,
    key_version: str = KEY_VERSION,
    tempo_version: str = TEMPO_VERSION,
    label_aware: bool = False,
    with_baselines: bool = False,
    ignore_unknown: bool = False,
) -> RecordingScores:
    """Score `estimates` against the truths of `recordings`, joined by id.

    `fields` (of tempo, key, time_signature, segments; default: all that any recording has a truth of) are scored.
    `key_version` and `tempo_version` come first of their field's rows. `label_aware` refuses references whose
    segments lack a label, and puts the label-aware row first. `with_baselines` adds the two priors. `ignore_unknown`
    leaves estimates of no recording aside (`ignored` names them), unless they all are. Raises InputError with every
    problem at once: illegal references (codes of music_metrics.md 5.2), ids that stand twice or belong to no
    recording, unknown fields.
    """
    # In the order of a task's plan, so that bootstrap draws are the same whatever the order of files.
    pairs = sorted(_checked(recordings, label_aware), key=lambda pair: pair[0].id)
    wanted = _fields(fields, [reference for _, reference in pairs])
    given, ignored = _by_id(estimates, [item.id for item, _ in pairs], ignore_unknown=ignore_unknown)
    cases: list[Case] = []
    statuses: dict[str, dict[str, Status]] = {}
    flags: Counter[str] = Counter()
    for item, reference in pairs:
        read = _read(given.get(item.id), item.duration_s)
        asked = [name for name in wanted if getattr(_truth(reference), WHERE[name]) is not None]
        statuses[item.id] = {name: read[name].status for name in asked}
        values = {name: read[name].value for name in asked if read[name].status is Status.OK}
        flags.update(flag for name in asked for flag in read[name].flags)
        cases.append(Case(item, reference, 0, values=values))
    measurements = tuple(_measure(cases, wanted, key_version, tempo_version, label_aware))
    return RecordingScores(
        rows=tuple(score_row(each, Condition.FULL) for each in measurements),
        counts=tuple(_counts(wanted, statuses)),
        measurements=measurements,
        statuses=statuses,
        cases=tuple(cases),
        flags=dict(sorted(flags.items())),
        ignored=ignored,
        baselines=tuple(_baselines(cases, wanted, key_version, tempo_version)) if with_baselines else (),
    )


def field_of(metric: str) -> str:
    """The field that a metric id such as `mub.key.symmetric` is of."""
    return metric.split(".")[1]


def _measure(
    cases: Sequence[Case], fields: Sequence[str], key_version: str, tempo_version: str, label_aware: bool
) -> Iterator[Measurement]:
    if "tempo" in fields:
        yield from mub_tempo(cases, tempo_version)
    if "key" in fields:
        yield from mub_key(cases, key_version)
    if "time_signature" in fields:
        yield from mub_time_signature(cases)
    if "segments" in fields:
        labelled = any(each.label.strip() for case in cases for each in _truth(case.reference).segments or ())
        rows = mub_segments(cases)
        if not labelled:
            rows = [row for row in rows if row.metric not in LABELLED]
        if label_aware:
            rows.sort(key=lambda row: row.metric != LABELLED[0])
        yield from rows


def _baselines(
    cases: Sequence[Case], fields: Sequence[str], key_version: str, tempo_version: str
) -> Iterator[ScoreRow]:
    """What the constant and the held-out prior score in the first metric of each field."""
    for name, answered in baseline_cases(cases):
        measured = list(_measure(answered, fields, key_version, tempo_version, label_aware=False))
        for field_name in fields:
            first = next(each for each in measured if field_of(each.metric) == field_name)
            if field_name != "segments" or name != "prior:constant":
                yield score_row(first, Condition.FULL, system=name)


LABELLED = ("mub.segments.iou_f1_labels", "mub.segments.pairwise_f", "mub.segments.v_measure")
"""Metrics that say something only where references have labels."""


def _truth(reference: Reference) -> MusicTruth:
    return reference.music or MusicTruth()


def _fields(wanted: Collection[str] | None, references: Sequence[Reference]) -> list[str]:
    annotated = [
        name for name in MUSIC_FIELDS if any(getattr(_truth(each), WHERE[name]) is not None for each in references)
    ]
    if wanted is None:
        return annotated
    for name in wanted:
        if name not in MUSIC_FIELDS:
            raise InputError(f'"{name}" is no field{nearest(name, MUSIC_FIELDS)}. Known: {", ".join(MUSIC_FIELDS)}.')
        if name not in annotated:
            raise InputError(f'No reference has a truth for "{name}", so nothing can be scored. Leave it out.')
    return [name for name in MUSIC_FIELDS if name in wanted]


def _checked(recordings: Sequence[Recording], label_aware: bool) -> list[tuple[Item, Reference]]:
    """Items and references of legal recordings; InputError with all that is wrong."""
    problems = Problems()
    if not recordings:
        raise InputError("There are no references. Give at least one recording with a truth.")
    for name, times in Counter(each.id for each in recordings).items():
        if times > 1:
            problems.add(Problem(f"stands {times} times.", "Keep one.", place=f'references, id "{name}"'))
    pairs = [_pair(each, label_aware, problems) for each in recordings]
    problems.refuse(InputError)
    return pairs


def _pair(recording: Recording, label_aware: bool, problems: Problems) -> tuple[Item, Reference]:
    readers = {
        "duration_s": cells.duration,
        "tempo_bpm": music.tempo,
        "key": music.key,
        "time_signature": music.time_signature,
    }
    read: dict[str, Any] = {}
    place = f'references, id "{recording.id}"'
    for name, reader in readers.items():
        try:
            read[name] = cells.optional(reader, getattr(recording, name))
        except InputError as problem:
            problems.add(*problem.at(place=place, column=name).problems)
    duration_s = read.pop("duration_s", None)
    if recording.segments is not None:
        try:
            read["segments"] = music.segments(list(recording.segments), duration_s, label_aware=label_aware)
        except InputError as problem:
            problems.add(*problem.at(place=place, column="segments").problems)
    cluster = recording.id if recording.cluster is None else recording.cluster
    item = Item(id=recording.id, benchmark="", kind=Kind.MUSIC, cluster_id=cluster, duration_s=duration_s)
    return item, Reference(item_id=recording.id, music=music.truth(read))


def _by_id(
    estimates: Iterable[Estimate], known: Sequence[str], *, ignore_unknown: bool
) -> tuple[dict[str, Estimate], tuple[str, ...]]:
    """Estimates by id, and the ids of no recording; InputError listing those, and every id that stands twice."""
    given: dict[str, Estimate] = {}
    twice: dict[str, None] = {}
    for estimate in estimates:
        if estimate.id in given:
            twice[estimate.id] = None
        given[estimate.id] = estimate
    recordings = set(known)
    unknown = [name for name in given if name not in recordings]
    lines = []
    if twice:
        lines.append(f"Ids with more than one estimate ({len(twice)}): {', '.join(twice)}. Keep one of each.")
    if unknown and not (ignore_unknown and len(unknown) < len(given)):
        near = closest(unknown[0], known)
        alone = f" (nearest: {near})" if near and len(unknown) == 1 else ""
        first = f" Nearest to {unknown[0]} is {near}." if near and len(unknown) > 1 else ""
        lines.append(
            f"Estimates of no reference ({len(unknown)} of {len(given)}): {', '.join(unknown)}{alone}.{first} "
            "Remove them, or correct their ids."
        )
    if lines:
        raise InputError("\n".join(lines))
    return {name: each for name, each in given.items() if name in recordings}, tuple(unknown)


def _read(estimate: Estimate | None, duration_s: float | None) -> dict[str, EstimatedField]:
    if estimate is None:
        return dict.fromkeys(MUSIC_FIELDS, EstimatedField(None, Status.MISSING))
    return read_estimate(estimate, duration_s)


def _counts(fields: Sequence[str], statuses: Mapping[str, Mapping[str, Status]]) -> Iterator[Counts]:
    whole = [status_of_fields(list(each.values()), Status.MISSING) for each in statuses.values() if each]
    yield count_statuses(Condition.FULL, None, whole)
    for name in fields:
        yield count_statuses(Condition.FULL, name, [each[name] for each in statuses.values() if name in each])
