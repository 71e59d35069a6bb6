"""What the weights are fitted on: pieces of known tempo and metre, each made from its own seed.

- clicks: metronomes with and without accents and subdivisions;
- drums: kits of a soundfont and own sounds, looped and played, straight and swung, with timing errors and drift;
- loops: plain drum patterns; songs: broken chords, bass and drums of plain sounds;
- played: chord progressions in six styles, with or without melody, bass and drums;
- tunes: dance tunes of three collections in the public domain (music21's airdsAirs, oneills1850, ryansMammoth), none
  that mub_demo, hummusqa_demo or the 300 recordings of `benchmarks/dsp.py` use, arranged otherwise than there;
- recordings (optional): the MIT-licensed tracks of the wheel immich-memories-music, their tempi from its list.

Music at the right speed is more than evenly spread tempi: half of the pieces have tempi drawn evenly over what their
metre bears, half around the middle of it.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.dsp_training import patterns, sounds
from benchmarks.dsp_training.patterns import Chord, Clock, Note, division
from benchmarks.dsp_training.sounds import RATE, Sound
from dataset_scripts.mub.make.arrange import TRIADS, bar_weights, best_triad
from dataset_scripts.mub.make.plan import plan
from dataset_scripts.mub.make.tunes import Source, Tune, all_sources, bar_quarters, load_tune
from musebench_tasks.assembly import decode_pcm
from musebench_tasks.models.dsp.pulse import BEATS_IN_BAR

SEED = 1905
COUNTS = {"clicks": 160, "drums": 300, "loops": 360, "songs": 320, "played": 460, "tunes": 520}
DEMOS = Path(__file__).parents[2] / "dataset_scripts"
BENCHMARK_SEED, BENCHMARK_COUNT = 7, 300
"""What `benchmarks/dsp.py` measures besides the demo."""
METRES = {
    "drums": {"2/4": 6, "3/4": 16, "4/4": 48, "6/8": 12, "9/8": 4, "12/8": 6, "5/4": 5, "7/4": 3},
    "loops": {"2/4": 6, "3/4": 20, "4/4": 46, "6/8": 14, "9/8": 4, "12/8": 4, "5/4": 4, "7/4": 2},
    "songs": {"2/4": 12, "3/4": 24, "4/4": 34, "6/8": 16, "9/8": 6, "12/8": 3, "5/4": 3, "7/4": 2},
    "played": {"2/4": 12, "3/4": 20, "4/4": 36, "6/8": 16, "9/8": 6, "12/8": 4, "5/4": 4, "7/4": 2},
    "tunes": {"2/4": 20, "3/4": 22, "4/4": 26, "6/8": 22, "9/8": 10},
}
"""How often each metre is drawn, in percent."""
SLOWEST_BPM = 45.0
FASTEST_BPM = {"9/8": 115.0, "6/8": 138.0, "12/8": 128.0, "2/4": 150.0}
FASTEST_OTHERS_BPM = 192.0
MIDDLE_BPM = {"6/8": 76.0, "9/8": 72.0, "12/8": 70.0}
MIDDLE_OTHERS_BPM, MIDDLE_OCTAVES = 112.0, 0.45
LONGEST_TUNE_S = 45.0
CHORD_PROGRAMS = (4, 5, 16, 19, 21, 24, 25, 26, 27, 46, 48, 49, 50, 52, 61, 88, 89, 6, 11, 12)
MELODY_PROGRAMS = (40, 41, 42, 56, 57, 60, 64, 65, 66, 68, 71, 73, 74, 75, 78, 21, 22, 24, 25, 11, 12, 13, 105, 6, 79)
BASS_PROGRAMS = (32, 33, 34, 35, 36, 38, 43, 58)
DRUM_PROGRAMS = (0, 0, 16, 25)
FORMS = ("AABB", "ABAB", "ABA", "AABA")
TRACK = re.compile(r"(?m)^\s+(\S+\.opus)\s+(\d+) bpm\b")


class Piece(NamedTuple):
    """A piece and what is true of it; `metre` is None where none can be told."""

    name: str
    family: str
    bpm: float
    metre: str | None
    samples: Sound
    rate: int = RATE
    swing: float = 0.0
    composition: str = ""
    """Pieces of one composition are fitted on or held out together; empty: the piece's own."""


