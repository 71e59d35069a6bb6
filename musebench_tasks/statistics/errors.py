"""Standard errors and intervals of a mean of per-item scores (statistics.md 3.1 and 3.6).

Items that share a source are clustered, repeated runs of an item stay in its cluster. Intervals are 95 % unless
`level` says otherwise. `interval_of_mean` is the one place that chooses the method, and the interval names it:

- fewer than 10 items: no interval;
- 0/1 scores, every item its own cluster: `wilson`, below 100 items `wilson_t` (critical value t(n-1): Wilson's own
  interval coverage sinks to .9306 at n = 11 and .9348 at n = 36);
- 0/1 scores in clusters: `wilson_effective_n`, Wilson at n / design effect; below 100 clusters
  `wilson_effective_n_t` (t(G-1), since the design effect is itself estimated from G clusters);
- other scores between known bounds (means over runs, CAA, precision, recall, F1): `wilson_bounded`, below 100 clusters
  `wilson_bounded_t`: Wilson on the scores scaled to 0..1, at the n for which a share would have the clustered standard
  error found. Unlike a t interval it stays within the bounds and keeps its coverage near them (at a mean of .85 and
  n = 11, t covers .71 to .86, this .93 to .99). Scores that all lie on a bound are treated as 0/1 scores, so that the
  interval of CAA over one option count is the image of the accuracy interval. Where all scores, or all clusters, are
  alike no error is found, and every cluster counts as one 0/1 item: no score between the bounds varies more;
- scores without bounds: `t_clusters`, mean ± t(G-1) · clustered standard error; none where all scores, or all clusters,
  are alike: such an interval would have no width. Differences of two systems: `compare.interval_of_difference`.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Interval
from musebench_tasks.base.text import counted
from musebench_tasks.statistics.clusters import Clusters, FloatArray, Values, as_values, cluster_codes
from musebench_tasks.values.arguments import checked_arguments, require_share

FEW_CLUSTERS = 30
"""Below this many clusters a printed error carries a warning."""

MANY_CLUSTERS = 100
"""From this many clusters on a Wilson interval uses the normal critical value."""

FEWEST_ITEMS = 10
"""Below this many items no interval is printed."""

_ROUNDING = 1e-9
"""A scaled score this near to 0 or 1 lies on its bound."""


class MeanEstimate(NamedTuple):
    """A mean with everything that has to be printed beside it. None = undefined, never 0 in its place."""

    value: float | None
    standard_error: float | None
    interval: Interval | None
    n: int
    n_clusters: int

    @property
    def warning(self) -> str | None:
        """What a reader must know about the error, or None."""
        if 0 < self.n_clusters < FEW_CLUSTERS:
            return f"only {counted(self.n_clusters, 'cluster')}: the standard error is itself uncertain"
        return None


@checked_arguments
def clustered_standard_error(values: Values, clusters: Clusters) -> float | None:
    """Standard error of the mean of `values` when items of a cluster (one video, track or composition) are not
    independent.

    Formula: (1/n) · sqrt(G/(G-1) · Σ_c (Σ_{i in c} (s_i - mean))²), G = number of clusters.

    Edge cases: None with fewer than two clusters; a cluster an item gives the ordinary error with ddof 1; a score that
    is not finite is an InputError. Equals statsmodels' clustered OLS on a constant.

    Example:
        >>> round(clustered_standard_error([1, 1, 0, 0, 0, 1], ["a", "a", "a", "b", "b", "c"]), 6)
        0.25

    Source: statistics.md 3.1; Miller 2024, arXiv 2411.00640.
    """
    scores = as_values(values)
    codes, n_clusters = cluster_codes(clusters, scores.size)
    if n_clusters < 2:
        return None
    if np.ptp(scores) == 0:
        return 0.0
    sums = np.bincount(codes, weights=scores - scores.mean(), minlength=n_clusters)
    return float(np.sqrt(n_clusters / (n_clusters - 1) * np.sum(sums**2)) / scores.size)


@checked_arguments
def critical_value(n_clusters: int, *, level: float = 0.95) -> float:
    """How many standard errors an interval reaches: Student's t with G - 1 degrees of freedom.

    Example:
        >>> round(critical_value(30), 6)
        2.04523
    """
    require_share("level", level)
    return float(special.stdtrit(n_clusters - 1, (1 + level) / 2))


@checked_arguments
def normal_critical_value(level: float = 0.95) -> float:
    """The same for a known variance: 1.959964 at 95 %."""
    require_share("level", level)
    return float(special.ndtri((1 + level) / 2))


@checked_arguments
def design_effect(values: Values, clusters: Clusters) -> float | None:
    """How much clusters widen an error: variance of the mean over that of as many independent items.

    Formula: clustered standard error² · n / variance of the scores (ddof 1).

    Edge cases: None with one cluster, and where all scores are alike; below 1 where items of a cluster differ more than
    others do.

    Example:
        >>> round(design_effect([1, 1, 1, 0, 0, 0], ["a", "a", "a", "b", "b", "b"]), 6)
        5.0

    Source: Kish 1965; statistics.md 3.6.
    """
    scores = as_values(values)
    error = clustered_standard_error(scores, clusters)
    if error is None or np.ptp(scores) < _ROUNDING:
        return None
    spread = float(scores.var(ddof=1))
    return error**2 * scores.size / spread


@checked_arguments
def effective_n(values: Values, clusters: Clusters) -> float:
    """How many independent items tell as much: n / design effect, never more than n.

    Where the scores are all alike, or there is one cluster, the design effect cannot be estimated and every cluster
    counts as one item.

    Example:
        >>> effective_n([1, 1, 1, 1, 1, 1], ["a", "a", "a", "b", "b", "b"])
        2.0

    Source: statistics.md 3.6.
    """
    scores = as_values(values)
    effect = design_effect(scores, clusters)
    if effect is None:
        return float(cluster_codes(clusters, scores.size)[1])
    return scores.size / max(effect, 1.0)


@checked_arguments
def wilson_interval(
    successes: float, n: float, *, level: float = 0.95, critical: float | None = None, method: str = "wilson"
) -> Interval:
    """Wilson's score interval of a share. `n` and `successes` may be fractions (effective numbers).

    `critical` replaces the normal critical value of `level`.

    Formula: (p + z²/2n ± z · sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).

    Edge cases: 0 of n begins at 0 and n of n ends at 1, with a width; more successes than n is an InputError.

    Example:
        >>> found = wilson_interval(268, 500)
        >>> round(found.low, 4), round(found.high, 4)
        (0.4922, 0.5793)

    Source: statistics.md 3.6; Wilson 1927.
    """
    if not (n > 0 and 0 <= successes <= n):
        raise InputError(f"No share has {successes} successes of {n}: expected 0 <= successes <= n and n > 0.")
    z = normal_critical_value(level) if critical is None else critical
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, float(centre - reach))
    high = 1.0 if successes == n else min(1.0, float(centre + reach))
    return Interval(low=low, high=high, method=method)


@checked_arguments
def clopper_pearson_interval(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """The exact (conservative) interval of a share of independent items.

    Formula: the 2.5 and 97.5 % points of Beta(k, n-k+1) and Beta(k+1, n-k) for k successes of n.

    Edge cases: 0 of n begins at 0 and n of n ends at 1; more successes than n is an InputError.

    Example:
        >>> found = clopper_pearson_interval(268, 500)
        >>> round(found.low, 4), round(found.high, 4)
        (0.4912, 0.5804)

    Source: music_metrics.md 9; Clopper and Pearson 1934.
    """
    if not (n > 0 and 0 <= successes <= n):
        raise InputError(f"No share has {successes} successes of {n}: expected 0 <= successes <= n and n > 0.")
    require_share("level", level)
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(special.betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(special.betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(low=low, high=high, method="clopper_pearson")


@checked_arguments
def image(interval: Interval, *, slope: float, offset: float) -> Interval:
    """The interval of slope · x + offset, given that of x (CAA with one option count from accuracy).

    Example:
        >>> found = image(wilson_interval(5, 10), slope=4 / 3, offset=-1 / 3)
        >>> round(found.low, 3), round(found.high, 3)
        (-0.018, 0.685)
    """
    ends = sorted((slope * interval.low + offset, slope * interval.high + offset))
    return interval.model_copy(update={"low": ends[0], "high": ends[1]})


@checked_arguments
def interval_of_mean(
    values: Values,
    clusters: Clusters,
    *,
    binary: bool,
    bounds: tuple[float, float] | None = None,
    n_items: int | None = None,
    level: float = 0.95,
) -> Interval | None:
    """The 95 % interval of the mean of `values`, by a method chosen by the kind of score; its name stands in the
    result.

    `binary`: the scores are 0 or 1. `bounds`: least and greatest possible score of others. `n_items`: number of items
    where `values` hold several runs of each.

    Formula: 0/1 scores: Wilson's interval with n / design effect in place of n. Bounded scores: the same, with the
    variance that they have. Others: mean ± t · clustered standard error. The critical value is that of Student's t
    with G - 1 degrees of freedom while there are fewer than 100 clusters.

    Edge cases: None below 10 items, with fewer than two clusters, and for scores without bounds that are all alike;
    bounded scores that are all alike have the width of as many 0/1 items as there are clusters; scores that are not of
    the kind they are said to be are an InputError.

    Example:
        >>> interval_of_mean([1] * 9 + [0] * 3, list(range(12)), binary=True).method
        'wilson_t'
        >>> print(interval_of_mean([1, 0, 1], ["a", "b", "c"], binary=True))
        None

    Source: statistics.md 3.6.
    """
    scores = as_values(values)
    _require_kind(scores, binary, bounds)
    require_share("level", level)
    if (scores.size if n_items is None else n_items) < FEWEST_ITEMS:
        return None
    if cluster_codes(clusters, scores.size)[1] < 2:
        return None
    if binary:
        return _wilson_interval(scores, clusters, level)
    return _t_interval(scores, clusters, level) if bounds is None else _bounded(scores, clusters, bounds, level)


def _require_kind(scores: FloatArray, binary: bool, bounds: tuple[float, float] | None) -> None:
    """Refuse scores that are not of the kind they are said to be, however few they are."""
    if binary:
        strange = np.flatnonzero((scores != 0.0) & (scores != 1.0))
        if strange.size:
            first = int(strange[0])
            raise InputError(f"Score {first} is {scores[first]:g}, but binary scores are 0 or 1: give binary=False.")
    elif bounds is not None and not bounds[0] < bounds[1]:
        raise InputError(
            f"The bounds are {bounds[0]!r} to {bounds[1]!r}: give the least and the greatest possible score."
        )


def _wilson_interval(scores: FloatArray, clusters: Clusters, level: float) -> Interval:
    n_clusters = cluster_codes(clusters, scores.size)[1]
    if n_clusters == scores.size:
        return _wilson_of_clusters(float(scores.mean()), float(scores.size), n_clusters, "wilson", level)
    n = effective_n(scores, clusters)
    return _wilson_of_clusters(float(scores.mean()), n, n_clusters, "wilson_effective_n", level)


def _wilson_of_clusters(share: float, n: float, n_clusters: int, method: str, level: float) -> Interval:
    """Wilson at an effective `n` found from `n_clusters`; t(G-1) and the suffix `_t` while they are fewer than 100."""
    if n_clusters >= MANY_CLUSTERS:
        return wilson_interval(share * n, n, level=level, method=method)
    critical = critical_value(n_clusters, level=level)
    return wilson_interval(share * n, n, critical=critical, method=f"{method}_t")


def uses_students_t(interval: Interval | None) -> bool:
    """Whether an interval allows for few clusters by Student's t, as its method's name says.

    Example:
        >>> uses_students_t(Interval(low=0.0, high=0.5, method="wilson_t")), uses_students_t(None)
        (True, False)

    Source: statistics.md 3.
    """
    return interval is not None and "t" in interval.method.split("_")


def _bounded(scores: FloatArray, clusters: Clusters, bounds: tuple[float, float], level: float) -> Interval:
    lowest, width = bounds[0], bounds[1] - bounds[0]
    shares = (scores - lowest) / width if width > 0 else np.full(scores.size, np.nan)
    shares = np.where(np.abs(shares - np.rint(shares)) < _ROUNDING, np.rint(shares), shares)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise InputError(f"Scores lie outside their bounds {bounds[0]:g} to {bounds[1]:g}.")
    if np.isin(shares, (0.0, 1.0)).all():
        return image(_wilson_interval(shares, clusters, level), slope=width, offset=lowest)
    n_clusters = cluster_codes(clusters, scores.size)[1]
    mean, error = float(shares.mean()), clustered_standard_error(shares, clusters)
    n = mean * (1 - mean) / error**2 if error and error > _ROUNDING else float(n_clusters)
    return image(_wilson_of_clusters(mean, n, n_clusters, "wilson_bounded", level), slope=width, offset=lowest)


def _t_interval(scores: FloatArray, clusters: Clusters, level: float) -> Interval | None:
    error = clustered_standard_error(scores, clusters)
    if error is None or error < _ROUNDING:
        return None
    reach = critical_value(cluster_codes(clusters, scores.size)[1], level=level) * error
    mean = float(scores.mean())
    return Interval(low=mean - reach, high=mean + reach, method="t_clusters")


@checked_arguments
def estimate(
    values: Values,
    clusters: Clusters,
    *,
    binary: bool,
    bounds: tuple[float, float] | None = None,
    n_items: int | None = None,
    level: float = 0.95,
) -> MeanEstimate:
    """The mean of `values` with its standard error, interval (`interval_of_mean`), n and number of clusters.

    `n` of the result is `n_items` where given (several runs an item), else the number of values.

    Example:
        >>> found = estimate([1, 1, 0, 0, 0, 1] * 2, list("aaabbc") * 2, binary=True)
        >>> found.value, round(found.standard_error, 6), found.n, found.n_clusters
        (0.5, 0.25, 12, 3)
        >>> found.warning
        'only 3 clusters: the standard error is itself uncertain'

    Source: statistics.md 3.1 and 3.6.
    """
    scores = as_values(values)
    n = scores.size if n_items is None else n_items
    n_clusters = cluster_codes(clusters, scores.size)[1]
    if scores.size == 0:
        return MeanEstimate(None, None, None, 0, 0)
    return MeanEstimate(
        value=float(scores.mean()),
        standard_error=clustered_standard_error(scores, clusters),
        interval=interval_of_mean(scores, clusters, binary=binary, bounds=bounds, n_items=n_items, level=level),
        n=n,
        n_clusters=n_clusters,
    )
