"""From a tune and a plan to sounding events in seconds, and to the truth about them: exact, because both are one sum.

Times are fractions until the last step. The harmony follows a rule: in each bar the triad that shares most with the
melody; minor keys take the major dominant where the melody raises the seventh.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.mub.demo.plan import Recording, Section, beat_quarters, beats_per_bar
from dataset_scripts.mub.demo.tunes import Note, Tune, bar_quarters

INSTRUMENTS = {
    "accordion": (21, 55, 88),
    "cello": (42, 38, 72),
    "clarinet": (71, 55, 86),
    "flute": (73, 62, 93),
    "glockenspiel": (9, 72, 108),
    "marimba": (12, 50, 86),
    "oboe": (68, 59, 88),
    "organ": (19, 55, 84),
    "recorder": (74, 67, 96),
    "soprano saxophone": (64, 57, 84),
    "trombone": (57, 41, 70),
    "trumpet": (56, 55, 82),
    "violin": (40, 57, 93),
}
"""General MIDI program (from 0), lowest and highest MIDI pitch, of what plays the melody."""
BASSES = {"cello": 42, "double bass": 32, "organ pedals": 19, "tuba": 58}
CHORDS = {"guitar": 24, "harp": 46, "organ": 19, "piano": 0, "strings": 48}
PERCUSSION = {"frame drum": (41, 45), "kit": (36, 37), "shaker": (70, 70), "tambourine": (54, 54)}
"""Channel 10 notes of the first beat and of the others."""
BASS_RANGE, CHORD_RANGE = 36, 55
"""Lowest pitches: bass notes lie within the octave above the first, chords above the second."""
TRIADS = {
    "major": ((0, 4, 7), (7, 11, 2), (5, 9, 0), (9, 0, 4), (2, 5, 9)),
    "minor": ((0, 3, 7), (7, 11, 2), (5, 8, 0), (10, 2, 5), (8, 0, 3), (3, 7, 10)),
}
"""Pitch classes over the tonic, root first, in order of preference."""
PREFERENCE = Fraction(1, 8)
MELODY, BASS, HARMONY, DRUMS = "melody", "bass", "harmony", "drums"
DRUM_PROGRAM = -1


class Event(NamedTuple):
    """A sounding note: which stem and program play it, seconds of start and end, MIDI pitch, velocity 0..1."""

    stem: str
    program: int
    start_s: Fraction
    end_s: Fraction
    pitch: int
    velocity: float


class Span(NamedTuple):
    """A section in seconds, its first bar line to its last, with its pace in seconds a quarter."""

    section: Section
    start_s: Fraction
    end_s: Fraction
    pace: Fraction
    bars: int


def section_spans(recording: Recording, tune: Tune, bpm: str) -> list[Span]:
    """The sections one after the other; the first starts late enough for the pickup of the tune to sound before it."""
    first = recording.sections[0]
    pickup = -min(note.start for note in tune.sections["AB".index(first.label)]) if first.label in "AB" else Fraction(0)
    time = max(pickup, Fraction(0)) * pace(recording, first, bpm)
    spans = []
    for section in recording.sections:
        bars = section.bars or tune.bars["AB".index(section.label)]
        seconds = pace(recording, section, bpm)
        end = time + bars * bar_quarters(recording.metre) * seconds
        spans.append(Span(section, time, end, seconds, bars))
        time = end
    return spans


def pace(recording: Recording, section: Section, bpm: str) -> Fraction:
    """Seconds a quarter note lasts in a section."""
    return 60 / (Fraction(bpm) * section.speed * beat_quarters(recording.metre))


def home_shift(recording: Recording, tune: Tune) -> int:
    """Semitones, -6 to 5, from the key the tune is written in to the recording's."""
    return (recording.pitch_key.pitch_class - tune.source.key.pitch_class + 6) % 12 - 6


def octaves(recording: Recording, tune: Tune, instrument: str) -> int:
    """The octave shift that puts the whole tune into an instrument's range, near its middle."""
    _, low, high = INSTRUMENTS[instrument]
    shifts = [section.shift for section in recording.sections if section.melody == instrument]
    pitches = [pitch for section in tune.sections for note in section for pitch in note.pitches]
    lowest = min(pitches) + home_shift(recording, tune) + min(shifts)
    highest = max(pitches) + home_shift(recording, tune) + max(shifts)
    fitting = [octave for octave in range(-4, 4) if low <= lowest + 12 * octave and highest + 12 * octave <= high]
    middle = (low + high) / 2
    return min(fitting, key=lambda octave: abs((lowest + highest) / 2 + 12 * octave - middle))


