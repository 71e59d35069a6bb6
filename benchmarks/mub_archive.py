"""How long a MUB collection takes to assemble: 500 recordings without audio out of a made-up archive of 5,000 tracks.

`python -m benchmarks.mub_archive [--tracks 5000] [--size 500] [--out DIRECTORY]` writes the archive, assembles it and
prints the seconds of each step. The archive comes from a seed alone: several submissions a track, in tables of
segments, JSON lines, JAMS and label files, with titles that repeat and a few faults.
"""

import argparse
import csv
import hashlib
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeVar

from musebench_tasks.assembly.mub import assemble, load_config, summary

T = TypeVar("T")
Row = tuple[float, float, str, int, str, str]
Submitted = tuple[str, str, str, list[Row]]
LABELS = ("intro", "verse", "chorus", "verse", "chorus", "bridge", "chorus", "solo", "outro")
TONICS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
METRES = (*("4/4",) * 24, "3/4", "6/8")
LICENSES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0")
WORDS = (
    "amber",
    "river",
    "north",
    "paper",
    "silver",
    "garden",
    "winter",
    "signal",
    "harbour",
    "velvet",
    "copper",
    "moss",
)


class Dice:
    """Numbers from a seed, the same everywhere."""

    def __init__(self, *seed: object) -> None:
        self.seed, self.thrown = "|".join(map(str, seed)), 0

    def below(self, most: int) -> int:
        """A whole number from 0 to `most` - 1."""
        self.thrown += 1
        digest = hashlib.sha256(f"{self.seed}|{self.thrown}".encode()).digest()
        return int.from_bytes(digest[:6]) % most

    def one_of(self, values: Sequence[T]) -> T:
        """One of several values."""
        return values[self.below(len(values))]


def segments(dice: Dice) -> list[Row]:
    """Segments of a submission: start, end, label, tempo, key, metre."""
    bpm = 47 + min(dice.below(134), dice.below(134))
    tonic = TONICS[min(dice.below(12), dice.below(12))]
    key, metre = f"{tonic} {dice.one_of(('major', 'major', 'minor'))}", dice.one_of(METRES)
    start = 0.0
    rows: list[Row] = []
    for label in LABELS[: 5 + dice.below(5)]:
        end = round(start + 8 + dice.below(2400) / 100, 2)
        here = bpm * 2 if dice.below(20) == 0 else bpm
        there = f"{dice.one_of(TONICS)} major" if dice.below(15) == 0 else key
        rows.append((start, end, label, here, there, metre))
        start = end
    return rows


def submissions(number: int, seed: int) -> Iterator[Submitted]:
    """The submissions of a track, the first handed in first: id, annotator, time, segments."""
    dice = Dice(seed, number, "submissions")
    for turn in range(1 + dice.below(3)):
        stamp = f"2024-{1 + turn:02d}-{1 + dice.below(28):02d}T{dice.below(24):02d}:00:00Z"
        yield f"sub{number:05d}{turn}", f"annotator{dice.below(40):02d}", stamp, segments(dice)


def facts(number: int, seed: int) -> tuple[str, ...]:
    """Title, artist and rights of a track; about one in twelve repeats an earlier title and artist in other words."""
    dice = Dice(seed, number, "facts")
    repeats = number > 20 and dice.below(12) == 0
    source = Dice(seed, number - 7 if repeats else number, "names")
    title = " ".join(source.one_of(WORDS).capitalize() for _ in range(3)) + f" {source.below(5000)}"
    artist = f"The {source.one_of(WORDS).capitalize()} {source.below(900)} Band"
    if repeats:
        title, artist = (
            dice.one_of((f"{title} (Remastered 2011)", f"{title} (feat. Someone)", title.upper())),
            artist[4:],
        )
    where = f"https://example.org/track/{hashlib.sha256(f'{seed}{number}'.encode()).hexdigest()[:11]}"
    return title, artist, dice.one_of(LICENSES), f"{artist}, {title}", where


def name_of(number: int) -> str:
    """The id of a track in the archive."""
    return f"platform-{number:06d}"


