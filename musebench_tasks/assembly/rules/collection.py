"""Rules on rows together: ids, repeated questions, clusters, shortcuts, the three configs of a repository."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.questions import Question
from musebench_tasks.assembly.rules.texts import plain_words
from musebench_tasks.assembly.schemas import MEDIA_TYPES, Schema
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import LETTERS
from musebench_tasks.base.text import few, shown

FEWEST_FOR_CLUSTERS = 20


class Placed(NamedTuple):
    """A problem and the position of its row; None for all rows together."""

    position: int | None
    problem: Problem


def id_flaws(names: Sequence[Any], numbers: Sequence[int], column: str) -> Iterator[Placed]:
    """Rows whose id an earlier row has; ids that differ in case alone would be one file on some machines."""
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if not isinstance(name, str) or not name:
            continue
        earlier = first.setdefault(name.casefold(), position)
        if earlier != position:
            same = "" if names[earlier] == name else f" as {shown(names[earlier])}"
            found = f"{shown(name)} stands in row {numbers[earlier]} already{same}."
            yield Placed(position, flaw("ID_DUPLICATE", column, found, "Give each row its own id."))


def question_flaws(questions: Sequence[Question], positions: Sequence[int], numbers: Sequence[int]) -> Iterator[Placed]:
    """Questions that are asked twice: about one medium, in almost the same words, or of several media."""
    keys = [_key(each) for each in questions]
    first: dict[tuple[Any, str], int] = {}
    repeated: dict[int, int] = {}
    for place, (key, question) in enumerate(zip(keys, questions, strict=True)):
        earlier = first.setdefault((key, question.medium), place)
        if earlier != place:
            repeated[place] = earlier
            found = f"the question of row {numbers[earlier]}, about the same medium."
            yield Placed(positions[place], flaw("ITEM_DUPLICATE", question.columns[0], found, "Remove one of the two."))
    texts = [" ".join((each.stem, *sorted(each.options))) for each in questions]
    told: set[int] = set(repeated)
    for one, other in near_duplicates(texts, [each.cluster for each in questions]):
        if other not in told and keys[one] != keys[other]:
            told.add(other)
            found = f"almost the words of row {numbers[one]}, of the same cluster."
            problem = flaw("NEAR_DUPLICATE", questions[other].columns[0], found, "Ask something else.")
            yield Placed(positions[other], problem)
    yield from repeated_questions(questions, keys, numbers)


def repeated_questions(questions: Sequence[Question], keys: Sequence[Any], numbers: Sequence[int]) -> Iterator[Placed]:
    """One problem for each question that is asked about several media with the same options."""
    rows: dict[Any, dict[str, int]] = defaultdict(dict)
    for place, (key, question) in enumerate(zip(keys, questions, strict=True)):
        rows[key].setdefault(question.medium, place)
    for media in rows.values():
        if len(media) > 1:
            places = list(media.values())
            named = ", ".join(str(numbers[place]) for place in places[:3])
            found = f"{len(media)} rows ({named}…) ask the same with the same options, about other media."
            problem = flaw(
                "QUESTION_REPEATED", questions[places[0]].columns[0], found, "Right where media are compared."
            )
            yield Placed(None, problem)


def _key(question: Question) -> tuple[str, tuple[str, ...]]:
    return " ".join(question.stem.casefold().split()), tuple(sorted(question.options))


def cluster_flaws(media: Sequence[Any], clusters: Sequence[str], numbers: Sequence[int]) -> Iterator[Placed]:
    """Rows of one medium in several clusters; all rows in one. `media`: what names each row's, None = unknown."""
    first: dict[Any, int] = {}
    for position, (medium, cluster) in enumerate(zip(media, clusters, strict=True)):
        if medium is None:
            continue
        earlier = first.setdefault(medium, position)
        if clusters[earlier] != cluster:
            other = f"row {numbers[earlier]} has the same medium and cluster {shown(clusters[earlier])}"
            found = f"{shown(cluster)}, but {other}."
            yield Placed(position, flaw("CLUSTER", "cluster_id", found, "Give rows of one source one cluster."))
    if len(clusters) >= FEWEST_FOR_CLUSTERS and len(set(clusters)) == 1:
        found = f"all {len(clusters)} rows are of cluster {shown(clusters[0])}: no interval can be computed."
        yield Placed(None, flaw("CLUSTER", "cluster_id", found, "Name the source of each row."))


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


FEWEST = 20
"""Questions; fewer say nothing."""
LEAST_P = 0.001
LEAST_Z = 3.5
"""Standard deviations above chance, with room for the choice of the best letter."""
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def shortcut_flaws(questions: Sequence[Question]) -> Iterator[Problem]:
    """Shortcuts that beat chance by more than luck."""
    usable = [each for each in questions if each.right and len(each.options) > len(each.right)]
    ordered = [each for each in usable if each.is_ordered and each.kind == "single" and len(each.right) == 1]
    if len(ordered) >= FEWEST:
        places = np.array([next(iter(each.right)) for each in ordered])
        counts = np.array([len(each.options) for each in ordered])
        yield from position_flaws(places, counts, ordered[0].columns[2])
    if len(usable) >= FEWEST:
        yield from longest_flaws(usable)


