"""Music made with numpy for tests: clicks, and short songs of known tempo, key and metre."""

import numpy as np

RATE = 22_050
MAJOR_SCALE = (0, 2, 4, 5, 7, 9, 11)
MINOR_SCALE = (0, 2, 3, 5, 7, 8, 11)
PROGRESSION = (0, 3, 4, 0)
"""Scale degrees of the chords, one a bar: I IV V I."""


def clicks(bpm: float, seconds: float, rate: int = RATE) -> np.ndarray:
    """A short burst at every beat."""
    samples = np.zeros(int(seconds * rate), np.float32)
    burst = np.sin(2 * np.pi * 1500 * np.arange(int(0.02 * rate)) / rate) * np.exp(
        -np.arange(int(0.02 * rate)) / (0.004 * rate)
    )
    for time in np.arange(0, seconds - 0.03, 60 / bpm):
        start = round(time * rate)
        samples[start : start + len(burst)] += burst
    return 0.5 * samples


def song(
    tonic: int, mode: str, bpm: float, metre: str, seconds: float = 30.0, rate: int = RATE, seed: int = 0
) -> np.ndarray:
    """Bass, chords, arpeggio and drums; `bpm` counts quarters, in 6/8 dotted quarters."""
    random = np.random.default_rng(seed)
    compound = metre == "6/8"
    beats = {"4/4": 4, "3/4": 3, "6/8": 2}[metre]
    division = 3 if compound else 2
    beat_s = 60 / bpm
    samples = np.zeros(int((seconds + 2) * rate))
    for bar in range(int(seconds / (beat_s * beats))):
        chord = chord_of(tonic, mode, PROGRESSION[bar % 4])
        start = bar * beats * beat_s
        for note in chord:
            add(samples, start, tone(48 + note, beats * beat_s, rate, 0.08), rate)
        for step in range(beats * division):
            time = start + step * beat_s / division
            beat, off = divmod(step, division)
            note = chord[step % 3 if compound else (0, 1, 2, 1)[step % 4]] if random.random() < 0.9 else chord[2]
            add(samples, time, tone(60 + note, beat_s / division, rate, 0.04 if off else 0.12), rate)
            add(samples, time, noise(random, 0.03, rate, 0.01 if off else 0.08), rate)
            if off == 0 and (beat == 0 or (beats == 4 and beat == 2)):
                add(samples, time, kick(rate), rate)
                add(samples, time, tone(36 + chord[0] % 12, beat_s, rate, 0.2), rate)
            elif off == 0 and (beats != 4 or beat in (1, 3)):
                add(samples, time, noise(random, 0.1, rate, 0.15), rate)
    return samples[: int(seconds * rate)].astype(np.float32)


def chord_of(tonic: int, mode: str, degree: int) -> tuple[int, ...]:
    """Three notes on a degree of the scale, in semitones above C."""
    scale = MAJOR_SCALE if mode == "major" else MINOR_SCALE
    return tuple(tonic + scale[(degree + step) % 7] + 12 * ((degree + step) // 7) for step in (0, 2, 4))


def tone(midi: float, seconds: float, rate: int, level: float) -> np.ndarray:
    """A plucked tone with five harmonics."""
    time = np.arange(int(seconds * rate)) / rate
    pitch = 440 * 2 ** ((midi - 69) / 12)
    wave = sum(np.sin(2 * np.pi * pitch * h * time) / h for h in range(1, 6))
    return level * wave * np.exp(-3 * time) * np.minimum(1, (seconds - time) / 0.01)


def kick(rate: int) -> np.ndarray:
    """A falling tone below 120 Hz."""
    time = np.arange(int(0.15 * rate)) / rate
    return 0.5 * np.sin(2 * np.pi * (50 * time + 1.5 * (1 - np.exp(-40 * time)))) * np.exp(-20 * time)


def noise(random: np.random.Generator, seconds: float, rate: int, level: float) -> np.ndarray:
    """A burst of noise that dies away."""
    length = int(seconds * rate)
    return level * random.standard_normal(length) * np.exp(-np.arange(length) / (0.25 * length))


def add(samples: np.ndarray, start_s: float, sound: np.ndarray, rate: int) -> None:
    """Mix `sound` into `samples` from `start_s` on."""
    start = round(start_s * rate)
    end = min(len(samples), start + len(sound))
    samples[start:end] += sound[: end - start]