def write_archive(folder: Path, tracks: int = 5000, seed: int = 7) -> Path:
    """The archive in `folder`; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "tracks.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("track_id", "title", "artist", "license", "attribution", "source_url"))
        table.writerows((name_of(number), *facts(number, seed)) for number in range(tracks))
    with (
        (folder / "segments.csv").open("w", encoding="utf-8", newline="") as file,
        (folder / "submissions.jsonl").open("w", encoding="utf-8") as lines,
    ):
        table = csv.writer(file)
        table.writerow(
            (
                "track_id",
                "submission_id",
                "annotator_id",
                "submitted_at",
                "start_s",
                "end_s",
                "label",
                "bpm",
                "key",
                "meter",
            )
        )
        for number in range(tracks):
            write_track(folder, number, list(submissions(number, seed)), table, lines)
    return folder


def write_track(folder: Path, number: int, its: list[Submitted], table: Any, lines: TextIO) -> None:
    """One track in one of four ways."""
    name, way = name_of(number), number % 20
    if way == 0:
        write_labels(folder, name, its[-1][3])
    elif way == 1:
        write_jams(folder, name, its)
    elif way < 5:
        names = ("start_s", "end_s", "label", "tempo_bpm", "key", "time_signature")
        told = [
            dict(zip(("submission_id", "annotator_id", "submitted_at"), each[:3], strict=True))
            | {"intervals": [dict(zip(names, row, strict=True)) for row in each[3]]}
            for each in its
        ]
        lines.write(json.dumps({"track_id": name, "submissions": told}) + "\n")
    else:
        for submission, annotator, stamp, rows in its:
            for start, end, label, bpm, key, metre in rows:
                shown = "fast" if number % 500 == 6 else bpm
                table.writerow((name, submission, annotator, stamp, start, end, label, shown, key, metre))


def write_labels(folder: Path, name: str, rows: list[Row]) -> None:
    """Label files: sections, keys, one tempo, one time signature."""
    texts = {
        "sections": "".join(f"{start}\t{end}\t{label}\n" for start, end, label, *_ in rows),
        "keys": "".join(f"{start}\t{end}\t{key}\n" for start, end, _, _, key, _ in rows),
        "tempo": f"{rows[0][3]}\n",
        "metre": f"{rows[0][5]}\n",
    }
    for kind, text in texts.items():
        path = folder / kind / f"{name}.lab"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_jams(folder: Path, name: str, its: list[Submitted]) -> None:
    """One JAMS file with an annotation of every field for each submission."""
    annotations = []
    for submission, annotator, stamp, rows in its:
        about = {
            "annotation_metadata": {"annotator": {"id": annotator}},
            "sandbox": {"submission_id": submission, "submitted_at": stamp},
        }
        for namespace, column in (("segment_open", 2), ("tempo", 3), ("key_mode", 4)):
            data = [
                {"time": row[0], "duration": row[1] - row[0], "value": str(row[4]).replace(" ", ":")}
                if column == 4
                else {"time": row[0], "duration": row[1] - row[0], "value": row[column]}
                for row in rows
            ]
            annotations.append({"namespace": namespace, "data": data, **about})
        beats = [
            {
                "time": row[0],
                "duration": 0,
                "value": dict(zip(("num_beats", "beat_units"), map(int, row[5].split("/")), strict=True)),
            }
            for row in rows
        ]
        annotations.append({"namespace": "beat_position", "data": beats, **about})
    path = folder / "jams" / f"{name}.jams"
    path.parent.mkdir(exist_ok=True)
    content = {"file_metadata": {"duration": its[-1][3][-1][1]}, "annotations": annotations}
    path.write_text(json.dumps(content), encoding="utf-8")


def main() -> None:
    """Write an archive, assemble it, print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tracks", type=int, default=5000)
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.out or Path(temporary)
        start = time.perf_counter()
        archive = write_archive(folder / "archive", chosen.tracks)
        written = time.perf_counter()
        outcome = assemble(archive, folder / "collection", load_config(size=chosen.size), with_audio=False)
        done = time.perf_counter()
    print(summary(outcome), end="")
    print(f"archive written in {written - start:.1f} s, collection assembled in {done - written:.1f} s (target 60 s)")


if __name__ == "__main__":
    main()
