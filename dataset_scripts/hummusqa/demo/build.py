"""Builds hummusqa_demo: `python -m dataset_scripts.hummusqa.demo.build --soundfont FluidR3_GM.sf2 [--check]`.

Sixteen questions (questions.yaml) on excerpts of the recordings of mub_demo, which are rendered again for it: what that
needs stands in `dataset_scripts/mub/demo/build.py`. Each answer is checked against the facts of the score. With --check
nothing is written: the excerpts are made again and their decoded samples compared with the manifest.
"""

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from dataset_scripts.mub.demo.build import BIT_RATE, LICENSE, SOUNDFONT, Rendering, renderings
from dataset_scripts.mub.demo.build import MANIFEST as RECORDINGS_MANIFEST
from dataset_scripts.mub.demo.plan import SEED
from dataset_scripts.mub.demo.render import RATE
from dataset_scripts.mub.demo.tunes import Tune
from musebench_tasks.assembly import default_card, encode_audio, media_cell, pcm_sha256, write_repository

FOLDER = Path(__file__).parent
REPOSITORY = FOLDER / "hummusqa_demo"
MANIFEST = FOLDER / "manifest.json"
QUESTIONS = FOLDER / "questions.yaml"
VERSION = "1.0"
LICENSE_URL = "https://creativecommons.org/publicdomain/zero/1.0/"
ARTIST = "musebench-tasks (rendered by a program)"
SEVENTHS = {10: "lowered", 11: "raised"}
THIRDS = {3: "minor", 4: "major"}


def clip_id(recording: str, excerpt: Sequence[str]) -> str:
    """The masked name of an excerpt, shared by its questions."""
    return hashlib.sha256(f"hummusqa_demo|{SEED}|{recording}|{'|'.join(excerpt)}".encode()).hexdigest()[:10]


def whole_seconds(time: str) -> int:
    """Seconds of `mm:ss`."""
    minutes, seconds = time.split(":")
    return 60 * int(minutes) + int(seconds)


def melody_facts(tune: Tune) -> dict[str, Any]:
    """What the notes of a tune show."""
    notes = [note for section in tune.sections for note in section]
    degrees = {(pitch - tune.source.key.pitch_class) % 12 for note in notes for pitch in note.pitches}
    first, second = tune.sections[0][:2]
    return {
        "opening_semitones": second.pitches[0] - first.pitches[0],
        "sevenths": [name for degree, name in SEVENTHS.items() if degree in degrees],
        "thirds": [name for degree, name in THIRDS.items() if degree in degrees],
    }


def look_up(facts: Any, path: str) -> Any:
    """The fact at a dotted path such as `arrangement.1.melody`."""
    for part in path.split("."):
        facts = facts[int(part)] if isinstance(facts, list) else facts[part]
    return facts


def check_facts(question: dict[str, Any], facts: dict[str, Any]) -> None:
    """Refuse a question whose reasons do not hold."""
    for path, expected in question["because"].items():
        found = look_up(facts, path)
        if found != expected:
            raise SystemExit(
                f"{QUESTIONS.name}, {question['question']!r}: {path} is {found!r}, not {expected!r}. Correct it."
            )


def facts_of(rendering: Rendering, recorded: dict[str, Any]) -> dict[str, Any]:
    """Everything a question may rest on: the recording's entry in the manifest of mub_demo, and its notes."""
    form = [section["label"] for section in recorded["arrangement"]]
    return recorded | {"form": form, "melody": melody_facts(rendering.tune)}


def excerpt_audio(rendering: Rendering, excerpt: Sequence[str]) -> bytes:
    """The encoded excerpt of a recording."""
    start, end = map(whole_seconds, excerpt)
    return encode_audio(rendering.samples[start * RATE : end * RATE], RATE, BIT_RATE)


def dataset_row(question: dict[str, Any], number: int, recorded: dict[str, Any], encoded: bytes) -> dict[str, Any]:
    """The row of a question, the `number`-th (from 1) about its excerpt."""
    clip = clip_id(question["recording"], question["excerpt"])
    return {
        "identifier": f"{clip}-{number}",
        "audio": media_cell(encoded, f"{clip}.mp3"),
        "question": question["question"],
        "answer": question["answer"],
        **{f"distractor_{place}": text for place, text in enumerate(question["distractors"], start=1)},
        "main_category": question["main_category"],
        "secondary_categories": question["secondary_categories"],
        "difficulty": question["difficulty"],
        "excerpt_start_time": question["excerpt"][0],
        "excerpt_end_time": question["excerpt"][1],
        "song_link": "",
        "jamendo_id": recorded["tune_id"],
        "song_name": recorded["title"],
        "artist_name": ARTIST,
        "album_name": recorded["collection"],
        "song_license_url": LICENSE_URL,
    }


def build_rows(soundfont: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of the dataset and their entries in the manifest."""
    questions = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    recordings = {each["id"]: each for each in json.loads(RECORDINGS_MANIFEST.read_text(encoding="utf-8"))["items"]}
    rows, items = [], []
    for rendering in renderings(soundfont):
        recorded = recordings[rendering.id]
        facts = facts_of(rendering, recorded)
        asked = [question for question in questions if question["recording"] == rendering.id]
        for number, question in enumerate(asked, start=1):
            check_facts(question, facts)
            rows.append(dataset_row(question, number, recorded, excerpt_audio(rendering, question["excerpt"])))
            items.append(manifest_item(question, recorded, rows[-1]))
    return rows, items


def manifest_item(question: dict[str, Any], recorded: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """What a question is about and rests on."""
    return {
        "identifier": row["identifier"],
        "recording": question["recording"],
        "tune_id": recorded["tune_id"],
        "excerpt": question["excerpt"],
        "because": question["because"],
        "license": LICENSE,
        "attribution": recorded["attribution"],
        "pcm_sha256": pcm_sha256(row["audio"]["bytes"]),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the demo, or check that it can be built again."""
    parser = argparse.ArgumentParser(description="Build hummusqa_demo, or check that it can be built again.")
    parser.add_argument("--soundfont", type=Path, default=Path("/usr/share/sounds/sf2") / SOUNDFONT["name"])
    parser.add_argument("--check", action="store_true", help="cut again and compare decoded samples; write nothing")
    chosen = parser.parse_args(arguments)
    rows, items = build_rows(chosen.soundfont)
    if chosen.check:
        stored = json.loads(MANIFEST.read_text(encoding="utf-8"))["items"]
        hashes = {item["identifier"]: item["pcm_sha256"] for item in stored}
        differing = sorted(item["identifier"] for item in items if hashes.get(item["identifier"]) != item["pcm_sha256"])
        print(f"{len(items) - len(differing)} of {len(items)} excerpts alike", *differing)
        return 1 if differing else 0
    card = default_card("hummusqa", rows, demonstration=True).model_copy(update={"license": LICENSE.lower()})
    write_repository(REPOSITORY, "hummusqa", rows, card)
    manifest = {"dataset": "hummusqa_demo", "version": VERSION, "seed": SEED, "soundfont": SOUNDFONT, "items": items}
    MANIFEST.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
