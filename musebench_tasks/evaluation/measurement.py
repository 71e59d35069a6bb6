"""One number over a set of cases, with its error: the form in which every metric hands over what it measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.records import Condition, Interval, ScoreRow
from musebench_tasks.evaluation.cases import Case, item_means
from musebench_tasks.statistics.bootstrap import (
    METHOD,
    NORMAL_FROM,
    NORMAL_METHOD,
    SEED,
    STRATIFIED_METHOD,
    bootstrap_totals,
    clusters_within_strata,
    normal_totals,
    percentile_interval,
    stratified_totals,
)
from musebench_tasks.statistics.clusters import cluster_codes
from musebench_tasks.statistics.errors import (
    FEWEST_ITEMS,
    clustered_standard_error,
    effective_n,
    image,
    interval_of_mean,
    wilson_interval,
)

FloatArray = NDArray[np.float64]
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Measurement:
    """What a metric found on some cases: a mean of item scores, or a statistic of summed columns.

    `columns` is items x k. With `statistic` None it has one column and the value is its mean.
    `statistic` takes column sums (draws x k) and gives one number a draw.
    """

    metric: str
    version: str
    columns: FloatArray
    clusters: tuple[str, ...]
    binary: bool = False
    bounds: tuple[float, float] | None = (0.0, 1.0)
    """Between which values a mean can lie; None where no such bounds are known."""
    statistic: Callable[[FloatArray], FloatArray] | None = None
    note: str | None = None
    without_error: bool = False
    """A number whose sampling error is not known here: neither error nor interval is given."""
    item_ids: tuple[str, ...] = ()
    """The item of each row of `columns`."""
    is_share_of_class: bool = False
    """A share of the items of one class: its interval is Wilson's, however few they are."""
    image_of_share: tuple[float, float] | None = None
    """Slope and offset by which the mean follows from the share of items that are right (chance-adjusted accuracy)."""
    strata: tuple[str, ...] = ()
    """The class of each row of `columns`, where a statistic averages over classes: see `drawn_sums`."""

    @property
    def value(self) -> float | None:
        """The number itself; None where there is nothing to measure or it is undefined."""
        if not len(self.columns):
            return None
        sums = self.columns.sum(axis=0, keepdims=True)
        found = float(self.columns.mean() if self.statistic is None else self.statistic(sums)[0])
        return found if np.isfinite(found) else None


