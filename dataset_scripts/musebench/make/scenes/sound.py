"""A small synthesiser: tones, noises and the track they are laid on. Times are seconds, pitches hertz.

Filters work on the spectrum of a whole sound, so that no library beyond numpy is needed.
"""

from collections.abc import Sequence

import numpy as np

from dataset_scripts.musebench.make.scenes.scene import SAMPLE_RATE, Samples
from musebench_tasks.base.records import DEFAULT_SEED


def pitch(note: float) -> float:
    """The frequency of a MIDI note number (69 is 440 Hz)."""
    return float(440.0 * 2.0 ** ((note - 69.0) / 12.0))


def clock(duration: float) -> Samples:
    """The times of the samples of a sound."""
    return np.arange(round(duration * SAMPLE_RATE), dtype=np.float32) / np.float32(SAMPLE_RATE)


def envelope(duration: float, attack: float, release: float) -> Samples:
    """Rises over `attack`, falls over `release` at the end."""
    time = clock(duration)
    up = np.clip(time / max(attack, 1e-4), 0, 1)
    down = np.clip((duration - time) / max(release, 1e-4), 0, 1)
    return np.asarray(up * down * down, dtype=np.float32)


def partials(frequency: float, duration: float, strengths: Sequence[float], vibrato: float = 0.0) -> Samples:
    """A sum of harmonics, phases at zero, with an optional vibrato (share of the frequency, 5 Hz)."""
    time = clock(duration).astype(np.float64)
    phase = 2 * np.pi * frequency * (time - vibrato * np.cos(2 * np.pi * 5 * time) / (2 * np.pi * 5))
    total = np.zeros_like(time)
    for number, strength in enumerate(strengths, start=1):
        if number * frequency < SAMPLE_RATE / 2.2:
            total += strength * np.sin(number * phase)
    return np.asarray(total, dtype=np.float32)


def pluck(note: float, duration: float = 1.2) -> Samples:
    """A plucked string: bright at first, soon dark."""
    time = clock(duration)
    total = np.zeros_like(time)
    for number in range(1, 9):
        wave = partials(pitch(note) * number, duration, (1.0,))
        total += wave * np.exp(-time * np.float32(2.0 + 1.5 * number)) / np.float32(number)
    return np.asarray(total * envelope(duration, 0.003, 0.1), dtype=np.float32)


def pad(notes: Sequence[float], duration: float, attack: float = 0.8, release: float = 1.0) -> Samples:
    """A soft held chord, two slightly different strings a note."""
    total = np.zeros(round(duration * SAMPLE_RATE), np.float32)
    for note in notes:
        for detune in (0.9975, 1.0025):
            total += partials(pitch(note) * detune, duration, (1.0, 0.4, 0.18, 0.08))
    return np.asarray(total * envelope(duration, attack, release) / (2 * len(notes)), dtype=np.float32)


def voice(note: float, duration: float) -> Samples:
    """A wordless sung note: formants near 600 and 1000 Hz, vibrato."""
    base = pitch(note)
    weights = [
        float(np.exp(-(((k * base - 620) / 260) ** 2)) + 0.5 * np.exp(-(((k * base - 1050) / 220) ** 2)) + 0.35 / k)
        for k in range(1, 14)
    ]
    return partials(base, duration, weights, vibrato=0.008) * envelope(duration, 0.12, 0.25)


def brass(note: float, duration: float, attack: float = 0.06) -> Samples:
    """A broad, rough horn note."""
    strengths = [1 / number**0.9 for number in range(1, 12)]
    return low_pass(partials(pitch(note), duration, strengths, vibrato=0.002), 1400) * envelope(duration, attack, 0.3)


def square(note: float, duration: float) -> Samples:
    """A hollow console tone."""
    strengths = [1 / number if number % 2 else 0.0 for number in range(1, 12)]
    return partials(pitch(note), duration, strengths) * envelope(duration, 0.004, duration * 0.6)


def bell(note: float, duration: float = 2.0) -> Samples:
    """A struck bell with inharmonic partials."""
    time = clock(duration)
    total = np.zeros_like(time)
    for ratio, strength, decay in ((0.5, 0.5, 1.2), (1, 1, 2.0), (1.19, 0.5, 2.6), (2.0, 0.6, 3.2), (2.74, 0.3, 4.5)):
        total += partials(pitch(note) * ratio, duration, (strength,)) * np.exp(-time * np.float32(decay))
    return np.asarray(total * envelope(duration, 0.002, 0.2), dtype=np.float32)


def noise(duration: float, seed: int = 0) -> Samples:
    """White noise, the same for the same seed."""
    values = np.random.default_rng(DEFAULT_SEED + seed).uniform(-1, 1, round(duration * SAMPLE_RATE))
    return np.asarray(values, dtype=np.float32)


