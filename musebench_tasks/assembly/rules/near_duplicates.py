"""Texts of one group that hold almost the same words, found in time linear in their number.

Each text becomes the set of its runs of three words; 16 minima of hashed runs, in 8 bands of two, name the pairs that
may be alike (MinHash); of those, the exact share of common runs decides. Hashes are CRC-32 and integer mixing, so that
every machine finds the same pairs.
"""

import zlib
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from musebench_tasks.assembly.rules.words import plain_words

RUN = 3
BANDS, ROWS_PER_BAND = 8, 2
SHARE = 0.6
"""Texts with at least this share of common runs (Jaccard) are near-duplicates."""
_CHUNK = 20_000
_GOLDEN, _LARGEST = 0x9E3779B97F4A7C15, (1 << 64) - 1
Hashes = npt.NDArray[np.uint64]


def near_duplicates(texts: Sequence[str], groups: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs (earlier, later) of positions in `texts` of the same group whose words are almost the same.

    A text is named with at most a few earlier ones: where many are alike, not every pair is listed.
    """
    if len(texts) < 2:
        return []
    words = [plain_words(text) for text in texts]
    chunks = [minima(words[start : start + _CHUNK]) for start in range(0, len(words), _CHUNK)]
    signatures = np.concatenate(chunks, axis=1)
    group_hashes = _codes([groups])
    pairs: set[tuple[int, int]] = set()
    for band in range(BANDS):
        keys = mixed(group_hashes + np.uint64(band))
        for row in range(ROWS_PER_BAND):
            keys = mixed(keys ^ signatures[band * ROWS_PER_BAND + row])
        pairs.update(_neighbours(keys))
    return sorted(
        (one, other)
        for one, other in pairs
        if groups[one] == groups[other] and similarity(words[one], words[other]) >= SHARE
    )


def similarity(first: Sequence[str], second: Sequence[str]) -> float:
    """Share of the runs of words of two texts that both have."""
    one, other = _runs(first), _runs(second)
    return len(one & other) / len(one | other) if one or other else 1.0


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1))}


def minima(texts: Sequence[Sequence[str]]) -> Hashes:
    """The smallest hashes of the runs of each text, one row a hash function, one column a text."""
    lengths = np.array([len(words) for words in texts])
    padded = np.maximum(lengths, 1) + RUN - 1
    starts = np.concatenate([[0], np.cumsum(padded)[:-1]])
    flat = np.zeros(int(padded.sum()) + RUN, dtype=np.uint64)
    flat[_positions(starts, lengths)] = _codes(texts)
    runs = flat[:-RUN].copy()
    for offset in range(1, RUN):
        runs = mixed(runs) ^ flat[offset : offset - RUN]
    runs = mixed(runs)
    outside = np.ones(runs.size, dtype=bool)
    outside[_positions(starts, np.maximum(lengths - RUN + 1, 1))] = False
    found = []
    for number in range(BANDS * ROWS_PER_BAND):
        values = runs * np.uint64(((2 * number + 1) * _GOLDEN & _LARGEST) | 1)
        values[outside] = _LARGEST
        found.append(np.minimum.reduceat(values, starts))
    return np.array(found)


def _positions(starts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The positions start, start + 1, … of every text."""
    inside = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(starts, counts) + inside


def mixed(values: Hashes) -> Hashes:
    """Numbers whose bits all depend on all bits of `values` (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed_values: Hashes = values ^ (values >> np.uint64(31))
    return mixed_values


def _neighbours(keys: Hashes) -> Iterator[tuple[int, int]]:
    """Positions with equal keys: each with the one before it, and with the first of its key."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    same = ordered[1:] == ordered[:-1]
    is_first = np.concatenate([[True], ~same])
    firsts = order[np.maximum.accumulate(np.where(is_first, np.arange(order.size), 0))]
    later = order[1:][same]
    yield from zip(order[:-1][same].tolist(), later.tolist(), strict=True)
    yield from zip(firsts[1:][same].tolist(), later.tolist(), strict=True)


def _codes(texts: Sequence[Sequence[str]]) -> Hashes:
    """The CRC-32 of every word of all texts, one after the other."""
    flat = list(chain.from_iterable(texts))
    code = {word: zlib.crc32(word.encode("utf-8", "replace")) for word in set(flat)}
    return np.array([code[word] for word in flat], dtype=np.uint64)
