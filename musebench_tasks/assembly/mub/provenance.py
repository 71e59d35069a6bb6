"""What the evaluator keeps of a collection, beside its folder NAME and never in it.

`NAME.evaluator.jsonl` has a row for each recording: what must not reach a model, where the leak guard looks for it.
`NAME.assembly/` tells how the collection came about: `provenance.jsonl` (every track of the archive, what became of it,
all its submissions), `duplicates.csv`, `strata.csv`, `left_out.csv`, `statistics.csv` and `report.txt`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.mub.assertions import Assertion
from musebench_tasks.assembly.mub.duplicates import Duplicate
from musebench_tasks.assembly.mub.recordings import Sound
from musebench_tasks.assembly.mub.sampling import Drawn, Stratum, bin_name
from musebench_tasks.assembly.mub.tracks import MubTrack, history

RENAMED = {"composition": "composition_id", "source": "source_url"}
_ELSEWHERE = frozenset({"audio", "beat_unit"})


def evaluator_row(name: str, track: MubTrack, sound: Sound | None, assertions: Iterable[Assertion]) -> dict[str, Any]:
    """What only the evaluator may know of one recording."""
    submissions = [each.submission for each in assertions]
    facts = {RENAMED.get(key, key): value for key, value in track.facts.items() if key not in _ELSEWHERE}
    row: dict[str, Any] = {"id": name, "track_id": track.id, **facts}
    row["annotator_ids"] = sorted({each.annotator for each in submissions if each.annotator})
    row["submission_ids"] = sorted({each.id for each in submissions if each.id})
    if "audio" in track.facts:
        row["audio_file"] = Path(track.facts["audio"]).stem
    if sound is not None:
        row["audio_hash"] = sound.fingerprint
        row["source_sha256"] = sound.source_sha256
        row["source_bytes"] = sound.source_bytes
    return row


def track_record(name: str, fate: str, facts: Mapping[str, str], assertions: Sequence[Assertion]) -> dict[str, Any]:
    """One line of provenance.jsonl: what became of a track, and everything that was ever said of it."""
    return {"track_id": name, "fate": fate, "facts": dict(facts), "submissions": history(assertions)}


def label_provenance(track: MubTrack) -> dict[str, dict[str, str]]:
    """The submission that each field of a recording is taken from."""
    return {field: each.cells for field, each in track.provenance.items()}


def write_lines(path: Path, values: Iterable[Mapping[str, Any]]) -> None:
    """JSON lines."""
    text = "".join(f"{json.dumps(value, ensure_ascii=False, sort_keys=False)}\n" for value in values)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table with a head line."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def write_duplicates(path: Path, duplicates: Iterable[Duplicate], twins: Mapping[str, str]) -> None:
    """duplicates.csv: by title and artist, and those whose sound is another track's, told apart."""
    rows = [(each.track, each.kept, "title and artist", each.title, each.artist) for each in duplicates]
    rows += [(track, kept, "sound", "", "") for track, kept in sorted(twins.items())]
    write_csv(path, ("track_id", "kept", "same", "title", "artist"), rows)


def write_strata(path: Path, drawn: Drawn, chosen: Mapping[Stratum, int], edges: Sequence[float]) -> None:
    """strata.csv: what each stratum holds, its quota, and how many of it the collection has in the end."""
    rows = [
        (bin_name(each.tempo_bin, edges), each.key, size, drawn.quotas[each], chosen.get(each, 0))
        for each, size in drawn.sizes.items()
    ]
    write_csv(path, ("tempo_bpm", "key", "tracks", "quota", "chosen"), rows)
