"""What stands beside every number of a metric: n, standard error, interval, version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from musebench_tasks.records import Interval
from musebench_tasks.statistics import Estimate


def beside(headline: Estimate, version: str) -> dict[str, Any]:
    """n, standard error, interval and version of a result, as plain values for JSON."""
    return {
        "n": headline.n,
        "standard_error": headline.standard_error,
        "interval": plain(headline.interval),
        "version": version,
    }


def plain(interval: Interval | None) -> dict[str, Any] | None:
    """An interval as a dictionary: low, high, method; None where there is none."""
    return None if interval is None else interval.model_dump(exclude_none=True)


def plain_list(values: Sequence[float] | None) -> list[float] | None:
    """Numbers as a list; None where they are undefined."""
    return None if values is None else list(values)


def mean(values: Iterable[float]) -> float | None:
    """Mean of scores, one a row, or share of rows that meet a condition; None of nothing."""
    scores = [float(each) for each in values]
    return sum(scores) / len(scores) if scores else None
