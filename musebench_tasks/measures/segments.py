"""Segments: do predicted stretches of a recording match the reference's? (music_metrics.md 5.1 to 5.4)

Everything happens in whole microseconds, so that an intersection over union of exactly 1/2 is a match and a boundary
exactly 0.5 s away is found. References are checked and never repaired (InputError naming row and fault); predictions
are cleaned by the rules of `values.intervals`, and one that stays illegal scores 0. No answer is None and scores 0; an
empty list is an answer. Both empty: 1, flagged `both_empty`.

A segment is a `records.Segment`, a mapping with start_s, end_s and label, or (start, end[, label]) in seconds; segments
without labels may be one numpy array of shape (n, 2).
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.values import Span, clean_prediction, to_micros, validate_reference
from musebench_tasks.values.arguments import checked_arguments, require_window

SHORT_WINDOW_S = 0.5
LONG_WINDOW_S = 3.0
"""The two windows of the boundary hit rate."""

Segments = Sequence[Any]


class IntervalMatch(NamedTuple):
    """How a prediction's intervals match the reference's."""

    true_positives: int
    n_reference: int
    n_predicted: int
    precision: float
    recall: float
    f1: float
    pairs: tuple[tuple[int, int], ...] = ()
    """Matched (reference, prediction) as positions in time order."""
    flags: tuple[str, ...] = ()


class HitRate(NamedTuple):
    """Precision, recall and F1 of boundaries."""

    precision: float
    recall: float
    f1: float


@checked_arguments
def match_intervals(
    *, reference: Segments, prediction: Segments | None, duration_s: float | None = None, label_aware: bool = False
) -> IntervalMatch:
    """Predicted segments matched to the reference's, one to one: true positives, precision, recall and F1.

    `label_aware`: only segments with equal labels may pair. `duration_s` is the recording's length.

    Formula: a pair may match if 2 · intersection >= union in whole microseconds (IoU >= 1/2); TP is the size of a
    maximum bipartite matching; P = TP / predicted, R = TP / reference, F1 = 2 TP / (reference + predicted). `iou_f1`
    and the like are means over recordings, `iou_f1_micro` is F1 of counts summed over recordings.

    Edge cases: both sides empty 1, flagged; one side empty 0; no answer, or one that stays illegal after cleaning, 0;
    an illegal reference is an InputError naming row and fault; labels are compared without outer blanks and case, an
    empty label pairs with none; predictions are sorted, clipped to the recording, and overlaps up to 50 ms are
    snapped.

    Example:
        >>> found = match_intervals(reference=[(0, 10, "verse"), (10, 20, "chorus")], prediction=[(0, 20, "chorus")])
        >>> found.true_positives, found.precision, found.recall
        (1, 1.0, 0.5)

    Source: music_metrics.md 5.1 to 5.3; MU-11.
    """
    right = checked_reference(reference, duration_s)
    found, flags = cleaned_prediction(prediction, duration_s)
    if found is None:
        return _no_match(right, flags)
    edges = half_overlaps(right, found)
    if label_aware:
        edges &= _equal_labels(right, found)
    return _match(right, found, _maximum_matching(edges), flags)


@checked_arguments
def greedy_match(*, reference: Segments, prediction: Segments | None, duration_s: float | None = None) -> IntervalMatch:
    """The published greedy rule, kept as a diagnostic and made free of order.

    Formula: pairs with IoU >= 1/2 are taken by falling IoU, ties in time order, each segment once.

    Edge cases: equals `match_intervals` wherever neither side overlaps itself; may find fewer where one does.

    Example:
        >>> greedy_match(reference=[(0, 10, ""), (10, 20, "")], prediction=[(0, 20, "")]).true_positives
        1

    Source: music_metrics.md 5.1.
    """
    right = checked_reference(reference, duration_s)
    found, flags = cleaned_prediction(prediction, duration_s)
    return _no_match(right, flags) if found is None else _match(right, found, greedy_pairs(right, found), flags)


def greedy_pairs(reference: Sequence[Span], prediction: Sequence[Span]) -> list[tuple[int, int]]:
    """Pairs with intersection over union >= 1/2, taken by (-IoU, reference, prediction) of the sorted intervals."""
    right, found = sorted(reference), sorted(prediction)
    edges = [(int(i), int(j)) for i, j in np.argwhere(half_overlaps(right, found))]
    taken: list[tuple[int, int]] = []
    for i, j in sorted(edges, key=lambda edge: (-_overlap(right[edge[0]], found[edge[1]]), edge)):
        if all(i != other_i and j != other_j for other_i, other_j in taken):
            taken.append((i, j))
    return taken


def maximum_pairs(reference: Sequence[Span], prediction: Sequence[Span]) -> list[tuple[int, int]]:
    """A largest set of disjoint pairs with intersection over union >= 1/2; intervals may overlap one another."""
    return _maximum_matching(half_overlaps(reference, prediction))


@checked_arguments
def boundary_hit_rate(
    *, reference: Segments, prediction: Segments | None, window_s: float, duration_s: float | None = None
) -> HitRate:
    """Boundaries found within `window_s` seconds: precision, recall and F1.

    Formula: the boundaries of a side are the distinct ends of all its segments; hits are a maximum matching of
    boundaries at most `window_s` apart, inclusive, in whole microseconds.

    Edge cases: gaps add boundaries; no answer is 0. Equals mir_eval's `segment.detection` on valid input, except pairs
    at exactly the window, which its floats miss now and then.

    Example:
        >>> halves, late = [(0, 10, ""), (10, 20, "")], [(0, 10.5, ""), (10.5, 20, "")]
        >>> boundary_hit_rate(reference=halves, prediction=late, window_s=0.5).f1
        1.0

    Source: music_metrics.md 5.4.
    """
    require_window(window_s)
    right, found = _both_boundaries(reference, prediction, duration_s)
    return _hit_rate(right, found, to_micros(window_s))


@checked_arguments
def trimmed_boundary_hit_rate(
    *, reference: Segments, prediction: Segments | None, window_s: float, duration_s: float | None = None
) -> HitRate:
    """`boundary_hit_rate` without the first and the last boundary of each side.

    Formula: as `boundary_hit_rate`, on the inner boundaries.

    Edge cases: no inner boundary on either side is 1 (`has_inner_boundary` tells it), where mir_eval gives 0.

    Example:
        >>> trimmed_boundary_hit_rate(reference=[(0, 30, "")], prediction=[(0, 30, "")], window_s=0.5).f1
        1.0

    Source: music_metrics.md 5.4.
    """
    require_window(window_s)
    right, found = _both_boundaries(reference, prediction, duration_s)
    return _hit_rate(right[1:-1], None if found is None else found[1:-1], to_micros(window_s))


@checked_arguments
def has_inner_boundary(*, reference: Segments, prediction: Segments | None, duration_s: float | None = None) -> bool:
    """Whether trimming leaves a boundary on either side (flag `no_inner_boundary` if not)."""
    right, found = _both_boundaries(reference, prediction, duration_s)
    return len(right) > 2 or len(found or ()) > 2


def checked_reference(reference: Segments, duration_s: float | None) -> tuple[Span, ...]:
    """The reference's intervals by time; an InputError naming row and fault where it is not legal."""
    checked = validate_reference(reference, duration_s)
    if checked.problems:
        faults = "; ".join(f"row {each.row}: {each.code} {each.found}" for each in checked.problems)
        raise InputError(f"Reference segments are not legal: {faults}. Correct the annotation.")
    return checked.intervals


