"""Items that share a source belong together: checked arrays and sums over clusters."""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from musebench_tasks.errors import InputError

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
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"Scores must be one list of numbers, but have {array.ndim} dimensions.")
    if not np.isfinite(array).all():
        position = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"Score {position} is {array[position]}: give a finite number for every item (0 for a miss).")
    return array


def cluster_codes(clusters: Clusters, n: int) -> tuple[IntArray, int]:
    """Each item's cluster as a number 0..G-1 in order of first appearance, and G."""
    if len(clusters) != n:
        raise InputError(f"{n} scores but {len(clusters)} cluster ids: give one cluster id an item.")
    if isinstance(clusters, range):
        return np.arange(n, dtype=np.int64), n
    if isinstance(clusters, ClusterNames):
        return clusters.numbered
    return _numbered(clusters.tolist() if isinstance(clusters, np.ndarray) else clusters)


def _numbered(names: Iterable[Hashable]) -> tuple[IntArray, int]:
    numbers: dict[Hashable, int] = {}
    codes = [numbers.setdefault(name, len(numbers)) for name in names]
    return np.array(codes, dtype=np.int64), len(numbers)


def cluster_sums(columns: FloatArray, codes: IntArray, n_clusters: int) -> FloatArray:
    """Sums of each column of `columns` (items x columns) over clusters: clusters x columns."""
    sums = [np.bincount(codes, weights=column, minlength=n_clusters) for column in columns.T]
    return np.stack(sums, axis=1)