def make_piece(family: str, number: int, soundfont: str) -> Piece:
    """A piece of a family; the same number, the same piece."""
    draw = np.random.default_rng([SEED, list(COUNTS).index(family), number])
    name = f"{family}-{number:04d}"
    if family == "clicks":
        return _clicks(name, draw)
    metres = METRES[family]
    metre = str(draw.choice(list(metres), p=np.array(list(metres.values())) / sum(metres.values())))
    bpm = draw_bpm(metre, draw)
    if family in ("drums", "loops"):
        return _drums(name, family, metre, bpm, soundfont, draw)
    if family == "songs":
        return _song(name, metre, bpm, draw)
    return (
        _played(name, metre, bpm, soundfont, draw) if family == "played" else _tune(name, metre, bpm, soundfont, draw)
    )


def draw_bpm(metre: str, draw: np.random.Generator) -> float:
    """A tempo that a metre bears: half of them evenly by octaves, half around the middle."""
    fastest = FASTEST_BPM.get(metre, FASTEST_OTHERS_BPM)
    if draw.random() < 0.5:
        return float(np.exp(draw.uniform(np.log(SLOWEST_BPM), np.log(fastest))))
    bpm = MIDDLE_BPM.get(metre, MIDDLE_OTHERS_BPM) * 2 ** draw.normal(0, MIDDLE_OCTAVES)
    return float(np.clip(bpm, SLOWEST_BPM, fastest))


def draw_clock(bpm: float, draw: np.random.Generator, swing: float = 0.0) -> Clock:
    """A machine's clock in two of five cases, else a player's."""
    drift, jitter_s = draw.choice([0, 0, 0.005, 0.01, 0.02]), draw.choice([0, 0, 0.005, 0.01, 0.018])
    return Clock(bpm, draw, drift=float(drift), jitter_s=float(jitter_s), swing=swing)


def draw_swing(metre: str, share: float, draw: np.random.Generator) -> float:
    """Where the second eighth falls; 0: straight."""
    return float(draw.choice(patterns.SWINGS)) if division(metre) == 2 and draw.random() < share else 0.0


def _clicks(name: str, draw: np.random.Generator) -> Piece:
    bpm, seconds = float(np.exp(draw.uniform(np.log(42), np.log(200)))), float(draw.choice([8, 12, 20, 30]))
    beats, accents = int(draw.choice([2, 3, 4, 4, 4])), bool(draw.random() < 0.5)
    parts = 1 if draw.random() < 0.6 else int(draw.choice([2, 2, 3]))
    jitter_s = float(draw.choice([0, 0, 0.006, 0.015]))
    times = (
        ((step / parts) * 60 / bpm + abs(draw.normal(0, jitter_s)), level)
        for step in range(int(seconds * bpm / 60) * parts)
        for level in [0.4 if step % parts else 1.0 if accents and step % (beats * parts) == 0 else 0.8]
    )
    samples = sounds.clicks(times, int(seconds * RATE), int(draw.integers(4)), float(draw.uniform(600, 2500)), draw)
    metre = {2: "6/8", 3: "9/8", 4: "12/8"}[beats] if parts == 3 else f"{beats}/4"
    return Piece(name, "clicks", bpm, metre if accents else None, samples)


def _drums(name: str, family: str, metre: str, bpm: float, soundfont: str, draw: np.random.Generator) -> Piece:
    clean = family == "loops"
    swing = draw_swing(metre, 0.25 if clean and metre == "4/4" else 0.15, draw)
    seconds = float(draw.choice([8, 15, 25] if clean else [12, 20, 30]))
    plain_pattern = clean and draw.random() < 0.6
    style = patterns.draw_drum_style(metre, draw, clean=plain_pattern, swung=swing > 0)
    bars = int(seconds * bpm / 60 / BEATS_IN_BAR[metre]) + 1
    part = patterns.drum_part(metre, bars, draw, style, loop=clean or draw.random() < 0.7)
    strokes, count = draw_clock(bpm, draw, swing).perform(part, seconds), int(seconds * RATE)
    if clean:
        stem = sounds.drum_stem(strokes, count, draw, plain_kit=bool(draw.random() < 0.5))
        return Piece(name, family, bpm, metre, stem, swing=swing)
    if draw.random() < 0.5:
        stem = sounds.soundfont_stem(strokes, count, soundfont, int(draw.choice(DRUM_PROGRAMS)), drums=True)
    else:
        stem = sounds.drum_stem(strokes, count, draw)
    return Piece(name, family, bpm, metre, sounds.mixed([(stem, 0)], draw), swing=swing)


