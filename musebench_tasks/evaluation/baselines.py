"""What a score is worth: guessers and priors, computed from plan and references at scoring time.

They are no models: `chance` is an expectation, the others are answers made without looking at the media.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from math import comb
from statistics import median
from typing import Any

import numpy as np

from musebench_tasks.base.records import Item, Kind, Segment
from musebench_tasks.evaluation.cases import Case, Cases, as_cases
from musebench_tasks.evaluation.measurement import FloatArray, Measurement, mean_over_items
from musebench_tasks.measures import chance_exact_match

GUESSED_SIZES = range(2, 5)
"""A guesser of multi-select items knows that 2 to 4 options are right (statistics.md 2.2)."""
CONSTANT_PRIOR = {"tempo": 101.0, "key": "C major", "time_signature": "4/4"}
"""The paper's literal prior; it took them from its test labels (MU-14)."""
FOLDS = 5
PRIOR_LABEL = "chorus"


def baseline_cases(cases: Sequence[Case]) -> Iterator[tuple[str, Cases]]:
    """The baselines that answer: name, and the same cases with that baseline's answers."""
    asked = as_cases(cases)
    if not asked:
        return
    if asked[0].item.kind is Kind.MUSIC:
        yield "prior:constant", Cases([replace(case, values=CONSTANT_PRIOR) for case in asked], like=asked)
        yield "prior:heldout", Cases(_held_out(asked), like=asked)
        return
    letter = _majority_position(asked)
    yield "always_first", asked.answering([frozenset(case.shown[:1]) for case in asked])
    yield "majority_letter", asked.answering([frozenset(case.shown[letter : letter + 1]) for case in asked])
    yield "longest_option", asked.answering([frozenset((_longest(case.item),)) for case in asked])
    if (asked.kinds == Kind.MULTI.value).any():
        yield "select_all", asked.answering([frozenset(case.shown) for case in asked])


def expected(metric: str, cases: Cases, values: FloatArray) -> Measurement:
    """The mean of an expectation over items: it has no sampling error."""
    return replace(mean_over_items(metric, "1", cases, values, binary=False), without_error=True)


def chance_of_hit(cases: Cases) -> FloatArray:
    """How often a uniform guesser answers each case exactly."""
    multi = cases.kinds == Kind.MULTI.value
    chances = 1.0 / cases.n_options
    for n_options in np.unique(cases.n_options[multi]).tolist():
        chances[multi & (cases.n_options == n_options)] = chance_exact_match(n_options)
    return chances


def chance_of_sets(cases: Cases) -> tuple[FloatArray, ...]:
    """Expected precision, recall and F1 of each multi-select case."""
    pairs = zip(cases.n_options.tolist(), cases.set_counts.gold.tolist(), strict=True)
    return tuple(np.array([chance_of_set(*pair) for pair in pairs]).T)


@cache
def chance_of_set(n_options: int, n_gold: int) -> tuple[float, float, float]:
    """Expected precision, recall and F1 of a subset drawn uniformly from those of 2 to 4 options."""
    total = sum(comb(n_options, size) for size in GUESSED_SIZES)
    precision = recall = f1 = 0.0
    for size in GUESSED_SIZES:
        for shared in range(min(size, n_gold) + 1):
            weight = comb(n_gold, shared) * comb(n_options - n_gold, size - shared) / total
            precision += weight * shared / size
            recall += weight * shared / n_gold
            f1 += weight * 2 * shared / (size + n_gold)
    return precision, recall, f1


def _majority_position(cases: Sequence[Case]) -> int:
    """The position that is right most often; the earliest of several."""
    positions = Counter(case.shown.index(each) for case in cases for each in case.gold)
    return min(positions, key=lambda position: (-positions[position], position))


def _longest(item: Item) -> str:
    """The option with the most characters; the first shown of several."""
    lengths = [len(option.text) for option in item.options]
    return item.options[lengths.index(max(lengths))].id


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