def arrange(recording: Recording, tune: Tune, bpm: str) -> list[Event]:
    """All notes of a recording."""
    events: list[Event] = []
    spans = section_spans(recording, tune, bpm)
    before = spans[0].pace
    for span in spans:
        chords = harmony(recording, tune, span.section, span.bars)
        events += melody_events(recording, tune, span, before)
        events += accompaniment_events(recording, span, chords)
        events += percussion_events(recording, span)
        before = span.pace
    return sorted(events, key=lambda event: (event.start_s, event.stem, event.program, event.pitch))


def melody_events(recording: Recording, tune: Tune, span: Span, pace_before: Fraction) -> Iterator[Event]:
    """The tune in a section; a pickup sounds before the section's first bar line, at the pace of what precedes it."""
    section = span.section
    if not section.melody:
        return
    program = INSTRUMENTS[section.melody][0]
    octave = octaves(recording, tune, section.melody)
    shift = home_shift(recording, tune) + section.shift + 12 * octave
    for note in section_notes(recording, tune, section):
        start = span.start_s + note.start * (pace_before if note.start < 0 else span.pace)
        end = start + note.length * span.pace * Fraction(19, 20)
        accent = 0.12 if note.start % bar_quarters(recording.metre) == 0 else 0.0
        for pitch in note.pitches:
            yield Event(MELODY, program, start, end, pitch + shift, 0.78 + accent)
            if section.doubled:
                yield Event(MELODY, program, start, end, pitch + shift - 12, 0.78 + accent)


def section_notes(recording: Recording, tune: Tune, section: Section) -> tuple[Note, ...]:
    """What the melody plays: the tune's section, or in the outro its tonic for a bar."""
    if section.label in ("A", "B"):
        return tune.sections["AB".index(section.label)]
    if section.label != "outro":
        return ()
    last = tune.sections[0][-1].pitches[0]
    tonic = tune.source.key.pitch_class
    nearest_tonic = last + (tonic - last + 6) % 12 - 6
    return (Note(Fraction(0), bar_quarters(recording.metre) * section.bars, (nearest_tonic,)),)


def harmony(recording: Recording, tune: Tune, section: Section, bars: int) -> list[tuple[int, ...]]:
    """One triad a bar, as pitch classes with the root first."""
    tonic = (recording.pitch_key.pitch_class + section.shift) % 12
    triads = TRIADS[recording.pitch_key.mode]
    notes = tune.sections["AB".index(section.label)] if section.label in ("A", "B") else ()
    degrees = []
    for bar in range(bars):
        weights = bar_weights(notes, bar, bar_quarters(recording.metre), tune.source.key.pitch_class)
        degrees.append(best_triad(triads, weights) if weights else triads[0])
    return [tuple((tonic + degree) % 12 for degree in triad) for triad in degrees]


def bar_weights(notes: Sequence[Note], bar: int, length: Fraction, tonic: int) -> dict[int, Fraction]:
    """How long each pitch class over the tonic sounds in a bar, notes on the bar line counted twice."""
    weights: dict[int, Fraction] = {}
    for note in notes:
        if bar * length <= note.start < (bar + 1) * length:
            factor = 2 if note.start == bar * length else 1
            for pitch in note.pitches:
                degree = (pitch - tonic) % 12
                weights[degree] = weights.get(degree, Fraction(0)) + factor * note.length
    return weights


def best_triad(triads: Sequence[tuple[int, ...]], weights: dict[int, Fraction]) -> tuple[int, ...]:
    """The triad that shares most with a bar; the earlier in the list where two are close."""
    total = sum(weights.values())

    def fit(number: int) -> Fraction:
        return sum((weights.get(degree, Fraction(0)) for degree in triads[number]), Fraction(0)) / total

    return triads[max(range(len(triads)), key=lambda number: fit(number) - number * PREFERENCE / 4)]