def _song(name: str, metre: str, bpm: float, draw: np.random.Generator) -> Piece:
    """Chords held under broken ones, bass and drums, all of plain sounds and of any loudness against one another."""
    seconds, parts = float(draw.choice([8, 15, 25])), division(metre)
    bars = int(seconds * bpm / 60 / BEATS_IN_BAR[metre]) + 1
    mode = str(draw.choice(["major", "minor"]))
    chords = patterns.progression(metre, bars, int(draw.integers(12)), mode, draw)
    held = [Note(chord.beat, chord.beats, 48 + pitch, 0.08) for chord in chords for pitch in chord.pitches]
    softer = float(draw.choice([0.1, 0.3, 0.7]))
    orders = ((0, 1, 2, 1), (0, 2, 1, 2), (0, 1, 2)) if parts == 2 else ((0, 1, 2),)
    order = orders[draw.integers(len(orders))]
    broken = [
        Note(
            chord.beat + step / parts,
            1 / parts,
            60 + chord.pitches[order[step % len(order)]],
            0.12 if on else 0.12 * softer,
        )
        for chord in chords
        for step in range(round(chord.beats) * parts)
        for on in [step % parts == 0]
    ]
    bass = [
        Note(chord.beat + beat, 1, 36 + chord.pitches[0] % 12, 0.2)
        for chord in chords
        for beat in patterns.STRONG_BEATS[BEATS_IN_BAR[metre]]
        if beat < chord.beats
    ]
    style = patterns.draw_drum_style(metre, draw, clean=True)
    drums = patterns.drum_part(metre, bars, draw, style)
    clock, count = draw_clock(bpm, draw), int(seconds * RATE)
    clock.drift = 0
    samples = np.zeros(count)
    for notes in (held, broken, bass):
        samples += 10 ** (draw.uniform(-12, 3) / 20) * sounds.tone_stem(
            clock.perform(notes, seconds), count, "plain", draw
        )
    kit = sounds.drum_stem(clock.perform(drums, seconds), count, draw, plain_kit=True)
    samples += 10 ** (draw.uniform(-12, 3) / 20) * kit
    if draw.random() < 0.4:
        samples += np.std(samples) * 10 ** (-draw.uniform(20, 50) / 20) * draw.standard_normal(count)
    return Piece(name, "songs", bpm, metre, samples)


def _played(name: str, metre: str, bpm: float, soundfont: str, draw: np.random.Generator) -> Piece:
    swing, seconds = draw_swing(metre, 0.12, draw), float(draw.choice([15, 25, 35]))
    tonic, mode = int(draw.integers(12)), str(draw.choice(["major", "minor"]))
    chords = patterns.progression(metre, int(seconds * bpm / 60 / BEATS_IN_BAR[metre]) + 1, tonic, mode, draw)
    lines: list[list[Note]] = []
    if draw.random() < 0.5:
        lines = [patterns.melody(metre, chords, mode, tonic, draw)]
    style = str(draw.choice(list(patterns.STYLES)))
    clock = draw_clock(bpm, draw, swing)
    samples = _band(metre, style, chords, lines, clock, seconds, soundfont, draw)
    return Piece(name, "played", bpm, metre, samples, swing=swing)


def _band(
    metre: str,
    style: str,
    chords: list[Chord],
    lines: list[list[Note]],
    clock: Clock,
    seconds: float,
    soundfont: str,
    draw: np.random.Generator,
) -> Sound:
    """Melodies over an accompaniment (no `style`: none), with drums in a third of the pieces."""
    count, stems = int(seconds * RATE), []
    for line in lines:
        strokes = clock.perform(line, seconds)
        program = int(draw.choice(MELODY_PROGRAMS))
        stems.append((sounds.soundfont_stem(strokes, count, soundfont, program), draw.uniform(-3, 3)))
    if style:
        bass, harmony = patterns.accompaniment(style, metre, chords, draw)
        strokes = clock.perform(harmony, seconds)
        kind = str(draw.choice(["soundfont", "plucked", "bowed"], p=[0.6, 0.25, 0.15]))
        if kind == "soundfont":
            stem = sounds.soundfont_stem(strokes, count, soundfont, int(draw.choice(CHORD_PROGRAMS)))
        else:
            stem = sounds.tone_stem(strokes, count, kind, draw)
        stems.append((stem, draw.uniform(-10, -1)))
        if draw.random() < 0.7 or style == "walking":
            strokes = clock.perform(bass, seconds)
            stem = sounds.soundfont_stem(strokes, count, soundfont, int(draw.choice(BASS_PROGRAMS)))
            stems.append((stem, draw.uniform(-8, -1)))
    if draw.random() < 0.33:
        drum_style = patterns.draw_drum_style(metre, draw, swung=clock.swing > 0)
        last = chords[-1].beat + chords[-1].beats
        part = patterns.drum_part(metre, int(last / BEATS_IN_BAR[metre]), draw, drum_style)
        stem = sounds.soundfont_stem(clock.perform(part, seconds), count, soundfont, 0, drums=True)
        stems.append((stem, draw.uniform(-14, -3)))
    return sounds.mixed(stems, draw)


