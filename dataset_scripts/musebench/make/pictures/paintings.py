"""The pictures that own code draws, by name; and the hand that makes a rendering look painted."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from PIL import Image

from dataset_scripts.musebench.make.pictures import still_life
from dataset_scripts.musebench.make.pictures.bars import bars

Pixels = npt.NDArray[np.uint8]
_ENLARGE = 1.5
_BRUSH = 3
"""Pixels: half the width of a dab."""
_SMOKE_FOOT, _SMOKE_TOP = (0.871, 0.43), 0.06
"""Where the smoke of the candle starts (in widths and heights), and how high it is seen."""


def laid_table() -> Pixels:
    """The still life, painted: tones of a varnished panel, dabs of a brush, the weave of a canvas."""
    light = still_life.render()
    toned = 255 * np.clip(light / (1 + 0.3 * light) * 1.15, 0, 1) ** (1 / 2.2)
    flat = Image.fromarray(toned.astype(np.uint8))
    large = np.asarray(
        flat.resize((round(flat.width * _ENLARGE), round(flat.height * _ENLARGE)), Image.Resampling.BICUBIC)
    )
    smoked = large.astype(np.float64) + _smoke(large.shape[1], large.shape[0])[..., None] * (70, 66, 60)
    return _woven(_dabbed(smoked, _BRUSH))


def _smoke(width: int, height: int) -> npt.NDArray[np.float64]:
    """A thread of smoke that widens, sways and thins as it rises: 0 to 1."""
    rows = (np.arange(height) / height)[:, None]
    columns = (np.arange(width) / width)[None, :]
    risen = (_SMOKE_FOOT[1] - rows) / (_SMOKE_FOOT[1] - _SMOKE_TOP)
    middle = _SMOKE_FOOT[0] + 0.022 * risen * np.sin(9 * risen) - 0.03 * risen**2
    wide = 0.0022 + 0.011 * np.clip(risen, 0, 1)
    thread = np.exp(-0.5 * ((columns - middle) / wide) ** 2)
    return np.asarray(np.where((risen > 0) & (risen < 1), thread * np.clip(1 - risen, 0, 1) ** 0.8, 0.0))


def _dabbed(picture: npt.NDArray[np.float64], reach: int) -> npt.NDArray[np.float64]:
    """Kuwahara's filter: every point takes the mean of the calmest of the four squares that meet in it."""
    padded = np.pad(picture, ((reach, reach), (reach, reach), (0, 0)), mode="edge")
    grey = padded.mean(axis=2, keepdims=True)
    means, spreads = _square_means(padded, reach), _square_means(grey**2, reach) - _square_means(grey, reach) ** 2
    height, width = picture.shape[:2]
    corners = [(row, column) for row in (0, reach) for column in (0, reach)]
    candidates = np.stack([means[row : row + height, column : column + width] for row, column in corners])
    calm = np.stack([spreads[row : row + height, column : column + width, 0] for row, column in corners])
    best = calm.argmin(axis=0)
    return np.asarray(np.take_along_axis(candidates, best[None, ..., None], axis=0)[0])


def _square_means(values: npt.NDArray[np.float64], reach: int) -> npt.NDArray[np.float64]:
    """Means over squares of reach + 1 pixels, by the square's upper left corner."""
    side = reach + 1
    sums = np.pad(values.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0), (0, 0)))
    return np.asarray((sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]) / side**2)


def _woven(picture: npt.NDArray[np.float64]) -> Pixels:
    """The picture on canvas: threads across and along, faint and a little uneven."""
    height, width = picture.shape[:2]
    rows, columns = np.arange(height)[:, None], np.arange(width)[None, :]
    threads = np.where((rows // 2 + columns // 2) % 2 == 0, 1.0, -1.0)
    uneven = np.random.default_rng(42).uniform(0.3, 1.0, (height, width))
    return np.clip(picture * (1 + 0.025 * threads * uneven)[..., None], 0, 255).astype(np.uint8)


PAINTINGS: dict[str, Callable[[], Pixels]] = {"bars": bars, "table": laid_table}
