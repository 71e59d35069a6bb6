"""Builds hummusqa_demo: `python -m dataset_scripts.hummusqa.make.build --soundfont FluidR3_GM.sf2 [OPTION]`.

Needs what `dataset_scripts/mub/make/build.py` needs (music21, tinysoundfont, the soundfont) and, for the spoken words,
`apt-get install espeak-ng`. Each answer is checked against the facts of its excerpt (`facts`), and a question whose
facts do not hold is refused. With --check nothing is written: the excerpts are rendered again and their decoded samples
compared with the manifest. With --questions the sounds are taken out of the built dataset, whose samples must be those
of the manifest, and the rows are written anew: neither the soundfont nor espeak-ng is needed.
"""

import argparse
import hashlib
import json
import math
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import yaml

from dataset_scripts.hummusqa.make.facts import check_reasons, facts
from dataset_scripts.hummusqa.make.plan import EXCERPTS, SEED
from dataset_scripts.hummusqa.make.score import LONGEST_S, SHORTEST_S, Excerpt, Piece, load_piece
from dataset_scripts.hummusqa.make.sound import render
from dataset_scripts.hummusqa.make.timing import make_clock
from dataset_scripts.mub.make.build import check_soundfont
from dataset_scripts.mub.make.render import RATE, file_sha256
from dataset_scripts.mub.make.truth import LICENSE, SOUNDFONT, attribution
from dataset_scripts.mub.make.tunes import FOLDERS, corpus_directory
from musebench_tasks.assembly import default_card, encode_opus, media_cell, pcm_sha256, write_repository
from musebench_tasks.base.resources import demo_directory

FOLDER = Path(__file__).parent
REPOSITORY = demo_directory("hummusqa")
MANIFEST = FOLDER / "manifest.json"
QUESTIONS = FOLDER / "questions"
VERSION = "2.0"
BIT_RATE = 15_800
"""About 17 kbit/s with the container: `default` and `blind` stay below 3.4 MB together."""
TAIL_S = 0.4
"""What the last note needs at least to fade."""
LICENSE_URL = "https://creativecommons.org/publicdomain/zero/1.0/"
ARTIST = "musebench-tasks (rendered by a program)"


class Made(NamedTuple):
    """An excerpt with the questions about it, its facts and its encoded sound."""

    piece: Piece
    questions: list[dict[str, Any]]
    facts: dict[str, Any]
    encoded: bytes

    @property
    def clip(self) -> str:
        """The masked name of the excerpt, shared by its questions."""
        return clip_id(self.piece.excerpt)

    @property
    def times(self) -> tuple[str, str]:
        """Where the excerpt begins and ends in the recording, as `mm:ss`."""
        start = self.piece.excerpt.start_s
        return clock_time(start), clock_time(start + excerpt_seconds(self.piece))


def clip_id(excerpt: Excerpt) -> str:
    """A random-looking, stable name that says nothing about the excerpt."""
    return hashlib.sha256(f"hummusqa_demo|{SEED}|{excerpt.name}".encode()).hexdigest()[:10]


def clock_time(seconds: int) -> str:
    """Whole seconds as `mm:ss`."""
    return f"{seconds // 60:02d}:{seconds % 60:02d}"


def excerpt_seconds(piece: Piece) -> int:
    """How long an excerpt lasts: until its last note has faded, in whole seconds."""
    clock = make_clock(piece)
    end = float(clock.seconds(clock.spans[-1][1])) - piece.excerpt.start_s
    seconds = max(SHORTEST_S, math.ceil(end + TAIL_S))
    if seconds > LONGEST_S:
        raise SystemExit(f"{piece.excerpt.name}: {seconds} s, at most {LONGEST_S} wanted. Raise its tempo.")
    return seconds


