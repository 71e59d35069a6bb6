"""What the recordings are: a seed deals keys, metres, tempi, tunes, bands and forms to as many as are asked for.

mub_demo is `plan(42, 48)`: each of the 24 keys twice, five metres. Nothing is chosen by what a system says about it.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.mub.make.arrange import octaves
from dataset_scripts.mub.make.bands import BANDS, INSTRUMENTS, PERCUSSION
from dataset_scripts.mub.make.score import STRAINS, Recording, Section, intro, outro, section_spans
from dataset_scripts.mub.make.styles import GROOVES, STRAIGHT, STYLES, beats_per_bar
from dataset_scripts.mub.make.tunes import Source, Tune, candidates, load_tune

SEED, COUNT = 42, 48
TONICS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
MODES = ("major", "minor")
METRES = {
    "major": {"2/4": 4, "3/4": 6, "4/4": 5, "6/8": 4, "9/8": 5},
    "minor": {"2/4": 5, "3/4": 4, "4/4": 6, "6/8": 6, "9/8": 3},
}
"""How many of 24 recordings in a mode have each metre: as even as the stock of minor tunes allows."""
SLOWEST_BPM, FASTEST_BPM = 47, 180
TEMPO_LIMITS = {"9/8": 112, "6/8": 140, "2/4": 135}
"""Dance tunes faster than this, in beats per minute, are no longer music."""
SHORTEST_S, LONGEST_S = Fraction(40), Fraction("46.5")
TAIL_S = Fraction(1)
"""What the last notes need to fade."""
STRAIN_S = (Fraction(6), Fraction("21.5"))
INTRO_S = (Fraction(3), Fraction(10))
OUTRO_S = (Fraction("1.5"), Fraction(8))
"""Shortest and longest section of each kind."""
FORMS = (
    "AB", "AAB", "ABB", "ABA", "AABB", "ABAB", "ABBA", "AABA", "AABBA", "ABABA", "ABAAB", "AABBAB", "AABAAB",
    "ABC", "ABAC", "ABCA", "AABC", "ABACA", "ABCAB", "AABBCC",
)  # fmt: skip
TWISTS = {
    "major": ("modulation", "tempo", *("C",) * 4, *("",) * 6),
    "minor": ("modulation", "tempo", "C", *("",) * 9),
}
"""What a recording of each mode has: a section in another key or tempo, a third strain if a tune has one, or nothing.

