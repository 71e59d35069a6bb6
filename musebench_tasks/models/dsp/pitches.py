"""Pitches: which semitones sound when.

Only peaks of a spectrum count, read between its bins and against the tuning of the recording.

The overtones of a low note are notes of other names (the third is a fifth above, the fifth a major third): C major is
then heard as E minor. A semitone is therefore weakened by what sounds a twelfth, two octaves and a third and so on
below it.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve, bin_frequencies, magnitudes

FRAME_SIZE = 4096
HOP = 1024
FRAME_RATE = ANALYSIS_RATE / HOP
LOWEST_HZ, HIGHEST_HZ = 65.0, 2100.0
LOWEST_MIDI, SEMITONES = 34, 64
OVERTONES = ((19, 1.0), (28, 0.8), (31, 0.6), (34, 0.5))
"""Semitones above a note of its third, fifth, sixth and seventh partial, and their strength against one another."""
OVERTONE_SHARE = 0.6
CENTRE_MIDI, WIDTH_OCTAVES = 62.0, 1.2
"""The register that says most about harmony: a Gaussian over pitch, around the D above middle C."""


def sounding_semitones(mono: Curve) -> Curve:
    """(frames, 64) root of the magnitude of the strongest spectral peak in each semitone from A#1 on; 0 without one."""
    frames, pitches, heights = _spectral_peaks(mono)
    salience = np.zeros((frame_count(len(mono)), SEMITONES), np.float32)
    if len(frames) == 0:
        return salience
    offset = _tuning(pitches, heights)
    semitone = np.round(pitches - offset).astype(int)
    height = heights * np.cos(np.pi * (pitches - offset - semitone)) ** 2
    inside = (semitone >= LOWEST_MIDI) & (semitone < LOWEST_MIDI + SEMITONES)
    np.maximum.at(salience, (frames[inside], semitone[inside] - LOWEST_MIDI), height[inside])
    return np.sqrt(salience)


def without_overtones(salience: Curve) -> Curve:
    """`salience` with each semitone weakened by the notes that it may be an overtone of."""
    cleaned = salience.copy()
    for interval, strength in OVERTONES:
        explained = np.float32(OVERTONE_SHARE * strength) * salience[:, :-interval]
        above = np.maximum(salience[:, interval:] - explained, 0)
        cleaned[:, interval:] = np.minimum(cleaned[:, interval:], above)
    return cleaned


def pitch_classes(salience: Curve) -> NDArray[np.float64]:
    """(frames, 12) sums over octaves, C first."""
    return np.asarray(salience @ _octaves_folded(), dtype=np.float64)


@cache
def register_weights() -> Curve:
    """(64,) weight of each semitone by its register."""
    octaves = (LOWEST_MIDI + np.arange(SEMITONES) - CENTRE_MIDI) / 12
    return np.asarray(np.exp(-0.5 * (octaves / WIDTH_OCTAVES) ** 2), dtype=np.float32)


def frame_count(samples: int) -> int:
    """Number of frames that lie wholly inside `samples`."""
    return max(0, (samples - FRAME_SIZE) // HOP + 1)


def _spectral_peaks(mono: Curve) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Frame, pitch (MIDI numbers with fractions) and height of every local maximum of every spectrum."""
    frequencies = bin_frequencies(FRAME_SIZE)
    first, last = (int(each) for each in np.searchsorted(frequencies, (LOWEST_HZ, HIGHEST_HZ)))
    found: list[tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]] = []
    start = 0
    for block in magnitudes(mono, FRAME_SIZE, HOP, slice(first, last)):
        middle = block[:, 1:-1]
        frame, bin_ = np.nonzero((middle > block[:, :-2]) & (middle >= block[:, 2:]))
        left, top, right = (np.log(block[frame, bin_ + step] + 1e-9) for step in range(3))
        shift = np.clip(0.5 * (left - right) / np.minimum(left - 2 * top + right, -1e-9), -0.5, 0.5)
        frequency = frequencies[first] + (bin_ + 1 + shift) * frequencies[1]
        found.append((frame + start, 69 + 12 * np.log2(frequency / 440), np.exp(top).astype(np.float64)))
        start += len(block)
    if not found:
        return np.zeros(0, np.intp), np.zeros(0), np.zeros(0)
    return (
        np.concatenate([each[0] for each in found]),
        np.concatenate([each[1] for each in found]),
        np.concatenate([each[2] for each in found]),
    )


def _tuning(pitches: NDArray[np.float64], heights: NDArray[np.float64]) -> float:
    """Mean distance, in semitones within ±½, of the peaks from concert pitch (A = 440 Hz)."""
    weight = np.sqrt(heights) * np.exp(-0.5 * ((pitches - 60) / 12) ** 2)
    return float(np.angle(np.sum(weight * np.exp(2j * np.pi * pitches))) / (2 * np.pi))


@cache
def _octaves_folded() -> Curve:
    classes = (LOWEST_MIDI + np.arange(SEMITONES)) % 12
    return np.asarray(classes[:, None] == np.arange(12), dtype=np.float32)
