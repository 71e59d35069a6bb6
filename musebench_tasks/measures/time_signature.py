"""Time signature: is the predicted metre the reference metre, and how fair is that to rare metres?

A class is numerator and denominator, never reduced: 6/8 is not 3/4 (music_metrics.md 3 and 4). Averages over classes
take the classes present in the references; no answer is a class of its own that no reference has.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from musebench_tasks.base.errors import InputError
from musebench_tasks.values import Metre, metre_name, parse_metre
from musebench_tasks.values.arguments import checked_arguments


class ClassCounts(NamedTuple):
    """Of one metre: references, predictions, and recordings where both agree."""

    n: int
    predicted: int
    hits: int

    @property
    def recall(self) -> float | None:
        """Hits over references; None for a metre that no reference has."""
        return self.hits / self.n if self.n else None

    @property
    def f1(self) -> float:
        """2 · hits / (references + predictions); 0 where both are 0."""
        return 2 * self.hits / (self.n + self.predicted) if self.n + self.predicted else 0.0


NO_ANSWER = "<none>"
BEATS = {2: "duple", 3: "triple", 4: "quadruple"}


@checked_arguments
def time_signature_hit(*, reference: str, prediction: str | None) -> bool:
    """Whether the predicted time signature is the reference's. Its mean over recordings is the accuracy.

    Formula: 1 if numerator and denominator are equal, without reduction.

    Edge cases: 6/8 is not 3/4, 2/2 not 4/4; "C" and "common time" are 4/4, "cut time" is 2/2; a bare numerator or
    other text that names no metre is a miss; a reference that names none is an InputError.

    Example:
        >>> time_signature_hit(reference="4/4", prediction="common time")
        True
        >>> time_signature_hit(reference="6/8", prediction="3/4")
        False

    Source: music_metrics.md 3; MU-15.
    """
    return _reference_metre(reference) == _metre(prediction)


@checked_arguments
def time_signature_hits(*, references: Sequence[str], predictions: Sequence[str | None]) -> npt.NDArray[np.bool_]:
    """`time_signature_hit` of each recording."""
    hits = {texts: right == found for texts, (right, found) in _readings(references, predictions).items()}
    return np.array([hits[texts] for texts in zip(references, predictions, strict=True)], dtype=np.bool_)


@checked_arguments
def metre_class(name: str) -> str | None:
    """How a metre moves, a diagnostic and never a headline: `simple triple` for 3/4, `compound duple` for 6/8.

    Formula: compound where the denominator is 8 or more and the numerator a multiple of 3 above 3, with a third as many
    beats; duple, triple or quadruple by its beats, else `other`.

    Edge cases: None for what names no metre; 3/8 is simple.

    Example:
        >>> [metre_class(name) for name in ("4/4", "6/8", "9/8", "3/8", "5/4", "waltz")]
        ['simple quadruple', 'compound duple', 'compound triple', 'simple triple', 'simple other', None]

    Source: music_metrics.md 3.
    """
    metre = _metre(name)
    if metre is None:
        return None
    is_compound = metre.denominator >= 8 and metre.numerator % 3 == 0 and metre.numerator > 3
    beats = metre.numerator // 3 if is_compound else metre.numerator
    return f"{'compound' if is_compound else 'simple'} {BEATS.get(beats, 'other')}"


@checked_arguments
def class_counts(references: Sequence[str], predictions: Sequence[str | None]) -> dict[str, ClassCounts]:
    """Of each metre in references or predictions: how often it is right, predicted, and both; the most frequent first.

    Formula: recall = hits / references, F1 = 2 hits / (references + predictions), of each metre by name.

    Edge cases: recordings without an answer stand under `<none>`, where there are any; the recall of a metre that no
    reference has is None, not 0.

    Example:
        >>> found = class_counts(["4/4", "4/4", "3/4"], ["4/4", None, "3/4"])
        >>> found["4/4"].n, found["4/4"].recall, found["<none>"].recall
        (2, 0.5, None)

    Source: music_metrics.md 4.
    """
    right, found, hits = Counter[str](), Counter[str](), Counter[str]()
    readings = _readings(references, predictions)
    for texts, count in Counter(zip(references, predictions, strict=True)).items():
        reference, prediction = readings[texts]
        right[reference] += count
        found[prediction] += count
        hits[reference] += count if reference == prediction else 0
    names = sorted(right | found, key=lambda name: (-right[name], name))
    return {name: ClassCounts(right[name], found[name], hits[name]) for name in names}


@checked_arguments
def balanced_accuracy(references: Sequence[str], predictions: Sequence[str | None]) -> float | None:
    """Mean recall over the metres present in the references, 0 to 1; None without references.

    Formula: (1/C) Σ_c hits_c / n_c over the C metres of the references.

    Edge cases: no answer is a miss of its reference's metre; predicted metres that no reference has add no class.
    Equals scikit-learn's `balanced_accuracy_score`, not its macro recall, which takes the union of classes. Its
    interval resamples within metres, so that a rare one is never lost.

    Example:
        >>> balanced_accuracy(["4/4", "4/4", "3/4"], ["4/4", "2/4", "3/4"])
        0.75

    Source: music_metrics.md 4.
    """
    return _mean([each.recall for each in _in_references(references, predictions)])


@checked_arguments
def adjusted_balanced_accuracy(references: Sequence[str], predictions: Sequence[str | None]) -> float | None:
    """Balanced accuracy with guessing at 0.

    Formula: (BA - 1/C) / (1 - 1/C) for C metres in the references.

    Edge cases: None, not minus infinity, for fewer than two metres.

    Example:
        >>> adjusted_balanced_accuracy(["4/4", "4/4", "3/4"], ["4/4", "4/4", "4/4"])
        0.0
        >>> print(adjusted_balanced_accuracy(["4/4"], ["4/4"]))
        None

    Source: music_metrics.md 4.
    """
    recalls = [each.recall for each in _in_references(references, predictions)]
    balanced = _mean(recalls)
    if balanced is None or len(recalls) < 2:
        return None
    return (balanced - 1 / len(recalls)) / (1 - 1 / len(recalls))


@checked_arguments
def macro_f1(references: Sequence[str], predictions: Sequence[str | None]) -> float | None:
    """Mean F1 over the metres present in the references, 0 to 1; None without references.

    Formula: (1/C) Σ_c 2 hits_c / (references_c + predictions_c) over the C metres of the references.

    Edge cases: a metre that is never predicted has F1 0; a predicted metre that no reference has adds no class.

    Example:
        >>> round(macro_f1(["4/4", "4/4", "3/4"], ["4/4", "2/4", "3/4"]), 6)
        0.833333

    Source: music_metrics.md 4.
    """
    return _mean([each.f1 for each in _in_references(references, predictions)])


@checked_arguments
def macro_f1_union(references: Sequence[str], predictions: Sequence[str | None]) -> float | None:
    """Mean F1 over the metres of references and predictions together, no answer included.

    Formula: as macro F1, over the union of both sides' metres.

    Edge cases: every metre that is only predicted adds a 0.

    Example:
        >>> round(macro_f1_union(["4/4", "4/4", "3/4"], ["4/4", "2/4", "3/4"]), 6)
        0.555556

    Source: music_metrics.md 4.
    """
    return _mean([each.f1 for each in class_counts(references, predictions).values()])


def _in_references(references: Sequence[str], predictions: Sequence[str | None]) -> list[ClassCounts]:
    return [each for each in class_counts(references, predictions).values() if each.n]


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def _readings(
    references: Sequence[str], predictions: Sequence[str | None]
) -> dict[tuple[str, str | None], tuple[str, str]]:
    """Canonical metre names of each distinct pair of reference and prediction."""
    if len(references) != len(predictions):
        raise InputError(f"{len(references)} reference metres but {len(predictions)} predictions: give one each.")
    right = {text: metre_name(_reference_metre(text)) for text in set(references)}
    metres = {text: _metre(text) for text in set(predictions)}
    found = {text: NO_ANSWER if metre is None else metre_name(metre) for text, metre in metres.items()}
    return {texts: (right[texts[0]], found[texts[1]]) for texts in set(zip(references, predictions, strict=True))}


def _metre(text: str | None) -> Metre | None:
    return None if text is None else parse_metre(text)


def _reference_metre(text: str) -> Metre:
    metre = _metre(text)
    if metre is None:
        raise InputError(f'Reference time signature {text!r} names no metre. Write it as n/d, for example "6/8".')
    return metre
