"""How accompaniments and drums fill a bar: strokes in quarters from the bar line."""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.hummusqa.make.score import METRES, beat_quarters
from dataset_scripts.mub.make.tunes import bar_quarters

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
DOTTED = Fraction(3, 2)


class Stroke(NamedTuple):
    """One stroke: what sounds (a tone of the chord, "chord" for all of it), quarters from the bar line and long."""

    tone: str
    start: Fraction
    length: Fraction
    strength: float = 0.75


def compound(metre: str) -> bool:
    """Whether beats are dotted quarters."""
    return metre in ("6/8", "9/8")


def bass(metre: str) -> list[Stroke]:
    """The root on the first beat, the fifth halfway (in 9/8 on the third beat, in 3/4 nothing)."""
    beat, count = beat_quarters(metre), METRES[metre]
    length = beat * Fraction(9, 10)
    if metre == "3/4":
        return [Stroke("root", Fraction(0), beat * Fraction(6, 5), 0.9)]
    if metre == "9/8":
        tones = ("root", "root", "fifth")
        return [Stroke(tone, each * beat, length, 0.9 if not each else 0.7) for each, tone in enumerate(tones)]
    return [Stroke("root", Fraction(0), length, 0.9), Stroke("fifth", beat * count / 2, length, 0.75)]


def chords(metre: str) -> list[Stroke]:
    """The chord on the weak beats, or on the weak parts of the beats where a bar has two."""
    if compound(metre):
        return [Stroke("chord", each * DOTTED + 1, HALF * Fraction(4, 5), 0.65) for each in range(METRES[metre])]
    if metre == "2/4":
        return [Stroke("chord", each + HALF, HALF * Fraction(4, 5), 0.65) for each in range(2)]
    weak = (1, 2) if metre == "3/4" else (1, 3)
    return [Stroke("chord", Fraction(each), Fraction(3, 5), 0.65) for each in weak]


def held_bass(metre: str) -> list[Stroke]:
    """The root for the whole bar."""
    return [Stroke("root", Fraction(0), bar_quarters(metre) * Fraction(19, 20), 0.85)]


def held_chords(metre: str) -> list[Stroke]:
    """The chord for the whole bar."""
    return [Stroke("chord", Fraction(0), bar_quarters(metre) * Fraction(19, 20), 0.7)]


def broken_chords(metre: str) -> list[Stroke]:
    """The notes of the chord one by one in eighths, up and down."""
    tones = ("low", "middle", "high", "middle")
    count = int(bar_quarters(metre) / HALF)
    rising = ("low", "middle", "high", "top", "high", "middle") if count % 3 == 0 else tones
    return [Stroke(rising[each % len(rising)], each * HALF, HALF, 0.8 if each == 0 else 0.62) for each in range(count)]


def walking_bass(metre: str) -> list[Stroke]:
    """A note on every beat of four: root, third, fifth, and a semitone below the next root."""
    tones = ("root", "third", "fifth", "approach")
    return [Stroke(tone, Fraction(each), Fraction(9, 10), 0.85) for each, tone in enumerate(tones)]


def habanera(metre: str) -> list[Stroke]:
    """A dotted eighth, a sixteenth and two eighths."""
    starts = (Fraction(0), Fraction(3, 4), Fraction(1), Fraction(3, 2))
    tones = ("root", "fifth", "octave", "fifth")
    lengths = (Fraction(3, 4), QUARTER, HALF, HALF)
    return [
        Stroke(tone, start, length * Fraction(4, 5), 0.95 if not start else 0.8)
        for tone, start, length in zip(tones, starts, lengths, strict=True)
    ]


def comping(metre: str) -> list[Stroke]:
    """Two short chords a bar, the second before the third beat."""
    return [Stroke("chord", Fraction(0), HALF, 0.7), Stroke("chord", Fraction(3, 2), HALF * Fraction(4, 5), 0.8)]


def power_chords(metre: str) -> list[Stroke]:
    """Root, fifth and octave in eighths."""
    count = int(bar_quarters(metre) / HALF)
    return [
        Stroke(tone, each * HALF, HALF * Fraction(9, 10), 0.9 if each % 2 == 0 else 0.75)
        for each in range(count)
        for tone in ("root", "fifth", "octave")
    ]


def running_bass(metre: str) -> list[Stroke]:
    """The root in eighths."""
    return [Stroke("root", each * HALF, HALF * Fraction(9, 10), 0.8) for each in range(int(bar_quarters(metre) / HALF))]


