"""How often a 95 % interval holds the true value: simulated, by method, number of items, level and clustering.

    python -m benchmarks.interval_coverage            measure, write docs/interval_coverage.csv and the page's tables
    python -m benchmarks.interval_coverage --table    only write the page's tables from the file

A share of items has its cluster's common outcome, so that two items of a cluster correlate by the ICC. Samples that
differ only in the order of items have one interval: each distinct sample is evaluated once, by the functions that
print the numbers, and counted as often as it came up. A minute on one core.
"""

import argparse
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.statistics import (
    cluster_bootstrap,
    clustered_standard_error,
    critical_value,
    interval_of_difference,
    interval_of_mean,
    normal_critical_value,
)

FILE = Path(__file__).resolve().parent.parent / "docs" / "interval_coverage.csv"
PAGE = FILE.with_name("uncertainty.md")

N = (11, 36, 55, 107)
SHARES = (0.5, 0.85)
CLUSTERING = ((0.0, 1), (0.0, 3), (0.3, 2), (0.3, 3))
"""ICC and items a cluster."""

RUNS = 10_000
FEWER_RUNS = 2_000
"""Of what costs a call a sample: the bootstrap, and scores of more values than two."""
DRAWS = 2_000

USED = "used here"
OTHERS = ("normal, items", "normal, clusters", "t, clusters", "percentile bootstrap")

Array = npt.NDArray[np.float64]
Ends = tuple[float, float]


class Setting(NamedTuple):
    """One cell of the table: how many items, at what true level, how much alike in clusters of what size."""

    n: int
    share: float
    icc: float
    items_a_cluster: int

    @property
    def clusters(self) -> npt.NDArray[np.int64]:
        return np.arange(self.n) // self.items_a_cluster

    @property
    def seed(self) -> list[int]:
        return [0, self.n, round(100 * self.share), round(100 * self.icc), self.items_a_cluster]


class Measured(NamedTuple):
    """A line of the file."""

    score: str
    method: str
    n: int
    share: float
    icc: float
    items_a_cluster: int
    runs: int
    coverage: float
    width: float
    """Mean width of the interval."""


LARGE = [Setting(600, share, 0.3, 3) for share in SHARES]
"""200 clusters."""

SETTINGS = [Setting(n, share, *clustering) for n, share, clustering in product(N, SHARES, CLUSTERING)]


def mixed(setting: Setting, runs: int, draw: Callable[..., Array], generator: np.random.Generator) -> Array:
    """Runs x items. `draw(size)` gives independent outcomes; some items share their cluster's."""
    clusters = setting.clusters
    together = generator.random((runs, setting.n)) < np.sqrt(setting.icc)
    common = draw((runs, int(clusters[-1]) + 1), generator)
    return np.where(together, common[:, clusters], draw((runs, setting.n), generator))


def distinct(hits: Array, setting: Setting) -> tuple[Array, npt.NDArray[np.int64]]:
    """0/1 samples that differ by more than the order of items and clusters, and how often each came up."""
    size = setting.items_a_cluster
    full = setting.n // size * size
    within = -np.sort(-hits[:, :full].reshape(len(hits), -1, size), axis=2)
    order = np.argsort(-within.sum(axis=2), axis=1)
    ordered = np.take_along_axis(within, order[:, :, None], axis=1).reshape(len(hits), full)
    rest = -np.sort(-hits[:, full:], axis=1)
    found, counts = np.unique(np.hstack([ordered, rest]), axis=0, return_counts=True)
    return found, counts


def used(values: Array, clusters: npt.NDArray[np.int64]) -> Ends:
    interval = interval_of_mean(values, clusters, binary=True)
    return (interval.low, interval.high) if interval else (np.nan, np.nan)


def bounded(bounds: Ends) -> Callable[..., Ends]:
    def ends(values: Array, clusters: npt.NDArray[np.int64]) -> Ends:
        interval = interval_of_mean(values, clusters, binary=False, bounds=bounds)
        return (interval.low, interval.high) if interval else (np.nan, np.nan)

    return ends


def of_difference(values: Array, clusters: npt.NDArray[np.int64]) -> Ends:
    interval = interval_of_difference(values, np.zeros(values.size), clusters)
    return (interval.low, interval.high) if interval else (np.nan, np.nan)


def normal_of_items(values: Array, clusters: npt.NDArray[np.int64]) -> Ends:
    return _around(values, normal_critical_value() * float(np.std(values, ddof=1)) / np.sqrt(values.size))


