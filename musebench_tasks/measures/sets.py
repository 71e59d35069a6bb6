"""Sets of answers: precision, recall, F1 and exact match of multi-select items (statistics.md 2.2).

Answers are collections of option ids or labels, compared as sets: order and repetition mean nothing. None or an empty
answer scores 0 and stays in every denominator. The same from bit masks (bit j = option j) for whole arrays at once.
"""

from collections.abc import Collection, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.values.arguments import checked_arguments

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Answer = Collection[Hashable]

MOST_OPTIONS = 62
"""So many options fit into the bits of one mask."""
_TABLE_BITS = 16


class SetScores(NamedTuple):
    """Precision, recall, F1 and exact match of each item's set."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray
    exact_match: FloatArray


class MicroSetScores(NamedTuple):
    """Precision, recall and F1 of summed counts. None = nothing was predicted (or asked)."""

    precision: float | None
    recall: float | None
    f1: float | None


class SetCounts(NamedTuple):
    """How many options of each item are predicted and right, predicted, right."""

    common: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    gold: npt.NDArray[Any]


@checked_arguments
def set_scores(predicted_sets: Sequence[Answer | None], gold_sets: Sequence[Answer]) -> SetScores:
    """Precision, recall, F1 and exact match of each item's set; their means over items are the reported scores.

    Formula: P = |p ∩ g| / |p|, R = |p ∩ g| / |g|, F1 = 2 |p ∩ g| / (|p| + |g|), exact match = 1 if p = g, else 0. Means
    are over items (sample-averaged): the mean F1 is not the F1 of mean P and mean R.

    Edge cases: no answer (None) and an empty set score 0 in all four; order and repetition mean nothing; an item
    without a right option and lists of unequal length are an InputError.

    Example:
        >>> scores = set_scores(["AC", "B", "ABCD", None, "AB"], ["ACE", "BD", "AB", "AB", "AB"])
        >>> [round(float(each.mean()), 6) for each in scores]
        [0.7, 0.633333, 0.626667, 0.2]

    Source: statistics.md 2.2; MB-53.
    """
    return set_scores_of_counts(set_counts(predicted_sets, gold_sets))


@checked_arguments
def micro_set_scores(predicted_sets: Sequence[Answer | None], gold_sets: Sequence[Answer]) -> MicroSetScores:
    """Precision, recall and F1 from counts summed over all items: secondary, always named micro.

    Formula: P = Σ|p ∩ g| / Σ|p|, R = Σ|p ∩ g| / Σ|g|, F1 = 2 Σ|p ∩ g| / (Σ|p| + Σ|g|).

    Edge cases: nothing predicted anywhere leaves precision undefined (None), recall and F1 are 0; without items all
    three are None; an item without a right option is an InputError.

    Example:
        >>> scores = micro_set_scores(["AC", "B", "ABCD", "", "AB"], ["ACE", "BD", "AB", "AB", "AB"])
        >>> [round(each, 6) for each in scores]
        [0.777778, 0.636364, 0.7]

    Source: statistics.md 2.2; MB-53.
    """
    return _micro(set_counts(predicted_sets, gold_sets))


@checked_arguments
def exact_match(predicted_sets: Sequence[Answer | None], gold_sets: Sequence[Answer]) -> FloatArray:
    """1 where the predicted set is the right one, else 0, of each item.

    Formula: 1 if p = g, else 0; accuracy on all items, exact match (EM) on multi-select items.

    Edge cases: no answer and an empty set are 0; a part of the right set is 0.

    Example:
        >>> exact_match(["BA", "A", None], ["AB", "AB", "AB"]).tolist()
        [1.0, 0.0, 0.0]

    Source: statistics.md 2.2; MB-52.
    """
    return set_scores(predicted_sets, gold_sets).exact_match


@checked_arguments
def encode_sets(answers: Sequence[Answer | None], options: Sequence[Hashable]) -> IntArray:
    """Answers as bit masks for `set_scores_of_masks`: bit j is set where the answer holds `options[j]`; 0 = no answer.

    Formula: Σ_j 2^j [options[j] ∈ answer].

    Edge cases: None and an empty answer are 0; an option that is not among `options`, one named twice there, and more
    than 62 options are an InputError.

    Example:
        >>> encode_sets([{0, 3}, {1, 2}, None], options=range(4)).tolist()
        [9, 6, 0]

    Source: faults_scoring.md 45.
    """
    if len(options) > MOST_OPTIONS or len(set(options)) < len(options):
        raise InputError(f"{len(options)} options: give each once, and at most {MOST_OPTIONS}.")
    bits = {option: 1 << place for place, option in enumerate(options)}
    unknown = next((each for answer in answers for each in answer or () if each not in bits), None)
    if unknown is not None:
        raise InputError(f"{unknown!r} is none of the options {', '.join(map(str, options))}.")
    return np.array([sum(bits[each] for each in set(answer or ())) for answer in answers], dtype=np.int64)


@checked_arguments
def set_scores_of_masks(predicted: npt.ArrayLike, gold: npt.ArrayLike) -> SetScores:
    """`set_scores` of answers encoded as bit masks (`encode_sets`): the same numbers, for arrays of millions.

    Formula: with |m| the number of bits set in m: P = |p & g| / |p|, R = |p & g| / |g|, F1 = 2 |p & g| / (|p| + |g|),
    exact match = 1 if p = g.

    Edge cases: mask 0 is no answer and scores 0 in all four; a right mask of 0, a negative mask, numbers that are no
    integers and arrays of unequal length are an InputError.

    Example:
        >>> scores = set_scores_of_masks([0b0101, 0b0010, 0], [0b0101, 0b0110, 0b1000])
        >>> [each.round(3).tolist() for each in scores]
        [[1.0, 1.0, 0.0], [1.0, 0.5, 0.0], [1.0, 0.667, 0.0], [1.0, 0.0, 0.0]]

    Source: statistics.md 2.2; MB-53.
    """
    return set_scores_of_counts(_mask_counts(*_masks(predicted, gold)))


@checked_arguments
def micro_set_scores_of_masks(predicted: npt.ArrayLike, gold: npt.ArrayLike) -> MicroSetScores:
    """`micro_set_scores` of answers encoded as bit masks."""
    return _micro(_mask_counts(*_masks(predicted, gold)))


@checked_arguments
def set_scores_of_counts(counts: SetCounts) -> SetScores:
    """Precision, recall, F1 and exact match of each item from its counts."""
    common, predicted, gold = counts
    size = predicted + gold
    exact = (common == predicted) & (common == gold)
    return SetScores(
        precision=np.divide(common, np.maximum(predicted, 1), dtype=np.float64),
        recall=np.divide(common, gold, dtype=np.float64),
        f1=np.divide(common + common, size, dtype=np.float64),
        exact_match=exact.astype(np.float64),
    )


def _micro(counts: SetCounts) -> MicroSetScores:
    common, predicted, gold = (int(each.sum(dtype=np.int64)) for each in counts)
    return MicroSetScores(
        precision=common / predicted if predicted else None,
        recall=common / gold if gold else None,
        f1=2 * common / (predicted + gold) if predicted + gold else None,
    )


@checked_arguments
def set_counts(predicted_sets: Sequence[Answer | None], gold_sets: Sequence[Answer]) -> SetCounts:
    """What `set_scores` and `micro_set_scores` are made of, for whoever wants both."""
    if len(predicted_sets) != len(gold_sets):
        raise InputError(f"{len(predicted_sets)} predicted sets but {len(gold_sets)} right ones: give one each.")
    masks = _Masks()
    try:
        gold = np.array([masks[tuple(answer)] for answer in gold_sets], dtype=np.int64)
        predicted = np.array([masks[tuple(answer)] if answer else 0 for answer in predicted_sets], dtype=np.int64)
    except _TooManyOptionsError:
        return _counts_set_by_set(predicted_sets, gold_sets)
    _require_right_option(gold)
    return _mask_counts(predicted, gold)


def _counts_set_by_set(predicted_sets: Sequence[Answer | None], gold_sets: Sequence[Answer]) -> SetCounts:
    """Where every item has options of its own and one mask cannot hold them all."""
    gold = [frozenset(answer) for answer in gold_sets]
    sizes = np.array([len(each) for each in gold], dtype=np.int64)
    _require_right_option(sizes)
    predicted = [frozenset(answer or ()) for answer in predicted_sets]
    common = [len(ours & right) for ours, right in zip(predicted, gold, strict=True)]
    return SetCounts(np.array(common, dtype=np.int64), np.array([len(each) for each in predicted]), sizes)


class _TooManyOptionsError(Exception):
    """More different options than a mask has bits."""


class _Masks(dict[tuple[Hashable, ...], int]):
    """The bit mask of each answer; options get their bits as they come. Few answers differ: each is made once."""

    def __init__(self) -> None:
        super().__init__()
        self._bits: dict[Hashable, int] = {}

    def __missing__(self, answer: tuple[Hashable, ...]) -> int:
        mask = 0
        for option in answer:
            mask |= 1 << self._bits.setdefault(option, len(self._bits))
        if len(self._bits) > MOST_OPTIONS:
            raise _TooManyOptionsError
        self[answer] = mask
        return mask


def _masks(predicted: npt.ArrayLike, gold: npt.ArrayLike) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    ours, right = np.asarray(predicted), np.asarray(gold)
    if ours.ndim != 1 or ours.shape != right.shape:
        raise InputError(f"{ours.size} predicted masks but {right.size} right ones: give one each.")
    if ours.size == 0:
        return ours.astype(np.int64), right.astype(np.int64)
    for name, masks in (("predicted", ours), ("right", right)):
        if masks.dtype.kind not in "iu":
            raise InputError(f"The {name} masks are {masks.dtype}: give integers, one bit an option.")
        if masks.dtype.kind == "i" and masks.min() < 0:
            raise InputError(f"Item {int(masks.argmin())}: the {name} mask is negative. Bit j stands for option j.")
    _require_right_option(right)
    return ours, right


def _require_right_option(gold: npt.NDArray[Any]) -> None:
    if gold.size and not gold.all():
        raise InputError(f"Item {int(gold.argmin())} has no right option: every question needs at least one.")


def _mask_counts(predicted: npt.NDArray[Any], gold: npt.NDArray[Any]) -> SetCounts:
    return SetCounts(_bit_counts(predicted & gold), _bit_counts(predicted), _bit_counts(gold))


def _bit_counts(masks: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """How many bits are set in each mask."""
    if masks.dtype.itemsize * 8 <= _TABLE_BITS or masks.size == 0:
        return _BITS.take(masks)
    counts = _BITS.take(masks & _LOW_BITS)
    highest = int(masks.max()) >> _TABLE_BITS
    while highest:
        masks = masks >> _TABLE_BITS
        counts += _BITS.take(masks & _LOW_BITS)
        highest >>= _TABLE_BITS
    return counts


_LOW_BITS = (1 << _TABLE_BITS) - 1
_BITS = np.array([number.bit_count() for number in range(1 << _TABLE_BITS)], dtype=np.uint8)