Few minor tunes have a third strain.
"""
SHIFTS = (-2, 1, 2, 3, 5)
FASTER, SLOWER = (Fraction(6, 5), Fraction(5, 4), Fraction(4, 3)), (Fraction(3, 4), Fraction(4, 5))
MODAL_SHARE = Fraction(3, 5)
"""Of a recording whose key or tempo changes, the least share that has the value given as true."""
STYLE_DECK = (
    *("bass and chords",) * 3, *("march",) * 2, *("broken chords",) * 2, *("syncopated",) * 2,
    *("walking",) * 2, "held", "drone",
)  # fmt: skip
UNMARKED_STYLES = ("held", "drone", "syncopated")
SOFT_CHORDS = ("accordion", "organ", "strings")
"""Styles that strike few beats, and chords without an attack: percussion marks the beats."""
SWINGS = (STRAIGHT, STRAIGHT, Fraction(3, 5), Fraction(5, 8))
MOST_NOTES_A_SECOND = 9


class Planned(NamedTuple):
    """A recording as it will be made: its masked id, how it is arranged, of what tune, at what tempo."""

    id: str
    recording: Recording
    tune: Tune
    bpm: str


class Shape(NamedTuple):
    """A form, the most bars its strains have, and the bars of intro and outro."""

    form: str
    bars: int
    intro: int
    outro: int


def plan(seed: int = SEED, count: int = COUNT) -> tuple[Planned, ...]:
    """The recordings that a seed deals; the same seed and count, the same recordings."""
    keys = list(deal([f"{tonic} {mode}" for tonic in TONICS for mode in MODES], count, f"{seed}|key"))
    metres = deal_by_mode(
        keys, {mode: [each for each in METRES[mode] for _ in range(METRES[mode][each])] for mode in MODES}, seed
    )
    tempi = deal_tempi(metres, seed)
    twists = deal_by_mode(keys, TWISTS, seed)
    stock, used = Stock(seed), Counter[str]()
    recordings = []
    for number, (key, metre, bpm, twist) in enumerate(zip(keys, metres, tempi, twists, strict=True)):
        generator = random.Random(f"{seed}|recording|{number}")
        for tune in stock.tunes(metre, key.split()[1], third_strain=twist == "C"):
            if notes_a_second(tune, bpm) > MOST_NOTES_A_SECOND:
                continue
            recording = compose(key, metre, bpm, tune, twist, generator, used)
            if recording is not None:
                break
        else:
            raise LookupError(f"no tune in {metre} at {bpm} BPM makes a recording of {SHORTEST_S} s or more")
        stock.take(tune)
        used.update([form_of(recording), *(section.melody for section in recording.sections)])
        recordings.append(Planned(masked_id(number, seed), recording, tune, bpm))
    return tuple(recordings)


def notes_a_second(tune: Tune, bpm: str) -> Fraction:
    """How fast the liveliest strain of a tune goes."""
    bar_s = beats_per_bar(tune.source.metre) * 60 / Fraction(bpm)
    return max(len(notes) / (bars * bar_s) for notes, bars in zip(tune.sections, tune.bars, strict=True))


def deal(deck: Sequence[str], count: int, seed: str) -> Iterator[str]:
    """`count` cards of a deck that is shuffled anew, by seed, whenever it is used up."""
    generator = random.Random(seed)
    cards: list[str] = []
    for _ in range(count):
        if not cards:
            cards = list(deck)
            generator.shuffle(cards)
        yield cards.pop()


def deal_by_mode(keys: Sequence[str], decks: Mapping[str, Sequence[str]], seed: int) -> list[str]:
    """A card for each key, from the deck of its mode."""
    dealt = {mode: deal(deck, len(keys), f"{seed}|{mode}|{'|'.join(deck)}") for mode, deck in decks.items()}
    return [next(dealt[key.split()[1]]) for key in keys]


def deal_tempi(metres: Sequence[str], seed: int) -> tuple[str, ...]:
    """Beats per minute to one decimal: a jittered logarithmic grid over 47 to 180, the fastest to metres that bear it.

    From the fastest down, each goes to one of the recordings without a tempo whose metre allows it.
    """
    generator = random.Random(f"{seed}|tempo")
    edges = [SLOWEST_BPM * (FASTEST_BPM / SLOWEST_BPM) ** (step / len(metres)) for step in range(len(metres) + 1)]
    tempi = [0.0] * len(metres)
    for step in reversed(range(len(metres))):
        bpm = round(generator.uniform(edges[step], edges[step + 1]), 1)
        free = [place for place, given in enumerate(tempi) if not given]
        bearing = [place for place in free if bpm <= TEMPO_LIMITS.get(metres[place], FASTEST_BPM)]
        place = generator.choice(bearing or free)
        tempi[place] = bpm if bearing else min(bpm, TEMPO_LIMITS[metres[place]])
    return tuple(f"{bpm:.1f}" for bpm in tempi)


class Stock:
    """The usable tunes by metre and mode, the least used first."""

    def __init__(self, seed: int) -> None:
        """Every order follows from `seed`."""
        self.seed = seed
        self.taken = Counter[str]()
        self.orders: dict[tuple[str, str], list[Source]] = {}

    def tunes(self, metre: str, mode: str, *, third_strain: bool) -> Iterator[Tune]:
        """Usable tunes; with `third_strain` those that have one come first."""
        order = self.orders.setdefault((metre, mode), candidates(metre, mode, f"{self.seed}|tune|{metre}|{mode}"))
        ranked = sorted(order, key=lambda source: self.taken[source.title.casefold()])
        if third_strain:
            tried = (load_tune(source, 3) for source in ranked if source.strains > 2)
            yield from (tune for tune in tried if tune is not None and len(tune.sections) > 2)
        for source in ranked:
            tune = load_tune(source, 3)
            if tune is not None:
                yield tune

    def take(self, tune: Tune) -> None:
        """Remember that a tune is used, under its title: another print of it is the same tune."""
        self.taken[tune.source.title.casefold()] += 1


def compose(
    key: str, metre: str, bpm: str, tune: Tune, twist: str, generator: random.Random, used: Counter[str]
) -> Recording | None:
    """A recording of a tune with a band, styles and a form drawn by `generator`; None if no form has the right length.

    Of what fits, forms and instruments that `used` counts least come first.
    """
    bass, chords = generator.choice(BANDS)
    styles = draw_styles(metre, generator)
    percussion, groove = draw_percussion(styles, chords, generator)
    swing = generator.choice(SWINGS) if metre in ("3/4", "4/4") else STRAIGHT
    blank = Recording(key, metre, bass, chords, percussion, (), groove, swing)
    melodies = draw_melodies(blank, tune, generator, used)
    if not melodies:
        return None
    turn = draw_turn(twist, float(bpm), generator)
    fitting: dict[str, list[Recording]] = {}
    for shape in shapes(metre, bpm, tune):
        recording = blank._replace(sections=tuple(lay_out(shape, tune, melodies, styles, turn)))
        if is_fitting(recording, tune, bpm):
            fitting.setdefault(shape.form, []).append(recording)
    needed = "C" if twist == "C" and len(tune.sections) > 2 else ""
    wanted = [form for form in fitting if needed in form]
    if not wanted:
        return None
    form = least_used(wanted, used, generator)
    return decorate(generator.choice(fitting[form]), generator)


def least_used(names: Iterable[str], used: Counter[str], generator: random.Random) -> str:
    """One of the names used least so far."""
    shuffled = sorted(names)
    generator.shuffle(shuffled)
    return min(shuffled, key=lambda name: used[name])


def draw_styles(metre: str, generator: random.Random) -> dict[str, str]:
    """The style of each strain; that of B is another in a third of the recordings."""
    deck = [style for style in STYLE_DECK if metre in STYLES[style]]
    first = generator.choice(deck)
    second = generator.choice(deck) if generator.random() < 1 / 3 else first
    return {"A": first, "B": second, "C": first}


def draw_percussion(styles: dict[str, str], chords: str, generator: random.Random) -> tuple[str, str]:
    """An instrument and its groove; none in most recordings whose bass and chords mark the beats themselves."""
    is_needed = chords in SOFT_CHORDS or any(style in UNMARKED_STYLES for style in styles.values())
    percussion = generator.choice(sorted(PERCUSSION))
    groove = generator.choice(sorted(GROOVES))
    return (percussion, groove) if is_needed or generator.random() < 1 / 4 else ("", "beats")


def draw_melodies(blank: Recording, tune: Tune, generator: random.Random, used: Counter[str]) -> dict[str, str]:
    """The instrument of each strain, one for all in two of three recordings; empty if the tune suits none."""
    able = [name for name in INSTRUMENTS if name not in (blank.bass, blank.chords) and suits(blank, tune, name)]
    if not able:
        return {}
    first = least_used(able, used, generator)
    others = [name for name in able if name != first]
    second = least_used(others, used, generator) if others and generator.random() < 1 / 3 else first
    return {"A": first, "B": second, "C": first}


def suits(blank: Recording, tune: Tune, instrument: str) -> bool:
    """Whether all strains lie within an instrument's range, with room for a section in another key."""
    high, low = max(SHIFTS), min(SHIFTS)
    strains = STRAINS[: len(tune.sections)]
    trial = tuple(Section(label, instrument, shift=shift) for label in strains for shift in (low, high))
    try:
        octaves(blank._replace(sections=trial), tune, instrument)
    except ValueError:
        return False
    return True