def normal_of_clusters(values: Array, clusters: npt.NDArray[np.int64]) -> Ends:
    return _around(values, normal_critical_value() * (clustered_standard_error(values, clusters) or 0.0))


def t_of_clusters(values: Array, clusters: npt.NDArray[np.int64]) -> Ends:
    reach = critical_value(int(clusters[-1]) + 1) * (clustered_standard_error(values, clusters) or 0.0)
    return _around(values, reach)


def bootstrap_of_clusters(values: Array, clusters: npt.NDArray[np.int64]) -> Ends:
    interval = cluster_bootstrap(values, clusters, draws=DRAWS)
    return (interval.low, interval.high) if interval else (np.nan, np.nan)


def _around(values: Array, reach: float) -> Ends:
    return float(values.mean()) - reach, float(values.mean()) + reach


METHODS: dict[str, Callable[..., Ends]] = {
    USED: used,
    "normal, items": normal_of_items,
    "normal, clusters": normal_of_clusters,
    "t, clusters": t_of_clusters,
    "percentile bootstrap": bootstrap_of_clusters,
}


def accuracy_samples(setting: Setting, runs: int) -> Array:
    """0/1 scores, runs x items."""
    generator = np.random.default_rng(setting.seed)
    return mixed(setting, runs, lambda size, source: (source.random(size) < setting.share).astype(float), generator)


def coverage_of_accuracy(
    setting: Setting, methods: Sequence[str] = tuple(METHODS), runs: int = RUNS
) -> Iterator[Measured]:
    """The interval coverage of 0/1 scores by each method."""
    samples = accuracy_samples(setting, runs)
    for method in methods:
        found, counts = distinct(samples[: FEWER_RUNS if method == "percentile bootstrap" else runs], setting)
        yield _measured("accuracy", method, setting, METHODS[method], found, counts, setting.share)


LEVELS_OF_F1 = np.array([0, 0.4, 0.5, 2 / 3, 0.8, 1])
SHARES_OF_F1 = {0.5: (0.28, 0.12, 0.14, 0.18, 0.08, 0.20), 0.85: (0.03, 0.03, 0.05, 0.16, 0.18, 0.55)}


def bounded_samples(score: str, setting: Setting, runs: int) -> tuple[Array, float, Ends]:
    """Scores that are no 0/1 scores, runs x items, with the true mean and the bounds of a score."""
    generator = np.random.default_rng([1, *setting.seed])
    if score == "set F1":
        shares = np.array(SHARES_OF_F1[setting.share])
        cumulated = np.cumsum(shares)[:-1]

        def draw(size: tuple[int, ...], source: np.random.Generator) -> Array:
            return LEVELS_OF_F1[np.searchsorted(cumulated, source.random(size), side="right")]

        return mixed(setting, runs, draw, generator), float(LEVELS_OF_F1 @ shares), (0.0, 1.0)
    hits = mixed(setting, runs, lambda size, source: (source.random(size) < setting.share).astype(float), generator)
    if score == "accuracy, mean of 4 runs":
        own = generator.beta(2 * setting.share, 2 * (1 - setting.share), size=(runs, int(setting.clusters[-1]) + 1))
        easy = own[:, setting.clusters] if setting.icc else generator.beta(
            2 * setting.share, 2 * (1 - setting.share), size=hits.shape
        )  # fmt: skip
        return generator.binomial(4, easy) / 4, setting.share, (0.0, 1.0)
    n_options = np.where(np.arange(setting.n) % 2, 8, 4)
    chance = 1 / n_options
    return (hits - chance) / (1 - chance), float(np.mean((setting.share - chance) / (1 - chance))), (-1 / 3, 1.0)


BOUNDED = ("CAA, 4 and 8 options", "set F1", "accuracy, mean of 4 runs")
DIFFERENCE = "difference of two systems"


def coverage_of_bounded(
    score: str, setting: Setting, runs: int = FEWER_RUNS, *, beside: bool = True
) -> Iterator[Measured]:
    """The interval coverage of scores between bounds by the choice made here, and `beside` it by t."""
    samples, truth, bounds = bounded_samples(score, setting, runs)
    counts = np.ones(len(samples), dtype=np.int64)
    yield _measured(score, USED, setting, bounded(bounds), samples, counts, truth)
    if beside:
        yield _measured(score, "t, clusters", setting, t_of_clusters, samples, counts, truth)


