"""Numbers as people read them: equal decimals, a true minus, units beside them."""

from __future__ import annotations

from musebench_tasks.base.records import Interval

NOT_ASKED = "–"
"""What stands where nothing was asked, never 0."""


def value_text(value: float | None, digits: int = 3) -> str:
    """`value` with `digits` decimals and a true minus sign; `–` for None."""
    if value is None:
        return NOT_ASKED
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.removeprefix("-")


def signed_text(value: float | None, digits: int = 3) -> str:
    """`value_text` with a plus before what is above 0: differences."""
    text = value_text(value, digits)
    return f"+{text}" if value is not None and float(f"{value:.{digits}f}") > 0 else text


def p_text(p_value: float | None) -> str:
    """A p-value with three decimals, `< 0.001` below; empty for None."""
    if p_value is None:
        return ""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def interval_text(interval: Interval | None, digits: int = 2) -> str:
    """`0.32 to 0.60`; empty for None. The word, because a dash could be read as a minus."""
    if interval is None:
        return ""
    return f"{value_text(interval.low, digits)} to {value_text(interval.high, digits)}"


def seconds_text(seconds: float) -> str:
    """Seconds with a decimal below a minute, minutes and seconds from there: `8.5 s`, `1:04`."""
    if seconds < 60:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def short_number(value: float) -> str:
    """At most three decimals and none that say nothing: `18.125`, `101`."""
    return f"{value:.3f}".rstrip("0").rstrip(".")
