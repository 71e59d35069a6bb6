"""Key by correlation of pitch-class weights with the 24 Krumhansl-Kessler profiles (music_metrics.md 10, step 4).

Two departures from the recipe, both measured on renderings and recordings that no benchmark holds: the weights come
from `pitches` (spectral peaks of the middle register without their overtones) in place of all bins, and every moment
counts alike, loud or soft. Without them C major is often heard as E minor or G major.

A recording has tonal evidence if its pitches hold still and look like a key. Neither alone tells music from drums:
a tuned drum holds still, and a short loop of noise may look like a key by chance.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.models.dsp.pitches import pitch_classes, register_weights, without_overtones
from musebench_tasks.models.dsp.spectrum import Curve, bin_frequencies, log_spectra
from musebench_tasks.values.key import MAJOR, MINOR, PitchKey

FRAME_SIZE = 4096
HOP = 2048
LOWEST_HZ, HIGHEST_HZ = 65.0, 2100.0
QUIETEST_FRAME = 1e-3
"""Share of the strongest frame below which a frame is no music."""
SHORTEST_FRAMES = 26
"""Of `pitches`: less than 2.8 s says too little."""
WEAKEST_EVIDENCE = 1.96
"""Least sum of the correlation and twice the steadiness."""
WEAKEST_CONTRAST = 0.2
"""Least standard deviation of the pitch classes, as a share of their mean: noise favours none."""
MAJOR_PROFILE = (6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88)
MINOR_PROFILE = (6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17)
"""Krumhansl and Kessler 1982: weight of each pitch class, from the tonic upwards."""
KEYS = tuple(PitchKey(tonic, mode) for mode in (MAJOR, MINOR) for tonic in range(12))


@cache
def profiles() -> NDArray[np.float64]:
    """(24, 12) weights by pitch class from C, in the order of `KEYS`."""
    return np.array([np.roll(MAJOR_PROFILE if key.mode == MAJOR else MINOR_PROFILE, key.pitch_class) for key in KEYS])


def estimate_key(salience: Curve) -> PitchKey | None:
    """The key of a recording's semitones, or None where there are too few moments or no tonal evidence."""
    if len(salience) < SHORTEST_FRAMES or not salience.any():
        return None
    weights = tonal_weights(salience)
    return key_of_weights(weights) if has_tonal_evidence(weights, salience) else None


def has_tonal_evidence(weights: NDArray[np.float64], salience: Curve) -> bool:
    """Whether pitch classes differ, look like a key, and hold still."""
    evidence = float(correlations(weights).max()) + 2 * steadiness(salience)
    return evidence >= WEAKEST_EVIDENCE and float(weights.std()) >= WEAKEST_CONTRAST * float(weights.mean())


def tonal_weights(salience: Curve) -> NDArray[np.float64]:
    """(12,) strength of each pitch class: middle register first, overtones left out, every frame alike."""
    frames = pitch_classes(without_overtones(salience) * register_weights())
    strength = np.linalg.norm(frames, axis=1, keepdims=True)
    heard = strength[:, 0] > QUIETEST_FRAME * strength.max()
    return np.asarray((frames[heard] / strength[heard]).sum(axis=0))


def steadiness(salience: Curve) -> float:
    """Share of what sounds that has sounded and will sound for a frame, 0 to 1: high for notes, low for noise."""
    weighted = salience * register_weights()
    held = np.minimum(np.minimum(weighted[2:], weighted[1:-1]), weighted[:-2])
    return float(held.sum(dtype=np.float64) / max(weighted[1:-1].sum(dtype=np.float64), 1e-9))


def key_of_weights(weights: NDArray[np.float64]) -> PitchKey | None:
    """The key whose profile has the highest Pearson correlation with 12 pitch-class weights; None if all are equal."""
    found = correlations(weights)
    return KEYS[int(np.argmax(found))] if found.any() else None


def correlations(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """(24,) Pearson correlation of 12 weights with each profile; zeros if the weights are all equal."""
    centred = weights - weights.mean()
    size = float(np.linalg.norm(centred))
    if size <= 1e-9 * max(1.0, float(np.abs(weights).max())):
        return np.zeros(len(KEYS))
    rows = profiles() - profiles().mean(axis=1, keepdims=True)
    return np.asarray(rows @ centred / np.linalg.norm(rows, axis=1) / size)


def chromagram(mono: Curve, hop: int = HOP) -> NDArray[np.float64]:
    """(frames, 12) mean log magnitude of the bins nearest to each pitch class, 65 to 2100 Hz, C first."""
    bins, mapping = pitch_class_mapping()
    blocks = [block @ mapping for block in log_spectra(mono, FRAME_SIZE, hop, bins=bins)]
    return np.concatenate(blocks).astype(np.float64) if blocks else np.zeros((0, 12))


@cache
def pitch_class_mapping() -> tuple[slice, NDArray[np.float32]]:
    """The bins used, and the (bins, 12) matrix that averages them by pitch class."""
    frequencies = bin_frequencies(FRAME_SIZE)
    first, last = np.searchsorted(frequencies, [LOWEST_HZ, HIGHEST_HZ])
    bins = slice(int(first), int(last))
    midi = np.round(69 + 12 * np.log2(frequencies[bins] / 440.0)).astype(int)
    mapping = (midi[:, None] % 12 == np.arange(12)).astype(np.float32)
    return bins, mapping / mapping.sum(axis=0)
