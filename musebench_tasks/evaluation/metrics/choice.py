"""Measures of choice items: accuracy, CAA, exact match, sets, option probabilities, consistency, position bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from musebench_tasks import measures
from musebench_tasks.base.records import LETTERS, Kind
from musebench_tasks.evaluation.baselines import chance_of_hit, chance_of_sets, expected
from musebench_tasks.evaluation.cases import Case, Cases, as_cases, by_item
from musebench_tasks.evaluation.measurement import FloatArray, Measurement, mean_over_items, plain_number
from musebench_tasks.evaluation.metrics.record import Definition, Measure, Number
from musebench_tasks.measures import (
    brier_scores,
    calibration,
    chance_adjusted_accuracy,
    chance_adjusted_bounds,
    chance_consistency,
    consistency,
    expected_accuracy,
    set_scores_of_counts,
    spread_over_runs,
)
from musebench_tasks.measures import option_probabilities as checked
from musebench_tasks.measures.probabilities import BINS
from musebench_tasks.statistics.bias import position_bias

NOBODY: frozenset[str] = frozenset()


def hits(cases: Sequence[Case]) -> FloatArray:
    """1 where the set answered is the set that is right, else 0; no answer is 0 (MB-52)."""
    return as_cases(cases).hits


def accuracy(cases: Sequence[Case]) -> list[Measurement]:
    """Micro average over items, and its standard deviation over runs where there are several (HQ-11)."""
    measured = as_cases(cases)
    scores, runs = measured.hits, measured.runs
    rows = [mean_over_items("accuracy", "1", measured, scores)]
    if len(runs) and runs.min() < runs.max():
        rows.append(_deviation_over_runs(scores, runs, rows[0]))
    return rows


def caa(cases: Sequence[Case]) -> list[Measurement]:
    """Chance-adjusted accuracy on single-select items, per item and in aggregate form (MB-51, statistics.md 2.1)."""
    single = as_cases(cases).of_kind(Kind.SINGLE)
    correct, n_options = single.hits, single.n_options
    bounds = chance_adjusted_bounds(n_options) if single else (0.0, 1.0)
    scores = chance_adjusted_accuracy(correct, n_options)
    adjusted = mean_over_items("caa", "1", single, scores, binary=False, bounds=bounds)
    if single:
        chance = 1.0 / n_options[single.places.first]
        share = (float(np.mean(1 / (1 - chance))), -float(np.mean(chance / (1 - chance))))
        adjusted = replace(adjusted, image_of_share=share)
    columns = np.column_stack(
        [
            mean_over_items("caa_aggregate", "1", single, correct).columns,
            mean_over_items("caa_aggregate", "1", single, 1.0 / np.maximum(n_options, 1)).columns,
            np.ones((len(adjusted.columns), 1)),
        ]
    )
    aggregate = Measurement(
        "caa_aggregate", "1", columns, adjusted.clusters, statistic=_aggregate_caa, item_ids=adjusted.item_ids
    )
    return [adjusted, aggregate]


def exact_match(cases: Sequence[Case]) -> list[Measurement]:
    """Share of multi-select items whose set is answered exactly (MB-52)."""
    multi = _multi(cases)
    return [mean_over_items("exact_match", "1", multi, hits(multi))]


def set_f1(cases: Sequence[Case]) -> list[Measurement]:
    """Set precision, recall and F1 on multi-select items, averaged over items; micro beside (MB-53)."""
    multi = _multi(cases)
    counts = multi.set_counts
    scores = set_scores_of_counts(counts)
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


def choice_consistency(cases: Sequence[Case]) -> list[Measurement]:
    """Sameness of the answer over runs, by option id (HQ-12, statistics.md 2.3). Nothing where there is one run."""
    if not cases:
        return [mean_over_items("choice_consistency", "1", [], np.zeros(0))]
    runs = sorted({case.run for case in cases})
    grouped = by_item(cases)
    found = None
    if len(runs) > 1:
        answers = [[_chosen_in(group, run) for run in runs] for group in grouped.values()]
        found = consistency(answers, [group[0].gold for group in grouped.values()])
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
    expected = chance_consistency(singles, runs)
    if expected is None:
        return "by option, not by letter"
    return f"by option: always the same letter would be 100 % by letter, and by option {100 * expected:.6g} %"


def bias(cases: Sequence[Case]) -> list[Measurement]:
    """Position bias on single-select items (MB-58): shares over answers that were read, recalls over all items."""
    single = as_cases(cases).of_kind(Kind.SINGLE)
    parsed = [case for case in single if case.chosen]
    first = np.array(
        [(case.shown[0] in (case.chosen or NOBODY)) - (case.shown[0] in case.gold) for case in parsed], float
    )
    rows = [mean_over_items("position_bias.excess_first", "1", parsed, first, binary=False, bounds=(-1.0, 1.0))]
    if single:
        whole = position_bias(
            [_letter(case, case.chosen) for case in single],
            [_letter(case, case.gold) or "" for case in single],
            [len(case.shown) for case in single],
        )
        everyone = mean_over_items("accuracy", "1", single, hits(single))
        rows += [
            plain_number("position_bias.rstd", "1", whole.rstd, everyone),
            plain_number("position_bias.jsd_bits", "1", whole.jsd_bits, rows[0]),
        ]
    return rows


def _letter(case: Case, options: frozenset[str] | None) -> str | None:
    """The place of a single option as a letter; None where there is none."""
    return LETTERS[case.shown.index(next(iter(options)))] if options else None


def _multi(cases: Sequence[Case]) -> Cases:
    return as_cases(cases).of_kind(Kind.MULTI)


def _chosen_in(group: Sequence[Case], run: int) -> frozenset[str] | None:
    return next((case.chosen for case in group if case.run == run), None)


def _item_column(cases: Sequence[Case], values: FloatArray) -> FloatArray:
    return mean_over_items("", "1", cases, values).columns


def _deviation_over_runs(scores: FloatArray, runs: np.ndarray, like: Measurement) -> Measurement:
    per_run = np.array([scores[runs == run].mean() for run in np.unique(runs)])
    note = f"standard deviation (ddof 1) of {len(per_run)} runs, no sampling error"
    return plain_number("accuracy_sd", "1", spread_over_runs(per_run), like, note)


def _aggregate_caa(sums: FloatArray) -> FloatArray:
    accuracy_, chance = sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2]
    result: FloatArray = (accuracy_ - chance) / (1 - chance)
    return result


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


WORST_BRIER = 2.0
NO_INTERVAL = f"{BINS} bins of equal width; biased upwards in small samples, therefore without an interval"


def option_probabilities(cases: Sequence[Case]) -> list[Measurement]:
    """Single-select items. Expected accuracy has the plan for its denominator; the others have what gave probabilities.

    A failure must not better a score of which less is more (faults_scoring.md 9): the Brier score and the calibration
    error are over the requests that came with probabilities, which n and a note tell.
    """
    single = [case for case in cases if case.item.kind is Kind.SINGLE]
    given = [case for case in single if case.probabilities]
    if single and not given:
        return []
    table = checked(
        [case.probabilities for case in single],
        [next(iter(case.gold)) for case in single],
        [case.item.option_ids for case in single],
    )
    expected = mean_over_items("expected_accuracy", "1", single, expected_accuracy(table), binary=False)
    scores = brier_scores(table)
    note = "" if len(given) == len(single) else f"over the {len(given)} of {len(single)} requests with probabilities"
    known = scores[~np.isnan(scores)]
    brier = mean_over_items("brier", "1", given, known, binary=False, bounds=(0.0, WORST_BRIER))
    brier = replace(brier, note=note or None)
    notes = "; ".join(each for each in (NO_INTERVAL, note) if each)
    return [expected, brier, plain_number("calibration_error", "1", calibration(table).error, brier, notes)]


def _chance_of_accuracy(cases: Cases) -> list[Measurement]:
    return [expected("accuracy", cases, chance_of_hit(cases))]


def _chance_of_caa(cases: Cases) -> list[Measurement]:
    single = cases.of_kind(Kind.SINGLE)
    return [expected(name, single, np.zeros(len(single))) for name in ("caa", "caa_aggregate") if single]


def _chance_of_exact_match(cases: Cases) -> list[Measurement]:
    multi = _multi(cases)
    return [expected("exact_match", multi, chance_of_hit(multi))] if multi else []


def _chance_of_set_f1(cases: Cases) -> list[Measurement]:
    multi = _multi(cases)
    if not multi:
        return []
    named = zip(("set_precision", "set_recall", "set_f1"), chance_of_sets(multi), strict=True)
    return [expected(name, multi, shares) for name, shares in named]


def _chance_of_probabilities(cases: Cases) -> list[Measurement]:
    single = cases.of_kind(Kind.SINGLE)
    given = as_cases([case for case in single if case.probabilities])
    if not given:
        return []
    return [
        expected("expected_accuracy", single, chance_of_hit(single)),
        expected("brier", given, 1.0 - chance_of_hit(given)),
    ]


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


CHAPTER = "Choice questions"
MEASURES = (
    Measure(
        "accuracy",
        accuracy,
        (
            Number(
                "accuracy",
                label="accuracy",
                meaning="Share of items whose answer is exactly the correct option, or exactly the correct set of "
                "options.",
                sentence="answers {} of the questions right",
                caption="Accuracy is the share of items answered right",
            ),
            Number("accuracy_sd"),
        ),
        CHAPTER,
        (
            Definition(
                "Sets",
                ("accuracy/1", "exact_match/1", "set_precision/1", "set_recall/1", "set_f1/1"),
                measures.set_scores,
            ),
            Definition("Spread over runs", ("accuracy_sd/1",), measures.spread_over_runs),
            Definition("Chance of accuracy", (), measures.chance_accuracy),
        ),
        chance=_chance_of_accuracy,
    ),
    Measure(
        "caa",
        caa,
        (
            Number(
                "caa",
                label="CAA",
                meaning="Chance-adjusted accuracy of items with one correct option: 1 is perfect, 0 is guessing, "
                "below 0 is worse.",
                bounds=(-1.0, 1.0),
                sentence="reaches a chance-adjusted accuracy of {}",
                caption="CAA is accuracy adjusted for chance on items with one right option: 0 is guessing",
            ),
            Number("caa_aggregate", bounds=(-1.0, 1.0)),
        ),
        CHAPTER,
        (
            Definition("Chance-adjusted accuracy", ("caa/1",), measures.chance_adjusted_accuracy),
            Definition("Aggregate form", ("caa_aggregate/1",), measures.aggregate_chance_adjusted_accuracy),
        ),
        chance=_chance_of_caa,
    ),
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
        CHAPTER,
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
        CHAPTER,
        (
            Definition(
                "Summed counts", ("micro_precision/1", "micro_recall/1", "micro_f1/1"), measures.micro_set_scores
            ),
        ),
        chance=_chance_of_set_f1,
    ),
    Measure(
        "option_probabilities",
        option_probabilities,
        (Number("expected_accuracy"), Number("brier", bounds=(0.0, WORST_BRIER)), Number("calibration_error")),
        CHAPTER,
        (
            Definition("Expected accuracy", ("expected_accuracy/1",), measures.expected_accuracy),
            Definition("Brier score", ("brier/1",), measures.brier_scores),
            Definition("Expected calibration error", ("calibration_error/1",), measures.calibration),
        ),
        chance=_chance_of_probabilities,
    ),
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
        CHAPTER,
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
    Measure(
        "position_bias",
        bias,
        (
            Number("position_bias.excess_first", bounds=(-1.0, 1.0)),
            Number("position_bias.rstd", bounds=(0.0, inf)),
            Number("position_bias.jsd_bits"),
        ),
        CHAPTER,
        (
            Definition(
                "Position bias",
                ("position_bias.excess_first/1", "position_bias.rstd/1", "position_bias.jsd_bits/1"),
                position_bias,
            ),
        ),
        has_baselines=False,
    ),
)
