"""What the numbers are, in words: metrics and methods of intervals."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.base.records import Interval
from musebench_tasks.evaluation.metrics.registry import number_of
from musebench_tasks.pages.text import value_text
from musebench_tasks.reports.layouts import RECALL
from musebench_tasks.reports.tables import Table

METHODS = {
    "wilson": "Wilson's score interval",
    "wilson_t": "Wilson's score interval with Student's t over clusters",
    "wilson_effective_n": "Wilson's score interval at the effective number of items",
    "wilson_effective_n_t": "Wilson's score interval at the effective number of items, with Student's t over clusters",
    "wilson_bounded": "Wilson's score interval of the rescaled mean at its effective number of items",
    "wilson_bounded_t": "Wilson's score interval of the rescaled mean at its effective number, with Student's t",
    "t_clusters": "Student's t over clusters",
    "wilson_alike": "Wilson's upper end of none among the clusters, where all differences are alike",
    "percentile_cluster_bootstrap": "percentile cluster bootstrap",
    "percentile_normal_cluster_bootstrap": "percentile cluster bootstrap, sums drawn as normal",
    "percentile_stratified_cluster_bootstrap": "percentile bootstrap of clusters drawn within their class",
}
RATES = (
    "coverage is the share of planned requests that ended in a model's answer, readable or not; answered is the share "
    "whose answer could be read. What was not answered counts as wrong."
)


def _meaning(metric: str) -> str:
    name = metric.rpartition("/")[0]
    if name.startswith(RECALL):
        return f"Share found of the recordings in {name.removeprefix(RECALL)}."
    return number_of(name).meaning


def table_meanings(table: Table) -> list[tuple[str, str | None, str]]:
    """Measure, `name/version` and meaning with the method of its interval, once for each definition of the table."""
    found: dict[str, tuple[str, str | None, str]] = {}
    for position, column in enumerate(table.columns):
        if column.metric is None or column.metric in found:
            continue
        cells = [row.cells[position] for row in table.rows if not row.is_baseline]
        methods = dict.fromkeys(method_words(cell.interval) for cell in cells if cell.interval is not None)
        spread = "sd: standard deviation over runs (ddof 1)." if any(cell.spread is not None for cell in cells) else ""
        interval = f"95\u00a0% interval: {'; '.join(methods)}." if methods else "No interval below 10 items."
        words = (_meaning(column.metric), interval, spread, _sentence(column.note))
        found[column.metric] = (column.measure, column.metric, " ".join(each for each in words if each))
    return [*found.values(), ("coverage and answered", None, RATES[0].upper() + RATES[1:])]


def all_meanings(tables: Sequence[Table]) -> list[tuple[str, str | None, str]]:
    """`table_meanings` of several tables: every definition once, the rates last."""
    found: dict[str, tuple[str, str | None, str]] = {}
    for each in (each for table in tables for each in table_meanings(table)):
        found.setdefault(each[1] or each[0], each)
    return sorted(found.values(), key=lambda each: each[1] is None)


def method_words(interval: Interval) -> str:
    """How an interval was made, with draws and seed where it was drawn."""
    words = METHODS.get(interval.method, interval.method.replace("_", " "))
    if interval.draws is not None:
        words += f", {interval.draws} draws"
    return words if interval.seed is None else f"{words}, seed {interval.seed}"


def percent_text(share: float | None) -> str:
    """A share in percent with one decimal; `–` for None."""
    return value_text(None if share is None else 100 * share, 1) + (" %" if share is not None else "")


def _sentence(note: str | None) -> str:
    return f"{note[0].upper()}{note[1:]}." if note else ""
