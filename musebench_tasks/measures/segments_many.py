"""Segments of many recordings at once: the scores of `measures.segments` as arrays (music_metrics.md 5.1, 5.4, 12).

The fast form asks for what the other one establishes: an `IntervalTable` holds whole microseconds, and the intervals of
one recording are disjoint, which its makers check (InputError naming recording and fault). Then an interval matches two
others only where they are its exact halves, and those match nothing else: counting takes no search for partners.
Intervals that overlap one another are for `measures.segments.maximum_pairs`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures.segments import normalised_label
from musebench_tasks.values import Span, to_micros
from musebench_tasks.values.arguments import checked_arguments, require_window

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_LARGEST = 2**62


@dataclass(frozen=True)
class IntervalTable:
    """Disjoint intervals of many recordings, a row each, by recording and time; made by `interval_table`."""

    recordings: IntArray
    """Number of each row's recording, from 0."""
    starts: IntArray
    ends: IntArray
    """Microseconds."""
    labels: IntArray
    """Positions in `names`."""
    names: tuple[str, ...]
    """Labels without outer blanks and case, each once."""
    has_answer: BoolArray
    """For each recording: False where there is no answer, which is less than an empty one."""

    @property
    def n_recordings(self) -> int:
        """How many recordings the table is over, those without intervals included."""
        return len(self.has_answer)

    @cached_property
    def counts(self) -> IntArray:
        """Intervals of each recording."""
        return _count(self.recordings, self.n_recordings)

    @cached_property
    def boundaries(self) -> tuple[IntArray, IntArray]:
        """Recording and time of all distinct ends of intervals, by recording and time."""
        recordings, times = np.repeat(self.recordings, 2), np.stack([self.starts, self.ends], axis=1).reshape(-1)
        is_new = np.ones(len(times), dtype=np.bool_)
        is_new[1:] = (times[1:] != times[:-1]) | (recordings[1:] != recordings[:-1])
        return recordings[is_new], times[is_new]


class MatchCounts(NamedTuple):
    """`IntervalMatch` of each recording, without the pairs."""

    true_positives: IntArray
    n_reference: IntArray
    n_predicted: IntArray
    precision: FloatArray
    recall: FloatArray
    f1: FloatArray


