"""Items that share a source belong together: checked arrays and sums over clusters."""

import numbers
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Values = Sequence[float] | Sequence[int] | Sequence[bool] | npt.NDArray[Any]
Clusters = Sequence[Hashable] | npt.NDArray[Any]


class ClusterNames(tuple[str, ...]):
    """Cluster names that are numbered once, however often they are asked for."""

    @cached_property
    def numbered(self) -> tuple[IntArray, int]:
        """`cluster_codes` of the names."""
        return _numbered(self)


def as_values(values: Values) -> FloatArray:
    """`values` as a one-dimensional float array; a number that is not finite is an InputError."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(_no_numbers(values)) from None
    if array.ndim != 1:
        raise InputError(f"Scores must be one list of numbers, but have {array.ndim} dimensions.")
    if not np.isfinite(array).all():
        position = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"Score {position} is {array[position]}: give a finite number for every item (0 for a miss).")
    return array


def _no_numbers(values: Any) -> str:
    for position, value in enumerate(values if isinstance(values, Iterable) else ()):
        if not isinstance(value, numbers.Real):
            return f"Score {position} is {value!r}: give a number for every item (0 for a miss)."
    return f"Scores must be one list of numbers, not {type(values).__name__}."


def cluster_codes(clusters: Clusters, n: int) -> tuple[IntArray, int]:
    """Each item's cluster as a number 0..G-1 in order of first appearance, and G."""
    if clusters is None or not hasattr(clusters, "__len__"):
        raise InputError(
            f"The clusters are {clusters!r}: give one cluster id an item, range({n}) for independent items."
        )
    if len(clusters) != n:
        raise InputError(f"{n} scores but {len(clusters)} cluster ids: give one cluster id an item.")
    if isinstance(clusters, range):
        return np.arange(n, dtype=np.int64), n
    if isinstance(clusters, ClusterNames):
        return clusters.numbered
    return _numbered(clusters.tolist() if isinstance(clusters, np.ndarray) else clusters)


def _numbered(names: Iterable[Hashable]) -> tuple[IntArray, int]:
    known: dict[Hashable, int] = {}
    try:
        codes = [known.setdefault(name, len(known)) for name in names]
    except TypeError:
        raise InputError("A cluster id is a text or a number, not a list or the like: give one an item.") from None
    return np.array(codes, dtype=np.int64), len(known)


def cluster_sums(columns: FloatArray, codes: IntArray, n_clusters: int) -> FloatArray:
    """Sums of each column of `columns` (items x columns) over clusters: clusters x columns."""
    sums = [np.bincount(codes, weights=column, minlength=n_clusters) for column in columns.T]
    return np.stack(sums, axis=1)
