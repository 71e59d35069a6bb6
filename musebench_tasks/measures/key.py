"""Key: how much is a predicted key worth against the reference key? (music_metrics.md 1)

Every version is a table of credits, reference x prediction, over the 24 keys. Versions:

- `exact/1`: the same key;
- `symmetric/2` (headline): the same key or its relative, in either direction;
- `mirex_symmetric/1`: 1 the same, .5 a fifth up or down in the same mode, .3 relative, .2 parallel;
- `mirex_ascending/1`: the same with the ascending fifth only, equal to mir_eval's `weighted_score`. Past MIREX
  results use the symmetric one: never print one under the other's name;
- `legacy_directional_a/1`, `legacy_directional_b/1`: reconstructions of a directional rule, kept for comparison.
  b takes every key a major sixth up in the other mode for the relative and so credits A minor with F# major.

Scores take `reference` and `prediction` by keyword only: the positional order differs between libraries.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures.versions import known_version
from musebench_tasks.values import PitchKey, parse_key_name, relative
from musebench_tasks.values.arguments import checked_arguments

METRIC = "mub.key"
HEADLINE_VERSION = "symmetric/2"
MODES = ("major", "minor")
KEYS = tuple(PitchKey(pitch_class, mode) for mode in MODES for pitch_class in range(12))
"""The 24 keys in the order of the tables: C major .. B major, C minor .. B minor."""

NO_KEY = -1


@checked_arguments
def key_score(*, reference: str, prediction: str | None, version: str = HEADLINE_VERSION) -> float:
    """Credit of a predicted key, 0 to 1, under a version of the definition.

    Formula: both keys become pitch class and mode, whatever their spelling; the credit stands in a 24 x 24 table.

    Edge cases: no answer, a bare tonic, a mode other than major and minor or any other text that names no key scores
    0; a reference that names no key is an InputError; enharmonic spellings are the same key.

    Example:
        >>> key_score(reference="C major", prediction="A minor")
        1.0
        >>> key_score(reference="C major", prediction="A minor", version="exact/1")
        0.0
        >>> key_score(reference="Gb major", prediction="F#")
        0.0

    Source: music_metrics.md 1.1 and 1.2; MU-10.
    """
    table = key_table(version)
    right, found = key_index(_reference_key(reference)), key_index(_parsed(prediction))
    return 0.0 if found == NO_KEY else float(table[right, found])


@checked_arguments
def key_scores(
    *, references: Sequence[str], predictions: Sequence[str | None], version: str = HEADLINE_VERSION
) -> npt.NDArray[np.float64]:
    """`key_score` of each recording."""
    if len(references) != len(predictions):
        raise InputError(f"{len(references)} reference keys but {len(predictions)} predictions: give one each.")
    table = key_table(version)
    right = {text: key_index(_reference_key(text)) for text in set(references)}
    found = {text: key_index(_parsed(text)) for text in set(predictions)}
    rows = np.array([right[text] for text in references], dtype=np.int64)
    columns = np.array([found[text] for text in predictions], dtype=np.int64)
    scores: npt.NDArray[np.float64] = np.where(columns == NO_KEY, 0.0, table[rows, columns])
    return scores


def key_index(key: PitchKey | None) -> int:
    """Row or column of a key in `KEYS`; -1 for none."""
    return NO_KEY if key is None else key.pitch_class + 12 * MODES.index(key.mode)


def key_version(version: str) -> str:
    """`exact/1` of `exact/1` or `mub.key.exact/1`; an InputError that lists the known ones for any other.

    >>> key_version("mub.key.exact/1")
    'exact/1'
    """
    return known_version(version, KEY_VERSIONS, METRIC)


def key_table(version: str) -> npt.NDArray[np.float64]:
    """Credits of a version, reference (row) x prediction (column), in the order of `KEYS`; read-only."""
    return _table(key_version(version))


@cache
def _table(version: str) -> npt.NDArray[np.float64]:
    credit = KEY_VERSIONS[version]
    table = np.array([[credit(reference, prediction) for prediction in KEYS] for reference in KEYS])
    table.flags.writeable = False
    return table


def exact(reference: PitchKey, prediction: PitchKey) -> float:
    """1 for the same key, else 0.

    Formula: 1 if p = r.

    Edge cases: enharmonic spellings are the same key; uniform guessing expects 1/24.

    Example:
        >>> key_score(reference="Gb major", prediction="F# major", version="exact/1")
        1.0
        >>> key_score(reference="C major", prediction="A minor", version="exact/1")
        0.0

    Source: music_metrics.md 1.1.
    """
    return float(prediction == reference)


def symmetric(reference: PitchKey, prediction: PitchKey) -> float:
    """1 for the same key or its relative, in both directions, else 0. The repaired metric of the benchmark.

    Formula: 1 if p = r or p = rel(r), with rel(major at pitch class c) = minor at (c + 9) mod 12 and rel(minor at c) =
    major at (c + 3) mod 12; rel(rel(r)) = r, so that the table is symmetric.

    Edge cases: 48 of the 576 pairs score; uniform guessing expects 1/12.

    Example:
        >>> key_score(reference="C major", prediction="A minor", version="symmetric/2")
        1.0
        >>> key_score(reference="A minor", prediction="C major", version="symmetric/2")
        1.0

    Source: music_metrics.md 1.1; repairs paper section 5.2; MU-10.
    """
    return float(prediction in (reference, relative(reference)))


def mirex_symmetric(reference: PitchKey, prediction: PitchKey) -> float:
    """MIREX credits with the fifth in both directions: 1, .5, .3, .2 or 0.

    Formula: 1 for the same key, .5 for the same mode a fifth up or down, .3 for the relative key, .2 for the parallel
    one (same tonic, other mode).

    Edge cases: the table sums to 60, so uniform guessing expects .104167; past MIREX results were scored so.

    Example:
        >>> key_score(reference="G major", prediction="C major", version="mirex_symmetric/1")
        0.5

    Source: music_metrics.md 1.1.
    """
    return _mirex(reference, prediction, fifths=(5, 7))


def mirex_ascending(reference: PitchKey, prediction: PitchKey) -> float:
    """MIREX credits with the fifth above the reference only, as mir_eval 0.8 computes them.

    Formula: as mirex_symmetric, with .5 only for (p - r) mod 12 = 7.

    Edge cases: not symmetric: G major against C major scores 0, C major against G major .5; the table sums to 48, so
    uniform guessing expects .083333. Never print it under the name of the other.

    Example:
        >>> key_score(reference="C major", prediction="G major", version="mirex_ascending/1")
        0.5
        >>> key_score(reference="G major", prediction="C major", version="mirex_ascending/1")
        0.0

    Source: music_metrics.md 1.1; equals mir_eval 0.8.2 `key.weighted_score` on all 576 pairs.
    """
    return _mirex(reference, prediction, fifths=(7,))


def legacy_directional_a(reference: PitchKey, prediction: PitchKey) -> float:
    """A reconstruction of a directional metric, off unless named: the relative counts for major references only.

    Formula: 1 if p = r, or r is major and p = rel(r).

    Edge cases: a minor reference answered by its relative major scores 0.

    Example:
        >>> key_score(reference="A minor", prediction="C major", version="legacy_directional_a/1")
        0.0

    Source: music_metrics.md 1.1; what paper section 5.2 calls directional, rebuilt, not the paper's code.
    """
    return float(prediction == reference or (reference.mode == "major" and prediction == relative(reference)))


def legacy_directional_b(reference: PitchKey, prediction: PitchKey) -> float:
    """A reconstruction of an erroneous metric, off unless named: nine semitones up count from either mode.

    Formula: 1 if p = r, or the modes differ and p = (r + 9) mod 12.

    Edge cases: 12 of its 48 credits are wrong: F# major is credited for A minor, whose relative is C major.

    Example:
        >>> key_score(reference="A minor", prediction="F# major", version="legacy_directional_b/1")
        1.0

    Source: music_metrics.md 1.1; what paper section 5.2 calls erroneous, rebuilt, not the paper's code.
    """
    sixth_up = prediction.pitch_class == (reference.pitch_class + 9) % 12
    return float(prediction == reference or (prediction.mode != reference.mode and sixth_up))


def _mirex(reference: PitchKey, prediction: PitchKey, *, fifths: tuple[int, ...]) -> float:
    if prediction == reference:
        return 1.0
    if prediction.mode == reference.mode:
        return 0.5 if (prediction.pitch_class - reference.pitch_class) % 12 in fifths else 0.0
    if prediction == relative(reference):
        return 0.3
    return 0.2 if prediction.pitch_class == reference.pitch_class else 0.0


KEY_VERSIONS: dict[str, Callable[[PitchKey, PitchKey], float]] = {
    "exact/1": exact,
    "symmetric/2": symmetric,
    "mirex_symmetric/1": mirex_symmetric,
    "mirex_ascending/1": mirex_ascending,
    "legacy_directional_a/1": legacy_directional_a,
    "legacy_directional_b/1": legacy_directional_b,
}


def _parsed(text: str | None) -> PitchKey | None:
    return None if text is None else parse_key_name(text)


def _reference_key(text: str) -> PitchKey:
    key = _parsed(text)
    if key is None:
        raise InputError(f'Reference key {text!r} names no key. Write tonic and mode, for example "Eb major".')
    return key
