"""Segments by novelty: where what sounds before differs from what sounds after (music_metrics.md 11), and where a
repetition begins or ends.

Half a second is described by its harmony (pitch classes) and its colour (levels in 16 bands), together with the four
seconds around it. A Gaussian checkerboard on the matrix of their similarities (Foote 2000) is a product of two factors,
so that its response at a moment is the squared length of (weighted mean after − weighted mean before): no matrix is
needed. It is blind to a section that is played twice. There the lags at which the music repeats change (structure
features, Serrà et al. 2012): the second novelty.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, signal

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
PROMINENCE = 0.35
SHORTEST_S = 2 * NEAREST_S
"""Less audio cannot hold two sections."""
LONGEST_LAG_S = 180.0
SHORTEST_LAG_S = 4.0
CLOSEST_SHARE = 0.08
"""Share of the lags at which a moment counts as repeated."""
LEAST_SIMILARITY = 0.5
BLUR_MOMENTS, BLUR_LAGS = 4.0, 1.5
CONTRAST_SCALE, REPETITION_SCALE = 0.6, 0.05
"""What a clear boundary reaches in each novelty."""
SAME_SECTION = 0.65
"""Mean similarity of two sections, moment by moment, from which they are called the same."""
SAME_LENGTH = 0.75
SHIFTS = range(-2, 3)
"""Moments by which the boundaries of two sections may differ."""

Row = dict[str, float | str]


def find_segments(mono: Curve) -> list[Row] | None:
    """Consecutive segments over the whole recording, or None where it is too short to have several.

    Sections that sound alike bear the same letter; a short, unlike first or last one is called intro or outro.
    """
    duration_s = len(mono) / ANALYSIS_RATE
    if duration_s < SHORTEST_S:
        return None
    duration_s = int(duration_s * 1000) / 1000
    described = moments(mono)
    starts = [0, *boundaries(novelty(described) / CONTRAST_SCALE + repetition_change(described) / REPETITION_SCALE)]
    sections = [described[start:end] for start, end in pairwise([*starts, len(described)])]
    edges = [*(start * MOMENT_S for start in starts), duration_s]
    return [
        {"start": round(start, 3), "end": round(end, 3), "label": label}
        for (start, end), label in zip(pairwise(edges), section_names(sections), strict=True)
    ]


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


def repetition_change(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much the set of lags at which the music repeats changes at the start of each row."""
    count = len(rows)
    longest = min(count - 1, round(LONGEST_LAG_S / MOMENT_S))
    lags = np.arange(round(SHORTEST_LAG_S / MOMENT_S), longest + 1)
    similarity = np.full((count, 2 * longest + 1), -1.0)
    for lag in lags:
        alike = np.sum(rows[: count - lag] * rows[lag:], axis=1)
        similarity[: count - lag, longest + lag] = alike
        similarity[lag:, longest - lag] = alike
    threshold = np.maximum(_least_of_closest(similarity), LEAST_SIMILARITY)
    repeated = np.where(similarity >= threshold[:, None], similarity - LEAST_SIMILARITY, 0.0)
    for lag in lags:
        unlike = (repeated[: count - lag, longest + lag] == 0) | (repeated[lag:, longest - lag] == 0)
        repeated[: count - lag, longest + lag][unlike] = 0
        repeated[lag:, longest - lag][unlike] = 0
    blurred = ndimage.gaussian_filter(repeated, (BLUR_MOMENTS, BLUR_LAGS))
    return np.pad(np.linalg.norm(np.diff(blurred, axis=0), axis=1), (1, 0))


def boundaries(curve: NDArray[np.float64]) -> list[int]:
    """Moments of the clear peaks of a novelty curve, none closer than 8 s to another, to the start or to the end."""
    distance = round(NEAREST_S / MOMENT_S)
    peaks, _ = signal.find_peaks(curve, distance=distance, prominence=PROMINENCE)
    return [int(peak) for peak in peaks if distance <= peak <= len(curve) - distance]


def section_names(sections: Sequence[NDArray[np.float64]]) -> list[str]:
    """Letters in order of appearance, one a kind of section; intro or outro for a short, unlike one at an end."""
    kinds = _kinds(sections)
    usual = SAME_LENGTH * float(np.median([len(section) for section in sections]))
    names: dict[int, str] = {}
    for place, name in ((0, "intro"), (-1, "outro")):
        if len(sections) > 2 and len(sections[place]) < usual and kinds.count(kinds[place]) == 1:
            names[kinds[place]] = name
    ends = len(names)
    for kind in kinds:
        names.setdefault(kind, _letters(len(names) - ends))
    return [names[kind] for kind in kinds]


def _kinds(sections: Sequence[NDArray[np.float64]]) -> list[int]:
    """A number a section: that of the most similar one before it, or a new one."""
    kinds: list[int] = []
    for number, section in enumerate(sections):
        alike = [likeness(section, earlier) for earlier in sections[:number]]
        closest = int(np.argmax(alike)) if alike else 0
        kinds.append(kinds[closest] if alike and alike[closest] >= SAME_SECTION else max(kinds, default=-1) + 1)
    return kinds


def likeness(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Mean cosine of two sections' moments in order, at the best of a few shifts; 0 if their lengths differ widely."""
    if min(len(first), len(second)) < SAME_LENGTH * max(len(first), len(second)):
        return 0.0
    best = 0.0
    for shift in SHIFTS:
        one, other = first[max(0, shift) :], second[max(0, -shift) :]
        length = min(len(one), len(other))
        if length:
            best = max(best, float(np.mean(np.sum(one[:length] * other[:length], axis=1))))
    return best


def _least_of_closest(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """The similarity that the closest lags of each row reach at least."""
    kept = max(1, round(CLOSEST_SHARE * (similarity.shape[1] // 2 + 1)))
    return np.asarray(-np.partition(-similarity, kept - 1, axis=1)[:, kept - 1])


def _letters(number: int) -> str:
    """A to Z, then A1 to Z1, and so on."""
    turn, place = divmod(number, 26)
    return chr(ord("A") + place) + (str(turn) if turn else "")


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
