"""Tempo: is a predicted tempo the reference tempo? (music_metrics.md 2)

Tempi are integers in micro-BPM (`values.micro`), so that the 4 % edge is exact: 41.6 against 40 BPM is a hit,
whatever the platform. Versions: `acc1/1` (the tempo itself), `acc2/1` (also twice, three times, half, a third).
"""

from collections.abc import Sequence
from types import NoneType

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures.versions import known_version
from musebench_tasks.values import MicroBpm, to_micro
from musebench_tasks.values.arguments import checked_arguments
from musebench_tasks.values.micro import micro_array

METRIC = "mub.tempo"
HEADLINE_VERSION = "acc1/1"
OCTAVE_FACTORS = ((1, 1), (2, 1), (3, 1), (1, 2), (1, 3))
"""Metrical levels as numerator and denominator: how many times the reference a prediction may be."""
_USUAL = 10**14
"""Micro-BPM: a hundred million beats per minute."""


def within_tolerance(prediction: MicroBpm, reference: MicroBpm, numerator: int = 1, denominator: int = 1) -> bool:
    """Whether `prediction` lies within 4 %, inclusive, of `reference` times numerator/denominator.

    25 |denominator·p - numerator·r| <= numerator·r in integers (MU-09; Gouyon et al. 2006 for the scaled tolerance).
    """
    return 25 * abs(denominator * prediction - numerator * reference) <= numerator * reference


def octave_factor(prediction: MicroBpm, reference: MicroBpm) -> tuple[int, int] | None:
    """The first metrical factor of `OCTAVE_FACTORS` under which the prediction hits, or None."""
    return next((f for f in OCTAVE_FACTORS if within_tolerance(prediction, reference, *f)), None)


@checked_arguments
def tempo_hit(*, reference: float, prediction: float | None, version: str = HEADLINE_VERSION) -> bool:
    """Whether a tempo in BPM hits: `acc1/1` within 4 % of the reference, `acc2/1` also of its double, triple, half or
    third.

    Formula: with micro-BPM integers p and r (decimal text times 10^6, half to even), acc1: 25 |p - r| <= r. acc2: for
    a factor a/b of 1, 2, 3, 1/2, 1/3: 25 |b p - a r| <= a r.

    Edge cases: the edge is a hit, on every platform (41.6 against 40 BPM); no, a non-finite or a non-positive
    prediction is a miss; a reference that is not finite and positive is an InputError; 150 against 100 (3:2) is no
    octave error.

    Example:
        >>> tempo_hit(reference=40, prediction=41.6)
        True
        >>> tempo_hit(reference=100, prediction=200), tempo_hit(reference=100, prediction=200, version="acc2/1")
        (False, True)

    Source: music_metrics.md 2; MU-09; Gouyon et al. 2006 for the scaled tolerance.
    """
    factors = _factors(version)
    right, found = _reference_tempo(reference), _predicted_tempo(prediction)
    return found is not None and any(within_tolerance(found, right, *factor) for factor in factors)


@checked_arguments
def tempo_hits(
    *, references: Sequence[float], predictions: Sequence[float | None], version: str = HEADLINE_VERSION
) -> npt.NDArray[np.bool_]:
    """`tempo_hit` of each recording; lists or arrays, NaN in an array for no prediction.

    >>> tempo_hits(references=[40, 100, 100], predictions=[41.6, 200, None]).tolist()
    [True, False, False]
    """
    if len(references) != len(predictions):
        raise InputError(f"{len(references)} reference tempi but {len(predictions)} predictions: give one each.")
    factors = _factors(version)
    right, found = _micro_arrays(references, predictions)
    if right is None or found is None or not ((right > 0) & (right < _USUAL)).all():
        pairs = zip(references, predictions, strict=True)
        return np.array([tempo_hit(reference=r, prediction=p, version=version) for r, p in pairs], dtype=np.bool_)
    # Far above all that is usual a prediction is a miss anyway, and products stay below 2^63.
    found = np.minimum(found, 10 * _USUAL)
    hits: npt.NDArray[np.bool_] = np.zeros(len(right), dtype=np.bool_)
    for numerator, denominator in factors:
        hits |= 25 * np.abs(denominator * found - numerator * right) <= numerator * right
    return hits & (found > 0)


@checked_arguments
def tempo_factor(*, reference: float, prediction: float | None) -> tuple[int, int] | None:
    """The factor (numerator, denominator) at which a tempo in BPM hits: (1, 1) right, (2, 1) twice too fast."""
    right, found = _reference_tempo(reference), _predicted_tempo(prediction)
    return None if found is None else octave_factor(found, right)


TEMPO_VERSIONS: dict[str, tuple[tuple[int, int], ...]] = {"acc1/1": OCTAVE_FACTORS[:1], "acc2/1": OCTAVE_FACTORS}
"""The factors under which a prediction may hit."""


def tempo_version(version: str) -> str:
    """`acc1/1` of `acc1/1` or `mub.tempo.acc1/1`; an InputError that lists the known ones for any other.

    >>> tempo_version("mub.tempo.acc2/1")
    'acc2/1'
    """
    return known_version(version, TEMPO_VERSIONS, METRIC)


def _factors(version: str) -> tuple[tuple[int, int], ...]:
    return TEMPO_VERSIONS[tempo_version(version)]


def _micro_arrays(*tempi: Sequence[float | None]) -> list[npt.NDArray[np.int64] | None]:
    """Micro-BPM of lists or arrays of plain numbers; None for one that holds anything else."""
    return [micro_array(each) if _is_plain(each) else None for each in tempi]


def _is_plain(tempi: Sequence[float | None]) -> bool:
    if isinstance(tempi, np.ndarray):
        return tempi.dtype.kind in "fiu"
    return all(type(each) in (float, NoneType) or (type(each) is int and abs(each) < _USUAL) for each in tempi)


def _reference_tempo(tempo: float) -> MicroBpm:
    micro = _predicted_tempo(tempo)
    if micro is None:
        raise InputError(f"Reference tempo {tempo!r} is no tempo. Give a finite number of beats per minute above 0.")
    return micro


def _predicted_tempo(tempo: float | None) -> MicroBpm | None:
    """Micro-BPM, or None for what can hit nothing."""
    if tempo is None:
        return None
    try:
        micro = to_micro(tempo)
    except ValueError:
        return None
    return micro if micro > 0 else None