def offbeat_bass(metre: str) -> list[Stroke]:
    """The root on the second half of every beat."""
    return [Stroke("root", each + HALF, HALF * Fraction(4, 5), 0.85) for each in range(int(bar_quarters(metre)))]


def pedal(metre: str) -> list[Stroke]:
    """The tonic of the key on every beat, whatever the chord."""
    beat = beat_quarters(metre)
    return [Stroke("tonic", each * beat, beat * Fraction(9, 10), 0.85) for each in range(METRES[metre])]


def twos(metre: str) -> list[Stroke]:
    """A bar of 6/8 in two: chords on the dotted quarters."""
    return [Stroke("chord", each * DOTTED, Fraction(5, 4), 0.95 if not each else 0.85) for each in range(2)]


def threes(metre: str) -> list[Stroke]:
    """A bar of 6/8 in three: chords on the quarters."""
    return [Stroke("chord", Fraction(each), Fraction(5, 6), 0.95) for each in range(3)]


def bass_twos(metre: str) -> list[Stroke]:
    """The root on the dotted quarters."""
    return [Stroke("root", each * DOTTED, Fraction(5, 4), 0.9) for each in range(2)]


def bass_threes(metre: str) -> list[Stroke]:
    """The root on the quarters."""
    return [Stroke("root", Fraction(each), Fraction(5, 6), 0.9) for each in range(3)]


PATTERNS: dict[str, Callable[[str], list[Stroke]]] = {
    "bass": bass,
    "chords": chords,
    "held bass": held_bass,
    "held chords": held_chords,
    "broken chords": broken_chords,
    "walking bass": walking_bass,
    "habanera": habanera,
    "comping": comping,
    "power chords": power_chords,
    "running bass": running_bass,
    "off-beat bass": offbeat_bass,
    "pedal": pedal,
}
REGROUPED = {"regrouped chords": (twos, threes), "regrouped bass": (bass_twos, bass_threes)}
"""Patterns whose third and fourth bar of every four count three where the others count two."""


def pattern(role: str, metre: str, bar: int) -> list[Stroke]:
    """The strokes of a role in a bar."""
    if role in REGROUPED:
        return REGROUPED[role][bar % 4 >= 2](metre)
    return PATTERNS[role](metre)


KICK, SNARE, CLAP, LOW_TOM, CLOSED_HAT, HIGH_TOM, PEDAL_HAT, RIDE, TAMBOURINE, SHAKER = (
    (36, 38, 39, 41, 42, 45, 44, 51, 54, 70)
)  # fmt: skip
Hit = tuple[int, Fraction, float]
"""Note of the drum channel, quarters from the bar line, strength."""


def hits(note: int, starts: str, strength: float) -> list[Hit]:
    """A drum at places written as `0 3/2`."""
    return [(note, Fraction(start), strength) for start in starts.split()]


RHYTHMS: dict[str, list[Hit]] = {
    "march": [
        *hits(KICK, "0 2", 1.0),
        *hits(SNARE, "1 3", 0.9),
        *hits(SNARE, "0 3/2 7/4 2 5/2 11/4 7/2 15/4", 0.5),
    ],
    "swing": [*hits(RIDE, "0 1 3/2 2 3 7/2", 0.7), *hits(PEDAL_HAT, "1 3", 0.9), *hits(KICK, "0 2", 0.4)],
    "club": [*hits(KICK, "0 1 2 3", 1.0), *hits(CLOSED_HAT, "1/2 3/2 5/2 7/2", 1.0), *hits(CLAP, "1 3", 0.4)],
    "rock": [
        *hits(KICK, "0 2 5/2", 1.0),
        *hits(SNARE, "1 3", 1.0),
        *hits(CLOSED_HAT, "0 1/2 1 3/2 2 5/2 3 7/2", 0.55),
    ],
    "frame drum in six": [*hits(LOW_TOM, "0", 1.0), *hits(HIGH_TOM, "1 3/2 5/2", 0.55)],
    "frame drum in nine": [*hits(LOW_TOM, "0", 1.0), *hits(HIGH_TOM, "3/2 3", 0.7), *hits(HIGH_TOM, "1 5/2 4", 0.4)],
    "tambourine in four": [*hits(TAMBOURINE, "0 2", 0.9), *hits(TAMBOURINE, "1 3", 0.6)],
}
