"""Position bias: does a system prefer a place in the list of options? (statistics.md 2.4)

Positions are letters, A = first. Shares are over parsed predictions, gold shares and expected shares over the same
items; the share of unparsed ones stands beside them. Relative standard deviation of recalls (RStd): Zheng et al. 2024.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import LETTERS, Interval
from musebench_tasks.statistics.clusters import Clusters, FloatArray, IntArray, cluster_codes
from musebench_tasks.statistics.compare import interval_of_difference
from musebench_tasks.statistics.errors import clustered_standard_error
from musebench_tasks.values.arguments import checked_arguments

FEWEST_GOLD = 20
"""RStd is left blank unless every position is right at least so often."""


class PositionBias(NamedTuple):
    """Where a system's single answers lie, against where the right ones lie. None = undefined.

    Distances compare predicted with gold shares. `chi_square` is on counts, with its p-value.
    """

    positions: tuple[str, ...]
    n: int
    unparsed_share: float | None = None
    predicted_share: tuple[float, ...] | None = None
    gold_share: tuple[float, ...] | None = None
    expected_share: tuple[float, ...] | None = None
    """What a guesser picks: mean over items of 1/K at the K positions an item has."""
    excess_first: float | None = None
    """Predicted minus gold share of the first position."""
    excess_first_error: float | None = None
    excess_first_interval: Interval | None = None
    rstd: float | None = None
    """Population standard deviation, in percentage points, of recall over gold positions."""
    jsd_bits: float | None = None
    total_variation: float | None = None
    chi_square: float | None = None
    chi_square_p: float | None = None


@checked_arguments
def position_bias(
    predicted: Sequence[str | None],
    gold: Sequence[str],
    n_options: int | Sequence[int],
    *,
    clusters: Clusters | None = None,
    fewest_gold: int = FEWEST_GOLD,
) -> PositionBias:
    """Whether a system prefers a place in the list of options. `predicted`: a letter an item, None or "" for no
    answer.

    Formula: predicted share P_j and gold share Q_j of each position over the answers read; expected share E_j = mean
    of 1[j <= K]/K; first-option excess P_A - Q_A with clustered interval; RStd = population standard deviation over
    gold positions of 100 · recall (no answer is a miss; within each option count, then averaged by items);
    Jensen-Shannon divergence of P and Q in bits (not its square root); total variation; Pearson's chi-square.

    Edge cases: RStd is None unless every position is right at least 20 times; a letter beyond an item's options is an
    InputError; without any answer read only the unparsed share is given.

    Example:
        >>> found = position_bias("AAAAABBAAACCAADDDDAA", "AAAAABBBBBCCCCCDDDDD", 4, fewest_gold=5)
        >>> round(found.rstd, 6), round(found.jsd_bits, 6), round(found.total_variation, 6)
        (24.494897, 0.103474, 0.35)

    Source: statistics.md 2.4; MB-58; Zheng et al. 2024 for RStd.
    """
    n = len(gold)
    counts = np.full(n, n_options) if isinstance(n_options, int) else np.asarray(n_options, dtype=np.int64)
    if len(predicted) != n or counts.size != n:
        raise InputError(
            f"{len(predicted)} predictions, {n} right letters, {counts.size} option counts: need one each."
        )
    if n == 0:
        return PositionBias(positions=(), n=0)
    chosen, right = _positions(predicted, counts, "predicted"), _positions(gold, counts, "right")
    if (right < 0).any():
        raise InputError(f"Item {int(np.argmax(right < 0))} has no right letter.")
    parsed = chosen >= 0
    bias = PositionBias(
        positions=tuple(LETTERS[: int(counts.max())]),
        n=n,
        unparsed_share=float(1 - parsed.mean()),
        rstd=recall_deviation(chosen, right, counts, fewest_gold=fewest_gold),
    )
    names = np.arange(n) if clusters is None else cluster_codes(clusters, n)[0]
    return _with_shares(bias, chosen[parsed], right[parsed], counts[parsed], names[parsed]) if parsed.any() else bias


def _with_shares(
    bias: PositionBias, chosen: IntArray, right: IntArray, n_options: IntArray, clusters: npt.NDArray[Any]
) -> PositionBias:
    """`bias` with what the answers that were read tell, at least one."""
    n_positions = len(bias.positions)
    p, q = _shares(chosen, n_positions), _shares(right, n_positions)
    chose_first, first_is_right = (chosen == 0).astype(float), (right == 0).astype(float)
    excess = chose_first - first_is_right
    chi_square, chi_square_p = chi_square_test(p, q, chosen.size)
    return bias._replace(
        predicted_share=tuple(p.tolist()),
        gold_share=tuple(q.tolist()),
        expected_share=tuple(expected_share(n_options, n_positions).tolist()),
        excess_first=float(excess.mean()),
        excess_first_error=clustered_standard_error(excess, clusters),
        excess_first_interval=interval_of_difference(chose_first, first_is_right, clusters),
        jsd_bits=jensen_shannon_bits(p, q),
        total_variation=float(np.abs(p - q).sum() / 2),
        chi_square=chi_square,
        chi_square_p=chi_square_p,
    )


def expected_share(n_options: npt.NDArray[np.int64], n_positions: int) -> FloatArray:
    """What a guesser chooses: E_j = mean over items of 1/K where the item has a position j.

    Example:
        >>> expected_share(np.array([4, 2]), 4).tolist()
        [0.375, 0.375, 0.125, 0.125]

    Source: statistics.md 2.4.
    """
    has = np.arange(n_positions) < n_options[:, None]
    share: FloatArray = (has / n_options[:, None]).mean(axis=0)
    return share


def recall_deviation(chosen: IntArray, right: IntArray, n_options: IntArray, *, fewest_gold: int) -> float | None:
    """RStd within each option count, then the mean over option counts weighted by items.

    An option count with a position that is right fewer than `fewest_gold` times is left out; None if all are.
    Positions count from 0; -1 = no answer, a miss.

    Example:
        >>> chosen, right = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
        >>> recall_deviation(chosen, right, np.array([2, 2, 2, 2]), fewest_gold=1)
        25.0

    Source: statistics.md 2.4; Zheng et al. 2024.
    """
    deviations, weights = [], []
    for n_positions in np.unique(n_options):
        here = n_options == n_positions
        gold = np.bincount(right[here], minlength=n_positions)
        if gold.min() < max(fewest_gold, 1):
            continue
        hits = np.bincount(right[here & (chosen == right)], minlength=n_positions)
        deviations.append(float(np.std(100 * hits / gold)))
        weights.append(int(here.sum()))
    return float(np.average(deviations, weights=weights)) if weights else None


@checked_arguments
def jensen_shannon_bits(p: FloatArray, q: FloatArray) -> float:
    """Jensen-Shannon divergence of two distributions in bits: 0 for equal ones, 1 for those that share nothing.

    Formula: (KL(p | m) + KL(q | m)) / 2 with m = (p + q) / 2 and logarithms to base 2; not its square root, which
    `scipy.spatial.distance.jensenshannon` gives (in nats, unless `base=2`).

    Example:
        >>> round(jensen_shannon_bits(np.array([0.6, 0.1, 0.1, 0.2]), np.full(4, 0.25)), 6)
        0.103474

    Source: statistics.md 2.4; Lin 1991.
    """
    middle = (p + q) / 2
    return float((special.rel_entr(p, middle).sum() + special.rel_entr(q, middle).sum()) / 2 / np.log(2))


def chi_square_test(p: FloatArray, q: FloatArray, n: int) -> tuple[float | None, float | None]:
    """Pearson's chi-square of shares `p` of `n` answers against shares `q`, and its p-value.

    Formula: n Σ (p - q)² / q, with one degree of freedom less than positions that are ever right.

    Edge cases: None, None where answers lie at a position that is never right, or only one position is ever right.

    Example:
        >>> value, p_value = chi_square_test(np.array([0.6, 0.1, 0.1, 0.2]), np.full(4, 0.25), 20)
        >>> round(value, 6), round(p_value, 4)
        (13.6, 0.0035)

    Source: statistics.md 2.4; Pearson 1900.
    """
    possible = q > 0
    degrees = int(possible.sum()) - 1
    if degrees < 1 or (p[~possible] > 0).any():
        return None, None
    value = float(n * np.sum((p[possible] - q[possible]) ** 2 / q[possible]))
    return value, float(special.chdtrc(degrees, value))


@checked_arguments
def inclusion_ratio(
    predicted: Sequence[Collection[str]], gold: Sequence[Collection[str]]
) -> dict[str, tuple[float, float, float | None]]:
    """Multi-select: by letter, the share of items whose answer includes it, the same for gold, and their quotient.

    The quotient is None for a position that is never right. An item without an answer includes no position.

    Example:
        >>> inclusion_ratio(["AB", "A"], ["AB", "B"])
        {'A': (1.0, 0.5, 2.0), 'B': (0.5, 1.0, 0.5)}

    Source: statistics.md 2.4.
    """
    if len(predicted) != len(gold) or not gold:
        raise InputError(
            f"{len(predicted)} predicted and {len(gold)} right sets: need one each, and at least one item."
        )
    result: dict[str, tuple[float, float, float | None]] = {}
    for letter in sorted({letter for letters in (*predicted, *gold) for letter in letters}):
        included = sum(letter in letters for letters in predicted) / len(gold)
        right = sum(letter in letters for letters in gold) / len(gold)
        result[letter] = (included, right, included / right if right else None)
    return result


def _positions(letters: Sequence[str | None], n_options: IntArray, what: str) -> IntArray:
    numbers = {letter: number for number, letter in enumerate(LETTERS)}
    found = np.array([numbers.get(letter, len(LETTERS)) if letter else -1 for letter in letters], dtype=np.int64)
    beyond = found >= n_options
    if beyond.any():
        item = int(np.argmax(beyond))
        raise InputError(f"Item {item}: {what} letter {letters[item]!r} is none of its {n_options[item]} options.")
    return found


def _shares(positions: IntArray, n_positions: int) -> FloatArray:
    share: FloatArray = np.bincount(positions, minlength=n_positions) / positions.size
    return share