def read_questions() -> list[dict[str, Any]]:
    """The questions of both files, each about an excerpt that exists."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(QUESTIONS.glob("*.yaml"))]
    questions: list[dict[str, Any]] = [question for text in texts for question in yaml.safe_load(text)]
    strays = {question["excerpt"] for question in questions} - {excerpt.name for excerpt in EXCERPTS}
    if strays:
        raise SystemExit(f"{QUESTIONS.name}: no excerpt is called {', '.join(sorted(strays))}. Correct the name.")
    return questions


def checked_questions() -> list[tuple[Piece, list[dict[str, Any]], dict[str, Any]]]:
    """Every piece with its questions, all of whose reasons hold, and its facts."""
    questions, checked = read_questions(), []
    for excerpt in EXCERPTS:
        piece = load_piece(excerpt)
        true_of_it = facts(piece)
        asked = [question for question in questions if question["excerpt"] == excerpt.name]
        for question in asked:
            check_reasons(question, true_of_it, QUESTIONS.name)
        checked.append((piece, asked, true_of_it))
    return checked


def make(soundfont: Path) -> list[Made]:
    """Check every question, then render every excerpt."""
    check_soundfont(soundfont)
    checked = checked_questions()
    return [
        Made(*each, encode_opus(render(each[0], excerpt_seconds(each[0]), soundfont), RATE, BIT_RATE))
        for each in checked
    ]


def made_again(stored: dict[str, Any]) -> list[Made]:
    """Check every question, and take the sound of every excerpt out of the built dataset.

    Refuses a sound that does not decode to what the manifest `stored` says.
    """
    cells = pq.read_table(REPOSITORY / "default", columns=["audio"]).to_pylist()
    built = {cell["audio"]["path"]: cell["audio"]["bytes"] for cell in cells}
    everything = [Made(*each, built[f"{clip_id(each[0].excerpt)}.ogg"]) for each in checked_questions()]
    others = differing(everything, stored)
    if others:
        raise SystemExit(f"{', '.join(others)}: not the sound of the manifest. Build without --questions.")
    return everything


def dataset_row(made: Made, number: int, question: dict[str, Any]) -> dict[str, Any]:
    """The row of a question, the `number`-th (from 1) about its excerpt."""
    source = made.piece.tune.source
    return {
        "identifier": f"{made.clip}-{number}",
        "audio": media_cell(made.encoded, f"{made.clip}.ogg"),
        "question": question["question"],
        "answer": question["answer"],
        **{f"distractor_{place}": text for place, text in enumerate(question["distractors"], start=1)},
        "main_category": question["main_category"],
        "secondary_categories": question["secondary_categories"],
        "difficulty": question["difficulty"],
        "excerpt_start_time": made.times[0],
        "excerpt_end_time": made.times[1],
        "song_link": "",
        "jamendo_id": source.tune_id,
        "song_name": source.title,
        "artist_name": ARTIST,
        "album_name": FOLDERS[source.path.split("/")[0]],
        "song_license_url": LICENSE_URL,
    }


def manifest_item(made: Made) -> dict[str, Any]:
    """What an excerpt was made from, what is true of it, and what its questions rest on."""
    source = made.piece.tune.source
    return {
        "id": made.clip,
        "excerpt": list(made.times),
        "tune_id": source.tune_id,
        "title": source.title,
        "collection": FOLDERS[source.path.split("/")[0]],
        "transcriber": source.transcriber,
        "corpus_path": source.path,
        "corpus_sha256": file_sha256(corpus_directory() / source.path),
        "tune_number": source.number,
        "transposition": made.piece.excerpt.transposition,
        "facts": made.facts,
        "questions": [
            {"identifier": f"{made.clip}-{number}", "because": question["because"]}
            for number, question in enumerate(made.questions, start=1)
        ],
        "license": LICENSE,
        "attribution": attribution(source),
        "pcm_sha256": pcm_sha256(made.encoded),
    }


def speech_version() -> str:
    """The version of the installed espeak-ng."""
    told = subprocess.run(["espeak-ng", "--version"], capture_output=True, text=True, check=True).stdout
    return told.split(":")[1].split()[0]


def installed() -> dict[str, str]:
    """The versions of what makes the sounds."""
    packages = {name: version(name) for name in ("av", "music21", "numpy", "scipy", "soxr", "tinysoundfont")}
    return packages | {"espeak-ng": speech_version()}


def manifest(items: list[dict[str, Any]], packages: dict[str, str]) -> dict[str, Any]:
    """The manifest of the demo, whose sounds `packages` made."""
    return {
        "dataset": "hummusqa_demo",
        "version": VERSION,
        "seed": SEED,
        "soundfont": SOUNDFONT,
        "packages": packages,
        "audio": {"codec": "opus", "channels": 1, "bit_rate": BIT_RATE},
        "items": items,
    }


def write(everything: list[Made], packages: dict[str, str]) -> None:
    """Write the dataset repository and the manifest."""
    rows = [
        dataset_row(made, number, question)
        for made in everything
        for number, question in enumerate(made.questions, start=1)
    ]
    card = default_card("hummusqa", rows, demonstration=True)
    write_repository(REPOSITORY, "hummusqa", rows, card)
    told = manifest([manifest_item(made) for made in everything], packages)
    MANIFEST.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def differing(everything: list[Made], stored: dict[str, Any]) -> list[str]:
    """The excerpts that decode to other samples than the manifest `stored` says."""
    hashes = {item["id"]: item["pcm_sha256"] for item in stored["items"]}
    return sorted(made.clip for made in everything if hashes.get(made.clip) != pcm_sha256(made.encoded))


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the demo, or check that it can be built again."""
    parser = argparse.ArgumentParser(description="Build hummusqa_demo, or check that it can be built again.")
    parser.add_argument("--soundfont", type=Path, default=Path("/usr/share/sounds/sf2") / SOUNDFONT["name"])
    parser.add_argument("--check", action="store_true", help="render again and compare decoded samples; write nothing")
    parser.add_argument("--questions", action="store_true", help="keep the built sounds, write the rows anew")
    chosen = parser.parse_args(arguments)
    if chosen.questions:
        stored = json.loads(MANIFEST.read_text(encoding="utf-8"))
        write(made_again(stored), stored["packages"])
        return 0
    everything = make(chosen.soundfont)
    if chosen.check:
        others = differing(everything, json.loads(MANIFEST.read_text(encoding="utf-8")))
        print(f"{len(everything) - len(others)} of {len(everything)} excerpts alike", *others)
        return 1 if others else 0
    write(everything, installed())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
