"""Key by correlation of pitch-class weights with the 24 Krumhansl-Kessler profiles (music_metrics.md 10, step 4)."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve, bin_frequencies, log_spectra
from musebench_tasks.values.key import MAJOR, MINOR, PitchKey

FRAME_SIZE = 4096
HOP = 2048
LOG_GAIN = 0.01
"""Small, so that what a loud low note leaks into the neighbouring pitch classes stays small."""
LOWEST_HZ, HIGHEST_HZ = 65.0, 2100.0
SHORTEST_S = 1.0
MAJOR_PROFILE = (6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88)
MINOR_PROFILE = (6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17)
"""Krumhansl and Kessler 1982: weight of each pitch class, from the tonic upwards."""
KEYS = tuple(PitchKey(tonic, mode) for mode in (MAJOR, MINOR) for tonic in range(12))


@cache
def profiles() -> NDArray[np.float64]:
    """(24, 12) weights by pitch class from C, in the order of `KEYS`."""
    return np.array([np.roll(MAJOR_PROFILE if key.mode == MAJOR else MINOR_PROFILE, key.pitch_class) for key in KEYS])


def chromagram(mono: Curve, hop: int = HOP) -> NDArray[np.float64]:
    """(frames, 12) mean log magnitude of the bins nearest to each pitch class, 65 to 2100 Hz, C first."""
    bins, mapping = _pitch_class_mapping()
    blocks = [block @ mapping for block in log_spectra(mono, FRAME_SIZE, hop, gain=LOG_GAIN, bins=bins)]
    return np.concatenate(blocks).astype(np.float64) if blocks else np.zeros((0, 12))


def estimate_key(mono: Curve) -> PitchKey | None:
    """The key of a recording, or None where there is too little audio."""
    if len(mono) < SHORTEST_S * ANALYSIS_RATE:
        return None
    return key_of_weights(chromagram(mono).mean(axis=0))


def key_of_weights(weights: NDArray[np.float64]) -> PitchKey | None:
    """The key whose profile has the highest Pearson correlation with 12 pitch-class weights; None if all are equal."""
    centred = weights - weights.mean()
    if not np.any(np.abs(centred) > 1e-9):
        return None
    rows = profiles() - profiles().mean(axis=1, keepdims=True)
    correlations = rows @ centred / np.linalg.norm(rows, axis=1)
    return KEYS[int(np.argmax(correlations))]


@cache
def _pitch_class_mapping() -> tuple[slice, NDArray[np.float32]]:
    """The bins used, and the (bins, 12) matrix that averages them by pitch class."""
    frequencies = bin_frequencies(FRAME_SIZE)
    first, last = np.searchsorted(frequencies, [LOWEST_HZ, HIGHEST_HZ])
    bins = slice(int(first), int(last))
    midi = np.round(69 + 12 * np.log2(frequencies[bins] / 440.0)).astype(int)
    mapping = (midi[:, None] % 12 == np.arange(12)).astype(np.float32)
    return bins, mapping / mapping.sum(axis=0)
