"""Structure: do two segmentations put the same stretches under the same label? (music_metrics.md 5.5)

Durations are exact: the time line is cut at every boundary of either side, never sampled. Time that no segment covers
carries the label `<gap>`. Labels are compared without outer blanks and case; their names need not agree between the
two sides, only what they group together.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

from musebench_tasks.measures.segments import Segments, checked_reference, cleaned_prediction, normalised_label
from musebench_tasks.values import Span, to_micros
from musebench_tasks.values.arguments import checked_arguments

GAP = "<gap>"

Durations = dict[tuple[str, str], int]
"""Microseconds under each pair of (reference label, predicted label)."""


class Structure(NamedTuple):
    """Precision, recall and F of a comparison of labellings."""

    precision: float
    recall: float
    f: float


NOTHING = Structure(0.0, 0.0, 0.0)


@checked_arguments
def pairwise_score(*, reference: Segments, prediction: Segments | None, duration_s: float) -> Structure:
    """Pairs of instants under one label on both sides, over those under one label in the prediction or the reference.

    Formula: P = ΣC²/Σ_j(Σ_i C)², R = ΣC²/Σ_i(Σ_j C)², F their harmonic mean, with C_ij the time under reference label
    i and predicted label j, exact: the time line is cut at every boundary.

    Edge cases: time without a segment has the label `<gap>`; names of labels need not agree between the sides; no
    answer, an empty or an illegal prediction is 0.

    Example:
        >>> both = [(0, 16, "A"), (16, 32, "B")], [(0, 8, "A"), (8, 16, "B"), (16, 24, "A"), (24, 32, "B")]
        >>> pairwise_score(reference=both[0], prediction=both[1], duration_s=32).f
        0.5

    Source: music_metrics.md 5.5; Levy and Sandler 2008.
    """
    durations = label_durations(reference=reference, prediction=prediction, duration_s=duration_s)
    if durations is None:
        return NOTHING
    common = sum(time**2 for time in durations.values())
    right, found = _marginals(durations)
    precision = common / sum(time**2 for time in found.values())
    recall = common / sum(time**2 for time in right.values())
    return _with_harmonic_mean(precision, recall)


@checked_arguments
def v_measure(*, reference: Segments, prediction: Segments | None, duration_s: float) -> Structure:
    """How much each side's labels tell of the other's, 0 to 1.

    Formula: precision 1 - H(E|R)/H(E), recall 1 - H(R|E)/H(R), F their harmonic mean, over exact times under each pair
    of labels.

    Edge cases: a side with one label only has 1 (mir_eval: 0); no answer, an empty or an illegal prediction is 0.

    Example:
        >>> v_measure(reference=[(0, 30, "A")], prediction=[(0, 30, "verse")], duration_s=30).f
        1.0

    Source: music_metrics.md 5.5; Rosenberg and Hirschberg 2007.
    """
    durations = label_durations(reference=reference, prediction=prediction, duration_s=duration_s)
    if durations is None:
        return NOTHING
    right, found = _marginals(durations)
    joint, of_reference, of_prediction = (_entropy(list(each.values())) for each in (durations, right, found))
    precision = 1.0 if len(found) == 1 else 1 - (joint - of_reference) / of_prediction
    recall = 1.0 if len(right) == 1 else 1 - (joint - of_prediction) / of_reference
    # Differences of logarithms may leave [0, 1] by their last digit.
    return _with_harmonic_mean(min(max(precision, 0.0), 1.0), min(max(recall, 0.0), 1.0))


def label_durations(*, reference: Segments, prediction: Segments | None, duration_s: float) -> Durations | None:
    """Microseconds of the recording under each pair of labels; None for no answer, an empty or an illegal one."""
    right = checked_reference(reference, duration_s)
    found, _ = cleaned_prediction(prediction, duration_s)
    if not found:
        return None
    duration = to_micros(duration_s)
    cuts = sorted({0, duration, *(end for each in (*right, *found) for end in each[:2])})
    durations: Durations = {}
    right_labels, found_labels = _labels(right, cuts), _labels(found, cuts)
    for (start, end), *labels in zip(pairwise(cuts), right_labels, found_labels, strict=True):
        pair = (labels[0], labels[1])
        durations[pair] = durations.get(pair, 0) + end - start
    return durations


def _labels(intervals: Sequence[Span], cuts: Sequence[int]) -> list[str]:
    """The label between each two successive cuts; intervals are disjoint, sorted, and begin and end at cuts."""
    labels = []
    position = 0
    for start in cuts[:-1]:
        while position < len(intervals) and intervals[position].end <= start:
            position += 1
        covered = position < len(intervals) and intervals[position].start <= start
        labels.append(normalised_label(intervals[position].label) if covered else GAP)
    return labels


def _marginals(durations: Durations) -> tuple[dict[str, int], dict[str, int]]:
    right: dict[str, int] = {}
    found: dict[str, int] = {}
    for (right_label, found_label), time in durations.items():
        right[right_label] = right.get(right_label, 0) + time
        found[found_label] = found.get(found_label, 0) + time
    return right, found


def _entropy(times: Sequence[int]) -> float:
    total = sum(times)
    return -sum(time / total * log(time / total) for time in times)


def _with_harmonic_mean(precision: float, recall: float) -> Structure:
    together = precision + recall
    return Structure(precision, recall, 2 * precision * recall / together if together else 0.0)
