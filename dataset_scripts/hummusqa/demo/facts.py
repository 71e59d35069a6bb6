"""What is true of an excerpt, from its score and arrangement, and the check that an answer rests on it."""

import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dataset_scripts.hummusqa.demo.score import METRES, Passage, Piece, Voice, beat_quarters
from dataset_scripts.hummusqa.demo.sound import borders
from dataset_scripts.hummusqa.demo.timing import make_clock, pickup
from dataset_scripts.hummusqa.demo.voices import harmony, mode_of
from dataset_scripts.mub.demo.tunes import Note, corpus_directory

DEGREES = ("1", "b2", "2", "b3", "3", "4", "#4", "5", "b6", "6", "b7", "7")
"""Degrees of the scale by semitones above the tonic."""
MAJOR_OR_MINOR = {"b3", "3"}
SEVENTHS = {"b7", "7"}


def facts(piece: Piece) -> dict[str, Any]:
    """Everything a question may rest on."""
    excerpt, clock = piece.excerpt, make_clock(piece)
    unit = beat_quarters(piece.metre) / 4
    times = borders(piece, clock)
    return {
        "kind": printed_kind(piece),
        "key": piece.key,
        "metre": piece.metre,
        "beats": METRES[piece.metre],
        "beat_unit": f"{unit.numerator}/{unit.denominator}",
        "beats_per_minute": float(excerpt.bpm),
        "groove": excerpt.groove,
        "form": [passage.strain for passage in excerpt.passages],
        "instruments": sorted({voice.instrument for passage in excerpt.passages for voice in passage.voices}),
        "melody": {strain: melody_facts(piece, strain) for strain in "AB"},
        "passages": [
            passage_facts(piece, passage, (start - excerpt.start_s, end - excerpt.start_s))
            for passage, (start, end) in zip(excerpt.passages, times, strict=True)
        ],
        "speech": {"speaker": excerpt.speaker, "lines": [line.text for line in excerpt.speech]},
    }


def printed_kind(piece: Piece) -> str:
    """What kind of tune the collection calls it, if it does."""
    path, number = piece.excerpt.tune
    text = (corpus_directory() / path).read_text(encoding="utf-8", errors="replace")
    own = next(part for part in re.split(r"(?m)^(?=X:)", text) if re.match(rf"X:\s*0*{number}\b", part))
    found = re.search(r"(?m)^R:\s*(.*?)\s*$", own)
    return found[1].casefold() if found else ""


def melody_facts(piece: Piece, strain: str) -> dict[str, Any]:
    """What the printed notes of a strain show."""
    notes: list[Note] = list(piece.tune.sections["AB".index(strain)])
    pitches = [note.pitches[0] for note in notes]
    degrees = [DEGREES[(pitch - piece.tune.source.key.pitch_class) % 12] for pitch in pitches]
    lengths = [note.length for note in notes]
    return {
        "opening_semitones": [later - earlier for earlier, later in pairwise(pitches[:5])],
        "opening_degrees": degrees[:5],
        "last_degree": degrees[-1],
        "pickup_quarters": float(pickup(piece, Passage(strain, ()))),
        "compass_semitones": max(pitches) - min(pitches),
        "thirds": sorted(MAJOR_OR_MINOR & set(degrees)),
        "sevenths": sorted(SEVENTHS & set(degrees)),
        "degrees": sorted(set(degrees), key=DEGREES.index),
        "even_share": float(round(Fraction(max(map(lengths.count, lengths)), len(lengths)), 2)),
    }


def passage_facts(piece: Piece, passage: Passage, times: tuple[float, float]) -> dict[str, Any]:
    """How a passage is played."""
    speed_end = passage.speed if passage.speed_end is None else passage.speed_end
    level_end = passage.level_db if passage.level_end_db is None else passage.level_end_db
    return {
        "strain": passage.strain,
        "bars": piece.bars(passage),
        "start_s": round(times[0], 3),
        "end_s": round(times[1], 3),
        "shift": passage.shift,
        "mode": mode_of(piece, passage),
        "chords": harmony(piece, passage),
        "speed": [float(passage.speed), float(speed_end)],
        "level_db": [passage.level_db, level_end],
        "rubato": float(passage.rubato),
        "cutoff_hz": [passage.cutoff_hz, passage.cutoff_end_hz],
        "room": passage.room,
        "voices": [voice_facts(voice) for voice in passage.voices],
    }


def voice_facts(voice: Voice) -> dict[str, Any]:
    """What a voice plays."""
    return voice._asdict() | {"delay": float(voice.delay)}


def look_up(found: Any, path: str) -> Any:
    """The fact at a dotted path such as `passages.1.voices.0.instrument`."""
    for part in path.split("."):
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found


def check_reasons(question: dict[str, Any], found: dict[str, Any], where: str) -> None:
    """Refuse a question whose reasons do not hold."""
    if not question["because"]:
        raise SystemExit(f"{where}, {question['question']!r}: nothing under `because`. Name the facts it rests on.")
    for path, expected in question["because"].items():
        fact = look_up(found, path)
        if fact != expected:
            raise SystemExit(f"{where}, {question['question']!r}: {path} is {fact!r}, not {expected!r}. Correct it.")
