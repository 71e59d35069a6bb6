"""What the numbers are, in words: metrics and methods of intervals."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.base.records import Interval, MetricConfig
from musebench_tasks.pages.text import value_text
from musebench_tasks.reports.layouts import RECALL
from musebench_tasks.reports.tables import Table

MEANINGS = {
    "accuracy": "Share of items whose answer is exactly the correct option, or exactly the correct set of options.",
    "caa": "Chance-adjusted accuracy of items with one correct option: 1 is perfect, 0 is guessing, below 0 is worse.",
    "exact_match": "Share of items with several correct options whose set is answered exactly.",
    "set_f1": "F1 of the answered set against the correct set, averaged over items with several correct options.",
    "choice_consistency": "Share of items that got the same option in every run, right or wrong.",
    "set_precision": "Share of the options answered that are correct, averaged over the same items.",
    "set_recall": "Share of the correct options that are answered, averaged over the same items.",
    "mub.tempo.acc1": "Share of recordings whose tempo is within 4\u00a0% of the reference, inclusive.",
    "mub.tempo.acc2": "The same of the reference or its double, triple, half or third.",
    "mub.key.exact": "Share of recordings whose key is the reference's.",
    "mub.key.mirex_symmetric": "1 for the key, 0.5 a fifth off, 0.3 for the relative, 0.2 for the parallel key.",
    "mub.time_signature.macro_f1": "Mean over the time signatures that occur of the F1 of each.",
    "mub.segments.iou_f1_labels": "The same where the labels must be equal too.",
    "mub.key.symmetric": "Share of recordings whose key is the reference's or its relative (C major and A minor).",
    "mub.time_signature.accuracy": "Share of recordings whose time signature is the reference's.",
    "mub.time_signature.balanced_accuracy": "Mean over the time signatures that occur of the share found of each.",
    "mub.segments.iou_f1": "F1 of segments matched at an intersection over union of at least one half.",
    "mub.segments.hit_rate_0.5": "F1 of segment boundaries found within 0.5 s.",
    "mub.segments.hit_rate_3": "F1 of segment boundaries found within 3 s.",
    "mub.segments.pairwise_f": "Pairs of instants under one label on both sides, by exact durations.",
    "mub.segments.v_measure": "How much the labels of each side tell of the other's, by exact durations.",
}
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
    name, _, dimension = metric.rpartition("/")[0].partition(MetricConfig.MACRO)
    if dimension:
        return f"{MEANINGS.get(name, '')} Here the mean over the values of {dimension}, each counting alike.".lstrip()
    if name.startswith(RECALL):
        return f"Share found of the recordings in {name.removeprefix(RECALL)}."
    return MEANINGS.get(name, "")


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
