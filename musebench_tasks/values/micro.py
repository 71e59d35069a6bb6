"""Exact millionths: BPM and seconds become integers, so that no comparison happens on a float's edge.

A float stands for its shortest decimal text (41.6 is 41.6, not 41.60000000000000142); that text times
10^6 is rounded half to even (music_metrics.md 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MicroBpm = int
"""Millionths of a beat per minute."""

NOT_A_NUMBER = -(2**63)
"""Stands for what `to_micro` refuses, and for numbers too large for the table."""
_LARGEST = 9e12

_MOST_DIGITS = 30
"""Numbers of 10^30 and more are neither tempi nor times; they are refused before they become huge integers."""
_EXACT = Context(prec=1000, rounding=ROUND_HALF_EVEN)


def to_micro(value: float | int | str | Decimal) -> int:
    """`value` in millionths, exact to the decimal text, ties to even.

    Raises ValueError for what is no finite number: NaN, infinities, booleans, other text, absurd magnitudes.
    """
    text = str(value).strip()
    if isinstance(value, bool) or "_" in text or len(text) > 400:
        raise ValueError(f"{text[:40]!r} is not a number")
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text[:40]!r} is not a number") from None
    if not number.is_finite() or number.adjusted() > _MOST_DIGITS:
        raise ValueError(f"{text[:40]!r} is not a finite number of usable size")
    if number.adjusted() < -_MOST_DIGITS:
        return 0
    return int(number.scaleb(6, _EXACT).to_integral_value(ROUND_HALF_EVEN, _EXACT))


def micro_array(values: Sequence[float | None] | npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """`to_micro` of each number, exact to its shortest decimal text; `NOT_A_NUMBER` for None, NaN, infinities, 9·10^12.

    The product with 10^6 is off by less than two units of its last place: only where that leaves the rounding open is
    the decimal text itself read.

    >>> micro_array([41.6, 0.0000005, 0.0000015, None, float("nan")]).tolist()[:3]
    [41600000, 0, 2]
    """
    import numpy as np  # not needed to read one number, as every start of the program does

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