def mean_over_items(
    metric: str,
    version: str,
    cases: Sequence[Case],
    scores: FloatArray,
    *,
    binary: bool = True,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Measurement:
    """Item scores averaged over runs, then over items. `binary`: every score of a single run is 0 or 1."""
    values, item_ids, clusters = item_means(cases, scores)
    is_binary = binary and bool(((values == 0.0) | (values == 1.0)).all())
    return Measurement(metric, version, values[:, None], clusters, binary=is_binary, bounds=bounds, item_ids=item_ids)


def plain_number(metric: str, version: str, value: float | None, like: Measurement, note: str = "") -> Measurement:
    """`value` over the items of `like`, without an error of its own."""
    undefined = np.nan if value is None else value
    columns = np.full((len(like.columns), 1), undefined)
    return Measurement(metric, version, columns, like.clusters, note=note or None, without_error=True)


def score_row(
    measurement: Measurement,
    condition: Condition,
    *,
    dimension: str | None = None,
    slice_value: str | None = None,
    system: str | None = None,
) -> ScoreRow:
    """The row that a scorecard holds of a measurement.

    A system's numbers have a standard error and an interval; of a baseline's (`system` names it) those that are means.
    """
    row = {
        "metric": measurement.metric,
        "version": measurement.version,
        "condition": condition,
        "slice": dimension,
        "slice_value": slice_value,
        "value": _rounded(measurement.value),
        "n": len(measurement.columns),
        "n_clusters": cluster_codes(measurement.clusters, len(measurement.clusters))[1],
        "system": system,
        "note": measurement.note,
    }
    if measurement.value is None or measurement.without_error:
        return ScoreRow(**row)
    if system is not None and measurement.statistic is not None:
        return ScoreRow(**row)
    return ScoreRow(**row, **_errors(measurement))


def _errors(measurement: Measurement) -> dict[str, object]:
    clusters = measurement.clusters
    if measurement.statistic is None:
        values = measurement.columns[:, 0]
        interval = _interval_where_all_are_alike(measurement) or interval_of_mean(
            values, clusters, binary=measurement.binary, bounds=measurement.bounds
        )
        if measurement.is_share_of_class:
            interval = _interval_of_share(values, clusters)
        return {
            "standard_error": _rounded(clustered_standard_error(values, clusters)),
            "interval": None if interval is None else _rounded_interval(interval),
        }
    drawn = drawn_sums(measurement.columns, measurement.clusters, measurement.strata)
    if drawn is None:
        return {}
    totals, method = drawn
    with np.errstate(divide="ignore", invalid="ignore"):
        replicates = measurement.statistic(totals)
    interval = percentile_interval(replicates, seed=SEED, method=method)
    defined = replicates[np.isfinite(replicates)]
    if interval is None or interval.low == interval.high:
        # Every sample gave the same number (a class that is always or never hit): that is no measure of error.
        return {}
    return {
        "standard_error": _rounded(float(defined.std(ddof=1))) if defined.size > 1 else None,
        "interval": _rounded_interval(interval),
    }


def _interval_of_share(values: FloatArray, clusters: tuple[str, ...]) -> Interval:
    """Wilson's interval at any number of items, at their effective number where clusters hold several."""
    n = effective_n(values, clusters)
    method = "wilson" if len(set(clusters)) == len(values) else "wilson_effective_n"
    return wilson_interval(float(values.mean()) * n, n, method=method)


def drawn_sums(
    columns: FloatArray, clusters: Sequence[str], strata: Sequence[str] = ()
) -> tuple[FloatArray, str] | None:
    """Column sums of 10,000 samples of whole clusters, and the method's name; None where they tell no error.

    With strata (classes), clusters are drawn within their class, so that a rare one is never lost (music_metrics.md
    4). A composition has one metre as a rule; where some cluster mixes classes all are drawn without strata, and draws
    that lose a class are counted in the method. None below 10 items, with one cluster, or one cluster of some class,
    whose error nothing tells.
    """
    n_clusters = cluster_codes(clusters, len(columns))[1]
    if len(columns) < FEWEST_ITEMS or n_clusters < 2:
        return None
    if not strata and n_clusters >= NORMAL_FROM:
        return normal_totals(columns, clusters), NORMAL_METHOD
    if not strata or not clusters_within_strata(clusters, strata):
        return bootstrap_totals(columns, clusters), METHOD
    if lone_strata(clusters, strata):
        return None
    return stratified_totals(columns, clusters, strata), STRATIFIED_METHOD


def lone_strata(clusters: Sequence[str], strata: Sequence[str]) -> list[str]:
    """Strata all of whose items lie in one cluster, sorted."""
    codes, _ = cluster_codes(clusters, len(strata))
    whose, n_strata = cluster_codes(strata, len(strata))
    places = np.unique(codes * max(n_strata, 1) + whose)
    lone = np.bincount(places % max(n_strata, 1), minlength=n_strata) == 1
    return sorted({strata[int(np.argmax(whose == each))] for each in np.flatnonzero(lone)})


def _interval_where_all_are_alike(measurement: Measurement) -> Interval | None:
    """The image of the accuracy's interval where no item, or every item, is right; None elsewhere.

    Adjusted scores of wrong answers differ by the number of options alone: their spread tells nothing of the error.
    """
    if measurement.image_of_share is None or measurement.value is None:
        return None
    slope, offset = measurement.image_of_share
    for share in (0.0, 1.0):
        if abs(measurement.value - (offset + slope * share)) < _ROUNDING:
            hits = np.full(len(measurement.columns), share)
            found = interval_of_mean(hits, measurement.clusters, binary=True)
            return None if found is None else image(found, slope=slope, offset=offset)
    return None


def _rounded_interval(interval: Interval) -> Interval:
    return interval.model_copy(update={"low": _rounded(interval.low), "high": _rounded(interval.high)})


def _rounded(value: float | None) -> float | None:
    """Twelve decimals: beyond them two machines may differ in the order of a sum."""
    return None if value is None else round(float(value), 12) + 0.0
