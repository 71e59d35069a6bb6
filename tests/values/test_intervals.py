import math
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.base.records import Segment
from musebench_tasks.values import Span, clean_prediction, validate_reference

# music_metrics.md 5.2
REFERENCE_FAULTS = {
    "shape": [5, [1], [0, 1, "a", 2], {"start": 0, "end": 1}, [0, 1, 7]],
    "not_a_number": [["0", 1], [0, None]],
    "bool": [[False, 1]],
    "nan": [[0, math.nan]],
    "infinite": [[0, math.inf], [0, 10**400]],
    "negative_start": [[-0.001, 1]],
    "end_le_start": [[2, 1], [1, 1], [162.922, 162.907]],
    "beyond_duration": [[0, 200.6], [200, 200.1]],
}


@pytest.mark.parametrize(("code", "row"), [(code, row) for code, rows in REFERENCE_FAULTS.items() for row in rows])
def test_reference_faults(code, row):
    checked = validate_reference([[3, 4, "verse"], row], 200)
    assert [(problem.row, problem.code) for problem in checked.problems] == [(1, code)]
    assert checked.intervals == ()


@pytest.mark.parametrize(
    "form", [list, tuple, lambda each: dict(zip(("start_s", "end_s", "label"), each, strict=True))]
)
@pytest.mark.parametrize(
    ("segment", "shown"),
    [
        ((0, 300.5, "coda"), "0 to 300.5 coda"),
        ((Decimal("2.50"), 1, ""), "2.50 to 1"),
        ((False, 1, "a"), "false to 1 a"),
        (("0", 1, "a"), '"0" to 1 a'),
        ((0, 10**5000, "a"), "0 to a number of more than 80 digits a"),
        ((0, math.nan, "a" * 100), "0 to nan " + 71 * "a"),
    ],
)
def test_a_fault_tells_its_segment_in_words_whatever_held_it(segment, shown, form):
    (problem,) = validate_reference([form(segment)], 200).problems
    assert problem.found == shown


def test_a_record_is_told_in_words_and_what_is_no_segment_as_json():
    record = Segment(start_s=0, end_s=300, label="coda")
    found = [problem.found for problem in validate_reference([record, {"start": 0}, [True]], 200).problems]
    assert found == ["0 to 300 coda", '{"start": 0}', "[true]"]


def test_all_faults_are_listed_at_once():
    checked = validate_reference([[0, 10], [5, 15], [20, 19], [0, 10]], 60)
    assert [(each.row, each.code) for each in checked.problems] == [
        (1, "overlap"),
        (2, "end_le_start"),
        (3, "duplicate"),
    ]


def test_reference_overlap_of_one_microsecond_is_rounding():
    checked = validate_reference([[0, 10.000001], [10, 20]])
    assert checked.problems == ()
    assert checked.intervals == (Span(0, 10_000_000), Span(10_000_000, 20_000_000))
    assert [each.code for each in validate_reference([[0, 10.000002], [10, 20]]).problems] == ["overlap"]


def test_reference_end_is_clipped_within_half_a_second():
    checked = validate_reference([Segment(start_s=0, end_s=60.5, label="verse")], 60)
    assert checked.intervals == (Span(0, 60_000_000, "verse"),)
    assert checked.flags == ("clipped",)


def test_unsorted_and_gappy_references_are_flagged():
    checked = validate_reference([[20, 30, "b"], [0, 10, "a"]])
    assert [each.label for each in checked.intervals] == ["a", "b"]
    assert checked.flags == ("sorted", "gaps")


def test_empty_labels_count_only_where_labels_count():
    assert validate_reference([[0, 1]]).problems == ()
    assert [each.code for each in validate_reference([[0, 1, " "]], label_aware=True).problems] == ["empty_label"]


# answers.md 4, segments 1 to 5
@pytest.mark.parametrize(
    ("segments", "duration_s", "expected", "flags"),
    [
        ([[20, 60, "b"], [0, 20, "a"]], 60, [(0, 20, "a"), (20, 60, "b")], {"sorted"}),
        ([[0, 20], [20, 60.2]], 60, [(0, 20, ""), (20, 60, "")], {"clipped"}),
        ([[-0.5, 20], [20, 75]], 60, [(0, 20, ""), (20, 60, "")], {"clipped", "clipped_far"}),
        ([[0, 20], [70, 80]], 60, [(0, 20, "")], {"dropped"}),
        ([[0, 20.05], [20, 60]], 60, [(0, 20, ""), (20, 60, "")], {"snapped"}),
        ([[5, 20], [30, 60]], 60, [(5, 20, ""), (30, 60, "")], {"gaps"}),
        ([], 60, [], set()),
        ([[0, 1000]], None, [(0, 1000, "")], set()),
    ],
)
def test_predictions_are_cleaned(segments, duration_s, expected, flags):
    cleaned = clean_prediction(segments, duration_s)
    assert [(each.start / 1e6, each.end / 1e6, each.label) for each in cleaned.intervals] == expected
    assert set(cleaned.flags) == flags


@pytest.mark.parametrize(
    ("segments", "problem"),
    [
        ([[0, 20.051], [20, 60]], "overlap"),
        ([[0, 60], [20, 20.04]], "overlap"),
        ([[0, 0.03], [0, 60]], "overlap"),
        ([[0, 20], [0, 20]], "duplicate"),
        ([[50, 30]], "end_le_start"),
        ([[0, 20], [20, math.nan]], "nan"),
        ([[0, True]], "bool"),
        ([[None, 20]], "not_a_number"),
        ([[12000, 20000]], "outside"),
        ([[0, 1], 7], "shape"),
        ([[0, 1e300]], "not_a_number"),
    ],
)
def test_one_bad_interval_voids_the_prediction(segments, problem):
    cleaned = clean_prediction(segments, 60)
    assert cleaned.intervals is None
    assert cleaned.problem == problem


times = st.floats(-5, 70, allow_nan=False).map(lambda value: round(value, 3))


@given(st.lists(st.tuples(times, times, st.sampled_from(["verse", "chorus", ""])), max_size=8))
def test_cleaned_predictions_are_disjoint_and_inside(segments):
    cleaned = clean_prediction(segments, 60)
    if cleaned.intervals is None:
        assert cleaned.problem
        return
    for interval in cleaned.intervals:
        assert 0 <= interval.start < interval.end <= 60_000_000
    for earlier, later in pairwise(cleaned.intervals):
        assert earlier.end <= later.start


@given(st.permutations([(0, 10, "a"), (10, 20, "b"), (20, 30.04, "c"), (30, 90, "d"), (-3, -1, "e")]))
def test_order_does_not_matter(segments):
    assert clean_prediction(segments, 60).intervals == clean_prediction(sorted(segments), 60).intervals


@given(st.lists(st.one_of(st.none(), st.text(), st.lists(st.floats() | st.booleans() | st.text(), max_size=4))))
def test_nothing_raises(segments):
    clean_prediction(segments, 60)
    validate_reference(segments, 60)
