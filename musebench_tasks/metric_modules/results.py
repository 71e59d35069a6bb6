"""What stands beside every number of a metric: n, standard error, interval, version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.records import Interval
from musebench_tasks.measures import chance_adjusted_accuracy, chance_adjusted_bounds
from musebench_tasks.statistics import MeanEstimate, estimate, image


def beside(headline: MeanEstimate, version: str) -> dict[str, Any]:
    """n, standard error, interval and version of a result, as plain values for JSON."""
    return {
        "n": headline.n,
        "standard_error": headline.standard_error,
        "interval": plain(headline.interval),
        "version": version,
    }


def chance_adjusted(correct: npt.NDArray[np.bool_], n_options: Sequence[int], clusters: Sequence[Any]) -> MeanEstimate:
    """CAA with its error and interval, as a scorecard has them.

    Where every answer is wrong, or every one right, the adjusted scores differ by the number of options alone or not at
    all, which tells nothing of the error: the interval is then that of accuracy, from the worst possible CAA to 1.
    """
    bounds = chance_adjusted_bounds(n_options)
    adjusted = estimate(chance_adjusted_accuracy(correct, n_options), clusters, binary=False, bounds=bounds)
    accuracy = estimate(correct, clusters, binary=True)
    if accuracy.value not in (0.0, 1.0) or accuracy.interval is None:
        return adjusted
    worst = float(chance_adjusted_accuracy(np.zeros(len(correct)), n_options).mean())
    return adjusted._replace(interval=image(accuracy.interval, slope=1 - worst, offset=worst))


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