def _tune(name: str, metre: str, bpm: float, soundfont: str, draw: np.random.Generator) -> Piece:
    tune = draw_tune(metre, draw)
    beats, bar = BEATS_IN_BAR[metre], bar_quarters(metre)
    shift = int(draw.integers(12)) - 6
    lines: list[list[Note]] = [[], []]
    chords: list[Chord] = []
    for strain in str(draw.choice(FORMS)):
        number, start = "AB".index(strain), len(chords) * beats
        for note in tune.sections[number]:
            at = start + float(note.start / bar) * beats
            length = 0.95 * float(note.length / bar) * beats
            lines[number] += [Note(at, length, pitch + shift, 0.8) for pitch in note.pitches if at >= 0]
        for degrees in _harmony(tune, number):
            pitches = tuple((tune.source.key.pitch_class + shift + degree) % 12 for degree in degrees)
            chords.append(Chord(len(chords) * beats, beats, pitches))
    if draw.random() < 0.6:
        lines = [lines[0] + lines[1]]
    style = str(draw.choice(["", *patterns.STYLES], p=[0.18, 0.1, 0.26, 0.16, 0.14, 0.02, 0.14]))
    clock = draw_clock(bpm, draw)
    seconds = min(clock(len(chords) * beats) + 0.5, LONGEST_TUNE_S)
    samples = _band(metre, style, chords, lines, clock, seconds, soundfont, draw)
    return Piece(name, "tunes", bpm, metre, samples, composition=tune.source.title.casefold())


def _harmony(tune: Tune, strain: int) -> Iterator[tuple[int, ...]]:
    """A triad over the tonic for each bar."""
    triads = TRIADS[tune.source.key.mode]
    for bar in range(tune.bars[strain]):
        weights = bar_weights(tune.sections[strain], bar, bar_quarters(tune.source.metre), tune.source.key.pitch_class)
        yield best_triad(triads, weights) if weights else triads[0]


def draw_tune(metre: str, draw: np.random.Generator) -> Tune:
    """A usable tune that no benchmark uses."""
    sources = free_sources(metre)
    while True:
        tune = load_tune(sources[draw.integers(len(sources))])
        if tune is not None:
            return tune


@cache
def free_sources(metre: str) -> tuple[Source, ...]:
    """The tunes in a metre that neither demo nor the benchmark's 300 recordings use, under any title or number."""
    ids, titles = used_tunes()
    return tuple(
        each
        for each in all_sources()
        if each.metre == metre and each.tune_id not in ids and each.title.casefold() not in titles
    )


@cache
def used_tunes() -> tuple[frozenset[str], frozenset[str]]:
    """Ids and titles of the tunes of mub_demo, hummusqa_demo and the benchmark's 300 recordings."""
    pairs = [(each.tune.source.tune_id, each.tune.source.title) for each in plan(BENCHMARK_SEED, BENCHMARK_COUNT)]
    for dataset in ("mub", "hummusqa"):
        manifest = json.loads((DEMOS / dataset / "make" / "manifest.json").read_text(encoding="utf-8"))
        pairs += [(item["tune_id"], item["title"]) for item in manifest["items"] if item.get("tune_id")]
    return frozenset(tune_id for tune_id, _ in pairs), frozenset(title.casefold() for _, title in pairs)


def recordings(directory: Path) -> list[tuple[Path, float]]:
    """The tracks below a directory and their tempi, by the list LICENSE-MUSIC that stands beside or above them."""
    lists = sorted(directory.rglob("LICENSE-MUSIC"))
    tempi = {name: float(bpm) for path in lists for name, bpm in TRACK.findall(path.read_text(encoding="utf-8"))}
    return [(path, tempi[path.name]) for path in sorted(directory.rglob("*.opus")) if path.name in tempi]


def read_recording(path: Path, bpm: float) -> Piece:
    """A track; its metre is not known."""
    samples, rate = decode_pcm(path.read_bytes())
    return Piece(f"recordings-{path.stem}", "recordings", bpm, None, np.asarray(samples, np.float64), rate)
