"""Builds mub_demo: `python -m dataset_scripts.mub.demo.build --soundfont FluidR3_GM.sf2 [--check]`.

Needs music21 (its corpus), tinysoundfont (`pip install --no-deps tinysoundfont`) and the soundfont of Debian's package
fluid-soundfont-gm (`apt-get download fluid-soundfont-gm && dpkg-deb -x *.deb DIRECTORY`). With --check nothing is
written: the recordings are rendered again and their decoded samples compared with the manifest.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from dataset_scripts.mub.demo.arrange import (
    BASSES,
    CHORDS,
    INSTRUMENTS,
    PERCUSSION,
    Span,
    arrange,
    home_shift,
    octaves,
    section_spans,
)
from dataset_scripts.mub.demo.plan import (
    RECORDINGS,
    SEED,
    Recording,
    beat_quarters,
    beat_unit,
    beats_per_bar,
    draw_tempi,
    draw_tunes,
    masked_id,
)
from dataset_scripts.mub.demo.render import RATE, file_sha256, render
from dataset_scripts.mub.demo.tunes import FOLDERS, Source, Tune, corpus_directory
from musebench_tasks.assembly import decode_pcm, default_card, encode_audio, media_cell, pcm_sha256, write_repository

FOLDER = Path(__file__).parent
REPOSITORY = FOLDER / "mub_demo"
MANIFEST = FOLDER / "manifest.json"
BIT_RATE = 32_000
TAIL_S = Fraction(1)
"""What the last notes need to fade."""
VERSION = "1.0"
LICENSE = "CC0-1.0"
SOUNDFONT = {
    "name": "FluidR3_GM.sf2",
    "package": "fluid-soundfont-gm 3.1-5.3 (Debian)",
    "license": "MIT",
    "copyright": "Copyright (c) 2000-2002, 2008 Frank Wen",
    "sha256": "74594e8f4250680adf590507a306655a299935343583256f3b722c48a1bc1cb0",
}


class Rendering(NamedTuple):
    """A recording with all it follows from, and its samples."""

    id: str
    recording: Recording
    tune: Tune
    bpm: str
    samples: Any


def renderings(soundfont: Path) -> Iterator[Rendering]:
    """Render the recordings of the plan, one after the other."""
    found = file_sha256(soundfont)
    if found != SOUNDFONT["sha256"]:
        raise SystemExit(f"{soundfont}: sha256 {found}, expected {SOUNDFONT['sha256']}. Use {SOUNDFONT['package']}.")
    tempi = draw_tempi()
    for number, (recording, tune, bpm) in enumerate(zip(RECORDINGS, draw_tunes(tempi), tempi, strict=True)):
        seconds = section_spans(recording, tune, bpm)[-1].end_s + TAIL_S
        yield Rendering(
            masked_id(number), recording, tune, bpm, render(arrange(recording, tune, bpm), seconds, soundfont)
        )


def seconds(time: Fraction) -> float:
    """A time as the dataset holds it, to the microsecond."""
    return round(float(time), 6)


def truth(rendering: Rendering, duration_s: float) -> dict[str, Any]:
    """The gold columns of a recording: exact, because the same sums placed the notes."""
    recording, spans = rendering.recording, section_spans(rendering.recording, rendering.tune, rendering.bpm)
    starts = [0.0, *(seconds(span.start_s) for span in spans[1:])]
    ends = [*starts[1:], duration_s]
    labels = [span.section.label for span in spans]
    changing = {
        "tempo": len({span.section.speed for span in spans}) > 1,
        "key": len({span.section.shift for span in spans}) > 1,
    }
    return {
        "tempo_bpm": float(rendering.bpm),
        "beat_unit": beat_unit(recording.metre),
        "key": recording.key,
        "time_signature": recording.metre,
        "segments": [
            {"start_s": start, "end_s": end, "label": label}
            for start, end, label in zip(starts, ends, labels, strict=True)
        ],
        "beats_s": [seconds(time) for span in spans for time in beat_times(recording.metre, span)],
        "downbeats_s": [
            seconds(time)
            for span in spans
            for time in list(beat_times(recording.metre, span))[:: beats_per_bar(recording.metre)]
        ],
        "multi_valued": [field for field, changes in changing.items() if changes],
    }


def beat_times(metre: str, span: Span) -> Iterator[Fraction]:
    """The beats of a section."""
    for number in range(span.bars * beats_per_bar(metre)):
        yield span.start_s + number * beat_quarters(metre) * span.pace


def attribution(source: Source) -> str:
    """The credit line of a recording."""
    collection = FOLDERS[source.path.split("/")[0]]
    return (
        f'"{source.title}", {collection}, public domain, from the music21 corpus; arranged and rendered by '
        f"musebench-tasks with the FluidR3 GM soundfont ({SOUNDFONT['copyright']}, {SOUNDFONT['license']})"
    )


def dataset_row(rendering: Rendering, encoded: bytes) -> dict[str, Any]:
    """The row of a recording."""
    samples, rate = decode_pcm(encoded)
    duration_s = round(len(samples) / rate, 6)
    return {
        "id": rendering.id,
        "audio": media_cell(encoded, f"{rendering.id}.mp3"),
        "duration_s": duration_s,
        "cluster_id": rendering.tune.source.tune_id,
        **truth(rendering, duration_s),
        "license": LICENSE,
        "attribution": attribution(rendering.tune.source),
        "version": VERSION,
    }


def manifest_item(rendering: Rendering, row: dict[str, Any]) -> dict[str, Any]:
    """What a recording was made from and what is true of it."""
    recording, tune = rendering.recording, rendering.tune
    melodies = sorted({section.melody for section in recording.sections if section.melody})
    return {
        "id": rendering.id,
        "tune_id": tune.source.tune_id,
        "title": tune.source.title,
        "collection": FOLDERS[tune.source.path.split("/")[0]],
        "corpus_path": tune.source.path,
        "corpus_sha256": file_sha256(corpus_directory() / tune.source.path),
        "tune_number": tune.source.number,
        "seed": SEED,
        "transposition": home_shift(recording, tune),
        "tempo_bpm": float(rendering.bpm),
        "beat_unit": beat_unit(recording.metre),
        "melody": [
            {"instrument": name, "program": INSTRUMENTS[name][0], "octaves": octaves(recording, tune, name)}
            for name in melodies
        ],
        "bass": {"instrument": recording.bass, "program": BASSES[recording.bass]},
        "chords": {"instrument": recording.chords, "program": CHORDS[recording.chords]},
        "percussion": {"instrument": recording.percussion, "notes": PERCUSSION.get(recording.percussion, ())},
        "arrangement": [section._asdict() | {"speed": float(section.speed)} for section in recording.sections],
        "truth": {name: row[name] for name in truth(rendering, row["duration_s"])} | {"duration_s": row["duration_s"]},
        "license": LICENSE,
        "attribution": row["attribution"],
        "pcm_sha256": pcm_sha256(row["audio"]["bytes"]),
    }


def manifest(items: list[dict[str, Any]]) -> dict[str, Any]:
    """The manifest of the demo."""
    return {
        "dataset": "mub_demo",
        "version": VERSION,
        "seed": SEED,
        "soundfont": SOUNDFONT,
        "packages": {name: version(name) for name in ("av", "music21", "numpy", "soxr", "tinysoundfont")},
        "audio": {"codec": "mp3", "sample_rate": RATE, "channels": 1, "bit_rate": BIT_RATE},
        "items": items,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the demo, or check that it can be built again."""
    parser = argparse.ArgumentParser(description="Build mub_demo, or check that it can be built again.")
    parser.add_argument("--soundfont", type=Path, default=Path("/usr/share/sounds/sf2") / SOUNDFONT["name"])
    parser.add_argument("--check", action="store_true", help="render again and compare decoded samples; write nothing")
    chosen = parser.parse_args(arguments)
    rows, items = [], []
    for rendering in renderings(chosen.soundfont):
        rows.append(dataset_row(rendering, encode_audio(rendering.samples, RATE, BIT_RATE)))
        items.append(manifest_item(rendering, rows[-1]))
    text = json.dumps(manifest(items), indent=1, ensure_ascii=False) + "\n"
    if chosen.check:
        stored = {item["id"]: item["pcm_sha256"] for item in json.loads(MANIFEST.read_text(encoding="utf-8"))["items"]}
        differing = sorted(item["id"] for item in items if stored.get(item["id"]) != item["pcm_sha256"])
        print(f"{len(items) - len(differing)} of {len(items)} recordings alike", *differing)
        return 1 if differing else 0
    write_repository(REPOSITORY, "mub", rows, default_card("mub", rows, demonstration=True))
    MANIFEST.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
