"""Time signature (music_metrics.md 3 and 4)."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures import (
    adjusted_balanced_accuracy,
    balanced_accuracy,
    class_counts,
    macro_f1,
    macro_f1_union,
    metre_class,
    time_signature_hit,
    time_signature_hits,
)

FOUR, THREE, TWO, SIX = "4/4", "3/4", "2/4", "6/8"


def everything(references, predictions):
    return (
        float(time_signature_hits(references=references, predictions=predictions).mean()),
        balanced_accuracy(references, predictions),
        macro_f1(references, predictions),
        macro_f1_union(references, predictions),
    )


RARE = [FOUR] * 8 + [THREE, SIX]
MANY = [FOUR] * 492 + [THREE] * 4 + [SIX] * 4

# music_metrics.md 4: accuracy, balanced accuracy, macro-F1 over reference classes, over the union
GOLDEN = [
    (RARE, [FOUR] * 10, (0.8, 0.333333, 0.296296, 0.296296)),
    (RARE, RARE, (1, 1, 1, 1)),
    ([FOUR, FOUR, THREE, THREE], [FOUR, THREE, FOUR, THREE], (0.5, 0.5, 0.5, 0.5)),
    ([FOUR, FOUR, THREE], [FOUR, TWO, THREE], (0.666667, 0.75, 0.833333, 0.555556)),
    ([FOUR] * 4, [FOUR] * 4, (1, 1, 1, 1)),
    ([FOUR] * 4, [FOUR, FOUR, THREE, THREE], (0.5, 0.5, 0.666667, 0.333333)),
    ([FOUR] * 10 + [THREE] * 2, [FOUR] * 9 + [THREE, THREE, FOUR], (0.833333, 0.7, 0.7, 0.7)),
    ([FOUR] * 4 + [THREE], [FOUR, FOUR, None, None, THREE], (0.6, 0.75, 0.833333, 0.555556)),
    ([FOUR, THREE], [None, None], (0, 0, 0, 0)),
    ([FOUR, THREE], [THREE, FOUR], (0, 0, 0, 0)),
    (MANY, [FOUR] * 492 + [THREE] * 8, (0.992, 0.666667, 0.555556, 0.555556)),
    # music_metrics.md 9: constant 4/4
    (MANY, [FOUR] * 500, (0.984, 0.333333, 0.330645, 0.330645)),
]


@pytest.mark.parametrize(("references", "predictions", "values"), GOLDEN)
def test_worked_confusions(references, predictions, values):
    assert everything(references, predictions) == pytest.approx(values, abs=1e-6)


ANSWERED = st.tuples(st.sampled_from([FOUR, THREE, SIX]), st.sampled_from([FOUR, THREE, SIX, TWO, None]))


@settings(max_examples=50, deadline=None)
@given(st.lists(ANSWERED, min_size=1))
def test_it_agrees_with_scikit_learn(pairs):
    references, predictions = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = everything(references, predictions)
    adjusted = adjusted_balanced_accuracy(references, predictions)
    predictions = [each or "<none>" for each in predictions]
    present = sorted(set(references))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = (
            accuracy_score(references, predictions),
            balanced_accuracy_score(references, predictions),
            f1_score(references, predictions, labels=present, average="macro", zero_division=0),
            f1_score(references, predictions, average="macro", zero_division=0),
        )
        theirs_adjusted = balanced_accuracy_score(references, predictions, adjusted=True) if len(present) > 1 else None
    assert found == pytest.approx(theirs)
    assert adjusted == (None if theirs_adjusted is None else pytest.approx(theirs_adjusted))


def test_adjusted_for_chance_where_there_is_a_chance():
    assert adjusted_balanced_accuracy(MANY, [FOUR] * 500) == pytest.approx(0)
    assert adjusted_balanced_accuracy(RARE, RARE) == 1
    assert adjusted_balanced_accuracy([FOUR] * 3, [FOUR] * 3) is None


def test_every_class_has_its_n():
    counts = class_counts([FOUR, FOUR, "common time", THREE], [FOUR, TWO, "C", None])
    assert list(counts) == [FOUR, THREE, TWO, "<none>"]
    assert counts[FOUR] == (3, 2, 2)
    assert counts[FOUR].recall == pytest.approx(2 / 3)
    assert counts[THREE] == (1, 0, 0)
    assert (counts[TWO].n, counts[TWO].recall) == (0, None)
    assert counts["<none>"].predicted == 1


@pytest.mark.parametrize(("reference", "other"), [("6/8", "3/4"), ("2/2", "4/4"), ("12/8", "4/4")])
def test_nothing_is_reduced(reference, other):
    # music_metrics.md 3
    assert time_signature_hit(reference=reference, prediction=reference)
    assert not time_signature_hit(reference=reference, prediction=other)


@pytest.mark.parametrize(
    ("reference", "prediction"), [("4/4", "common time"), ("2/2", "alla breve"), ("6/8", "6 over 8")]
)
def test_names_are_read_as_metres(reference, prediction):
    assert time_signature_hit(reference=reference, prediction=prediction)


@pytest.mark.parametrize("nothing", [None, "", "6", "5/3", "waltz"])
def test_no_metre_is_a_miss(nothing):
    assert not time_signature_hit(reference="6/8", prediction=nothing)


def test_a_reference_must_name_a_metre():
    with pytest.raises(InputError, match="'waltz' names no metre"):
        time_signature_hit(reference="waltz", prediction="3/4")
    with pytest.raises(InputError, match="give one each"):
        balanced_accuracy(["3/4"], [])


def test_without_references_there_is_no_average():
    assert balanced_accuracy([], []) is macro_f1([], []) is macro_f1_union([], []) is None


@pytest.mark.parametrize(
    ("name", "expected"),  # music_metrics.md 3
    [
        *(
            ("2/4", "simple duple"),
            ("2/2", "simple duple"),
            ("3/4", "simple triple"),
            ("common time", "simple quadruple"),
        ),
        *(
            ("6/8", "compound duple"),
            ("9/8", "compound triple"),
            ("12/8", "compound quadruple"),
            ("6/16", "compound duple"),
        ),
        *(("3/8", "simple triple"), ("6/4", "simple other"), ("7/8", "simple other"), ("waltz", None)),
    ],
)
def test_how_a_metre_moves(name, expected):
    assert metre_class(name) == expected
