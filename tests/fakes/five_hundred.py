"""500 recordings with the counts that music_metrics.md 9 gives, and what a DSP system and a constant say of them.

One of many fixtures with these counts: only the sums are the page's.
"""

from typing import NamedTuple

N = 500
METRES = ["4/4"] * 492 + ["3/4"] * 4 + ["6/8"] * 4
SPELLINGS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")


class FiveHundred(NamedTuple):
    """References, and predictions of the DSP system, of one field."""

    references: list
    predictions: list


def tempi(hits=268):
    """`hits` right; the others three halves of the reference, which is no octave error either."""
    references = [60.0 + number % 120 for number in range(N)]
    predictions = [tempo if number < hits else 1.5 * tempo for number, tempo in enumerate(references)]
    return FiveHundred(references, predictions)


def keys(exact=50, major=27, minor=20):
    """`exact` of each mode right, `major` and `minor` answered by their relative, the rest a semitone too high.

    C major 35 recordings, A minor 20, the other 22 keys 20 or 21.
    """
    references, predictions = [], []
    for mode, other, to_relative, as_relatives in (("major", "minor", 9, major), ("minor", "major", 3, minor)):
        tonics = [tonic for tonic in range(12) for _ in range(_recordings_in(tonic, mode))]
        references += [f"{SPELLINGS[tonic]} {mode}" for tonic in tonics]
        for position, tonic in enumerate(tonics):
            if position < exact:
                predictions.append(f"{SPELLINGS[tonic]} {mode}")
            elif position < exact + as_relatives:
                predictions.append(f"{SPELLINGS[(tonic + to_relative) % 12]} {other}")
            else:
                predictions.append(f"{SPELLINGS[(tonic + 1) % 12]} {mode}")
    return FiveHundred(references, predictions)


def metres(right_3=0, hits=183):
    """A system that never says 6/8: `right_3` of the four in 3/4, the other hits in 4/4; it errs between these two."""
    right_4 = hits - right_3
    of_4 = ["4/4"] * right_4 + ["3/4"] * (492 - right_4)
    return FiveHundred(METRES, [*of_4, *["3/4"] * right_3, *["4/4"] * (4 - right_3), *["3/4"] * 4])


def _recordings_in(tonic, mode):
    if (tonic, mode) == (0, "major"):
        return 35
    if (tonic, mode) == (9, "minor"):
        return 20
    return 21 if mode == "major" and 1 <= tonic <= 5 else 20
