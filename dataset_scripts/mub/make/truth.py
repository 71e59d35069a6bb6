"""What is true of a recording, exact because the same sums placed its notes: gold, credits, manifest entries."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

from dataset_scripts.mub.make.arrange import home_shift, octaves
from dataset_scripts.mub.make.bands import BASSES, CHORDS, INSTRUMENTS, PERCUSSION
from dataset_scripts.mub.make.plan import Planned
from dataset_scripts.mub.make.render import RATE, file_sha256
from dataset_scripts.mub.make.score import Span, section_spans
from dataset_scripts.mub.make.styles import beat_quarters, beat_unit, beats_per_bar
from dataset_scripts.mub.make.tunes import FOLDERS, Source, corpus_directory
from musebench_tasks.assembly import decode_pcm, media_cell, pcm_sha256

BIT_RATE = 16_000
VERSION = "2.0"
LICENSE = "CC0-1.0"
SOUNDFONT = {
    "name": "FluidR3_GM.sf2",
    "package": "fluid-soundfont-gm 3.1-5.3 (Debian)",
    "license": "MIT",
    "copyright": "Copyright (c) 2000-2002, 2008 Frank Wen",
    "sha256": "74594e8f4250680adf590507a306655a299935343583256f3b722c48a1bc1cb0",
}


class Made(NamedTuple):
    """A finished recording: its row of the dataset and its entry in the manifest."""

    row: dict[str, Any]
    item: dict[str, Any]


def seconds(time: Fraction) -> float:
    """A time as the dataset holds it, to the microsecond."""
    return round(float(time), 6)


def beat_times(metre: str, span: Span) -> Iterator[Fraction]:
    """The beats of a section."""
    for number in range(span.bars * beats_per_bar(metre)):
        yield span.start_s + number * beat_quarters(metre) * span.pace


def truth(planned: Planned, duration_s: float) -> dict[str, Any]:
    """The gold columns of a recording of `duration_s` decoded seconds."""
    recording, spans = planned.recording, section_spans(planned.recording, planned.tune, planned.bpm)
    starts = [0.0, *(seconds(span.start_s) for span in spans[1:])]
    ends = [*starts[1:], duration_s]
    labels = [span.section.label for span in spans]
    beats = [(number, time) for span in spans for number, time in enumerate(beat_times(recording.metre, span))]
    changing = {
        "tempo": len({span.section.speed for span in spans}) > 1,
        "key": len({span.section.shift for span in spans}) > 1,
    }
    return {
        "tempo_bpm": float(planned.bpm),
        "beat_unit": beat_unit(recording.metre),
        "key": recording.key,
        "time_signature": recording.metre,
        "segments": [
            {"start_s": start, "end_s": end, "label": label}
            for start, end, label in zip(starts, ends, labels, strict=True)
        ],
        "beats_s": [seconds(time) for _, time in beats],
        "downbeats_s": [seconds(time) for number, time in beats if number % beats_per_bar(recording.metre) == 0],
        "multi_valued": [field for field, changes in changing.items() if changes],
    }


def made(planned: Planned, encoded: bytes) -> Made:
    """The row and the manifest entry of an encoded recording."""
    samples, rate = decode_pcm(encoded)
    duration_s = round(len(samples) / rate, 6)
    row = {
        "id": planned.id,
        "audio": media_cell(encoded, f"{planned.id}.ogg"),
        "duration_s": duration_s,
        "cluster_id": planned.tune.source.tune_id,
        **truth(planned, duration_s),
        "license": LICENSE,
        "attribution": attribution(planned.tune.source),
        "version": VERSION,
    }
    return Made(row, manifest_item(planned, row))


def attribution(source: Source) -> str:
    """The credit line of a recording."""
    collection = FOLDERS[source.path.split("/")[0]]
    return (
        f'"{source.title}", {collection}, public domain, from the music21 corpus; arranged and rendered by '
        f"musebench-tasks with the FluidR3 GM soundfont ({SOUNDFONT['copyright']}, {SOUNDFONT['license']})"
    )


def manifest_item(planned: Planned, row: dict[str, Any]) -> dict[str, Any]:
    """What a recording was made from and what is true of it."""
    recording, source = planned.recording, planned.tune.source
    melodies = sorted({section.melody for section in recording.sections if section.melody})
    return {
        "id": planned.id,
        "tune_id": source.tune_id,
        "title": source.title,
        "collection": FOLDERS[source.path.split("/")[0]],
        "transcriber": source.transcriber,
        "corpus_path": source.path,
        "corpus_sha256": corpus_sha256(source.path),
        "tune_number": source.number,
        "transposition": home_shift(recording, planned.tune),
        "melody": [
            {"instrument": name, "program": INSTRUMENTS[name][0], "octaves": octaves(recording, planned.tune, name)}
            for name in melodies
        ],
        "bass": {"instrument": recording.bass, "program": BASSES[recording.bass]},
        "chords": {"instrument": recording.chords, "program": CHORDS[recording.chords]},
        "percussion": {
            "instrument": recording.percussion,
            "notes": PERCUSSION.get(recording.percussion, ()),
            "groove": recording.groove if recording.percussion else "",
        },
        "swing": str(recording.swing),
        "arrangement": [section._asdict() | {"speed": str(section.speed)} for section in recording.sections],
        "truth": {name: row[name] for name in truth(planned, row["duration_s"])} | {"duration_s": row["duration_s"]},
        "license": LICENSE,
        "attribution": row["attribution"],
        "pcm_sha256": pcm_sha256(row["audio"]["bytes"]),
    }


@cache
def corpus_sha256(path: str) -> str:
    """SHA-256 of a file of the corpus."""
    return file_sha256(corpus_directory() / path)


def manifest(items: list[dict[str, Any]], seed: int) -> dict[str, Any]:
    """The manifest of a set of recordings."""
    return {
        "dataset": "mub_demo",
        "version": VERSION,
        "seed": seed,
        "soundfont": SOUNDFONT,
        "packages": {name: version(name) for name in ("av", "music21", "numpy", "soxr", "tinysoundfont")},
        "audio": {"codec": "opus", "container": "ogg", "rendered_at": RATE, "channels": 1, "bit_rate": BIT_RATE},
        "items": items,
    }


def licence_line(item: dict[str, Any]) -> str:
    """The line of a recording in the table of DATA_LICENSES.md."""
    truth_of = item["truth"]
    cells = (
        f"`{item['id']}`",
        f'"{item["title"]}", {item["collection"]}, public domain'
        + (f"; transcribed by {item['transcriber']}" if item["transcriber"] else ""),
        f"`{item['corpus_path']}` X:{item['tune_number']}",
        f"`{item['corpus_sha256']}`",
        f"to {truth_of['key']} ({item['transposition']:+d}), {truth_of['tempo_bpm']} BPM",
        item["license"],
    )
    return f"| {' | '.join(cells)} |"
