"""From the passages of an excerpt to notes: the tune as each voice plays it, and what its patterns add."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.hummusqa.make.patterns import RHYTHMS, pattern
from dataset_scripts.hummusqa.make.score import DRUM_KIT, DRUM_PROGRAM, INSTRUMENTS, Passage, Piece, Voice
from dataset_scripts.hummusqa.make.timing import make_clock, pickup
from dataset_scripts.mub.make.arrange import TRIADS, Event, bar_weights, best_triad
from dataset_scripts.mub.make.tunes import Note, bar_quarters

BASS_RANGE, CHORD_RANGE = 36, 55
"""Lowest pitches of bass notes and of chords, each kept within an octave."""
SCALES = {"major": (0, 2, 4, 5, 7, 9, 11), "minor": (0, 2, 3, 5, 7, 8, 10)}
CHANGES = {("major", "minor"): {4: 3, 9: 8}, ("minor", "major"): {3: 4, 8: 9, 10: 11}}
"""How degrees move when a tune is played in the other mode; the seventh of a major tune stays raised."""
NUMERALS = {
    "major": {"I": (0, 4, 7), "ii": (2, 5, 9), "IV": (5, 9, 0), "V": (7, 11, 2), "vi": (9, 0, 4)},
    "minor": {"i": (0, 3, 7), "III": (3, 7, 10), "iv": (5, 8, 0), "V": (7, 11, 2), "VI": (8, 0, 3), "VII": (10, 2, 5)},
}
SOUNDING = {"normal": Fraction(9, 10), "legato": Fraction(1), "staccato": Fraction(2, 5)}
"""How much of its length a note of the melody sounds."""
ACCENT = 0.1
SHORT = Fraction(1, 6)
"""Quarters of an ornament's note."""
DRONE, BLOCKS = "drone", "block chords"


class Played(NamedTuple):
    """A note in quarters of the recording."""

    start: Fraction
    end: Fraction
    pitch: int
    strength: float


def events(piece: Piece) -> list[Event]:
    """Every note of a recording in seconds; the stem of an event names its voice."""
    clock = make_clock(piece)
    last = clock.spans[-1][1]
    found = []
    for passage, (start, _) in zip(piece.excerpt.passages, clock.spans, strict=True):
        for voice in passage.voices:
            program = DRUM_PROGRAM if voice.instrument == DRUM_KIT else INSTRUMENTS[voice.instrument][0]
            for note in played(piece, passage, voice, start):
                end = min(note.end, last)
                if note.start < end:
                    times = clock.seconds(note.start), clock.seconds(end)
                    found.append(Event(stem(voice), program, *times, note.pitch, note.strength))
    return sorted(found, key=lambda event: (event.start_s, event.stem, event.pitch))


def stem(voice: Voice) -> str:
    """Voices that sound at one level and are mixed as one."""
    role = voice.role if voice.role in RHYTHMS else ("melody" if voice.role == "melody" else "accompaniment")
    return f"{voice.instrument}|{role}|{voice.level_db:g}|{voice.octave}|{voice.steps}|{voice.tremor_hz}"


def stems(piece: Piece) -> dict[str, Voice]:
    """The stems of a recording, each with a voice that has its level and colour."""
    return {stem(voice): voice for passage in piece.excerpt.passages for voice in passage.voices}


def played(piece: Piece, passage: Passage, voice: Voice, start: Fraction) -> Iterator[Played]:
    """What a voice plays in a passage that starts at `start`."""
    if voice.instrument == DRUM_KIT:
        yield from drum_notes(piece, passage, voice, start)
        return
    if voice.role == "melody":
        notes: Iterator[Played] = melody(piece, passage, voice, start)
    elif voice.role == DRONE:
        notes = drone(piece, passage, start)
    elif voice.role == BLOCKS:
        notes = block_chords(piece, passage, start)
    else:
        notes = accompaniment(piece, passage, voice, start)
    _, low, high = INSTRUMENTS[voice.instrument]
    for note in notes:
        raised = note._replace(pitch=note.pitch + (12 * voice.octave if voice.role != "melody" else 0))
        if not low <= raised.pitch <= high:
            raise ValueError(f"{piece.excerpt.name}: the {voice.instrument} cannot play {raised.pitch} ({voice.role}).")
        yield raised


