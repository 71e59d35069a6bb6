"""What is played, in beats: drum patterns, accompaniments, melodies; and the clock that turns beats into seconds."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.dsp_training import sounds
from benchmarks.dsp_training.sounds import Stroke
from musebench_tasks.models.dsp.pulse import BEATS_IN_BAR

SCALES = {"major": (0, 2, 4, 5, 7, 9, 11), "minor": (0, 2, 3, 5, 7, 8, 10)}
PROGRESSIONS = (
    (0, 3, 4, 0), (0, 4, 5, 3), (0, 5, 3, 4), (5, 3, 0, 4), (0, 3, 0, 4), (1, 4, 0, 0), (0, 6, 5, 4), (0, 0, 3, 4),
)  # fmt: skip
"""Degrees of a scale, a chord a bar."""
KICKS = {"12/8": (0, 2), "5/4": (0, 3), "7/4": (0, 4)}
SNARES = {
    "2/4": (1,),
    "3/4": (1, 2),
    "4/4": (1, 3),
    "6/8": (1,),
    "9/8": (1, 2),
    "12/8": (1, 3),
    "5/4": (2, 4),
    "7/4": (2, 6),
}
"""Beats of a bar; elsewhere the kick falls on the first."""
KICKS_IN_FOUR = ((0, 2), (0, 2), (0, 2.5), (0, 1.5, 2), (0, 0.75, 2.5), (0,))
STRONG_BEATS = {2: (0,), 3: (0,), 4: (0, 2), 5: (0, 3), 7: (0, 4)}
SWINGS = (0.6, 0.64, 2 / 3)
"""Where in the beat the second eighth falls."""


class Note(NamedTuple):
    """A note on the beat grid: where it begins and how long it is in beats, MIDI pitch or drum, velocity."""

    beat: float
    beats: float
    pitch: int
    velocity: float


class Chord(NamedTuple):
    """A chord: where it begins and how long it is in beats, its pitches with the root first."""

    beat: float
    beats: float
    pitches: tuple[int, ...]


def division(metre: str) -> int:
    """Into how many parts a beat falls."""
    return 3 if metre.endswith("/8") else 2


class Clock:
    """Beats to seconds: a tempo that sways by a share `drift`, players `jitter_s` apart, eighths swung."""

    def __init__(
        self, bpm: float, draw: np.random.Generator, *, drift: float = 0, jitter_s: float = 0, swing: float = 0
    ) -> None:
        self.beat_s, self.draw, self.drift, self.jitter_s, self.swing = 60 / bpm, draw, drift, jitter_s, swing
        self.sway, self.phase = 2 * np.pi / draw.uniform(8, 30), draw.uniform(0, 2 * np.pi)

    def __call__(self, beat: float) -> float:
        """Seconds, without jitter."""
        if self.swing:
            whole, part = divmod(beat, 1)
            late = 2 * part * self.swing if part < 0.5 else self.swing + (2 * part - 1) * (1 - self.swing)
            beat = whole + late
        time = beat * self.beat_s
        return float(time + self.drift / self.sway * (np.sin(self.sway * time + self.phase) - np.sin(self.phase)))

    def perform(self, notes: Sequence[Note], seconds: float) -> list[Stroke]:
        """The notes that begin within `seconds`, each a little early or late, a little louder or softer."""
        strokes = []
        for note in notes:
            start = max(0.0, self(note.beat) + (self.draw.normal(0, self.jitter_s) if self.jitter_s else 0))
            velocity = float(np.clip(note.velocity * self.draw.uniform(0.85, 1.1), 0.05, 1))
            if start < seconds:
                strokes.append(Stroke(start, max(start + 0.04, self(note.beat + note.beats)), note.pitch, velocity))
        return strokes


class DrumStyle(NamedTuple):
    """One player's way: where the hat strikes and how surely, kicks, backbeat, and strokes off the pattern."""

    hat: int
    steps: int
    density: float
    kicks: tuple[float, ...]
    snare: int
    extra: tuple[tuple[float, int, float], ...]


