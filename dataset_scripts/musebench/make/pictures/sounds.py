"""The designed sound of picture clips: layers of simple sounds, each with a level that moves in time.

Times are seconds, pitches hertz, levels amplitudes (1 is full scale). Noise comes from a generator seeded by the
manifest's seed and the layer's place.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.records.base import Record

Samples = npt.NDArray[np.float64]
_EDGE_S = 0.004
"""Every layer fades in and out over this much, so that none clicks by itself."""


class Layer(Record):
    """One sound from `start_s` to `end_s`."""

    sound: Literal["tone", "bell", "string", "noise", "click"]
    start_s: float
    end_s: float
    pitch_hz: float
    """Of a tone; the middle of the band of a noise."""
    level: tuple[tuple[float, float], ...]
    """(time in s of the clip, amplitude), straight lines between."""


def make_sound(layers: Sequence[Layer], duration_s: float, sample_rate: int, seed: int) -> npt.NDArray[np.float32]:
    """All layers together, mono float32, never beyond full scale."""
    total = np.zeros(round(duration_s * sample_rate))
    for number, layer in enumerate(layers):
        first, last = round(layer.start_s * sample_rate), min(round(layer.end_s * sample_rate), len(total))
        time = np.arange(last - first) / sample_rate
        wave = _SOUNDS[layer.sound](time, layer.pitch_hz, np.random.default_rng([seed, number]))
        times, levels = zip(*layer.level, strict=True)
        edges = np.clip(np.minimum(time, time[-1] - time) / _EDGE_S, 0, 1)
        total[first:last] += wave * edges * np.interp(time + layer.start_s, times, levels)
    return np.asarray(np.tanh(total), dtype=np.float32)


def _tone(time: Samples, pitch_hz: float, generator: np.random.Generator) -> Samples:
    """A soft steady tone: three partials that beat a little."""
    detuned = 2 * np.pi * pitch_hz * time
    return (np.sin(detuned) + np.sin(1.003 * detuned) + 0.3 * np.sin(2 * detuned)) / 2.3


def _bell(time: Samples, pitch_hz: float, generator: np.random.Generator) -> Samples:
    """A struck bell: inharmonic partials, the higher the sooner gone."""
    partials = ((0.5, 0.5, 1.2), (1.0, 1.0, 1.8), (1.2, 0.6, 2.4), (2.0, 0.5, 3.2), (2.74, 0.3, 4.5), (4.07, 0.2, 7.0))
    total = np.zeros_like(time)
    for ratio, strength, decay in partials:
        total += strength * np.sin(2 * np.pi * ratio * pitch_hz * time) * np.exp(-decay * time)
    return total / 2


def _string(time: Samples, pitch_hz: float, generator: np.random.Generator) -> Samples:
    """A bowed string: many harmonics, slight vibrato."""
    phase = 2 * np.pi * pitch_hz * (time - 0.0006 * np.cos(2 * np.pi * 5.2 * time))
    total = np.zeros_like(time)
    for number in range(1, 9):
        total += np.sin(number * phase) / number**1.4
    return total / 2


def _noise(time: Samples, pitch_hz: float, generator: np.random.Generator) -> Samples:
    """Wind, water or a room: noise around a pitch, an octave wide, that swells at random every second or so."""
    spectrum = np.fft.rfft(generator.standard_normal(len(time)))
    frequencies = np.fft.rfftfreq(len(time), time[1] - time[0])
    octaves = np.log2(np.maximum(frequencies, 1e-3) / pitch_hz)
    wave = np.fft.irfft(spectrum * np.exp(-0.5 * (octaves / 0.6) ** 2), len(time))
    swells = generator.uniform(0.55, 1.0, int(time[-1]) + 3)
    return wave / (3 * np.std(wave)) * np.interp(time, np.arange(len(swells)), swells)


def _click(time: Samples, pitch_hz: float, generator: np.random.Generator) -> Samples:
    """A dry mechanical snap: two bursts 60 ms apart, ringing at the pitch."""
    total = np.zeros_like(time)
    for delay, strength in ((0.0, 1.0), (0.06, 0.7)):
        since = np.maximum(time - delay, 0)
        burst = np.sin(2 * np.pi * pitch_hz * since) + 0.6 * generator.standard_normal(len(time))
        total += strength * burst * np.exp(-90 * since) * (time >= delay)
    return total / 1.6


_SOUNDS: dict[str, Callable[[Samples, float, np.random.Generator], Samples]] = {
    "tone": _tone,
    "bell": _bell,
    "string": _string,
    "noise": _noise,
    "click": _click,
}
