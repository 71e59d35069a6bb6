"""What a recording is made of: its key, metre, band, and the sections in the order played; and when each sounds."""

from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.mub.make.styles import STRAIGHT, beat_quarters
from dataset_scripts.mub.make.tunes import Tune, bar_quarters
from musebench_tasks.values import PitchKey, parse_key_name

STRAINS = "ABC"


class Section(NamedTuple):
    """One section as it is played. `label` A, B, C play the tune's strains, intro and outro its accompaniment.

    `bars` cuts a strain to its first bars (0: the whole strain); intro and outro need it.
    """

    label: str
    melody: str = ""
    accompaniment: str = "bass and chords"
    shift: int = 0
    speed: Fraction = Fraction(1)
    doubled: bool = False
    bars: int = 0


class Recording(NamedTuple):
    """One recording: key, metre, the band, the sections in the order played, and how the percussion and eighths go."""

    key: str
    metre: str
    bass: str
    chords: str
    percussion: str
    sections: tuple[Section, ...]
    groove: str = "beats"
    swing: Fraction = STRAIGHT

    @property
    def pitch_key(self) -> PitchKey:
        """The key as a value."""
        key = parse_key_name(self.key)
        assert key is not None
        return key


class Span(NamedTuple):
    """A section in seconds, its first bar line to its last, with its pace in seconds a quarter."""

    section: Section
    start_s: Fraction
    end_s: Fraction
    pace: Fraction
    bars: int


def sections(form: str, melody: str, **others: str) -> tuple[Section, ...]:
    """The sections of `form` such as AABB, all played alike; `others` names another melody instrument by label."""
    return tuple(Section(label, others.get(label, melody)) for label in form)


def intro(bars: int, accompaniment: str = "bass and chords") -> Section:
    """Accompaniment before the tune."""
    return Section("intro", "", accompaniment, bars=bars)


def outro(melody: str, shift: int = 0, bars: int = 1) -> Section:
    """The final chord."""
    return Section("outro", melody, "held", shift=shift, bars=bars)


def section_spans(recording: Recording, tune: Tune, bpm: str) -> list[Span]:
    """The sections one after the other; the first starts late enough for the pickup of the tune to sound before it."""
    first = recording.sections[0]
    pickup = -min(note.start for note in tune.sections[STRAINS.index(first.label)]) if first.label in STRAINS else 0
    time = max(Fraction(pickup), Fraction(0)) * pace(recording, first, bpm)
    spans = []
    for section in recording.sections:
        bars = section.bars or tune.bars[STRAINS.index(section.label)]
        seconds = pace(recording, section, bpm)
        end = time + bars * bar_quarters(recording.metre) * seconds
        spans.append(Span(section, time, end, seconds, bars))
        time = end
    return spans


def pace(recording: Recording, section: Section, bpm: str) -> Fraction:
    """Seconds a quarter note lasts in a section."""
    return 60 / (Fraction(bpm) * section.speed * beat_quarters(recording.metre))
