"""Sound for material: instruments of a soundfont, own plucked, bowed and plain tones, own drums, rooms and noise."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import signal

RATE = 22_050
DRUM_CHANNEL = 9
GAIN_DB = -12
KICK, STICK, SNARE, CLAP, HAT, TOM, OPEN_HAT, RIDE, TAMBOURINE, CONGA, SHAKER = (
    36,
    37,
    38,
    39,
    42,
    45,
    46,
    51,
    54,
    63,
    82,
)
"""Drums by their General MIDI numbers."""
LOWEST_LEVEL = 1e-5
FRAME = 1_000

Sound = NDArray[np.float64]


class Stroke(NamedTuple):
    """A note that sounds: seconds, MIDI pitch (of a drum its number), velocity 0 to 1."""

    start_s: float
    end_s: float
    pitch: int
    velocity: float


@cache
def _synth(soundfont: str) -> tuple[Any, int]:
    import tinysoundfont

    synth = tinysoundfont.Synth(samplerate=RATE, gain=GAIN_DB)
    return synth, synth.sfload(soundfont)


def soundfont_stem(
    strokes: Sequence[Stroke], count: int, soundfont: str, program: int, *, drums: bool = False
) -> Sound:
    """`count` samples of one General MIDI program, or of a drum kit."""
    synth, bank = _synth(soundfont)
    channel = DRUM_CHANNEL if drums else 0
    for used in (0, DRUM_CHANNEL):  # what the stem before left ringing
        synth.sounds_off(used)
    synth.generate(RATE // 10)
    synth.program_select(channel, bank, 0, program, drums)
    ons = [(round(each.start_s * RATE), True, each) for each in strokes]
    offs = [(round(max(each.end_s, each.start_s + 0.03) * RATE), False, each) for each in strokes]
    blocks, position = [np.zeros(0)], 0
    for at, is_on, stroke in sorted(ons + offs):
        if at > position:
            blocks.append(_generate(synth, min(at, count) - position))
            position = min(at, count)
        if is_on:
            synth.noteon(channel, stroke.pitch, int(np.clip(round(127 * stroke.velocity), 1, 127)))
        else:
            synth.noteoff(channel, stroke.pitch)
    blocks.append(_generate(synth, count - position))
    return np.concatenate(blocks)


def _generate(synth: Any, count: int) -> Sound:
    if count <= 0:
        return np.zeros(0)
    return np.frombuffer(bytes(synth.generate(count)), np.float32).reshape(-1, 2).mean(axis=1, dtype=np.float64)


def tone_stem(strokes: Sequence[Stroke], count: int, kind: str, draw: np.random.Generator) -> Sound:
    """`count` samples of own tones: `plucked`, `bowed` (slow attack, vibrato) or `plain` (five harmonics that fade)."""
    attack_s, brightness, place = draw.choice([0.03, 0.06, 0.1, 0.16]), draw.uniform(0.8, 1.6), draw.uniform(0.13, 0.23)
    tones: dict[tuple[int, float], Sound] = {}
    stem = np.zeros(count)
    for stroke in strokes:
        seconds = round(stroke.end_s - stroke.start_s, 2)
        name = stroke.pitch, seconds
        if name not in tones:
            if kind == "plucked":
                tones[name] = plucked(stroke.pitch, seconds, place)
            elif kind == "bowed":
                tones[name] = bowed(stroke.pitch, seconds, attack_s, brightness)
            else:
                tones[name] = plain(stroke.pitch, seconds)
        add(stem, stroke.start_s, stroke.velocity * tones[name])
    return stem


def plucked(pitch: int, seconds: float, place: float) -> Sound:
    """A string struck at `place` of its length: slightly inharmonic partials, the higher the sooner gone."""
    time = np.arange(int(min(seconds + 1, 3) * RATE)) / RATE
    frequency = 440 * 2 ** ((pitch - 69) / 12)
    wave = np.zeros(len(time))
    for partial in range(1, 13):
        if partial * frequency < 9_500:
            stretched = partial * frequency * (1 + 0.00015 * partial**2)
            fading = np.exp(-time * (1.2 + 0.9 * partial + frequency / 400))
            wave += np.sin(np.pi * partial * place) / partial * np.sin(2 * np.pi * stretched * time) * fading
    return wave * np.minimum(1, time / 0.002)


def bowed(pitch: int, seconds: float, attack_s: float, brightness: float) -> Sound:
    """A tone that swells and ends softly."""
    time = np.arange(int((seconds + 0.15) * RATE)) / RATE
    frequency = 440 * 2 ** ((pitch - 69) / 12)
    phase = 2 * np.pi * np.cumsum(frequency * (1 + 0.002 * np.sin(2 * np.pi * 5.5 * time))) / RATE
    partials = [number for number in range(1, 9) if number * frequency < 9_000]
    wave = sum((np.sin(number * phase + number) * number**-brightness for number in partials), np.zeros(len(time)))
    return wave * np.minimum(1, time / attack_s) * np.clip((seconds + 0.15 - time) / 0.15, 0, 1)


def plain(pitch: int, seconds: float) -> Sound:
    """Five harmonics that fade at once."""
    time = np.arange(int(seconds * RATE)) / RATE
    frequency = 440 * 2 ** ((pitch - 69) / 12)
    wave = sum((np.sin(2 * np.pi * number * frequency * time) / number for number in range(1, 6)), np.zeros(len(time)))
    return wave * np.exp(-3 * time) * np.clip((seconds - time) / 0.01, 0, 1)


def drum_stem(strokes: Sequence[Stroke], count: int, draw: np.random.Generator, *, plain_kit: bool = False) -> Sound:
    """A kit made of falling tones and noise; a plain kit knows three sounds, its noise new each time."""
    kit: dict[int, Sound] = {}
    tuning = draw.uniform(0.85, 1.2, 3)
    edge = signal.butter(2, draw.uniform(4_000, 7_000), "highpass", fs=RATE, output="sos")
    stem = np.zeros(count)
    for stroke in strokes:
        if plain_kit:
            add(stem, stroke.start_s, stroke.velocity * _plain_drum(stroke.pitch, draw))
            continue
        if stroke.pitch not in kit:
            kit[stroke.pitch] = _drum(stroke.pitch, tuning, edge, draw)
        add(stem, stroke.start_s, stroke.velocity * kit[stroke.pitch])
    return stem


def _drum(drum: int, tuning: Sound, edge: Any, draw: np.random.Generator) -> Sound:
    time = np.arange(RATE // 4) / RATE
    noise = draw.standard_normal(len(time))
    if drum == KICK:
        return 1.2 * np.sin(2 * np.pi * (52 * tuning[0] * time + 2 * (1 - np.exp(-35 * time)))) * np.exp(-18 * time)
    if drum in (SNARE, CLAP, STICK):
        return 0.6 * noise * np.exp(-22 * time) + 0.5 * np.sin(2 * np.pi * 185 * tuning[1] * time) * np.exp(-25 * time)
    if drum in (TOM, CONGA):
        pitch = 110 * tuning[2] * (3 if drum == CONGA else 1)
        return np.sin(2 * np.pi * (pitch * time + 0.5 * (1 - np.exp(-20 * time)))) * np.exp(-12 * time)
    return 0.4 * signal.sosfilt(edge, noise) * np.exp(-(8 if drum in (OPEN_HAT, RIDE) else 50) * time)


def _plain_drum(drum: int, draw: np.random.Generator) -> Sound:
    if drum == KICK:
        time = np.arange(int(0.15 * RATE)) / RATE
        return 0.5 * np.sin(2 * np.pi * (50 * time + 1.5 * (1 - np.exp(-40 * time)))) * np.exp(-20 * time)
    is_hat = drum in (HAT, OPEN_HAT, RIDE, TAMBOURINE, SHAKER)
    length = int((0.03 if is_hat else 0.12) * RATE)
    return (0.12 if is_hat else 0.25) * draw.standard_normal(length) * np.exp(-np.arange(length) / (0.25 * length))


def add(samples: Sound, start_s: float, sound: Sound) -> None:
    """Mix `sound` into `samples` from `start_s` on; what lies beyond their ends is not heard."""
    start = round(start_s * RATE)
    if start >= 0:
        room = max(0, len(samples) - start)
        samples[start : start + len(sound)] += sound[:room]


def mixed(stems: Sequence[tuple[Sound, float]], draw: np.random.Generator) -> Sound:
    """Stems at their levels in dB while they sound, often in a room, sometimes noisy or dull."""
    mix = np.sum([stem * 10 ** (level / 20) / sounding_level(stem) for stem, level in stems], axis=0)
    for effect, share in ((_in_a_room, 0.5), (_noisy, 0.4), (_dull, 0.3)):
        if draw.random() < share:
            mix = effect(mix, draw)
    return 0.7 * mix / max(np.abs(mix).max(), 1e-9)


def sounding_level(sound: Sound) -> float:
    """Root mean square over the frames that sound; 1 of silence."""
    power = np.mean(sound[: len(sound) // FRAME * FRAME].reshape(-1, FRAME) ** 2, axis=1)
    heard = power[power > LOWEST_LEVEL * power.max()]
    return float(np.sqrt(heard.mean())) if heard.size else 1.0


def _in_a_room(mix: Sound, draw: np.random.Generator) -> Sound:
    length = int(draw.uniform(0.3, 1.5) * RATE)
    echo = draw.standard_normal(length) * np.exp(-np.arange(length) / (length / 5))
    wet = signal.fftconvolve(mix, echo / np.sqrt(np.sum(echo**2)))[: len(mix)]
    return mix + draw.uniform(0.15, 0.6) * wet


def _noisy(mix: Sound, draw: np.random.Generator) -> Sound:
    level = sounding_level(mix) * 10 ** (-draw.uniform(25, 55) / 20)
    return mix + level * draw.standard_normal(len(mix))


def _dull(mix: Sound, draw: np.random.Generator) -> Sound:
    return np.asarray(signal.sosfilt(signal.butter(2, draw.uniform(3_000, 7_000), fs=RATE, output="sos"), mix))


def clicks(
    times_s: Iterator[tuple[float, float]], count: int, kind: int, hertz: float, draw: np.random.Generator
) -> Sound:
    """A metronome: at each time a sound of one of four kinds, as loud as given; the loudest are higher."""
    samples, time = np.zeros(count), np.arange(RATE // 5) / RATE
    for start_s, level in times_s:
        pitch = hertz * (1.5 if level >= 1 else 1)
        made = (
            lambda pitch=pitch: np.sin(2 * np.pi * pitch * time) * np.exp(-120 * time),
            lambda level=level: draw.standard_normal(len(time)) * np.exp(-(60 if level >= 1 else 100) * time),
            lambda: np.sin(2 * np.pi * (50 * time + 2 * (1 - np.exp(-40 * time)))) * np.exp(-20 * time),
            lambda pitch=pitch: np.sin(2 * np.pi * pitch * time) * np.minimum(1, time / 0.005) * (time < 0.09),
        )[kind]()
        add(samples, start_s, level * made)
    return samples
