"""What is true of an excerpt, from its score and arrangement, and the check that an answer rests on it."""

import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dataset_scripts.hummusqa.make import patterns
from dataset_scripts.hummusqa.make.score import DRUM_KIT, METRES, Passage, Piece, Voice, beat_quarters
from dataset_scripts.hummusqa.make.sound import borders
from dataset_scripts.hummusqa.make.timing import Clock, make_clock, pickup
from dataset_scripts.hummusqa.make.voices import harmony, mode_of, played
from dataset_scripts.mub.make.tunes import Note, bar_quarters, corpus_directory

DEGREES = ("1", "b2", "2", "b3", "3", "4", "#4", "5", "b6", "6", "b7", "7")
"""Degrees of the scale by semitones above the tonic."""
MAJOR_OR_MINOR = {"b3", "3"}
SEVENTHS = {"b7", "7"}
DRUMS = {
    patterns.KICK: "bass drum",
    patterns.SNARE: "snare drum",
    patterns.CLAP: "claps",
    patterns.LOW_TOM: "low frame drum",
    patterns.HIGH_TOM: "high frame drum",
    patterns.CLOSED_HAT: "closed hi-hat",
    patterns.PEDAL_HAT: "pedal hi-hat",
    patterns.RIDE: "ride cymbal",
}


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
        "bars_alike": bars_alike(piece),
        "strokes": stroke_facts(piece),
        "passages": [
            passage_facts(piece, passage, (start - excerpt.start_s, end - excerpt.start_s))
            | {"bar_s": bar_seconds(piece, passage, clock, first)}
            for passage, (start, end), (first, _) in zip(excerpt.passages, times, clock.spans, strict=True)
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
    bars = bars_of(piece, "AB".index(strain))
    return {
        "opening_semitones": [later - earlier for earlier, later in pairwise(pitches[:5])],
        "opening_degrees": degrees[:5],
        "opening_quarters": [float(round(length, 3)) for length in lengths[:5]],
        "notes": len(pitches),
        "lowest": [number for number, pitch in enumerate(pitches, start=1) if pitch == min(pitches)],
        "shortest_quarters": float(round(min(lengths), 3)),
        "bar_quarters": [" ".join(str(note.length) for note in bar) for bar in bars],
        "opening_bar_at": [number for number, bar in enumerate(bars, start=1) if bar == bars[0]],
        "last_degree": degrees[-1],
        "pickup_quarters": float(pickup(piece, Passage(strain, ()))),
        "compass_semitones": max(pitches) - min(pitches),
        "thirds": sorted(MAJOR_OR_MINOR & set(degrees)),
        "sevenths": sorted(SEVENTHS & set(degrees)),
        "degrees": sorted(set(degrees), key=DEGREES.index),
        "even_share": float(round(Fraction(max(map(lengths.count, lengths)), len(lengths)), 2)),
    }


def bars_of(piece: Piece, strain: int) -> list[list[Note]]:
    """The notes of each bar of a strain, from its own bar line; a pickup to the first bar belongs to none."""
    bar = bar_quarters(piece.metre)
    return [
        [
            note._replace(start=note.start - number * bar)
            for note in piece.tune.sections[strain]
            if number * bar <= note.start < (number + 1) * bar
        ]
        for number in range(piece.tune.bars[strain])
    ]


def bars_alike(piece: Piece) -> list[int]:
    """The bars, counted from 1, whose notes are the same in both strains."""
    pairs = zip(bars_of(piece, 0), bars_of(piece, 1), strict=False)
    return [number for number, (first, second) in enumerate(pairs, start=1) if first == second]


def stroke_facts(piece: Piece) -> dict[str, Any]:
    """Where the accompaniment strikes, in quarters from the bar line.

    A pattern is told for the first and the third bar of four (tone of the chord, beginning and end of each stroke); a
    rhythm names the drums and their hits.
    """
    voices = [voice for passage in piece.excerpt.passages for voice in passage.voices]
    told: dict[str, Any] = {}
    for role in sorted({voice.role for voice in voices}):
        if role in patterns.RHYTHMS:
            told[role] = drum_facts(role)
        elif role in patterns.PATTERNS or role in patterns.REGROUPED:
            bars = [patterns.pattern(role, piece.metre, bar) for bar in (0, 2)]
            told[role] = [
                ", ".join(f"{each.tone} {each.start} to {each.start + each.length}" for each in bar) for bar in bars
            ]
    return told


def drum_facts(rhythm: str) -> dict[str, str]:
    """Where each drum of a rhythm is hit."""
    told: dict[str, list[Fraction]] = {}
    for drum, start, _ in patterns.RHYTHMS[rhythm]:
        told.setdefault(DRUMS[drum], []).append(start)
    return {drum: " ".join(map(str, sorted(starts))) for drum, starts in told.items()}


def bar_seconds(piece: Piece, passage: Passage, clock: Clock, first: Fraction) -> list[float]:
    """How long each bar of a passage that starts at `first` lasts."""
    bar = bar_quarters(piece.metre)
    lines = [clock.seconds(first + number * bar) for number in range(piece.bars(passage) + 1)]
    return [float(round(later - earlier, 3)) for earlier, later in pairwise(lines)]


def outer_pitches(piece: Piece, passage: Passage, voice: Voice) -> str:
    """A voice's lowest and highest MIDI pitch at its first and its last stroke in a passage; empty for drums."""
    if voice.instrument == DRUM_KIT:
        return ""
    notes = list(played(piece, passage, voice, Fraction(0)))
    ends = min(note.start for note in notes), max(note.start for note in notes)
    struck = [[note.pitch for note in notes if note.start == end] for end in ends]
    return ", ".join(f"{min(pitches)}-{max(pitches)}" for pitches in struck)


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
        "outer_pitches": [outer_pitches(piece, passage, voice) for voice in passage.voices],
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
