"""From a tune and a plan to sounding events in seconds: exact, because the truth is made from the same sums.

Times are fractions until the last step. The harmony follows a rule: in each bar the triad that shares most with the
melody; minor keys take the major dominant where the melody raises the seventh.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.mub.make.bands import BASSES, CHORDS, INSTRUMENTS
from dataset_scripts.mub.make.score import STRAINS, Recording, Section, Span, section_spans
from dataset_scripts.mub.make.styles import BASS_TONES, STYLES, percussion_strokes, strokes, swung
from dataset_scripts.mub.make.tunes import Note, Tune, bar_quarters

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


def home_shift(recording: Recording, tune: Tune) -> int:
    """Semitones, -6 to 5, from the key the tune is written in to the recording's."""
    return (recording.pitch_key.pitch_class - tune.source.key.pitch_class + 6) % 12 - 6


def octaves(recording: Recording, tune: Tune, instrument: str) -> int:
    """The octave shift that puts what an instrument plays into its range, near the middle; ValueError if none does."""
    _, low, high = INSTRUMENTS[instrument]
    played = [section for section in recording.sections if section.melody == instrument]
    pitches = [
        pitch + section.shift + home_shift(recording, tune)
        for section in played
        for note in section_notes(recording, tune, section)
        for pitch in note.pitches
    ]
    fitting = [
        octave for octave in range(-4, 4) if low <= min(pitches) + 12 * octave and max(pitches) + 12 * octave <= high
    ]
    if not fitting:
        raise ValueError(f"{tune.source.tune_id} in {recording.key} does not lie within the range of the {instrument}")
    middle = (min(pitches) + max(pitches) - low - high) / 2
    return min(fitting, key=lambda octave: abs(middle + 12 * octave))


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
    shift = home_shift(recording, tune) + section.shift + 12 * octaves(recording, tune, section.melody)
    for note in section_notes(recording, tune, section):
        first = swung(note.start, recording.metre, recording.swing)
        last = swung(note.start + note.length, recording.metre, recording.swing)
        start = span.start_s + first * (pace_before if note.start < 0 else span.pace)
        end = start + (last - first) * span.pace * Fraction(19, 20)
        accent = 0.12 if note.start % bar_quarters(recording.metre) == 0 else 0.0
        for pitch in note.pitches:
            yield Event(MELODY, program, start, end, pitch + shift, 0.78 + accent)
            if section.doubled:
                yield Event(MELODY, program, start, end, pitch + shift - 12, 0.78 + accent)


def section_notes(recording: Recording, tune: Tune, section: Section) -> tuple[Note, ...]:
    """What the melody plays: a strain of the tune or its first bars, in the outro the tonic, in the intro nothing."""
    if section.label in STRAINS:
        number = STRAINS.index(section.label)
        cut = section.bars and section.bars < tune.bars[number]
        return first_bars(tune.sections[number], section.bars, recording.metre) if cut else tune.sections[number]
    if section.label != "outro":
        return ()
    last = tune.sections[0][-1].pitches[0]
    tonic = tune.source.key.pitch_class
    nearest_tonic = last + (tonic - last + 6) % 12 - 6
    return (Note(Fraction(0), bar_quarters(recording.metre) * section.bars, (nearest_tonic,)),)


def first_bars(notes: Sequence[Note], bars: int, metre: str) -> tuple[Note, ...]:
    """The first `bars` of a strain, its pickup before them, without the pickup of what would follow."""
    end = bars * bar_quarters(metre) + min(notes[0].start, Fraction(0))
    return tuple(note._replace(length=min(note.length, end - note.start)) for note in notes if note.start < end)


def harmony(recording: Recording, tune: Tune, section: Section, bars: int) -> list[tuple[int, ...]]:
    """One triad a bar, as pitch classes with the root first."""
    tonic = (recording.pitch_key.pitch_class + section.shift) % 12
    triads = TRIADS[recording.pitch_key.mode]
    notes = tune.sections[STRAINS.index(section.label)] if section.label in STRAINS else ()
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
    tonic = (recording.pitch_key.pitch_class + span.section.shift) % 12
    drone = (tonic, tonic, (tonic + 7) % 12)
    bass_grid, chord_grid = STYLES[style][recording.metre]
    for number, harmony_of_bar in enumerate(chords):
        chord = drone if style == "drone" else harmony_of_bar
        tones = bass_tones(chord)
        for stroke in strokes(bass_grid, recording.metre):
            start, end = stroke_times(recording, span, number, stroke.start, stroke.end)
            yield Event(BASS, BASSES[recording.bass], start, end, tones[BASS_TONES[stroke.sign]], stroke.velocity)
        voiced = sorted({CHORD_RANGE + (each - CHORD_RANGE) % 12 for each in chord})
        for stroke in strokes(chord_grid, recording.metre):
            start, end = stroke_times(recording, span, number, stroke.start, stroke.end)
            for pitch in voiced if stroke.sign in "Xx" else [chord_tone(voiced, int(stroke.sign) - 1)]:
                yield Event(HARMONY, CHORDS[recording.chords], start, end, pitch, stroke.velocity)


def bass_tones(chord: Sequence[int]) -> tuple[int, ...]:
    """Root, third and fifth within the bass's octave, and the root above."""
    root, third, fifth = (BASS_RANGE + (each - BASS_RANGE) % 12 for each in chord)
    return root, third, fifth, root + 12


def chord_tone(voiced: Sequence[int], number: int) -> int:
    """The note of a chord, counted from its lowest on into the next octave."""
    octave, place = divmod(number, len(voiced))
    return voiced[place] + 12 * octave


def stroke_times(
    recording: Recording, span: Span, bar: int, start: Fraction, end: Fraction
) -> tuple[Fraction, Fraction]:
    """Seconds at which a stroke of the `bar`-th bar of a section starts and ends."""
    line = bar * bar_quarters(recording.metre)
    times = (swung(line + each, recording.metre, recording.swing) for each in (start, end))
    first, last = (span.start_s + each * span.pace for each in times)
    return first, last


def percussion_events(recording: Recording, span: Span) -> Iterator[Event]:
    """The groove of a section, one low stroke under the final chord; silent under an unaccompanied section."""
    if not recording.percussion or span.section.accompaniment == "none":
        return
    is_end = span.section.label == "outro"
    for bar in range(1 if is_end else span.bars):
        for note, stroke in percussion_strokes(recording.percussion, recording.groove, recording.metre):
            if is_end and (stroke.sign != "X" or stroke.start):
                continue
            start, _ = stroke_times(recording, span, bar, stroke.start, stroke.end)
            yield Event(DRUMS, DRUM_PROGRAM, start, start + span.pace / 4, note, stroke.velocity)
