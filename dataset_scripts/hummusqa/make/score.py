"""What an excerpt of hummusqa_demo is made of: passages of a tune, and the voices that play in them.

An excerpt is written for what is asked about it. Lengths are quarter notes, exact; the builder turns them into seconds
(`timing`), notes (`voices`) and sound (`sound`), and states the same facts in the manifest (`facts`).
"""

from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.mub.make.tunes import Tune, bar_quarters, find_source, load_tune
from musebench_tasks.values.key import TONICS

INSTRUMENTS = {
    "bagpipe": (109, 36, 84),
    "bandoneon": (23, 48, 88),
    "banjo": (105, 48, 84),
    "bassoon": (70, 34, 72),
    "cello": (42, 36, 76),
    "choir": (52, 43, 84),
    "clarinet": (71, 50, 91),
    "distorted guitar": (30, 40, 84),
    "double bass": (32, 28, 60),
    "dulcimer": (15, 48, 88),
    "electric bass": (34, 28, 60),
    "flute": (73, 60, 96),
    "guitar": (25, 40, 84),
    "harp": (46, 24, 100),
    "harpsichord": (6, 29, 89),
    "horn": (60, 41, 77),
    "music box": (10, 60, 105),
    "oboe": (68, 58, 91),
    "organ": (19, 36, 96),
    "piano": (0, 21, 108),
    "plucked strings": (45, 28, 96),
    "recorder": (74, 60, 98),
    "strings": (48, 28, 96),
    "synthesiser bass": (38, 28, 60),
    "synthesiser lead": (81, 45, 96),
    "synthesiser pad": (89, 36, 96),
    "tenor saxophone": (66, 44, 77),
    "trombone": (57, 40, 72),
    "trumpet": (56, 55, 84),
    "tuba": (58, 28, 58),
    "violin": (40, 55, 100),
}
"""General MIDI program (from 0), lowest and highest MIDI pitch."""
DRUM_KIT = "drums"
DRUM_PROGRAM = -1

METRES = {"2/4": 2, "3/4": 3, "4/4": 4, "2/2": 2, "6/8": 2, "9/8": 3}
"""Beats in a bar."""
SHORTEST_S, LONGEST_S = 30, 36


class Voice(NamedTuple):
    """Who plays what in a passage: `role` is "melody", a pattern of `patterns`, or a rhythm of the drums.

    `steps` moves a melody by degrees of the scale (-2: a third below), `delay` by quarters (a canon); `tremor_hz` is
    into how many strokes a second held notes are cut (0: none).
    """

    instrument: str
    role: str = "melody"
    level_db: float = 0.0
    octave: int = 0
    steps: int = 0
    delay: Fraction = Fraction(0)
    articulation: str = "normal"
    ornament: str = ""
    tremor_hz: int = 0


class Passage(NamedTuple):
    """A strain of the tune ("A" or "B"), or bars without it (""), as the voices play it.

    `part` is the first bar and the number of bars, by default all. `shift` is in semitones from the home key; `mode`
    another mode than the tune's; `chords` one Roman numeral a bar where the rule of `voices` shall not choose. `speed`
    and `level_db` move evenly to `speed_end` and `level_end_db`; `rubato` slows the end of each four bars. `cutoff_hz`
    (0: none) muffles the sound, evenly moving to `cutoff_end_hz`; `room` adds a hall of that share.
    """

    strain: str
    voices: tuple[Voice, ...]
    part: tuple[int, int] | None = None
    shift: int = 0
    mode: str = ""
    chords: tuple[str, ...] = ()
    speed: Fraction = Fraction(1)
    speed_end: Fraction | None = None
    level_db: float = 0.0
    level_end_db: float | None = None
    rubato: Fraction = Fraction(0)
    cutoff_hz: int = 0
    cutoff_end_hz: int = 0
    room: float = 0.0


def numerals(text: str) -> tuple[str, ...]:
    """Roman numerals, one a bar; "V-I" changes in the middle."""
    return tuple(text.split())


class Line(NamedTuple):
    """Words spoken by a synthesiser from a bar on (counted from 0 over the whole recording)."""

    bar: int
    text: str


class Excerpt(NamedTuple):
    """A recording and the part of it that is asked about: all from `start_s` on.

    `tune` is a file of the corpus and the number in it, drawn with seed 42 among the tunes of the wanted metre, mode
    and kind (that of "round": of those, the one with the fewest dissonances in canon). `groove` is "" (as written),
    "swing" (eighths 2:1) or "dotted" (eighths 3:1).
    """

    name: str
    tune: tuple[str, int]
    transposition: int
    bpm: str
    passages: tuple[Passage, ...]
    groove: str = ""
    speech: tuple[Line, ...] = ()
    speaker: str = ""
    start_s: int = 0


class Piece(NamedTuple):
    """An excerpt with its tune."""

    excerpt: Excerpt
    tune: Tune

    @property
    def metre(self) -> str:
        """The time signature."""
        return self.tune.source.metre

    @property
    def tonic(self) -> int:
        """The pitch class of the home key."""
        return (self.tune.source.key.pitch_class + self.excerpt.transposition) % 12

    @property
    def mode(self) -> str:
        """The mode of the tune as printed."""
        return self.tune.source.key.mode

    @property
    def key(self) -> str:
        """The home key."""
        return f"{TONICS[self.tonic]} {self.mode}"

    def bars(self, passage: Passage) -> int:
        """Bars of a passage."""
        if passage.part:
            return passage.part[1]
        return self.tune.bars["AB".index(passage.strain)]


def load_piece(excerpt: Excerpt) -> Piece:
    """Read the tune of an excerpt; "C|" counts as 2/2."""
    source = find_source(*excerpt.tune)
    tune = load_tune(source._replace(metre="2/2") if source.metre == "C|" else source)
    if tune is None:
        raise LookupError(f"{excerpt.tune}: the tune is not cut into whole sections. Draw another.")
    return Piece(excerpt, tune)


def beat_quarters(metre: str) -> Fraction:
    """The length of a beat in quarter notes: dotted quarters in 6/8 and 9/8, halves in 2/2."""
    return bar_quarters(metre) / METRES[metre]