def cleaned_prediction(
    prediction: Segments | None, duration_s: float | None
) -> tuple[tuple[Span, ...] | None, tuple[str, ...]]:
    """The prediction's intervals by time, or None (no answer, or beyond repair), and flags."""
    if prediction is None:
        return None, ("no_answer",)
    cleaned = clean_prediction(prediction, duration_s)
    flags = cleaned.flags if cleaned.problem is None else (*cleaned.flags, f"invalid_{cleaned.problem}")
    return cleaned.intervals, flags


def half_overlaps(reference: Sequence[Span], prediction: Sequence[Span]) -> npt.NDArray[np.bool_]:
    """Reference x prediction: whether 2 · intersection >= union, in integers."""
    right, found = _ends(reference), _ends(prediction)
    common = np.minimum(right[:, None, 1], found[:, 1]) - np.maximum(right[:, None, 0], found[:, 0])
    common = np.maximum(common, 0)
    union = (right[:, None, 1] - right[:, None, 0]) + (found[:, 1] - found[:, 0]) - common
    edges: npt.NDArray[np.bool_] = (2 * common >= union) & (common > 0)
    return edges


def normalised_label(label: str) -> str:
    """A label without outer blanks and case: what label-aware scores compare."""
    return label.strip().casefold()


def _ends(intervals: Sequence[Span]) -> npt.NDArray[np.int64]:
    return np.array([each[:2] for each in intervals], dtype=np.int64).reshape(-1, 2)


