"""Structure of many recordings at once: the pairwise score and V-measure as arrays (music_metrics.md 5.5).

All recordings lie one after the other on one line that is cut at every boundary of either side; the time of each pair
of labels is then summed over the pieces. Durations are exact. Takes `IntervalTable`s: intervals are disjoint.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures.segments_many import (
    FloatArray,
    IntArray,
    IntervalTable,
    on_one_line,
    require_alike,
    span_of,
)
from musebench_tasks.measures.structure import GAP
from musebench_tasks.values.arguments import checked_arguments


class Structures(NamedTuple):
    """`Structure` of each recording."""

    precision: FloatArray
    recall: FloatArray
    f: FloatArray


class _Times(NamedTuple):
    """Times under labels, or pairs of them: each one's recording and microseconds."""

    recordings: IntArray
    micros: FloatArray


class LabelTimes(NamedTuple):
    """How long each recording is under each pair of labels, each reference label, each predicted label."""

    joint: _Times
    reference: _Times
    prediction: _Times
    durations: FloatArray
    is_scored: npt.NDArray[np.bool_]
    """False for a recording without a predicted interval."""


@checked_arguments
def pairwise_scores(*, reference: IntervalTable, prediction: IntervalTable, durations: npt.ArrayLike) -> Structures:
    """`pairwise_score` of each recording; `durations` are whole microseconds.

    Formula: P = ΣC²/Σ_j(Σ_i C)², R = ΣC²/Σ_i(Σ_j C)², F their harmonic mean, with C_ij = time under reference label i
    and predicted label j.

    Edge cases: no answer or an empty one: 0; uncovered time has the label `<gap>`; an interval that ends after its
    recording, or a duration that is no whole number above 0, is an InputError.

    Example:
        >>> from musebench_tasks.measures.segments_many import interval_table
        >>> from musebench_tasks.values import Span
        >>> aba = interval_table([[Span(0, 10, "a"), Span(10, 20, "b"), Span(20, 30, "a")]])
        >>> one = interval_table([[Span(0, 30, "x")]])
        >>> [round(float(each[0]), 6) for each in pairwise_scores(reference=aba, prediction=one, durations=[30])]
        [0.555556, 1.0, 0.714286]

    Source: music_metrics.md 5.5 and 12; Levy and Sandler 2008.
    """
    return pairwise_of_times(label_times(reference=reference, prediction=prediction, durations=durations))


@checked_arguments
def v_measures(*, reference: IntervalTable, prediction: IntervalTable, durations: npt.ArrayLike) -> Structures:
    """`v_measure` of each recording; `durations` are whole microseconds.

    Formula: precision 1 - H(E|R)/H(E), recall 1 - H(R|E)/H(R), F their harmonic mean, over the time under each pair of
    labels.

    Edge cases: 1 where a side has one label only; else as of `pairwise_scores`.

    Example:
        >>> from musebench_tasks.measures.segments_many import interval_table
        >>> from musebench_tasks.values import Span
        >>> aba = interval_table([[Span(0, 10, "a"), Span(10, 20, "b"), Span(20, 30, "a")]])
        >>> xyz = interval_table([[Span(0, 10, "x"), Span(10, 20, "y"), Span(20, 30, "z")]])
        >>> [round(float(each[0]), 5) for each in v_measures(reference=aba, prediction=xyz, durations=[30])]
        [0.57938, 1.0, 0.73368]

    Source: music_metrics.md 5.5 and 12; Rosenberg and Hirschberg 2007.
    """
    return v_measures_of_times(label_times(reference=reference, prediction=prediction, durations=durations))


@checked_arguments
def pairwise_of_times(times: LabelTimes) -> Structures:
    """`pairwise_scores` where the times under labels are known already."""
    joint, right, found = (
        _sums(each, each.micros**2, times) for each in (times.joint, times.reference, times.prediction)
    )
    return _with_harmonic_mean(joint / found, joint / right, times)


@checked_arguments
def v_measures_of_times(times: LabelTimes) -> Structures:
    """`v_measures` where the times under labels are known already."""
    joint, right, found = (_entropies(each, times) for each in (times.joint, times.reference, times.prediction))
    one_right, one_found = (_sums(each, np.ones_like(each.micros), times) == 1 for each in times[1:3])
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(one_found, 1.0, 1 - (joint - right) / found)
        recall = np.where(one_right, 1.0, 1 - (joint - found) / right)
    # Differences of logarithms may leave [0, 1] by their last digit.
    return _with_harmonic_mean(np.clip(precision, 0.0, 1.0), np.clip(recall, 0.0, 1.0), times)