class HitRates(NamedTuple):
    """`HitRate` of each recording."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray


@checked_arguments
def interval_table(recordings: Sequence[Sequence[Span] | None]) -> IntervalTable:
    """The table of each recording's intervals; None = no answer.

    The intervals are those of `checked_reference` and `cleaned_prediction`: whole microseconds, disjoint.

    Edge cases: an empty list is an answer; what `interval_table_of_arrays` refuses is an InputError.

    Example:
        >>> table = interval_table([[Span(0, 10_000_000, "Verse")], None, []])
        >>> table.counts.tolist(), table.has_answer.tolist(), table.names
        ([1, 0, 0], [True, False, True], ('verse',))

    Source: music_metrics.md 5.2 and 12.
    """
    rows = [(number, *each) for number, intervals in enumerate(recordings) for each in intervals or ()]
    numbers, starts, ends, labels = zip(*rows, strict=True) if rows else ((), (), (), ())
    named = {label: normalised_label(label) for label in set(labels)}
    names = sorted(set(named.values()))
    codes = {name: code for code, name in enumerate(names)}
    return interval_table_of_arrays(
        recordings=np.array(numbers, dtype=np.int64),
        starts=np.array(starts, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        labels=np.array([codes[named[label]] for label in labels], dtype=np.int64),
        names=names,
        has_answer=np.array([intervals is not None for intervals in recordings], dtype=np.bool_),
    )


@checked_arguments
def interval_table_of_arrays(
    *,
    recordings: npt.ArrayLike,
    starts: npt.ArrayLike,
    ends: npt.ArrayLike,
    has_answer: npt.ArrayLike,
    labels: npt.ArrayLike | None = None,
    names: Sequence[str] = ("",),
) -> IntervalTable:
    """The table of rows in any order: a recording's number, start and end in whole microseconds, a label's number.

    `has_answer` has one entry a recording and says how many there are. Without `labels` every label is empty.

    Edge cases: an InputError for other than whole numbers, unequal lengths, a start below 0, an end not after its
    start, an overlap, an unknown recording or label, an interval of a recording without an answer.

    Example:
        >>> table = interval_table_of_arrays(recordings=[1, 0], starts=[0, 5], ends=[9, 7], has_answer=[True, True])
        >>> table.recordings.tolist(), table.starts.tolist()
        ([0, 1], [5, 0])

    Source: music_metrics.md 5.2 and 12.
    """
    answered = np.asarray(has_answer, dtype=np.bool_)
    columns = [_whole(recordings, "recordings"), _whole(starts, "starts"), _whole(ends, "ends")]
    columns.append(np.zeros_like(columns[0]) if labels is None else _whole(labels, "labels"))
    if len({len(column) for column in columns}) > 1:
        lengths = ", ".join(str(len(column)) for column in columns)
        raise InputError(f"Intervals need as many recordings, starts, ends and labels; found {lengths}.")
    normalised = [normalised_label(name) for name in names]
    distinct = sorted(set(normalised))
    _refuse((columns[3] < 0) | (columns[3] >= len(names)), columns, f"its label is not one of {len(names)} names")
    codes = {name: code for code, name in enumerate(distinct)}
    renumbered = np.array([codes[name] for name in normalised], dtype=np.int64)
    columns[3] = renumbered[columns[3]] if len(names) else columns[3]
    columns = _by_time(columns)
    _check(columns, answered)
    return IntervalTable(columns[0], columns[1], columns[2], columns[3], tuple(distinct), answered)


@checked_arguments
def match_many(*, reference: IntervalTable, prediction: IntervalTable, label_aware: bool = False) -> MatchCounts:
    """`match_intervals` of each recording, without a search for partners.

    Formula: TP = largest number of pairs with 2 · intersection >= union, P = TP/predicted, R = TP/reference,
    F1 = 2TP/(predicted + reference). Intervals that match cover one another's middles, so each has at most two
    candidates, found by binary search. Two of disjoint intervals match the same one only as its exact halves: TP is the
    number of matching pairs less one for each such case.

    Edge cases: both sides empty: 1; one empty: 0; no answer: 0, also where the reference is empty. `label_aware`: only
    equal labels (without outer blanks and case) may pair, an empty one with none.

    Example:
        >>> halves = interval_table([[Span(0, 5), Span(5, 10)]])
        >>> found = match_many(reference=interval_table([[Span(0, 10)]]), prediction=halves)
        >>> found.true_positives.tolist(), found.precision.tolist(), found.recall.tolist()
        ([1], [0.5], [1.0])

    Source: music_metrics.md 5.1 (with the theorem), 5.3 and 12.
    """
    n_recordings = require_alike(reference, prediction)
    rows, columns = _half_overlaps(reference, prediction)
    if label_aware:
        same = _equal_labels(reference, prediction, rows, columns)
        rows, columns = rows[same], columns[same]
    hits = _count(reference.recordings[rows], n_recordings)
    for side, indices in ((reference, rows), (prediction, columns)):
        twice = _count(indices, len(side.starts)) == 2
        hits -= _count(side.recordings[twice], n_recordings)
    rates = _rates(hits, reference.counts, prediction.counts, prediction.has_answer)
    return MatchCounts(hits, reference.counts, prediction.counts, *rates)


@checked_arguments
def boundary_hit_rates(*, reference: IntervalTable, prediction: IntervalTable, window_s: float) -> HitRates:
    """`boundary_hit_rate` of each recording: share of distinct boundaries found within `window_s`, inclusive.

    Formula: hits = largest number of pairs of boundaries at most the window apart, each used once; precision, recall
    and F1 as of `match_many`.

    Edge cases: gaps add boundaries; both sides empty: 1; no answer: 0.

    Example:
        >>> three = interval_table([[Span(0, 10_000_000), Span(10_000_000, 20_000_000)]])
        >>> two = interval_table([[Span(0, 20_500_000)]])
        >>> [round(float(each[0]), 3) for each in boundary_hit_rates(reference=three, prediction=two, window_s=0.5)]
        [1.0, 0.667, 0.8]

    Source: music_metrics.md 5.4 and 12.
    """
    require_alike(reference, prediction)
    require_window(window_s)
    return _hit_rates(reference.boundaries, prediction.boundaries, prediction.has_answer, to_micros(window_s))


@checked_arguments
def trimmed_boundary_hit_rates(*, reference: IntervalTable, prediction: IntervalTable, window_s: float) -> HitRates:
    """`trimmed_boundary_hit_rate` of each recording: without the first and last boundary of each side.

    Formula: that of `boundary_hit_rates` on the inner boundaries.

    Edge cases: no inner boundary on either side: 1 (mir_eval gives 0); no answer: 0.

    Example:
        >>> one = interval_table([[Span(0, 20_000_000)]])
        >>> trimmed_boundary_hit_rates(reference=one, prediction=one, window_s=0.5).f1.tolist()
        [1.0]

    Source: music_metrics.md 5.4 and 12.
    """
    require_alike(reference, prediction)
    right, found = _inner(reference.boundaries), _inner(prediction.boundaries)
    require_window(window_s)
    return _hit_rates(right, found, prediction.has_answer, to_micros(window_s))


def require_alike(reference: IntervalTable, prediction: IntervalTable) -> int:
    """The number of recordings that both tables are over; an InputError where they differ."""
    if reference.n_recordings != prediction.n_recordings:
        raise InputError(
            f"References of {reference.n_recordings} recordings but predictions of {prediction.n_recordings}: give "
            "one list of intervals a recording on both sides, None for no answer."
        )
    return reference.n_recordings


def on_one_line(recordings: IntArray, times: IntArray, span: int) -> IntArray:
    """Times of all recordings one after the other, `span` apart, so that one search serves them all."""
    line: IntArray = recordings * span + times
    return line


def span_of(n_recordings: int, longest: int) -> int:
    """How far apart recordings lie on one line, none longer than `longest`; an InputError beyond 64-bit numbers."""
    span = longest + 1
    if n_recordings * span > _LARGEST:
        raise InputError(f"{n_recordings} recordings of up to {longest / 1e6:g} s are too many at once: give fewer.")
    return span


def _whole(values: npt.ArrayLike, name: str) -> IntArray:
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{name} must be one list of whole numbers (times in microseconds), not {array.dtype}.")
    return array.astype(np.int64, copy=False)


def _by_time(columns: list[IntArray]) -> list[IntArray]:
    recordings, starts = columns[:2]
    in_order = (recordings[1:] > recordings[:-1]) | ((recordings[1:] == recordings[:-1]) & (starts[1:] >= starts[:-1]))
    if in_order.all():
        return columns
    order = np.lexsort((columns[2], starts, recordings))
    return [column[order] for column in columns]


def _check(columns: list[IntArray], has_answer: BoolArray) -> None:
    recordings, starts, ends, _ = columns
    _refuse((recordings < 0) | (recordings >= len(has_answer)), columns, f"there are {len(has_answer)} recordings")
    _refuse(~has_answer[recordings], columns, "it has no answer, and an interval of it")
    _refuse(starts < 0, columns, "negative_start")
    _refuse(ends <= starts, columns, "end_le_start")
    overlaps = np.zeros(len(starts), dtype=np.bool_)
    overlaps[1:] = (recordings[1:] == recordings[:-1]) & (starts[1:] < ends[:-1])
    _refuse(overlaps, columns, "overlap with the one before it; match overlapping intervals one recording at a time")


def _refuse(faulty: BoolArray, columns: list[IntArray], fault: str) -> None:
    if faulty.any():
        row = int(np.argmax(faulty))
        recording, start, end = (int(column[row]) for column in columns[:3])
        raise InputError(f"Recording {recording}, interval [{start / 1e6:g}, {end / 1e6:g}]: {fault}.")


def _count(numbers: IntArray, n: int) -> IntArray:
    counts: IntArray = np.bincount(numbers, minlength=n)
    return counts


def _half_overlaps(reference: IntervalTable, prediction: IntervalTable) -> tuple[IntArray, IntArray]:
    """Rows of all pairs with 2 · intersection >= union: the prediction covers the middle of the reference."""
    if not len(reference.starts) or not len(prediction.starts):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    span = span_of(2 * reference.n_recordings, max(int(side.ends.max()) for side in (reference, prediction)))
    starts, ends = (on_one_line(prediction.recordings, each, span) for each in (prediction.starts, prediction.ends))
    middles = 2 * reference.recordings * span + reference.starts + reference.ends
    last = np.searchsorted(2 * starts, middles, side="right") - 1
    rows = np.flatnonzero(last >= 0)
    # Of the one before, only its end can be the middle: the two would be the reference's halves.
    also = np.flatnonzero((last >= 1) & (2 * ends[np.maximum(last - 1, 0)] == middles))
    rows, columns = np.concatenate([rows, also]), np.concatenate([last[rows], last[also] - 1])
    common = _common(reference, prediction, rows, columns)
    lengths = (reference.ends - reference.starts)[rows] + (prediction.ends - prediction.starts)[columns]
    matches = (3 * common >= lengths) & (common > 0)
    return rows[matches], columns[matches]


def _common(reference: IntervalTable, prediction: IntervalTable, rows: IntArray, columns: IntArray) -> IntArray:
    """Length of the intersection of each pair; not above 0 where there is none."""
    first_end = np.minimum(reference.ends[rows], prediction.ends[columns])
    common = first_end - np.maximum(reference.starts[rows], prediction.starts[columns])
    shared: IntArray = np.where(reference.recordings[rows] == prediction.recordings[columns], common, 0)
    return shared


def _equal_labels(reference: IntervalTable, prediction: IntervalTable, rows: IntArray, columns: IntArray) -> BoolArray:
    """Whether the labels of each pair are equal and not empty."""
    numbers = {name: number for number, name in enumerate(reference.names) if name}
    translated = np.array([numbers.get(name, -1) for name in prediction.names], dtype=np.int64)
    equal: BoolArray = reference.labels[rows] == translated[prediction.labels[columns]]
    return equal


def _rates(hits: IntArray, n_reference: IntArray, n_predicted: IntArray, has_answer: BoolArray) -> HitRates:
    """Precision, recall and F1 of counts; 1 if nothing was to be found and nothing was claimed; 0 without an answer."""
    nothing = np.where((n_reference == 0) & (n_predicted == 0) & has_answer, 1.0, 0.0)

    def over(numerator: IntArray, denominator: IntArray) -> FloatArray:
        return np.divide(numerator, denominator, out=nothing.copy(), where=denominator > 0)

    return HitRates(over(hits, n_predicted), over(hits, n_reference), over(2 * hits, n_reference + n_predicted))


def _hit_rates(
    reference: tuple[IntArray, IntArray], prediction: tuple[IntArray, IntArray], has_answer: BoolArray, window: int
) -> HitRates:
    n_recordings = len(has_answer)
    n_reference, n_predicted = (_count(side[0], n_recordings) for side in (reference, prediction))
    hits = _paired_points(reference[1], n_reference, prediction[1], n_predicted, window)
    return _rates(hits, n_reference, n_predicted, has_answer)


def _inner(boundaries: tuple[IntArray, IntArray]) -> tuple[IntArray, IntArray]:
    recordings, times = boundaries
    is_inner = np.zeros(len(times), dtype=np.bool_)
    is_inner[1:-1] = (recordings[1:-1] == recordings[:-2]) & (recordings[1:-1] == recordings[2:])
    return recordings[is_inner], times[is_inner]


def _paired_points(
    reference: IntArray, n_reference: IntArray, prediction: IntArray, n_predicted: IntArray, window: int
) -> IntArray:
    """Hits of each recording: pairs its sorted points from the left, one step of all recordings at a time."""
    hits = np.zeros(len(n_reference), dtype=np.int64)
    i_end, j_end = np.cumsum(n_reference), np.cumsum(n_predicted)
    recordings = np.flatnonzero((n_reference > 0) & (n_predicted > 0))
    i, j, i_end, j_end = (each[recordings] for each in (i_end - n_reference, j_end - n_predicted, i_end, j_end))
    while recordings.size:
        distance = prediction[j] - reference[i]
        reference_done, prediction_done = distance >= -window, distance <= window
        hits[recordings] += reference_done & prediction_done
        i, j = i + reference_done, j + prediction_done
        left = (i < i_end) & (j < j_end)
        if not left.all():
            recordings, i, j, i_end, j_end = (each[left] for each in (recordings, i, j, i_end, j_end))
    return hits