def position_flaws(places: IntArray, counts: IntArray, column: str) -> Iterator[Problem]:
    """Whether the right option's place is what shuffling gives, and whether one letter beats chance."""
    found, expected, covariance = place_counts(places, counts)
    statistic, p = place_test(found, expected, covariance)
    if p < LEAST_P:
        shares = ", ".join(
            f"{letter} {100 * one / places.size:.0f} % ({100 * other / places.size:.0f})"
            for letter, one, other in zip(LETTERS, found, expected, strict=False)
        )
        text = f"right options by place, expected in brackets: {shares}; chi-square {statistic:.1f}, p {p:.1g}."
        yield flaw("POSITION_IMBALANCE", column, text, "Store the options shuffled by seed.")
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    best = int(np.argmax((found - expected) / deviation))
    if (found[best] - expected[best]) / deviation[best] > LEAST_Z:
        hits, chance = found[best] / places.size, expected[best] / places.size
        text = f'"always {LETTERS[best]}" is right in {100 * hits:.0f} % of the questions, chance {100 * chance:.0f} %.'
        yield flaw("CONSTANT_LETTER", column, text, "Store the options shuffled by seed.")


def place_counts(places: IntArray, counts: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often each place is right, how often shuffling makes it so (sum of 1[j <= K]/K), and the covariance."""
    n_places = int(counts.max())
    found = np.bincount(places, minlength=n_places).astype(float)
    expected, covariance = np.zeros(n_places), np.zeros((n_places, n_places))
    for k, number in zip(*np.unique(counts, return_counts=True), strict=True):
        expected[:k] += number / k
        covariance[:k, :k] += number * (np.eye(k) / k - 1 / k**2)
    return found, expected, covariance


def place_test(found: FloatArray, expected: FloatArray, covariance: FloatArray) -> tuple[float, float]:
    """Chi-square of the counts and its p-value; Pearson's where all questions have equally many options."""
    difference = found - expected
    statistic = float(difference @ np.linalg.pinv(covariance) @ difference)
    return statistic, float(special.chdtrc(found.size - 1, statistic))


def longest_flaws(questions: Sequence[Question]) -> Iterator[Problem]:
    """Whether the longest option is right more often than chance; of equally long ones any is taken."""
    hits, chances = 0.0, []
    for question in questions:
        lengths = [len(text) for text in question.options]
        longest = [place for place, length in enumerate(lengths) if length == max(lengths)]
        hits += sum(place in question.right for place in longest) / len(longest)
        chances.append(len(question.right) / len(lengths))
    chance = np.array(chances)
    deviation = float(np.sqrt((chance * (1 - chance)).sum()))
    if hits - chance.sum() > LEAST_Z * deviation:
        share = f"{100 * hits / len(questions):.0f} % of {len(questions)} questions, chance {100 * chance.mean():.0f} %"
        text = f"the longest option is right in {share}."
        yield flaw("LONGEST_OPTION", questions[0].columns[1], text, "Write wrong options as long as right ones.")


Rows = Sequence[Mapping[str, Any]]


def config_flaws(schema: Schema, default: Rows, others: Mapping[str, Rows]) -> Iterator[tuple[str, Placed]]:
    """(config, flaw) for `blind` and `references` against `default`; rows without media, which are hashed elsewhere."""
    media = {column.name for column in schema.columns if column.type in MEDIA_TYPES}
    for config, rows in others.items():
        wanted = {column.name for column in schema.config(config)} - media
        columns = {name for row in rows for name in row} - media
        gold = {column.name for column in schema.columns if column.is_gold}
        if config == "blind":
            for name in sorted(columns & gold):
                problem = flaw("GOLD_IN_BLIND", name, "a column of gold.", "Build the repository again.")
                yield config, Placed(None, problem)
        for name in sorted((columns ^ wanted) - (gold if config == "blind" else set())):
            found = "is missing." if name in wanted else f"is no column of {config}."
            yield config, Placed(None, flaw("CONFIGS_DIFFER", name, found, "Build the repository again."))
        for placed in row_flaws(schema, default, rows):
            yield config, placed


def row_flaws(schema: Schema, default: Rows, rows: Rows) -> Iterator[Placed]:
    """Ids that only one of two configs has, and cells in which they differ."""
    media = {column.name for column in schema.columns if column.type in MEDIA_TYPES}
    known = {row.get(schema.id_column): row for row in default}
    names = [row.get(schema.id_column) for row in rows]
    repeated = Counter(names) - Counter(row.get(schema.id_column) for row in default)
    for text, absent in (
        ("default has rows that are not here", [name for name in known if name not in set(names)]),
        ("holds rows that default does not have", [name for name in names if name not in known]),
        (
            "holds rows more often than default",
            [name for name in repeated if name in known],
        ),
    ):
        if absent:
            found = f"{text}: {few([str(each) for each in absent])}."
            problem = flaw("CONFIGS_DIFFER", schema.id_column, found, "Build the repository again.")
            yield Placed(None, problem)
    for position, (name, row) in enumerate(zip(names, rows, strict=True)):
        other = known.get(name, {})
        for column in row:
            if column in other and column not in media and row[column] != other[column]:
                found = f"{shown(row[column])}, but {shown(other[column])} in default."
                yield Placed(position, flaw("CONFIGS_DIFFER", column, found, "Build the repository again."))