def _equal_labels(reference: Sequence[Span], prediction: Sequence[Span]) -> npt.NDArray[np.bool_]:
    numbers: dict[Hashable, int] = {"": -1}
    right = [numbers.setdefault(normalised_label(each.label), len(numbers)) for each in reference]
    found = [numbers.setdefault(normalised_label(each.label), len(numbers)) for each in prediction]
    rows, columns = np.array(right, dtype=np.int64)[:, None], np.array(found, dtype=np.int64)
    equal: npt.NDArray[np.bool_] = (rows == columns) & (rows >= 0)
    return equal


def _maximum_matching(edges: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    if edges.size == 0 or (edges.sum(axis=0).max() <= 1 and edges.sum(axis=1).max() <= 1):
        return [(int(i), int(j)) for i, j in np.argwhere(edges)]
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    partners = maximum_bipartite_matching(csr_array(edges), perm_type="column")
    return [(i, int(j)) for i, j in enumerate(partners) if j >= 0]


def _overlap(first: Span, second: Span) -> Fraction:
    common = max(0, min(first.end, second.end) - max(first.start, second.start))
    return Fraction(common, (first.end - first.start) + (second.end - second.start) - common)


def _no_match(reference: Sequence[Span], flags: tuple[str, ...]) -> IntervalMatch:
    return IntervalMatch(0, len(reference), 0, 0.0, 0.0, 0.0, (), flags)


def _match(
    reference: Sequence[Span],
    prediction: Sequence[Span],
    pairs: list[tuple[int, int]],
    flags: tuple[str, ...],
) -> IntervalMatch:
    rates = _rates(len(pairs), len(reference), len(prediction))
    if not reference and not prediction:
        flags = (*flags, "both_empty")
    return IntervalMatch(len(pairs), len(reference), len(prediction), *rates, tuple(pairs), flags)


def _rates(hits: int, n_reference: int, n_predicted: int) -> HitRate:
    """Precision, recall and F1 of counts; 1 if nothing was to be found and nothing was claimed."""
    if n_reference == n_predicted == 0:
        return HitRate(1.0, 1.0, 1.0)
    precision = hits / n_predicted if n_predicted else 0.0
    recall = hits / n_reference if n_reference else 0.0
    return HitRate(precision, recall, 2 * hits / (n_reference + n_predicted))


def _both_boundaries(
    reference: Segments, prediction: Segments | None, duration_s: float | None
) -> tuple[list[int], list[int] | None]:
    found, _ = cleaned_prediction(prediction, duration_s)
    return _boundaries(checked_reference(reference, duration_s)), None if found is None else _boundaries(found)


def _boundaries(intervals: Sequence[Span]) -> list[int]:
    return sorted({end for each in intervals for end in each[:2]})


def _hit_rate(reference: list[int], prediction: list[int] | None, window: int) -> HitRate:
    """Pairing sorted points from the left is a maximum matching when all windows are equally wide."""
    if prediction is None:
        return HitRate(0.0, 0.0, 0.0)
    hits = i = j = 0
    while i < len(reference) and j < len(prediction):
        distance = prediction[j] - reference[i]
        if abs(distance) <= window:
            hits, i, j = hits + 1, i + 1, j + 1
        elif distance < 0:
            j += 1
        else:
            i += 1
    return _rates(hits, len(reference), len(prediction))