def accompaniment_events(recording: Recording, span: Span, chords: Sequence[tuple[int, ...]]) -> Iterator[Event]:
    """Bass and chords of a section in its style."""
    style = span.section.accompaniment
    if style == "none":
        return
    bar = bar_quarters(recording.metre)
    tonic = (recording.pitch_key.pitch_class + span.section.shift) % 12
    drone = (tonic, tonic, (tonic + 7) % 12)
    bass_program, chord_program = BASSES[recording.bass], CHORDS[recording.chords]
    for number, harmony_of_bar in enumerate(chords):
        chord = drone if style == "drone" else harmony_of_bar
        root = BASS_RANGE + (chord[0] - BASS_RANGE) % 12
        fifth = BASS_RANGE + (chord[2] - BASS_RANGE) % 12
        voiced = [CHORD_RANGE + (each - CHORD_RANGE) % 12 for each in chord]
        for is_bass, start, length, strength in STYLES[style](recording.metre):
            at = span.start_s + (number * bar + start) * span.pace
            end = at + length * span.pace
            if is_bass:
                pitch = fifth if start > 0 else root
                yield Event(BASS, bass_program, at, end, pitch, strength)
                continue
            pitches = [sorted(voiced)[is_step(start, length)]] if style == "broken chords" else sorted(set(voiced))
            for pitch in pitches:
                yield Event(HARMONY, chord_program, at, end, pitch, strength)


Stroke = tuple[bool, Fraction, Fraction, float]
"""Whether the bass plays it, quarters from the bar line, quarters long, velocity."""


def bass_and_chords(metre: str) -> Iterator[Stroke]:
    """Bass on the first beat (in four also the third, in two compound beats both), chords on the weak ones."""
    beat, count = beat_quarters(metre), beats_per_bar(metre)
    short = beat * Fraction(4, 5)
    half = Fraction(1, 2)
    yield True, Fraction(0), beat, 0.95
    if metre == "2/4":
        yield False, Fraction(0), half * Fraction(4, 5), 0.6
        yield from ((False, each * beat + half, half * Fraction(4, 5), 0.4) for each in range(2))
        yield True, beat, beat * Fraction(4, 5), 0.7
    elif metre in ("6/8", "9/8"):
        yield from ((True, each * beat, beat, 0.7) for each in range(1, count))
        yield False, Fraction(0), half * Fraction(4, 5), 0.6
        yield from ((False, each * beat + 1, half * Fraction(4, 5), 0.5) for each in range(count))
    else:
        for each in range(1, count):
            yield count == 4 and each == 2, each * beat, short, 0.7 if each == 2 else 0.6


def held(metre: str) -> Iterator[Stroke]:
    """One chord over its root, a bar long."""
    length = bar_quarters(metre) * Fraction(19, 20)
    yield True, Fraction(0), length, 0.9
    yield False, Fraction(0), length, 0.65


def broken_chords(metre: str) -> Iterator[Stroke]:
    """The notes of the chord one by one in eighths over the root."""
    half = Fraction(1, 2)
    yield True, Fraction(0), bar_quarters(metre) * Fraction(19, 20), 0.95
    for each in range(int(bar_quarters(metre) / half)):
        yield False, each * half, half, 0.75 if each == 0 else 0.6


def is_step(start: Fraction, length: Fraction) -> int:
    """Which note of three is the one at `start`: up and down again."""
    return (0, 1, 2, 1)[int(start / length) % 4]


STYLES = {"bass and chords": bass_and_chords, "held": held, "broken chords": broken_chords, "drone": held}


def percussion_events(recording: Recording, span: Span) -> Iterator[Event]:
    """A low stroke on the first beat of the bar, light ones on the others; silent under an unaccompanied section."""
    if not recording.percussion or span.section.accompaniment == "none":
        return
    first, other = PERCUSSION[recording.percussion]
    beat, count = beat_quarters(recording.metre), beats_per_bar(recording.metre)
    length = Fraction(1, 4) * span.pace
    for number in range(span.bars if span.section.label != "outro" else 1):
        for each in range(count if span.section.label != "outro" else 1):
            at = span.start_s + (number * count + each) * beat * span.pace
            yield Event(DRUMS, DRUM_PROGRAM, at, at + length, other if each else first, 0.6 if each else 1.0)