@checked_arguments
def label_times(*, reference: IntervalTable, prediction: IntervalTable, durations: npt.ArrayLike) -> LabelTimes:
    """Microseconds of each recording under each pair of labels, uncovered time under `<gap>`.

    Raises InputError for a duration that is no whole number above 0, and where an interval ends after its recording.
    """
    n_recordings = require_alike(reference, prediction)
    lengths = _checked_durations(durations, reference, prediction)
    span = span_of(n_recordings, int(lengths.max(initial=0)))
    starts, recordings, micros = _pieces(reference, prediction, lengths, span)
    right, right_names = _labels_at(reference, starts, span)
    found, found_names = _labels_at(prediction, starts, span)
    pairs, joint = _summed((recordings * right_names + right) * found_names + found, micros)
    rights, of_reference = _summed(pairs // found_names, joint)
    founds, of_prediction = _summed(pairs // (right_names * found_names) * found_names + pairs % found_names, joint)
    return LabelTimes(
        joint=_Times(pairs // (right_names * found_names), joint),
        reference=_Times(rights // right_names, of_reference),
        prediction=_Times(founds // found_names, of_prediction),
        durations=lengths.astype(np.float64),
        is_scored=prediction.counts > 0,
    )


def _checked_durations(durations: npt.ArrayLike, *sides: IntervalTable) -> IntArray:
    lengths = np.asarray(durations)
    n_recordings = sides[0].n_recordings
    if lengths.shape != (n_recordings,) or (n_recordings and lengths.dtype.kind not in "iu"):
        raise InputError(f"durations must be {n_recordings} whole numbers of microseconds, one a recording.")
    if (lengths <= 0).any():
        number = int(np.argmax(lengths <= 0))
        raise InputError(f"Recording {number} lasts {lengths[number]} µs: a duration must be above 0.")
    for side in sides:
        beyond = side.ends > lengths[side.recordings]
        if beyond.any():
            number = int(side.recordings[np.argmax(beyond)])
            raise InputError(
                f"Recording {number}: an interval ends after {lengths[number] / 1e6:g} s, its end. Clip it first."
            )
    return lengths.astype(np.int64)


def _pieces(
    reference: IntervalTable, prediction: IntervalTable, lengths: IntArray, span: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Start on the line, recording and length of every stretch between two successive boundaries of either side."""
    numbers = np.arange(len(lengths), dtype=np.int64)
    ends = [on_one_line(*side.boundaries, span) for side in (reference, prediction)]
    cuts: IntArray = np.sort(np.concatenate([numbers * span, on_one_line(numbers, lengths, span), *ends]))
    recordings = cuts // span
    is_piece = (cuts[1:] > cuts[:-1]) & (recordings[1:] == recordings[:-1])
    return cuts[:-1][is_piece], recordings[:-1][is_piece], (cuts[1:] - cuts[:-1])[is_piece].astype(np.float64)


def _labels_at(side: IntervalTable, places: IntArray, span: int) -> tuple[IntArray, int]:
    """The number of the label at each place on the line, and how many there are; `<gap>` where nothing covers it."""
    names = side.names if GAP in side.names else (*side.names, GAP)
    gap = names.index(GAP)
    if not len(side.starts):
        return np.full(len(places), gap, dtype=np.int64), len(names)
    starts, ends = (on_one_line(side.recordings, each, span) for each in (side.starts, side.ends))
    last = np.searchsorted(starts, places, side="right") - 1
    covered = (last >= 0) & (ends[last] > places)
    labels: IntArray = np.where(covered, side.labels[last], gap)
    return labels, len(names)


def _summed(keys: IntArray, micros: FloatArray) -> tuple[IntArray, FloatArray]:
    """Distinct keys in order, and the time of each."""
    if (keys[1:] < keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        keys, micros = keys[order], micros[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[firsts], np.add.reduceat(micros, firsts) if len(firsts) else micros


def _sums(times: _Times, values: FloatArray, of: LabelTimes) -> FloatArray:
    """Sum of the values of each recording."""
    return np.asarray(np.bincount(times.recordings, weights=values, minlength=len(of.durations)), dtype=np.float64)


def _entropies(times: _Times, of: LabelTimes) -> FloatArray:
    shares = times.micros / of.durations[times.recordings]
    return -_sums(times, shares * np.log(shares), of)


def _with_harmonic_mean(precision: FloatArray, recall: FloatArray, times: LabelTimes) -> Structures:
    precision, recall = (np.where(times.is_scored, each, 0.0) for each in (precision, recall))
    together = precision + recall
    f = np.divide(2 * precision * recall, together, out=np.zeros_like(together), where=together > 0)
    return Structures(precision, recall, f)
