"""Exact millionths of many numbers at once: `to_micro` as an array (music_metrics.md 0)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from musebench_tasks.values.micro import to_micro

NOT_A_NUMBER = -(2**63)
"""Stands for what `to_micro` refuses, and for numbers too large for the table."""
_LARGEST = 9e12


def micro_array(values: Sequence[float | None] | npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """`to_micro` of each number, exact to its shortest decimal text; `NOT_A_NUMBER` for None, NaN, infinities, 9·10^12.

    The product with 10^6 is off by less than two units of its last place: only where that leaves the rounding open is
    the decimal text itself read.

    >>> micro_array([41.6, 0.0000005, 0.0000015, None, float("nan")]).tolist()[:3]
    [41600000, 0, 2]
    """
    listed = values if isinstance(values, np.ndarray) else [np.nan if each is None else each for each in values]
    numbers = np.asarray(listed, dtype=np.float64)
    usable = np.abs(numbers) < _LARGEST
    products = np.where(usable, numbers, 0.0) * 1e6
    micros = np.rint(products)
    is_open = np.abs(np.abs(products - micros) - 0.5) <= 2 * np.spacing(np.abs(products))
    result = np.where(usable, micros, 0.0).astype(np.int64)
    for position in np.flatnonzero(is_open & usable):
        result[position] = to_micro(float(numbers[position]))
    result[~usable] = NOT_A_NUMBER
    return result
