"""Exact millionths: BPM and seconds become integers, so that no comparison happens on a float's edge.

A float stands for its shortest decimal text (41.6 is 41.6, not 41.60000000000000142); that text times
10^6 is rounded half to even (music_metrics.md 0).
"""

from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation

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
