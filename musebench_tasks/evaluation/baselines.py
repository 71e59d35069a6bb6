"""What a score is worth: guessers and priors, computed from plan and references at scoring time.

They are no models: `chance` is an expectation, the others are answers made without looking at the media.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import comb
from statistics import median
from typing import Any

import numpy as np

from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.measurement import Measurement, mean_over_items
from musebench_tasks.records import Item, Kind, Segment
from musebench_tasks.scoring import chance_exact_match

GUESSED_SIZES = range(2, 5)
"""A guesser of multi-select items knows that 2 to 4 options are right (statistics.md 2.2)."""
CONSTANT_PRIOR = {"tempo": 101.0, "key": "C major", "time_signature": "4/4"}
"""The paper's literal prior; it took them from its test labels (MU-14)."""
FOLDS = 5
PRIOR_LABEL = "chorus"


def baseline_cases(cases: Sequence[Case]) -> Iterator[tuple[str, list[Case]]]:
    """The baselines that answer: name, and the same cases with that baseline's answers."""
    if not cases:
        return
    if cases[0].item.kind is Kind.MUSIC:
        yield "prior:constant", [replace(case, values=CONSTANT_PRIOR) for case in cases]
        yield "prior:heldout", _held_out(cases)
        return
    letter = _majority_position(cases)
    yield "always_first", _choosing(cases, lambda case: case.shown[:1])
    yield "majority_letter", _choosing(cases, lambda case: case.shown[letter : letter + 1])
    yield "longest_option", _choosing(cases, lambda case: (_longest(case.item),))
    if any(case.item.kind is Kind.MULTI for case in cases):
        yield "select_all", _choosing(cases, lambda case: case.item.option_ids)


def chance(cases: Sequence[Case]) -> list[Measurement]:
    """What uniform guessing is expected to score on choice items, by the metrics it is defined for."""
    chosen = [case for case in cases if case.item.kind is not Kind.MUSIC]
    if not chosen:
        return []
    single = [case for case in chosen if case.item.kind is Kind.SINGLE]
    multi = [case for case in chosen if case.item.kind is Kind.MULTI]
    rows = [_expected("accuracy", chosen, _chance_of_exact)]
    if single:
        rows += [_expected(name, single, lambda case: 0.0) for name in ("caa", "caa_aggregate")]
    if multi:
        rows.append(_expected("exact_match", multi, _chance_of_exact))
        rows.append(_expected("set_precision", multi, lambda case: _chance_of_set(case)[0]))
        rows.append(_expected("set_recall", multi, lambda case: _chance_of_set(case)[1]))
        rows.append(_expected("set_f1", multi, lambda case: _chance_of_set(case)[2]))
    with_probabilities = [case for case in single if case.probabilities]
    if with_probabilities:
        rows.append(_expected("expected_accuracy", single, _chance_of_exact))
        rows.append(_expected("brier", with_probabilities, lambda case: 1.0 - _chance_of_exact(case)))
    runs = len({case.run for case in chosen})
    return rows + (_chance_over_runs(chosen, runs) if runs > 1 else [])


def _chance_over_runs(cases: Sequence[Case], runs: int) -> list[Measurement]:
    """A uniform guesser is right with probability p = 1/K in each run, and gives any of the K answers alike."""
    return [
        _expected("choice_consistency", cases, lambda case: _chance_of_exact(case) ** (runs - 1)),
        _expected("run_agreement", cases, _chance_of_exact),
        _expected("flip_rate", cases, lambda case: 1 - _chance_of_exact(case) ** runs - _chance_of_miss(case) ** runs),
        _expected("all_runs_correct", cases, lambda case: _chance_of_exact(case) ** runs),
    ]


def _expected(metric: str, cases: Sequence[Case], value: Callable[[Case], float]) -> Measurement:
    """The mean of an expectation over items: it has no sampling error."""
    values = np.array([value(case) for case in cases], dtype=np.float64)
    return replace(mean_over_items(metric, "1", cases, values, binary=False), without_error=True)


def _chance_of_exact(case: Case) -> float:
    n_options = len(case.item.options)
    return 1.0 / n_options if case.item.kind is Kind.SINGLE else chance_exact_match(n_options)


def _chance_of_miss(case: Case) -> float:
    return 1.0 - _chance_of_exact(case)


def _chance_of_set(case: Case) -> tuple[float, float, float]:
    """Expected precision, recall and F1 of a subset drawn uniformly from those of 2 to 4 options."""
    n_options, n_gold = len(case.item.options), len(case.gold)
    total = sum(comb(n_options, size) for size in GUESSED_SIZES)
    precision = recall = f1 = 0.0
    for size in GUESSED_SIZES:
        for shared in range(min(size, n_gold) + 1):
            weight = comb(n_gold, shared) * comb(n_options - n_gold, size - shared) / total
            precision += weight * shared / size
            recall += weight * shared / n_gold
            f1 += weight * 2 * shared / (size + n_gold)
    return precision, recall, f1


def _choosing(cases: Sequence[Case], choose: Callable[[Case], Sequence[str]]) -> list[Case]:
    return [replace(case, chosen=frozenset(choose(case)), probabilities=None) for case in cases]


def _majority_position(cases: Sequence[Case]) -> int:
    """The position that is right most often; the earliest of several."""
    positions = Counter(case.shown.index(each) for case in cases for each in case.gold)
    return min(positions, key=lambda position: (-positions[position], position))


def _longest(item: Item) -> str:
    """The option with the most characters; the first shown of several."""
    return max(item.options, key=lambda option: len(option.text)).id


def _held_out(cases: Sequence[Case]) -> list[Case]:
    """Each recording answered with the most common values of the folds that do not hold its cluster (MU-14)."""
    clusters = sorted({case.item.cluster_id for case in cases})
    fold_of = {cluster: index % FOLDS for index, cluster in enumerate(clusters)}
    fitted = {fold: _prior([case for case in cases if fold_of[case.item.cluster_id] != fold]) for fold in range(FOLDS)}
    return [_with_prior(case, fitted[fold_of[case.item.cluster_id]]) for case in cases]


def _prior(cases: Sequence[Case]) -> dict[str, Any]:
    truths = [case.reference.music for case in cases if case.reference.music is not None]
    tempi = [truth.tempo_bpm for truth in truths if truth.tempo_bpm is not None]
    counts = [len(truth.segments) for truth in truths if truth.segments]
    return {
        "tempo": median(tempi) if tempi else None,
        "key": _most_common([truth.key for truth in truths if truth.key]),
        "time_signature": _most_common([truth.time_signature for truth in truths if truth.time_signature]),
        "n_segments": max(1, round(sum(counts) / len(counts))) if counts else None,
    }


def _with_prior(case: Case, prior: dict[str, Any]) -> Case:
    values = {name: value for name, value in prior.items() if value is not None and name != "n_segments"}
    n_segments, duration_s = prior["n_segments"], case.item.window_s
    if n_segments is not None and duration_s:
        values["segments"] = [
            Segment(
                start_s=duration_s * index / n_segments,
                end_s=duration_s * (index + 1) / n_segments,
                label=PRIOR_LABEL,
            ).model_dump()
            for index in range(n_segments)
        ]
    return replace(case, values=values)


def _most_common(values: Sequence[str]) -> str | None:
    """The most frequent value; the first in alphabetical order of several."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value)) if counts else None