def strain_notes(piece: Piece, passage: Passage) -> list[Note]:
    """The notes of a passage's strain, from its own first bar line, as printed."""
    if not passage.strain:
        return []
    notes = piece.tune.sections["AB".index(passage.strain)]
    if not passage.part:
        return list(notes)
    bar, (first, count) = bar_quarters(piece.metre), passage.part
    upbeat = pickup(piece, passage)
    low, high = first * bar - upbeat, (first + count) * bar - upbeat
    return [note._replace(start=note.start - first * bar) for note in notes if low <= note.start < high]


def mode_of(piece: Piece, passage: Passage) -> str:
    """The mode of a passage."""
    return passage.mode or piece.mode


def moved(piece: Piece, passage: Passage, pitch: int, steps: int = 0) -> int:
    """A printed pitch in the key and mode of a passage, `steps` degrees of the scale away."""
    printed = piece.tune.source.key.pitch_class
    octave, degree = divmod(pitch - printed, 12)
    degree = CHANGES.get((piece.mode, mode_of(piece, passage)), {}).get(degree, degree)
    if steps:
        scale = SCALES[mode_of(piece, passage)]
        nearest = max(index for index, each in enumerate(scale) if each <= degree)
        up, index = divmod(nearest + steps, 7)
        octave, degree = octave + up, scale[index]
    return printed + 12 * octave + degree + piece.excerpt.transposition + passage.shift


def melody(piece: Piece, passage: Passage, voice: Voice, start: Fraction) -> Iterator[Played]:
    """The tune as a voice plays it."""
    bar = bar_quarters(piece.metre)
    for note in strain_notes(piece, passage):
        at = start + note.start + voice.delay
        strength = 0.78 + (ACCENT if note.start % bar == 0 else 0)
        for printed in note.pitches:
            pitch = moved(piece, passage, printed, voice.steps) + 12 * voice.octave
            neighbour = moved(piece, passage, printed, voice.steps + 1) + 12 * voice.octave
            sounding = note.length * SOUNDING[voice.articulation]
            yield from ornamented(Played(at, at + sounding, pitch, strength), note, neighbour, voice.ornament)


def ornamented(note: Played, written: Note, neighbour: int, ornament: str) -> Iterator[Played]:
    """A note, with a quick upper neighbour ("mordents") or a trill ("trills") where it is a quarter or longer."""
    if not ornament or written.length < 1:
        yield note
        return
    count = 2 if ornament == "mordents" and written.length < Fraction(3, 2) else 2 * int(written.length / SHORT / 3)
    for number in range(count):
        start = note.start + number * SHORT
        pitch = neighbour if number % 2 else note.pitch
        yield note._replace(start=start, end=start + SHORT, pitch=pitch)
    yield note._replace(start=note.start + count * SHORT)


def harmony(piece: Piece, passage: Passage) -> list[str]:
    """The numeral of each bar: as the passage says, else the triad that shares most with the melody, else the tonic."""
    mode = mode_of(piece, passage)
    names: dict[tuple[int, ...], str] = {triad: name for name, triad in NUMERALS[mode].items()}
    if passage.chords:
        return list(passage.chords)
    printed, change = piece.tune.source.key.pitch_class, CHANGES.get((piece.mode, mode), {})
    numerals = []
    for bar in range(piece.bars(passage)):
        found = bar_weights(strain_notes(piece, passage), bar, bar_quarters(piece.metre), printed)
        weights = {change.get(degree, degree): weight for degree, weight in found.items()}
        numerals.append(names[best_triad(TRIADS[mode], weights) if weights else TRIADS[mode][0]])
    return numerals


