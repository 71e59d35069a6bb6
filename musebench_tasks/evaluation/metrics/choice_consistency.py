"""Consistency of choice items: the same answer in every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from musebench_tasks import measures
from musebench_tasks.base.records import Kind
from musebench_tasks.evaluation.baselines import chance_of_hit, expected
from musebench_tasks.evaluation.cases import Case, Cases, by_item
from musebench_tasks.evaluation.measurement import Measurement, mean_over_items
from musebench_tasks.evaluation.metrics.record import Definition, Measure, Number


def choice_consistency(cases: Sequence[Case]) -> list[Measurement]:
    """Sameness of the answer over runs, by option id (HQ-12, statistics.md 2.3). Nothing where there is one run."""
    if not cases:
        return [mean_over_items("choice_consistency", "1", [], np.zeros(0))]
    runs = sorted({case.run for case in cases})
    grouped = by_item(cases)
    found = None
    if len(runs) > 1:
        answers = [[_chosen_in(group, run) for run in runs] for group in grouped.values()]
        found = measures.consistency(answers, [group[0].gold for group in grouped.values()])
    if found is None:
        return []
    clusters = tuple(group[0].item.cluster_id for group in grouped.values())
    named = {
        "choice_consistency": found.consistent,
        "run_agreement": found.agreement,
        "flip_rate": found.flipped,
        "all_runs_correct": found.correct_in_all,
    }
    return [
        Measurement(
            name,
            "1",
            np.asarray(values, dtype=np.float64)[:, None],
            clusters,
            binary=name != "run_agreement",
            item_ids=tuple(grouped),
            note=_by_letter(grouped, len(runs)) if name == "choice_consistency" else None,
        )
        for name, values in named.items()
    ]


def _by_letter(grouped: Mapping[str, Sequence[Case]], runs: int) -> str:
    """What the same measure over letters would say of one who always gives the same letter (faults_scoring.md 63)."""
    singles = [len(group[0].item.options) for group in grouped.values() if group[0].item.kind is Kind.SINGLE]
    expected = measures.chance_consistency(singles, runs)
    if expected is None:
        return "by option, not by letter"
    return f"by option: always the same letter would be 100 % by letter, and by option {100 * expected:.6g} %"


def _chosen_in(group: Sequence[Case], run: int) -> frozenset[str] | None:
    return next((case.chosen for case in group if case.run == run), None)


def _chance_over_runs(cases: Cases) -> list[Measurement]:
    """A uniform guesser is right with probability p = 1/K in each run, and gives any of the K answers alike."""
    p, runs = chance_of_hit(cases), len(np.unique(cases.runs))
    if runs < 2:
        return []
    return [
        expected("choice_consistency", cases, p ** (runs - 1)),
        expected("run_agreement", cases, p),
        expected("flip_rate", cases, 1 - p**runs - (1 - p) ** runs),
        expected("all_runs_correct", cases, p**runs),
    ]


MEASURES = (
    Measure(
        "choice_consistency",
        choice_consistency,
        (
            Number(
                "choice_consistency",
                label="consistency",
                meaning="Share of items that got the same option in every run, right or wrong.",
                sentence="gives the same answer in every run to {} of the questions",
            ),
            *(Number(name) for name in ("run_agreement", "flip_rate", "all_runs_correct")),
        ),
        "Choice questions",
        (
            Definition(
                "Consistency",
                ("choice_consistency/1", "run_agreement/1", "flip_rate/1", "all_runs_correct/1"),
                measures.consistency,
            ),
            Definition("Chance of consistency", (), measures.chance_consistency),
        ),
        chance=_chance_over_runs,
    ),
)
