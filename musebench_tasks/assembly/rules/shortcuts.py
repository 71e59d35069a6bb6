"""What readers of the text alone get: the place of the right option, one letter, the longest option (MB-09, MB-22)."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from scipy import special

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.question import Question
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import LETTERS

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