def draw_drum_style(metre: str, draw: np.random.Generator, *, clean: bool = False, swung: bool = False) -> DrumStyle:
    """A style; a clean one has no strokes off the pattern and no gaps, a swung one eighths and plain kicks."""
    beats, parts = BEATS_IN_BAR[metre], division(metre)
    steps = parts if parts == 3 or swung else int(draw.choice([1, 2, 2, 2, 4]))
    kicks = KICKS.get(metre, (0,))
    if metre == "4/4":
        kicks = (0, 2) if swung or (clean and draw.random() < 0.6) else KICKS_IN_FOUR[draw.integers(len(KICKS_IN_FOUR))]
    if parts == 2 and not clean and draw.random() < 0.2:
        kicks = tuple(range(beats))
    others = (sounds.KICK, sounds.SNARE, sounds.TOM, sounds.CONGA, sounds.STICK, sounds.CLAP)
    grid = 2 if swung else 4 if parts == 2 else 3
    extra = tuple(
        (draw.integers(beats * grid) / grid, int(draw.choice(others)), float(draw.uniform(0.3, 0.7)))
        for _ in range(0 if clean else draw.integers(0, 4))
    )
    hats = (sounds.HAT, sounds.HAT, sounds.RIDE, sounds.SHAKER, sounds.TAMBOURINE)
    hat = int(draw.choice(hats)) if clean or draw.random() < 0.9 else 0
    snare = int(draw.choice((sounds.SNARE, sounds.SNARE, sounds.CLAP, sounds.STICK)))
    return DrumStyle(hat, steps, 1.0 if clean else float(draw.choice([1, 1, 0.9, 0.7])), kicks, snare, extra)


def drum_bar(metre: str, style: DrumStyle, draw: np.random.Generator) -> list[Note]:
    """One bar."""
    steps = range(BEATS_IN_BAR[metre] * style.steps if style.hat else 0)
    struck = [step for step in steps if draw.random() < style.density]
    loudness = {0: 0.55, style.steps / 2: 0.42}
    hats = [(step / style.steps, style.hat, loudness.get(step % style.steps, 0.32)) for step in struck]
    kicks = [(beat, sounds.KICK, 0.95) for beat in style.kicks]
    snares = [(beat, style.snare, 0.8) for beat in SNARES[metre]]
    return [Note(beat, 0.25, drum, velocity) for beat, drum, velocity in (*hats, *kicks, *snares, *style.extra)]


def drum_part(metre: str, bars: int, draw: np.random.Generator, style: DrumStyle, *, loop: bool = True) -> list[Note]:
    """Bars of one style: a loop, or with fills and never quite the same."""
    beats, first, part = BEATS_IN_BAR[metre], drum_bar(metre, style, draw), []
    for bar in range(bars):
        played = first
        if not loop:
            played = drum_bar(metre, style, draw)
            if bar % 4 == 3 and draw.random() < 0.5:
                played = [*played, Note(beats - 0.5, 0.25, sounds.TOM, 0.6)]
        part += [note._replace(beat=note.beat + bar * beats) for note in played]
    return part