Turn = tuple[str, int, Fraction]
"""Where a recording turns (`end` the last section, `B` every B, empty nowhere), semitones, factor of speed."""


def draw_turn(twist: str, bpm: float, generator: random.Random) -> Turn:
    """What changes inside a recording."""
    where = generator.choice(("end", "B"))
    shift = generator.choice(SHIFTS)
    speed = generator.choice(FASTER if bpm < (SLOWEST_BPM * FASTEST_BPM) ** 0.5 else SLOWER)
    if twist == "modulation":
        return where, shift, Fraction(1)
    return (where, 0, speed) if twist == "tempo" else ("", 0, Fraction(1))


def shapes(metre: str, bpm: str, tune: Tune) -> Iterator[Shape]:
    """Every shape whose sections have reasonable lengths."""
    bar_s = beats_per_bar(metre) * 60 / Fraction(bpm)
    for form in FORMS:
        strains = sorted({STRAINS.index(label) for label in form})
        if strains[-1] >= len(tune.sections):
            continue
        for bars in sorted({min(most, max(tune.bars)) for most in (4, 8)}):
            lengths = [min(bars, tune.bars[strain]) * bar_s for strain in strains]
            if min(lengths) < STRAIN_S[0] or max(lengths) > STRAIN_S[1]:
                continue
            for before in (0, *(each for each in (1, 2, 4) if INTRO_S[0] <= each * bar_s <= INTRO_S[1])):
                for after in (0, *(each for each in (1, 2, 4) if OUTRO_S[0] <= each * bar_s <= OUTRO_S[1])):
                    yield Shape(form, bars, before, after)


