"""From events to sound: one stem a melody instrument, one each for bass, chords and drums, mixed at fixed levels.

General MIDI programs of a soundfont differ by tens of decibels, so each stem is brought to its own loudness before
they are added. No reverberation, no randomness: the same events give the same samples.
"""

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import soxr

from dataset_scripts.mub.make.arrange import BASS, DRUM_PROGRAM, DRUMS, HARMONY, MELODY, Event

SYNTH_RATE = 48_000
RATE = 24_000
"""Samples a second of what is kept: notes, their first overtones and the percussion fit below 12 kHz."""
LEVELS_DB = {MELODY: 0.0, BASS: -4.0, HARMONY: -9.0, DRUMS: -11.0}
"""Loudness of a stem while it sounds, against the melody."""
PEAK = 0.5
"""-6 dB: room for what the encoder adds, up to 3 dB at 16 kbit/s."""
FRAME = 2_400
SILENCE = 1e-5
GAIN_DB = -12
DRUM_CHANNEL = 9


def render(events: Sequence[Event], seconds: Fraction, soundfont: Path) -> Any:
    """The mix of `events` as mono float32 at RATE, `seconds` long, peak at PEAK."""
    count = round(seconds * SYNTH_RATE)
    stems = sorted({(event.stem, event.program if event.stem == MELODY else 0) for event in events})
    mix = np.zeros(count)
    for stem, program in stems:
        chosen = [each for each in events if each.stem == stem and (stem != MELODY or each.program == program)]
        signal = synthesise(chosen, count, soundfont)
        mix += signal * 10 ** (LEVELS_DB[stem] / 20) / sounding_rms(signal)
    fade = np.minimum(1, np.arange(count, 0, -1) / (SYNTH_RATE / 4))
    resampled = soxr.resample(mix * fade, SYNTH_RATE, RATE, quality="HQ")
    samples = np.zeros(round(seconds * RATE))
    samples[: min(len(samples), len(resampled))] = resampled[: len(samples)]
    return (samples * PEAK / np.abs(samples).max()).astype(np.float32)


def sounding_rms(signal: Any) -> float:
    """The level of a signal over the frames in which it sounds."""
    frames = signal[: len(signal) // FRAME * FRAME].reshape(-1, FRAME)
    power = (frames**2).mean(axis=1)
    return float(np.sqrt(power[power > SILENCE * power.max()].mean()))


def synthesise(events: Sequence[Event], count: int, soundfont: Path) -> Any:
    """`count` mono samples at SYNTH_RATE of events that share a synthesiser."""
    import tinysoundfont

    synth = tinysoundfont.Synth(samplerate=SYNTH_RATE, gain=GAIN_DB)
    bank = synth.sfload(str(soundfont))
    programs = sorted({event.program for event in events})
    channels = dict(zip(programs, (each for each in range(16) if each != DRUM_CHANNEL), strict=False))
    channels[DRUM_PROGRAM] = DRUM_CHANNEL
    for program in programs:
        synth.program_select(channels[program], bank, 0, max(program, 0), program == DRUM_PROGRAM)
    blocks, position = [], 0
    for at, is_on, event in switches(events):
        if at > position:
            blocks.append(generate(synth, min(at, count) - position))
            position = min(at, count)
        if is_on:
            synth.noteon(channels[event.program], event.pitch, round(127 * event.velocity))
        else:
            synth.noteoff(channels[event.program], event.pitch)
    blocks.append(generate(synth, count - position))
    return np.concatenate(blocks)


def switches(events: Sequence[Event]) -> list[tuple[int, bool, Event]]:
    """Every note's end and start by sample, ends before starts, so that a repeated note sounds anew."""
    ends = [(round(event.end_s * SYNTH_RATE), False, event) for event in events]
    starts = [(round(event.start_s * SYNTH_RATE), True, event) for event in events]
    return sorted(ends + starts)


def generate(synth: Any, count: int) -> Any:
    """The next `count` samples, both channels averaged."""
    if count <= 0:
        return np.zeros(0)
    stereo = np.frombuffer(bytes(synth.generate(count)), np.float32).reshape(-1, 2)
    return stereo.mean(axis=1, dtype=np.float64)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
