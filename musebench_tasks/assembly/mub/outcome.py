"""What came of an assembly, in words and in the files that the evaluator keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.assembly.mub.assertions import Archive, Assertion
from musebench_tasks.assembly.mub.counts import as_csv, as_text, count_rows
from musebench_tasks.assembly.mub.duplicates import Duplicate
from musebench_tasks.assembly.mub.provenance import (
    evaluator_row,
    label_provenance,
    track_record,
    write_csv,
    write_duplicates,
    write_lines,
    write_strata,
)
from musebench_tasks.assembly.mub.recordings import Sound
from musebench_tasks.assembly.mub.sampling import Drawn, Stratum
from musebench_tasks.assembly.mub.tracks import FAULTY, INCOMPLETE, NOT_ANNOTATED, MubTrack, UnusableTrack
from musebench_tasks.base.problems import Problem, lines
from musebench_tasks.base.text import counted, few_lines

PROBLEMS_SHOWN = 5


@dataclass(frozen=True)
class AssemblyOutcome:
    """Everything that an assembly read, left out and chose."""

    archive: Archive
    refused: tuple[UnusableTrack, ...]
    """Tracks that cannot be used."""
    without_audio: tuple[str, ...]
    """Tracks of which no audio file lies here, where audio is wanted."""
    duplicates: tuple[Duplicate, ...]
    """By title and artist."""
    unnamed: int
    """Tracks without title or artist, which are compared with none."""
    twins: Mapping[str, str]
    """Drawn tracks that sound the very same as another, and that one."""
    unreadable: Mapping[str, Problem]
    """Drawn tracks whose audio cannot be used, and why."""
    wanted: int
    drawn: Drawn
    filled: tuple[str, ...]
    """Tracks that took the place of `twins` and `unreadable`."""
    strata: Mapping[str, Stratum]
    """Of the tracks of the pool."""
    chosen: tuple[MubTrack, ...]
    sounds: Mapping[str, Sound]
    """Their files, and the media of `rows`, are there for as long as the assembly goes on."""
    rows: Mapping[str, Mapping[str, Any]]
    """By track."""
    tempo_edges: tuple[float, ...]

    @property
    def track_outcomes(self) -> dict[str, TrackOutcome]:
        """What became of each track of the archive."""
        chosen = [each.id for each in self.chosen]
        return track_outcomes(
            self.refused, self.without_audio, self.duplicates, self.strata, self.twins, self.unreadable, chosen
        )

    @property
    def by_track(self) -> dict[str, list[Assertion]]:
        """What is said of each track."""
        found: dict[str, list[Assertion]] = {}
        for each in self.archive.assertions:
            found.setdefault(each.submission.track, []).append(each)
        return found


def problem_lines(outcome: AssemblyOutcome) -> list[str]:
    """Every problem that costs a track or a row, one line each; those of replaced submissions stand in the history."""
    reasons = [reason for track in outcome.refused if track.kind != NOT_ANNOTATED for reason in track.reasons]
    problems = (*outcome.archive.problems, *reasons, *outcome.unreadable.values())
    return list(dict.fromkeys(problem.text for problem in problems))


def summary(outcome: AssemblyOutcome) -> str:
    """What became of the archive, in a few aligned lines; each track is counted in one of the last of them."""
    said = outcome.by_track
    several = sum(len({each.submission for each in its}) > 1 for its in said.values())
    submissions = len({each.submission for each in outcome.archive.assertions})
    kinds = Counter(each.kind for each in outcome.track_outcomes.values())
    left = [f"{kinds[kind]} {kind}" for kind in LEFT_OUT if kinds[kind]]
    passed = ", ".join(f"{number} {kind}" for kind, number in sorted(outcome.archive.passed_over.items()))
    quotas = set(outcome.drawn.quotas.values())
    each = f"{min(quotas)} from each" if len(quotas) == 1 else f"{min(quotas)} to {max(quotas)} from each"
    told = f"{counted(kinds.total(), 'track')}, {counted(submissions, 'submission')}; tracks with several: {several}"
    table = [
        ("archive", told),
        *([("passed over", passed)] if passed else []),
        ("left out", ", ".join(left) or "none"),
        ("strata", f"{len(outcome.drawn.sizes)} of tempo and key, {each}"),
        *([("not drawn", f"{kinds[NOT_DRAWN]}")] if kinds[NOT_DRAWN] else []),
        ("collection", _collection(outcome)),
    ]
    return "".join(f"{name:<12}{text}\n" for name, text in table)


def _collection(outcome: AssemblyOutcome) -> str:
    values = {each.name: each.value for each in count_rows(outcome.rows.values())}
    short = f" of {outcome.wanted} wanted" if len(outcome.chosen) < outcome.wanted else ""
    filled = f", {len(outcome.filled)} of them filled in" if outcome.filled else ""
    intervals = sum(len(row["segments"]) for row in outcome.rows.values())
    said = f"{values['keys covered']} keys, {values['tempo range, BPM']} BPM, {counted(intervals, 'interval')}"
    return f"{counted(len(outcome.chosen), 'recording')}{short}{filled}; {said}"


def first_problems(outcome: AssemblyOutcome) -> list[str]:
    """The first few problems, and how many more there are."""
    return few_lines(problem_lines(outcome), PROBLEMS_SHOWN, advice="left_out.csv holds all.")


def report_text(outcome: AssemblyOutcome) -> str:
    """The summary, the statistics table and the first problems."""
    told = "".join(f"{line}\n" for line in first_problems(outcome))
    unnamed = f"Tracks without title or artist, compared with none: {outcome.unnamed:,}\n" if outcome.unnamed else ""
    compared = "Likeness by ear is not looked for here: `musebench data check` flags it as same_sound.\n"
    counts = as_text(count_rows(outcome.rows.values()))
    return "\n".join(part for part in (summary(outcome), counts, told, unnamed + compared) if part)


def write_outcome(outcome: AssemblyOutcome, evaluator: Path, folder: Path) -> None:
    """Write the evaluator's file and folder of a collection."""
    said = outcome.by_track
    ids = {track: str(row["id"]) for track, row in outcome.rows.items()}
    rows = [evaluator_row(ids[each.id], each, outcome.sounds.get(each.id), said[each.id]) for each in outcome.chosen]
    write_lines(evaluator, sorted(rows, key=lambda row: str(row["id"])))
    folder.mkdir()
    write_lines(folder / "provenance.jsonl", _records(outcome, said, ids))
    write_duplicates(folder / "duplicates.csv", outcome.duplicates, outcome.twins)
    taken = Counter(outcome.strata[each.id] for each in outcome.chosen)
    write_strata(folder / "strata.csv", outcome.drawn, taken, outcome.tempo_edges)
    write_csv(folder / "left_out.csv", ("track_id", "reason"), _left_out(outcome))
    (folder / "statistics.csv").write_text(as_csv(count_rows(outcome.rows.values())), encoding="utf-8")
    (folder / "report.txt").write_text(report_text(outcome), encoding="utf-8")


