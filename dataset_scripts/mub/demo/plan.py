"""What the twelve recordings of mub_demo are: twelve tonics, both modes, five metres, and how each is arranged.

Tempi and tunes are drawn with seed 42; the arrangements are written by hand. Nothing is chosen by what a system says
about it.
"""

import hashlib
import random
from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.mub.demo.tunes import Tune, bar_quarters, draw_tune
from musebench_tasks.values import PitchKey, parse_key_name

SEED = 42
SLOWEST_BPM, FASTEST_BPM = 47, 180
TEMPO_LIMITS = {"9/8": 112, "6/8": 140, "2/4": 135}
"""Dance tunes faster than this, in beats per minute, are no longer music."""
LONGEST_SECTION_S = 20


class Section(NamedTuple):
    """One section as it is played. `label` A and B play the tune's sections, intro and outro its accompaniment."""

    label: str
    melody: str = ""
    accompaniment: str = "bass and chords"
    shift: int = 0
    speed: Fraction = Fraction(1)
    doubled: bool = False
    bars: int = 0


class Recording(NamedTuple):
    """One recording: key, metre, the band, and the sections in the order played."""

    key: str
    metre: str
    bass: str
    chords: str
    percussion: str
    sections: tuple[Section, ...]

    @property
    def pitch_key(self) -> PitchKey:
        """The key as a value."""
        key = parse_key_name(self.key)
        assert key is not None
        return key


def sections(form: str, melody: str, **others: str) -> tuple[Section, ...]:
    """The sections of `form` such as AABB, all played alike; `others` names another melody instrument by label."""
    return tuple(Section(label, others.get(label, melody)) for label in form)


def intro(bars: int, accompaniment: str = "bass and chords") -> Section:
    """Accompaniment before the tune."""
    return Section("intro", "", accompaniment, bars=bars)


def outro(melody: str, shift: int = 0, bars: int = 1) -> Section:
    """The final chord."""
    return Section("outro", melody, "held", shift=shift, bars=bars)


RECORDINGS = (
    Recording(
        "C major", "4/4", "double bass", "piano", "kit",
        (intro(2), *sections("AB", "clarinet"), outro("clarinet")),
    ),
    Recording(
        "G major", "6/8", "double bass", "guitar", "",
        (intro(2), *sections("AABBA", "flute", B="violin"), outro("flute", bars=2)),
    ),
    Recording(
        "D minor", "3/4", "double bass", "harp", "",
        (intro(4), *sections("ABABA", "oboe"), outro("oboe", bars=2)),
    ),
    Recording(
        "A major", "2/4", "tuba", "piano", "kit",
        (
            intro(2),
            *sections("AAB", "accordion"),
            Section("B", "accordion", speed=Fraction(5, 4)),
            outro("accordion")._replace(speed=Fraction(5, 4)),
        ),
    ),
    Recording(
        "E minor", "9/8", "cello", "strings", "frame drum",
        (
            intro(1, "drone"),
            *(each._replace(accompaniment="drone") for each in sections("ABA", "recorder")),
            outro("recorder")._replace(accompaniment="drone"),
        ),
    ),
    Recording(
        "Bb major", "3/4", "double bass", "piano", "",
        sections("AABA", "trumpet", B="trombone"),
    ),
    Recording(
        "F# minor", "4/4", "double bass", "harp", "",
        (
            intro(1, "broken chords"),
            *(each._replace(accompaniment="broken chords") for each in sections("AB", "cello")),
            outro("cello"),
        ),
    ),
    Recording(
        "Eb major", "6/8", "double bass", "guitar", "shaker",
        (intro(2), *sections("ABA", "marimba"), Section("B", "marimba", shift=2), outro("marimba", shift=2)),
    ),
    Recording(
        "B minor", "2/4", "double bass", "guitar", "",
        (*sections("AA", "violin"), Section("B", "violin", "none"), *sections("A", "violin"), outro("violin")),
    ),
    Recording(
        "Ab major", "4/4", "organ pedals", "organ", "",
        (
            *(each._replace(accompaniment="held") for each in sections("AB", "organ")),
            Section("A", "organ", "held", doubled=True),
            outro("organ"),
        ),
    ),
    Recording(
        "C# minor", "3/4", "double bass", "piano", "",
        (intro(4), *sections("ABBA", "glockenspiel"), outro("glockenspiel", bars=2)),
    ),
    Recording(
        "F major", "9/8", "double bass", "guitar", "tambourine",
        (intro(1), *sections("AABB", "accordion", B="soprano saxophone"), outro("soprano saxophone")),
    ),
)  # fmt: skip


def beats_per_bar(metre: str) -> int:
    """Beats in a bar; in 6/8, 9/8 and 12/8 the beat is the dotted quarter."""
    numerator, denominator = map(int, metre.split("/"))
    return numerator // 3 if denominator == 8 and numerator % 3 == 0 and numerator > 3 else numerator


def beat_quarters(metre: str) -> Fraction:
    """The length of a beat in quarter notes."""
    return bar_quarters(metre) / beats_per_bar(metre)


def beat_unit(metre: str) -> str:
    """The beat as a fraction of a whole note: `1/4`, `3/8`."""
    unit = beat_quarters(metre) / 4
    return f"{unit.numerator}/{unit.denominator}"


def draw_tempi() -> tuple[str, ...]:
    """Beats per minute of the recordings, to one decimal: a jittered logarithmic grid over 47 to 180, dealt by seed."""
    generator = random.Random(f"{SEED}|tempo")
    count = len(RECORDINGS)
    edges = [SLOWEST_BPM * (FASTEST_BPM / SLOWEST_BPM) ** (step / count) for step in range(count + 1)]
    grid = [round(generator.uniform(edges[step], edges[step + 1]), 1) for step in range(count)]
    while True:
        generator.shuffle(grid)
        pairs = zip(grid, RECORDINGS, strict=True)
        if all(bpm <= TEMPO_LIMITS.get(recording.metre, FASTEST_BPM) for bpm, recording in pairs):
            return tuple(f"{bpm:.1f}" for bpm in grid)


def draw_tunes(tempi: tuple[str, ...]) -> tuple[Tune, ...]:
    """A tune for each recording, no tune twice; sections have 8 bars, or 4 where 8 would last over 20 s."""
    tunes: list[Tune] = []
    for number, (recording, bpm) in enumerate(zip(RECORDINGS, tempi, strict=True)):
        eight_bars_s = 8 * beats_per_bar(recording.metre) * 60 / Fraction(bpm)
        bars = 8 if eight_bars_s <= LONGEST_SECTION_S else 4
        taken = frozenset(tune.source.tune_id for tune in tunes)
        tunes.append(draw_tune(recording.metre, recording.pitch_key.mode, bars, f"{SEED}|tune|{number}", taken))
    return tuple(tunes)


def masked_id(number: int) -> str:
    """The id of a recording: random-looking, stable, and silent about what is in it."""
    return hashlib.sha256(f"mub_demo|{SEED}|{number}".encode()).hexdigest()[:12]
