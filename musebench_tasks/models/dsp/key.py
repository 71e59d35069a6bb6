"""Key by correlation of pitch-class weights with the 24 Krumhansl-Kessler profiles (music_metrics.md 10, step 4).

Added to the recipe against two errors that harmonics and low notes cause (C major heard as E minor, minor as major):
only peaks of a spectrum count, the middle register counts most, and loud moments count no more than soft ones.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve, bin_frequencies, log_spectra
from musebench_tasks.values.key import MAJOR, MINOR, PitchKey

FRAME_SIZE = 4096
HOP = 2048
LOWEST_HZ, HIGHEST_HZ = 65.0, 2100.0
CENTRE_HZ = 261.6
"""Middle C: a bin an octave away weighs exp(−½)."""
QUIETEST_FRAME = 1e-3
"""Share of the strongest frame below which a frame is no music."""
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
    bins, mapping = pitch_class_mapping()
    blocks = [block @ mapping for block in log_spectra(mono, FRAME_SIZE, hop, bins=bins)]
    return np.concatenate(blocks).astype(np.float64) if blocks else np.zeros((0, 12))


def tonal_weights(mono: Curve) -> NDArray[np.float64]:
    """(12,) mean strength of each pitch class: spectral peaks only, middle register first, every frame alike."""
    bins, mapping = pitch_class_mapping()
    register = np.exp(-0.5 * np.log2(bin_frequencies(FRAME_SIZE)[bins] / CENTRE_HZ) ** 2).astype(np.float32)
    blocks = [(_peaks(block) * register) @ mapping for block in log_spectra(mono, FRAME_SIZE, HOP, bins=bins)]
    frames = np.concatenate(blocks).astype(np.float64)
    strongest = frames.max(axis=1, keepdims=True)
    heard = strongest[:, 0] > QUIETEST_FRAME * strongest.max()
    return np.asarray((frames[heard] / strongest[heard]).sum(axis=0) / max(1, int(heard.sum())))


def estimate_key(mono: Curve) -> PitchKey | None:
    """The key of a recording, or None where there is too little audio."""
    return key_of_weights(tonal_weights(mono)) if long_enough(mono) else None


def long_enough(mono: Curve) -> bool:
    """Whether there is enough audio to hear a key in."""
    return len(mono) >= SHORTEST_S * ANALYSIS_RATE


def key_of_weights(weights: NDArray[np.float64]) -> PitchKey | None:
    """The key whose profile has the highest Pearson correlation with 12 pitch-class weights; None if all are equal."""
    centred = weights - weights.mean()
    if not np.any(np.abs(centred) > 1e-9):
        return None
    rows = profiles() - profiles().mean(axis=1, keepdims=True)
    correlations = rows @ centred / np.linalg.norm(rows, axis=1)
    return KEYS[int(np.argmax(correlations))]


def _peaks(spectra: Curve) -> Curve:
    """`spectra` with everything but its local maxima set to 0."""
    middle = spectra[:, 1:-1]
    higher = (middle > spectra[:, :-2]) & (middle >= spectra[:, 2:])
    return np.pad(np.where(higher, middle, 0), ((0, 0), (1, 1)))


@cache
def pitch_class_mapping() -> tuple[slice, NDArray[np.float32]]:
    """The bins used, and the (bins, 12) matrix that averages them by pitch class."""
    frequencies = bin_frequencies(FRAME_SIZE)
    first, last = np.searchsorted(frequencies, [LOWEST_HZ, HIGHEST_HZ])
    bins = slice(int(first), int(last))
    midi = np.round(69 + 12 * np.log2(frequencies[bins] / 440.0)).astype(int)
    mapping = (midi[:, None] % 12 == np.arange(12)).astype(np.float32)
    return bins, mapping / mapping.sum(axis=0)
