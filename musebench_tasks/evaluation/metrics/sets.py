"""Measures of multi-select items: exact match, and precision, recall and F1 of sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from musebench_tasks import measures
from musebench_tasks.base.records import Kind
from musebench_tasks.evaluation.baselines import chance_of_hit, chance_of_sets, expected
from musebench_tasks.evaluation.cases import Case, Cases, as_cases
from musebench_tasks.evaluation.measurement import FloatArray, Measurement, mean_over_items
from musebench_tasks.evaluation.metrics.record import Definition, Measure, Number


def exact_match(cases: Sequence[Case]) -> list[Measurement]:
    """Share of multi-select items whose set is answered exactly (MB-52)."""
    multi = _multi(cases)
    return [mean_over_items("exact_match", "1", multi, multi.hits)]


def set_f1(cases: Sequence[Case]) -> list[Measurement]:
    """Set precision, recall and F1 on multi-select items, averaged over items; micro beside (MB-53)."""
    multi = _multi(cases)
    counts = multi.set_counts
    scores = measures.set_scores_of_counts(counts)
    rows = [
        mean_over_items("set_f1", "1", multi, scores.f1, binary=False),
        mean_over_items("set_precision", "1", multi, scores.precision, binary=False),
        mean_over_items("set_recall", "1", multi, scores.recall, binary=False),
    ]
    columns = np.column_stack([_item_column(multi, each) for each in counts])
    named = {"micro_precision": _micro_precision, "micro_recall": _micro_recall, "micro_f1": _micro_f1}
    rows += [
        Measurement(name, "1", columns, rows[0].clusters, statistic=statistic, item_ids=rows[0].item_ids)
        for name, statistic in named.items()
    ]
    return rows


def _multi(cases: Sequence[Case]) -> Cases:
    return as_cases(cases).of_kind(Kind.MULTI)


def _item_column(cases: Sequence[Case], values: FloatArray) -> FloatArray:
    return mean_over_items("", "1", cases, values).columns


def _micro_precision(sums: FloatArray) -> FloatArray:
    return _share(sums[:, 0], sums[:, 1])


def _micro_recall(sums: FloatArray) -> FloatArray:
    return _share(sums[:, 0], sums[:, 2])


def _micro_f1(sums: FloatArray) -> FloatArray:
    return _share(2 * sums[:, 0], sums[:, 1] + sums[:, 2])


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """part / whole; undefined where there is no whole, as in `scoring.micro_set_scores`."""
    result: FloatArray = np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
    return result


def _chance_of_exact_match(cases: Cases) -> list[Measurement]:
    multi = _multi(cases)
    return [expected("exact_match", multi, chance_of_hit(multi))] if multi else []


def _chance_of_set_f1(cases: Cases) -> list[Measurement]:
    multi = _multi(cases)
    if not multi:
        return []
    named = zip(("set_precision", "set_recall", "set_f1"), chance_of_sets(multi), strict=True)
    return [expected(name, multi, shares) for name, shares in named]


MEASURES = (
    Measure(
        "exact_match",
        exact_match,
        (
            Number(
                "exact_match",
                label="EM",
                meaning="Share of items with several correct options whose set is answered exactly.",
                sentence="answers {} of the sets exactly",
                caption="EM is the share of items with several right options whose set is answered exactly",
            ),
        ),
        "Choice questions",
        (Definition("Chance of exact match", (), measures.chance_exact_match),),
        chance=_chance_of_exact_match,
    ),
    Measure(
        "set_f1",
        set_f1,
        (
            Number(
                "set_f1",
                label="F1",
                meaning="F1 of the answered set against the correct set, averaged over items with several correct "
                "options.",
            ),
            Number(
                "set_precision",
                label="P",
                meaning="Share of the options answered that are correct, averaged over the same items.",
            ),
            Number(
                "set_recall",
                label="R",
                meaning="Share of the correct options that are answered, averaged over the same items.",
            ),
            *(Number(name) for name in ("micro_precision", "micro_recall", "micro_f1")),
        ),
        "Choice questions",
        (
            Definition(
                "Summed counts", ("micro_precision/1", "micro_recall/1", "micro_f1/1"), measures.micro_set_scores
            ),
        ),
        chance=_chance_of_set_f1,
    ),
)
