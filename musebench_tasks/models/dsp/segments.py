"""Segments by novelty: where what sounds before differs from what sounds after (Foote 2000; music_metrics.md 11).

Half a second is described by its harmony (pitch classes) and its colour (levels in 16 bands), together with the four
seconds around it. A Gaussian checkerboard on the matrix of their similarities is a product of two factors, so that
its response at a moment is the squared length of (weighted mean after − weighted mean before): no matrix is needed.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from musebench_tasks.models.dsp.key import pitch_class_mapping
from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve, bin_frequencies, log_spectra

FRAME_SIZE = 4096
HOP = 2048
MOMENT_S = 0.5
BANDS, LOWEST_HZ, HIGHEST_HZ = 16, 60.0, 5000.0
BAND_SCALE = 3.0
STACKED = 8
"""Moments that describe one together."""
KERNEL = 16
"""Moments before and after a boundary that are compared."""
NEAREST_S = 8.0
PROMINENCE = 0.12
SHORTEST_S = 2 * NEAREST_S
LABEL = "chorus"
"""Nothing here knows what a section is; this is the label that most sections have."""

Row = dict[str, float | str]


def find_segments(mono: Curve) -> list[Row] | None:
    """Consecutive segments over the whole recording, or None where it is too short to have several."""
    duration_s = len(mono) / ANALYSIS_RATE
    if duration_s < SHORTEST_S:
        return None
    duration_s = int(duration_s * 1000) / 1000
    edges = [0.0, *boundaries(novelty(moments(mono))), duration_s]
    return [{"start": round(start, 3), "end": round(end, 3), "label": LABEL} for start, end in pairwise(edges)]


def moments(mono: Curve) -> NDArray[np.float64]:
    """(moments, features) of unit length: each half second together with those around it."""
    described = _half_seconds(mono)
    harmony = _unit(described[:, :12])
    colour = described[:, 12:]
    colour = (colour - colour.mean(axis=0)) / np.maximum(colour.std(axis=0), 1e-9) / BAND_SCALE
    before = STACKED // 2
    padded = np.pad(np.hstack([harmony, colour]), ((before, STACKED - 1 - before), (0, 0)), mode="edge")
    stacked = np.lib.stride_tricks.sliding_window_view(padded, STACKED, axis=0)
    return _unit(stacked.reshape(len(described), -1))


def novelty(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Response of the Gaussian checkerboard at the start of each row; σ is half the kernel."""
    offsets = np.arange(KERNEL) + 0.5
    half = np.exp(-0.5 * (offsets / (KERNEL / 2)) ** 2)
    kernel = np.concatenate([-half[::-1], half]) / half.sum()
    padded = np.pad(rows, ((KERNEL, KERNEL - 1), (0, 0)), mode="edge")
    difference = signal.fftconvolve(padded, kernel[::-1, None], mode="valid", axes=0)
    return np.asarray(np.sum(difference**2, axis=1))


def boundaries(curve: NDArray[np.float64]) -> list[float]:
    """Seconds of the clear peaks of a novelty curve, none closer than 8 s to another or to the start."""
    distance = round(NEAREST_S / MOMENT_S)
    peaks, _ = signal.find_peaks(curve, distance=distance, prominence=PROMINENCE)
    return [float(peak * MOMENT_S) for peak in peaks if distance <= peak <= len(curve) - distance]


def _half_seconds(mono: Curve) -> NDArray[np.float64]:
    """(half seconds, 12 pitch classes and 16 bands): mean log magnitudes."""
    bins, mapping = pitch_class_mapping()
    bands = _band_mapping()
    blocks = [np.hstack([block[:, bins] @ mapping, block @ bands]) for block in log_spectra(mono, FRAME_SIZE, HOP)]
    frames = np.concatenate(blocks).astype(np.float64)
    centres_s = (np.arange(len(frames)) * HOP + FRAME_SIZE / 2) / ANALYSIS_RATE
    count = int(centres_s[-1] / MOMENT_S) + 1
    rows = np.minimum((centres_s / MOMENT_S).astype(int), count - 1)
    sums = np.zeros((count, frames.shape[1]))
    np.add.at(sums, rows, frames)
    return sums / np.maximum(np.bincount(rows, minlength=count), 1)[:, None]


def _band_mapping() -> NDArray[np.float32]:
    """(bins, 16) matrix that averages bins between logarithmically spaced edges."""
    edges = np.geomspace(LOWEST_HZ, HIGHEST_HZ, BANDS + 1)
    band = np.searchsorted(edges, bin_frequencies(FRAME_SIZE), side="right") - 1
    mapping = (band[:, None] == np.arange(BANDS)).astype(np.float32)
    return np.asarray(mapping / np.maximum(mapping.sum(axis=0), 1), dtype=np.float32)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))