def coverage_of_difference(setting: Setting, runs: int = FEWER_RUNS) -> Measured:
    """The interval coverage of the difference of two systems on the same items, of which seven in ten come out alike.

    The second is a tenth worse on the others.
    """
    generator = np.random.default_rng([2, *setting.seed])
    first = mixed(setting, runs, lambda size, source: (source.random(size) < setting.share).astype(float), generator)
    second = (generator.random(first.shape) < setting.share - 0.1).astype(float)
    differences = np.where(generator.random(first.shape) < 0.7, 0.0, first - second)
    counts = np.ones(runs, dtype=np.int64)
    return _measured(DIFFERENCE, USED, setting, of_difference, differences, counts, 0.3 * 0.1)


def _measured(
    score: str, method: str, setting: Setting, ends: Callable[..., Ends], samples: Array,
    counts: npt.NDArray[np.int64], truth: float,
) -> Measured:  # fmt: skip
    clusters = setting.clusters
    intervals = np.array([ends(values, clusters) for values in samples])
    inside = (intervals[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= intervals[:, 1])
    runs = int(counts.sum())
    width = float((intervals[:, 1] - intervals[:, 0]) @ counts / runs)
    return Measured(score, method, *setting, runs, round(float(inside @ counts / runs), 4), round(width, 3))


def measure_large(setting: Setting) -> list[Measured]:
    """Each kind of score on 200 clusters, by the choice made here."""
    found = [*coverage_of_accuracy(setting, [USED])]
    found += [each for score in BOUNDED for each in coverage_of_bounded(score, setting, RUNS, beside=False)]
    return [*found, coverage_of_difference(setting, RUNS)]


def measure() -> list[Measured]:
    """All lines of the file."""
    found = [each for setting in SETTINGS for each in coverage_of_accuracy(setting)]
    found += [each for score in BOUNDED for setting in SETTINGS for each in coverage_of_bounded(score, setting)]
    found += [coverage_of_difference(setting) for setting in SETTINGS]
    return found + [each for setting in LARGE for each in measure_large(setting)]


def write_file(rows: Sequence[Measured], path: Path = FILE) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Measured._fields)
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


def read_file(path: Path = FILE) -> list[Measured]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Measured(
                row["score"], row["method"], int(row["n"]), float(row["share"]), float(row["icc"]),
                int(row["items_a_cluster"]), int(row["runs"]), float(row["coverage"]), float(row["width"]),
            )
            for row in csv.DictReader(file)
        ]  # fmt: skip


def table(rows: Sequence[Measured], scores: Sequence[str]) -> str:
    """Interval coverage as a Markdown table: a line a setting, a column a score and method."""
    wanted = [row for row in rows if row.score in scores]
    cells = {(Setting(*row[2:6]), row.score, row.method): row for row in wanted}
    columns = list(dict.fromkeys((row.score, row.method) for row in wanted))
    heads = [method if len(scores) == 1 else f"{score}: {method}" for score, method in columns]
    lines = [
        f"| n | true level | ICC | items a cluster | {' | '.join(heads)} |",
        f"|--:|--:|--:|--:|{'--:|' * len(heads)}",
    ]
    for setting in dict.fromkeys(key[0] for key in cells):
        values = [f"{cells[setting, *column].coverage:.3f}".removeprefix("0") for column in columns]
        lines.append(f"| {setting.n} | {setting.share:g} | {setting.icc:g} | {setting.items_a_cluster} "
                     f"| {' | '.join(values)} |")  # fmt: skip
    return "\n".join(lines)


def with_tables(page: str, rows: Sequence[Measured]) -> str:
    """The page with its tables put between their marks."""
    small, large = [row for row in rows if row.n < LARGE[0].n], [row for row in rows if row.n == LARGE[0].n]
    scores = ("accuracy", *BOUNDED, DIFFERENCE)
    tables = {
        "accuracy": table(small, scores[:1]), "other scores": table(small, scores[1:]), "large": table(large, scores)
    }  # fmt: skip
    for name, lines in tables.items():
        mark = f"<!-- table: {name} -->"
        before, found, rest = page.partition(mark)
        _, ended, after = rest.partition("<!-- end of table -->")
        if not (found and ended):
            raise SystemExit(f"{PAGE.name} has no mark {mark}, or no end of it.")
        page = f"{before}{mark}\n{lines}\n<!-- end of table -->{after}"
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how often 95 %% intervals hold the true value.")
    parser.add_argument("--table", action="store_true", help="write the page's tables from the file, measure nothing")
    if not parser.parse_args().table:
        write_file(measure())
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), read_file()), encoding="utf-8")


if __name__ == "__main__":
    main()