def lay_out(
    shape: Shape, tune: Tune, melodies: dict[str, str], styles: dict[str, str], turn: Turn
) -> Iterator[Section]:
    """The sections of a shape."""
    where, shift, speed = turn
    if shape.intro:
        yield intro(shape.intro, styles["A"])
    is_turned = False
    for number, label in enumerate(shape.form):
        is_turned = where == label or (where == "end" and number == len(shape.form) - 1)
        bars = min(shape.bars, tune.bars[STRAINS.index(label)])
        section = Section(label, melodies[label], styles[label], bars=bars)
        yield section._replace(shift=shift, speed=speed) if is_turned else section
    if shape.outro:
        last = outro(melodies[shape.form[-1]], bars=shape.outro)
        yield last._replace(shift=shift, speed=speed) if is_turned else last


def is_fitting(recording: Recording, tune: Tune, bpm: str) -> bool:
    """Whether a recording is as long as it should be, and key and tempo last long enough to be called its own."""
    spans = section_spans(recording, tune, bpm)
    whole = spans[-1].end_s - spans[0].start_s
    turned = (span for span in spans if span.section.shift or span.section.speed != 1)
    away = sum((span.end_s - span.start_s for span in turned), Fraction(0))
    return SHORTEST_S <= spans[-1].end_s + TAIL_S <= LONGEST_S and away <= (1 - MODAL_SHARE) * whole


def decorate(recording: Recording, generator: random.Random) -> Recording:
    """Now and then, the last A in octaves, or an inner section unaccompanied."""
    places = [number for number, section in enumerate(recording.sections) if section.label in STRAINS]
    choice = generator.random()
    changed = list(recording.sections)
    if choice < 1 / 6:
        changed[places[-1]] = changed[places[-1]]._replace(doubled=True)
    elif choice < 1 / 4 and len(places) > 3 and not recording.percussion:
        changed[places[2]] = changed[places[2]]._replace(accompaniment="none")
    return recording._replace(sections=tuple(changed))


def form_of(recording: Recording) -> str:
    """The strains in the order played."""
    return "".join(section.label for section in recording.sections if section.label in STRAINS)


def masked_id(number: int, seed: int = SEED) -> str:
    """The id of a recording: random-looking, stable, and silent about what is in it."""
    return hashlib.sha256(f"mub_demo/2|{seed}|{number}".encode()).hexdigest()[:12]