def triad(tonic: int, mode: str, degree: int, *, seventh: bool = False) -> tuple[int, ...]:
    """Pitches of the chord on a degree, over C; the dominant of a minor key has its leading note."""
    scale = SCALES[mode]
    pitches = [tonic + scale[(degree + step) % 7] + 12 * ((degree + step) // 7) for step in (0, 2, 4, 6)]
    if mode == "minor" and degree == 4:
        pitches[1] += 1
    return tuple(pitches[: 4 if seventh else 3])


def progression(metre: str, bars: int, tonic: int, mode: str, draw: np.random.Generator) -> list[Chord]:
    """Chords, one or two a bar, another progression every eight bars."""
    beats = BEATS_IN_BAR[metre]
    chosen = [PROGRESSIONS[draw.integers(len(PROGRESSIONS))] for _ in range(2)]
    seventh, each = bool(draw.random() < 0.25), 2 if beats in (2, 4) and draw.random() < 0.3 else 1
    return [
        Chord(number * beats / each, beats / each, triad(tonic, mode, degrees[number % 4], seventh=seventh))
        for number in range(bars * each)
        for degrees in [chosen[number // each // 8 % 2]]
    ]


Part = Iterator[Note]


def accompaniment(
    style: str, metre: str, chords: Sequence[Chord], draw: np.random.Generator
) -> tuple[list[Note], list[Note]]:
    """Bass and harmony."""
    bass, harmony = [], []
    for chord in chords:
        root = 36 + chord.pitches[0] % 12
        voiced = sorted(52 + (pitch - 52) % 12 for pitch in chord.pitches)
        for note in STYLES[style](metre, chord, root, voiced, draw):
            (bass if note.pitch < 52 else harmony).append(note)
    return bass, harmony


def _held(_: str, chord: Chord, root: int, voiced: list[int], __: Any) -> Part:
    yield Note(chord.beat, chord.beats, root, 0.7)
    yield from (Note(chord.beat, chord.beats, pitch, 0.6) for pitch in voiced)


def _bass_and_chords(metre: str, chord: Chord, root: int, voiced: list[int], _: Any) -> Part:
    """Bass on strong beats and chords on weak ones; in bars of two or three parts a beat within each beat."""
    beats = BEATS_IN_BAR[metre]
    for number in range(round(chord.beats)):
        at = chord.beat + number
        low = root if at % beats == 0 else root + 7
        if division(metre) == 3:
            yield Note(at, 0.3, low, 0.8)
            yield from (Note(at + part / 3, 0.25, pitch, 0.5) for part in (1, 2) for pitch in voiced)
        elif beats == 2:
            yield Note(at, 0.45, low, 0.8)
            yield from (Note(at + 0.5, 0.4, pitch, 0.55) for pitch in voiced)
        elif at % beats in STRONG_BEATS[beats]:
            yield Note(at, 0.9, low, 0.85)
        else:
            yield from (Note(at, 0.6, pitch, 0.55) for pitch in voiced)


def _strummed(metre: str, chord: Chord, root: int, voiced: list[int], draw: np.random.Generator) -> Part:
    parts = division(metre)
    yield Note(chord.beat, chord.beats, root, 0.7)
    for step in range(round(chord.beats) * parts):
        at = chord.beat + step / parts
        if step % parts and draw.random() < 0.2:
            continue
        loudness = 0.45 if step % parts else 0.75 if at % BEATS_IN_BAR[metre] == 0 else 0.6
        yield from (Note(at, 0.9 / parts, pitch, loudness) for pitch in voiced)


def _broken(metre: str, chord: Chord, root: int, voiced: list[int], _: Any) -> Part:
    parts = division(metre)
    order = (0, 1, 2, 1) if parts == 2 else (0, 1, 2)
    yield Note(chord.beat, chord.beats, root, 0.7)
    for step in range(round(chord.beats) * parts):
        pitch = voiced[order[step % len(order)]]
        yield Note(chord.beat + step / parts, 1.2 / parts, pitch, 0.55 if step % parts else 0.75)


def _walking(_: str, chord: Chord, root: int, voiced: list[int], draw: np.random.Generator) -> Part:
    for number in range(round(chord.beats)):
        step = (0, 4, 7, 9)[number % 4] if draw.random() < 0.8 else int(draw.integers(12))
        yield Note(chord.beat + number, 0.9, min(root + step, 51), 0.75)
        if draw.random() < 0.5:
            yield from (Note(chord.beat + number + 0.5, 0.3, pitch, 0.5) for pitch in voiced)


def _on_the_beat(metre: str, chord: Chord, root: int, voiced: list[int], _: Any) -> Part:
    for number in range(round(chord.beats)):
        at = chord.beat + number
        if number in (0, 2):
            yield Note(at, 0.9, root, 0.75)
        yield from (Note(at, 0.85, pitch, 0.75 if at % BEATS_IN_BAR[metre] == 0 else 0.58) for pitch in voiced)


STYLES: dict[str, Callable[[str, Chord, int, list[int], np.random.Generator], Part]] = {
    "held": _held,
    "bass and chords": _bass_and_chords,
    "strummed": _strummed,
    "broken": _broken,
    "walking": _walking,
    "on the beat": _on_the_beat,
}


def melody(metre: str, chords: Sequence[Chord], mode: str, tonic: int, draw: np.random.Generator) -> list[Note]:
    """A line that steps about the scale, longer notes and notes of the chord on beats."""
    scale, degree, notes = SCALES[mode], int(draw.integers(7)), []
    lengths = (0.5, 0.5, 1, 1, 2) if division(metre) == 2 else (1 / 3, 1 / 3, 2 / 3, 1, 1)
    for chord in chords:
        at = 0.0
        while at < chord.beats - 1e-6:
            on_beat = abs(at - round(at)) < 1e-6
            length = min(float(draw.choice(lengths)), chord.beats - at)
            if not on_beat:
                length = min(length, 1 - at % 1 + (1 if division(metre) == 2 else 0))
            degree = int(np.clip(degree + draw.integers(-2, 3), -2, 9))
            pitch = 60 + tonic + scale[degree % 7] + 12 * (degree // 7)
            if on_beat and draw.random() < 0.6:
                pitch = 60 + (chord.pitches[int(draw.integers(3))] - 60) % 12
            if draw.random() < 0.9:
                notes.append(Note(chord.beat + at, 0.95 * length, pitch, 0.8 if on_beat else 0.65))
            at += length
    return notes