def filtered(samples: Samples, low: float, high: float, steepness: int = 4) -> Samples:
    """What lies between two frequencies."""
    spectrum = np.fft.rfft(samples.astype(np.float64))
    frequency = np.fft.rfftfreq(len(samples), 1 / SAMPLE_RATE)
    gain = 1 / np.sqrt(1 + (frequency / high) ** (2 * steepness))
    if low > 0:
        gain *= 1 - 1 / np.sqrt(1 + (frequency / low) ** (2 * steepness))
    return np.asarray(np.fft.irfft(spectrum * gain, len(samples)), dtype=np.float32)


def low_pass(samples: Samples, high: float) -> Samples:
    """Only what lies below a frequency."""
    return filtered(samples, 0, high)


def step(seed: int = 0, hard: float = 0.5) -> Samples:
    """A footstep: a dull knock with a little grit; `hard` 0 is felt, 1 a wooden heel."""
    time = clock(0.22)
    knock = np.sin(2 * np.pi * (70 + 60 * hard) * time) * np.exp(-time * 38)
    grit = filtered(noise(0.22, seed), 200, 900 + 2500 * hard) * np.exp(-time * (45 + 25 * hard))
    return np.asarray(knock + grit * (0.5 + hard), dtype=np.float32)


def thump(note: float = 33, duration: float = 0.6) -> Samples:
    """A deep drum whose pitch sinks."""
    time = clock(duration).astype(np.float64)
    phase = 2 * np.pi * pitch(note) * (time + 0.05 * (1 - np.exp(-time * 20)))
    return np.asarray(np.sin(phase) * np.exp(-time * 7) * envelope(duration, 0.003, 0.1), dtype=np.float32)


def creak(duration: float = 0.7, note: float = 45, seed: int = 0) -> Samples:
    """Straining wood: a stick-slip rattle through a resonance."""
    time = clock(duration).astype(np.float64)
    rate = 28 + 26 * np.sin(np.pi * time / duration) + 5 * np.sin(2 * np.pi * 3.1 * time + seed)
    phase = np.cumsum(rate) / SAMPLE_RATE
    clicks = np.diff(np.floor(phase), prepend=0.0)
    body = filtered(clicks.astype(np.float32), pitch(note) * 2.5, pitch(note) * 9, 2)
    peak = float(np.abs(body).max()) or 1.0
    return np.asarray(body / peak * envelope(duration, 0.08, 0.15), dtype=np.float32)


def whoosh(duration: float, low: float = 300, high: float = 1800, seed: int = 0) -> Samples:
    """Passing air."""
    return filtered(noise(duration, seed), low, high, 2) * envelope(duration, duration * 0.45, duration * 0.5) * 1.6


class Track:
    """A silent track of a given length to lay sounds on."""

    def __init__(self, duration: float) -> None:
        self.samples: Samples = np.zeros(round(duration * SAMPLE_RATE), np.float32)

    def add(self, start: float, sound: Samples, gain: float = 1.0) -> None:
        """Lay a sound on the track; what reaches beyond the end is cut."""
        first = round(start * SAMPLE_RATE)
        kept = sound[: max(0, len(self.samples) - first)]
        self.samples[first : first + len(kept)] += kept * np.float32(gain)

    def fade(self, keys: Sequence[tuple[float, float]]) -> None:
        """Multiply by a gain that moves in straight lines through (time, gain) pairs."""
        times, gains = zip(*keys, strict=True)
        self.samples *= np.interp(clock(len(self.samples) / SAMPLE_RATE), times, gains).astype(np.float32)

    def muffle(self, high: float, keys: Sequence[tuple[float, float]]) -> None:
        """Low-pass as far as the share says that moves through (time, share) pairs."""
        times, shares = zip(*keys, strict=True)
        share = np.interp(clock(len(self.samples) / SAMPLE_RATE), times, shares).astype(np.float32)
        self.samples = self.samples * (1 - share) + low_pass(self.samples, high) * share

    def room(self, seconds: float = 0.9, amount: float = 0.25) -> None:
        """Add the echo of a hall: convolution with noise that dies away."""
        time = clock(seconds)
        response = low_pass(noise(seconds, 7), 3500) * np.exp(-time * np.float32(6.0 / seconds))
        response /= np.float32(np.sqrt(float(np.sum(response**2))))
        size = len(self.samples) + len(response)
        wet = np.fft.irfft(np.fft.rfft(self.samples, size) * np.fft.rfft(response, size), size)
        self.samples = self.samples + np.asarray(wet[: len(self.samples)], np.float32) * np.float32(amount)

    def finished(self, peak: float = 0.8) -> Samples:
        """The track with its loudest sample at `peak` and a few milliseconds of fade at both ends."""
        loudest = float(np.abs(self.samples).max()) or 1.0
        edges = envelope(len(self.samples) / SAMPLE_RATE, 0.01, 0.02)
        return np.asarray(self.samples * np.float32(peak / loudest) * edges, dtype=np.float32)
