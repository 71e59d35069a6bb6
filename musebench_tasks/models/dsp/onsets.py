"""Onsets: how much the spectrum rises from one moment to the next, in three bands (music_metrics.md 10, step 1)."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, Curve, bin_frequencies, magnitudes

FRAME_SIZE = 512
HOP = 110
LOG_GAIN = 100.0
FRAME_RATE = ANALYSIS_RATE / HOP
BAND_EDGES_HZ = (200.0, 1600.0)
"""Drums and bass below, voices and chords between, cymbals and attacks above."""
LOG_CURVES, CURVES = 3, 5
SMOOTHING_FRAMES = 1.5
"""Standard deviation of a Gaussian: players are not together to the hundredth of a second."""
WEAKEST_ONSET = 15.0
"""Log magnitude, summed over bins, by which the strongest onset must rise: a steady chord flutters by 10."""


def onset_curves(mono: Curve) -> Curve:
    """(5, frames) rise from frame to frame, summed over bins: of log magnitude in each band, of magnitude low and high.

    Logarithms hear every onset, soft or loud; magnitudes tell accents apart.
    """
    first, second = np.searchsorted(bin_frequencies(FRAME_SIZE), BAND_EDGES_HZ)
    low, high = slice(0, first), slice(second, None)
    curves: list[Curve] = []
    previous: Curve | None = None
    for block in magnitudes(mono, FRAME_SIZE, HOP):
        joined = np.concatenate([block[:1] if previous is None else previous, block])
        rise = _rises(joined)
        louder = _rises(np.log1p(np.float32(LOG_GAIN) * joined))
        bands = [louder[:, low], louder[:, first:second], louder[:, high], rise[:, low], rise[:, high]]
        curves.append(np.stack([band.sum(axis=1) for band in bands]))
        previous = block[-1:]
    return np.concatenate(curves, axis=1) if curves else np.zeros((CURVES, 0), np.float32)


def _rises(spectra: Curve) -> Curve:
    return np.asarray(np.maximum(spectra[1:] - spectra[:-1], 0), dtype=np.float32)


def loudening(curves: Curve) -> Curve:
    """The rise of log magnitude over all bands."""
    return np.asarray(curves[:LOG_CURVES].sum(axis=0), dtype=np.float32)


def anything_begins(curves: Curve) -> bool:
    """Whether at least one onset is more than the flutter of a steady sound."""
    return bool(loudening(curves).max(initial=0.0) >= WEAKEST_ONSET)


def smoothed(curve: Curve) -> NDArray[np.float64]:
    """`curve` blurred as widely as players differ."""
    return np.asarray(ndimage.gaussian_filter1d(curve.astype(np.float64), SMOOTHING_FRAMES))


def above_local_mean(curve: NDArray[np.float64], rate: float, half_width_s: float) -> NDArray[np.float64]:
    """What of a curve stands above its mean over ±`half_width_s`."""
    mean = np.asarray(ndimage.uniform_filter1d(curve, 2 * round(half_width_s * rate) + 1, mode="nearest"), np.float64)
    return np.maximum(curve - mean, 0)
