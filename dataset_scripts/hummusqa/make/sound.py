"""From notes to sound: every voice at its level, then loudness, muffling and room as the passages say, then words.

The synthesiser is that of mub_demo. Nothing is random but the hall's echo, which has a seed.
"""

import subprocess
import tempfile
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import soxr
from scipy.io import wavfile
from scipy.signal import butter, oaconvolve, sosfilt

from dataset_scripts.hummusqa.make.score import Piece
from dataset_scripts.hummusqa.make.timing import Clock, make_clock, pickup
from dataset_scripts.hummusqa.make.voices import events, stems
from dataset_scripts.mub.make.render import RATE, SYNTH_RATE, sounding_rms, synthesise
from dataset_scripts.mub.make.tunes import bar_quarters

PEAK = 0.5
"""-6 dB: room for what the encoder adds, up to 3 dB at 16 kbit/s."""
FADE_S = 0.8
RAMP_S = 0.02
HALL_SEED = 42
HALL_S, HALL_DECAY_S = 2.2, 0.45
SPEECH_DB, DUCKED_DB = 5.0, -5.0
"""Level of the words against the music's mean, and of the music under them."""
SPEECH_SPEED, SPEECH_PITCH = "135", "45"
CUTOFF_STEPS = 24
TREMOR_DEPTH, STROKE_RISE = 0.85, 0.15
"""How far a trembling sound sinks between strokes, and the share of a stroke in which it rises."""


def render(piece: Piece, seconds: int, soundfont: Path) -> Any:
    """The excerpt as mono float32 at RATE, `seconds` long, peak at PEAK."""
    clock = make_clock(piece)
    count = (piece.excerpt.start_s + seconds) * SYNTH_RATE
    mix = mixed(piece, count, soundfont)
    mix = with_room(piece, clock, muffled(piece, clock, mix)) * gain(piece, clock, count)
    mix = with_speech(piece, clock, mix)
    cut = mix[piece.excerpt.start_s * SYNTH_RATE :]
    edge = int(FADE_S * SYNTH_RATE)
    cut[-edge:] *= np.linspace(1, 0, edge) ** 2
    if piece.excerpt.start_s:
        cut[: edge // 8] *= np.linspace(0, 1, edge // 8)
    samples = soxr.resample(cut, SYNTH_RATE, RATE, quality="HQ")[: seconds * RATE]
    return (samples * PEAK / np.abs(samples).max()).astype(np.float32)


def mixed(piece: Piece, count: int, soundfont: Path) -> Any:
    """All voices at their levels."""
    notes = events(piece)
    mix = np.zeros(count)
    for name, voice in sorted(stems(piece).items()):
        signal = synthesise([event for event in notes if event.stem == name], count, soundfont)
        if voice.tremor_hz:
            signal = trembling(signal, voice.tremor_hz)
        mix += signal * 10 ** (voice.level_db / 20) / sounding_rms(signal)
    return mix


def trembling(signal: Any, strokes_a_second: int) -> Any:
    """A held sound as if bowed to and fro: every stroke starts anew and dies away."""
    place = np.arange(len(signal)) / SYNTH_RATE * strokes_a_second % 1
    rise = np.minimum(1, place / STROKE_RISE)
    return signal * (1 - TREMOR_DEPTH * (1 - rise * (1 - place)))


def borders(piece: Piece, clock: Clock) -> list[tuple[float, float]]:
    """Where each passage begins and ends in seconds, its pickup being part of it."""
    passages = piece.excerpt.passages
    starts = [
        float(clock.seconds(start - pickup(piece, passage)))
        for passage, (start, _) in zip(passages, clock.spans, strict=True)
    ]
    return list(pairwise([*starts, float(clock.seconds(clock.spans[-1][1])) + FADE_S]))


def gain(piece: Piece, clock: Clock, count: int) -> Any:
    """The factor of every sample that the levels of the passages ask for."""
    times, levels = [], []
    for passage, (start, end) in zip(piece.excerpt.passages, borders(piece, clock), strict=True):
        last = passage.level_db if passage.level_end_db is None else passage.level_end_db
        times += [start, end - RAMP_S]
        levels += [passage.level_db, last]
    return 10 ** (np.interp(np.arange(count) / SYNTH_RATE, times, levels) / 20)


def window(start: float, end: float, count: int) -> Any:
    """1 from `start` to `end`, 0 elsewhere, with soft edges."""
    points = [start, start + RAMP_S, end, end + RAMP_S]
    return np.interp(np.arange(count) / SYNTH_RATE, points, [0, 1, 1, 0])


def muffled(piece: Piece, clock: Clock, mix: Any) -> Any:
    """The mix with the highs of some passages taken away, in small steps where the limit moves."""
    for passage, (start, end) in zip(piece.excerpt.passages, borders(piece, clock), strict=True):
        if not passage.cutoff_hz:
            continue
        edges = np.linspace(start, end, CUTOFF_STEPS + 1)
        limits = np.geomspace(passage.cutoff_hz, passage.cutoff_end_hz or passage.cutoff_hz, CUTOFF_STEPS)
        share = np.zeros(len(mix))
        dark = np.zeros(len(mix))
        for (first, last), limit in zip(pairwise(edges), limits, strict=True):
            part = window(float(first), float(last), len(mix))
            dark += part * sosfilt(butter(4, limit, fs=SYNTH_RATE, output="sos"), mix)
            share += part
        mix = dark + mix * (1 - share)
    return mix


def with_room(piece: Piece, clock: Clock, mix: Any) -> Any:
    """The mix with the echo of a hall in some passages."""
    if not any(passage.room for passage in piece.excerpt.passages):
        return mix
    time = np.arange(int(HALL_S * SYNTH_RATE)) / SYNTH_RATE
    noise = np.random.default_rng(HALL_SEED).standard_normal(len(time)) * np.exp(-time / HALL_DECAY_S)
    hall = sosfilt(butter(2, 4_000, fs=SYNTH_RATE, output="sos"), noise)
    hall /= np.sqrt((hall**2).sum())
    sent = np.zeros(len(mix))
    for passage, (start, end) in zip(piece.excerpt.passages, borders(piece, clock), strict=True):
        sent += passage.room * window(start, end, len(mix)) * mix
    return mix + oaconvolve(sent, hall)[: len(mix)]


def with_speech(piece: Piece, clock: Clock, mix: Any) -> Any:
    """The mix, softer under the words, with the words."""
    loudness = sounding_rms(mix)
    for line in piece.excerpt.speech:
        start = int(clock.seconds(Fraction(line.bar) * bar_quarters(piece.metre)) * SYNTH_RATE)
        words = spoken(line.text, piece.excerpt.speaker)[: len(mix) - start]
        under = window(start / SYNTH_RATE - 0.1, (start + len(words)) / SYNTH_RATE, len(mix))
        mix = mix * 10 ** (DUCKED_DB / 20 * under)
        mix[start : start + len(words)] += words * loudness * 10 ** (SPEECH_DB / 20) / sounding_rms(words)
    return mix


def spoken(text: str, speaker: str) -> Any:
    """A text spoken by espeak-ng as samples at SYNTH_RATE."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.wav"
        options = ["-v", speaker, "-s", SPEECH_SPEED, "-p", SPEECH_PITCH, "-w", str(path)]
        subprocess.run(["espeak-ng", *options, text], check=True)
        rate, samples = wavfile.read(path)
    return soxr.resample(samples / 32768, rate, SYNTH_RATE, quality="HQ")