def triads(piece: Piece, passage: Passage) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The pitch classes, root first, of the chords of each bar's two halves ("V-I"; one numeral: the same chord)."""
    tonic = piece.tonic + passage.shift
    table = NUMERALS[mode_of(piece, passage)]
    halves = [(name.split("-")[0], name.split("-")[-1]) for name in harmony(piece, passage)]
    return [
        (tuple((tonic + degree) % 12 for degree in table[one]), tuple((tonic + degree) % 12 for degree in table[two]))
        for one, two in halves
    ]


def above(lowest: int, pitch_class: int) -> int:
    """The pitch of a class in the octave from `lowest` up."""
    return lowest + (pitch_class - lowest) % 12


def tones(chord: Sequence[int], following: Sequence[int], tonic: int) -> dict[str, list[int]]:
    """The pitches of each tone that patterns ask for."""
    root = above(BASS_RANGE, chord[0])
    voiced = sorted(above(CHORD_RANGE, each) for each in chord)
    return {
        "root": [root],
        "third": [root + (chord[1] - chord[0]) % 12],
        "fifth": [root + (chord[2] - chord[0]) % 12],
        "octave": [root + 12],
        "approach": [above(BASS_RANGE, following[0]) - 1],
        "tonic": [above(BASS_RANGE, tonic)],
        "chord": voiced,
        "low": voiced[:1],
        "middle": voiced[1:2],
        "high": voiced[2:],
        "top": [voiced[0] + 12],
    }


def accompaniment(piece: Piece, passage: Passage, voice: Voice, start: Fraction) -> Iterator[Played]:
    """A pattern over the chords of a passage; what is held through a change of chord is struck anew there."""
    harmonies, bar = triads(piece, passage), bar_quarters(piece.metre)
    half, tonic = bar / 2, piece.tonic + passage.shift
    for number, (one, two) in enumerate(harmonies):
        following = harmonies[(number + 1) % len(harmonies)][0]
        for stroke in pattern(voice.role, piece.metre, number):
            at = start + number * bar
            parts = [(stroke.start, stroke.length, one if stroke.start < half else two)]
            if one != two and stroke.start == 0 and stroke.length > half:
                parts = [(Fraction(0), half, one), (half, stroke.length - half, two)]
            for begin, length, chord in parts:
                for pitch in tones(chord, following, tonic)[stroke.tone]:
                    yield Played(at + begin, at + begin + length, pitch, stroke.strength)


def drone(piece: Piece, passage: Passage, start: Fraction) -> Iterator[Played]:
    """Tonic and fifth for the whole passage."""
    end = start + piece.bars(passage) * bar_quarters(piece.metre)
    tonic = above(BASS_RANGE, piece.tonic + passage.shift)
    for pitch in (tonic, tonic + 7, tonic + 12):
        yield Played(start, end, pitch, 0.8)


def block_chords(piece: Piece, passage: Passage, start: Fraction) -> Iterator[Played]:
    """Under every note of the tune the chord's next two tones and its root; without a tune a chord a bar."""
    harmonies, bar = triads(piece, passage), bar_quarters(piece.metre)
    notes = strain_notes(piece, passage)
    for note in notes or [Note(each * bar, bar, ()) for each in range(len(harmonies))]:
        chord = harmonies[max(0, int(note.start // bar))][note.start % bar >= bar / 2]
        top = moved(piece, passage, note.pitches[0]) if note.pitches else above(CHORD_RANGE + 5, piece.tonic)
        inner = sorted(top - (top - each) % 12 for each in chord if (top - each) % 12)[-2:]
        outer = [] if note.pitches else [top]
        end = start + note.start + note.length * Fraction(19, 20)
        for pitch in (*inner, *outer, above(BASS_RANGE, chord[0])):
            yield Played(start + note.start, end, pitch, 0.8)


def drum_notes(piece: Piece, passage: Passage, voice: Voice, start: Fraction) -> Iterator[Played]:
    """A rhythm of the drums in every bar."""
    for bar in range(piece.bars(passage)):
        for note, place, strength in RHYTHMS[voice.role]:
            at = start + bar * bar_quarters(piece.metre) + place
            yield Played(at, at + Fraction(1, 4), note, strength)