def _records(
    outcome: AssemblyOutcome, said: Mapping[str, list[Assertion]], ids: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    labels = {each.id: label_provenance(each) for each in outcome.chosen}
    for track, became in outcome.track_outcomes.items():
        facts = {name: fact.value for name, fact in outcome.archive.facts.get(track, {}).items()}
        record = track_record(track, became.description, facts, said.get(track, []))
        if track in ids:
            record = {"id": ids[track], **record, "label_provenance": labels[track]}
        yield record


def _left_out(outcome: AssemblyOutcome) -> Iterator[tuple[str, str]]:
    yield from (("", problem.text) for problem in outcome.archive.problems if problem.item is None)
    told = {each.id: lines(each.reasons) for each in outcome.refused}
    told |= {track: [problem.text] for track, problem in outcome.unreadable.items()}
    for track, became in outcome.track_outcomes.items():
        if became.kind in LEFT_OUT:
            yield from ((track, reason) for reason in told.get(track, [became.description]))


NOT_DRAWN, CHOSEN = "not drawn", "chosen"
WITHOUT_AUDIO, SAME_NAME, UNUSABLE, SAME_SOUND = (
    "without an audio file",
    "of the same title and artist",
    "with unusable audio",
    "that sound the very same as another",
)
LEFT_OUT = (FAULTY, INCOMPLETE, NOT_ANNOTATED, WITHOUT_AUDIO, SAME_NAME, UNUSABLE, SAME_SOUND)


class TrackOutcome(NamedTuple):
    """What became of a track."""

    kind: str
    """As a group of tracks is counted."""
    description: str
    """Of one track, with the track that is kept in its place."""


def track_outcomes(
    refused: Iterable[UnusableTrack],
    without_audio: Iterable[str],
    duplicates: Iterable[Duplicate],
    pool: Iterable[str],
    twins: Mapping[str, str],
    unreadable: Iterable[str],
    chosen: Iterable[str],
) -> dict[str, TrackOutcome]:
    """The outcome of every track, in the order of their ids; of `pool` are all that follow it."""
    found = {each.id: TrackOutcome(each.kind, each.kind) for each in refused}
    found |= {track: TrackOutcome(WITHOUT_AUDIO, WITHOUT_AUDIO) for track in without_audio}
    found |= {each.track: TrackOutcome(SAME_NAME, f"same title and artist as {each.kept}") for each in duplicates}
    found |= {track: TrackOutcome(NOT_DRAWN, NOT_DRAWN) for track in pool}
    found |= {track: TrackOutcome(SAME_SOUND, f"sounds the same as {kept}") for track, kept in twins.items()}
    found |= {track: TrackOutcome(UNUSABLE, UNUSABLE) for track in unreadable}
    found |= {track: TrackOutcome(CHOSEN, CHOSEN) for track in chosen}
    return dict(sorted(found.items()))
