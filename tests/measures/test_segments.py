"""Segments (music_metrics.md 5.1 to 5.4)."""

from itertools import pairwise, permutations

import mir_eval
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Segment
from musebench_tasks.measures import (
    boundary_hit_rate,
    greedy_match,
    greedy_pairs,
    has_inner_boundary,
    match_intervals,
    maximum_pairs,
    pairwise_score,
    trimmed_boundary_hit_rate,
    v_measure,
)
from musebench_tasks.measures.segments import half_overlaps
from musebench_tasks.values import Span


def micros(*intervals):
    return [Span(round(start * 10**6), round(end * 10**6)) for start, end in intervals]


TENS = [(0, 10), (10, 20), (20, 30)]

# music_metrics.md 5.1, legal ones: references, predictions, true positives, precision, recall, F1
LEGAL = [
    ([(0, 10), (10, 20)], [(0, 10), (10, 20)], 2, 1, 1, 1),
    ([(0, 10), (10, 20)], [], 0, 0, 0, 0),
    ([(0, 10), (10, 20)], [(0, 20)], 1, 1, 1 / 2, 2 / 3),
    ([(0, 20)], [(0, 10), (10, 20)], 1, 1 / 2, 1, 2 / 3),
    (TENS, [(0, 13), (13, 23), (23, 30)], 3, 1, 1, 1),
    (TENS, [(0, 5), (5, 15), (15, 25), (25, 30)], 2, 1 / 2, 2 / 3, 4 / 7),
    ([(0, 30)], TENS, 0, 0, 0, 0),
    (TENS, [(0, 30)], 0, 0, 0, 0),
    ([(0, 1000)], [(0, 499)], 0, 0, 0, 0),
    ([(0, 1000)], [(0, 500)], 1, 1, 1, 1),
    ([(0, 10), (10, 20)], [(0, 10), (10, 20), (20, 30)], 2, 2 / 3, 1, 4 / 5),
]


@pytest.mark.parametrize(("reference", "prediction", "hits", "precision", "recall", "f1"), LEGAL)
def test_worked_matches(reference, prediction, hits, precision, recall, f1):
    result = match_intervals(reference=reference, prediction=prediction)
    assert result.true_positives == hits
    assert (result.precision, result.recall, result.f1) == pytest.approx((precision, recall, f1))
    assert greedy_match(reference=reference, prediction=prediction)[:6] == result[:6]


# music_metrics.md 5.1, overlapping ones: references, predictions, global greedy, optimum
OVERLAPPING = [
    ([(0, 10), (3, 13)], [(2, 12), (0, 6)], 2, 2),
    ([(0, 10), (4, 14)], [(1, 11), (0, 6)], 1, 2),
    ([(0, 10), (10, 20)], [(0, 20), (0, 5)], 2, 2),  # greedy in the order of the lists finds 1
    ([(0, 10)], [(0, 10), (0, 10)], 1, 1),
]


@pytest.mark.parametrize(("reference", "prediction", "greedy", "optimum"), OVERLAPPING)
def test_overlaps_need_the_optimum(reference, prediction, greedy, optimum):
    for rights in permutations(micros(*reference)):
        for founds in permutations(micros(*prediction)):
            assert len(greedy_pairs(rights, founds)) == greedy
            assert len(maximum_pairs(rights, founds)) == optimum


@st.composite
def disjoint(draw, most=6):
    """Legal lists of intervals, some with gaps; the coarse grid makes exact halves frequent."""
    cuts = sorted(draw(st.lists(st.integers(0, 24), max_size=most + 1, unique=True)))
    return [interval for interval in pairwise(cuts) if draw(st.booleans())]


def overlapping(most=5):
    pair = st.tuples(st.integers(0, 20), st.integers(1, 12)).map(lambda drawn: (drawn[0], drawn[0] + drawn[1]))
    return st.lists(pair, max_size=most)


def brute_force(edges):
    """The largest matching of a small table, by trying everything."""
    if edges.shape[0] == 0:
        return 0
    rest = edges[1:]
    best = brute_force(rest)
    for column in np.flatnonzero(edges[0]):
        without = rest.copy()
        without[:, column] = False
        best = max(best, 1 + brute_force(without))
    return best


@settings(deadline=None)
@given(overlapping(), overlapping())
def test_matching_is_optimal(reference, prediction):
    rights, founds = micros(*reference), micros(*prediction)
    pairs = maximum_pairs(rights, founds)
    edges = half_overlaps(rights, founds)
    assert len(pairs) == brute_force(edges)
    assert all(edges[pair] for pair in pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)


@settings(deadline=None)
@given(disjoint(), disjoint(), st.randoms())
def test_the_order_of_a_list_is_irrelevant(reference, prediction, random):
    expected = match_intervals(reference=reference, prediction=prediction)
    shuffled = match_intervals(
        reference=random.sample(reference, len(reference)), prediction=random.sample(prediction, len(prediction))
    )
    assert shuffled[:6] == expected[:6]


@settings(deadline=None)
@given(disjoint(), disjoint())
def test_greedy_is_optimal_where_nothing_overlaps(reference, prediction):
    greedy = greedy_match(reference=reference, prediction=prediction)
    assert greedy.true_positives == match_intervals(reference=reference, prediction=prediction).true_positives


@settings(deadline=None)
@given(disjoint(), disjoint())
def test_matching_is_symmetric_and_perfect_on_itself(reference, prediction):
    there = match_intervals(reference=reference, prediction=prediction)
    back = match_intervals(reference=prediction, prediction=reference)
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)
    assert match_intervals(reference=reference, prediction=reference).f1 == 1


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_exactly_half_is_a_match_whatever_the_decimals(decimals):
    generator = np.random.default_rng(decimals)
    scale = 10**decimals
    for _ in range(200):
        start, half = int(generator.integers(0, 100 * scale)), int(generator.integers(2, 50 * scale))
        reference = [(start / scale, (start + 2 * half) / scale)]

        def found(length, start=start, reference=reference):
            prediction = [(start / scale, (start + length) / scale)]
            return match_intervals(reference=reference, prediction=prediction).true_positives

        assert (found(half), found(half - 1)) == (1, 0)


def test_two_empty_lists_agree():
    result = match_intervals(reference=[], prediction=[])
    assert (result.f1, result.flags) == (1, ("both_empty",))
    assert match_intervals(reference=[], prediction=[(0, 1)]).f1 == 0


def test_no_answer_is_not_an_empty_list():
    result = match_intervals(reference=[], prediction=None)
    assert (result.f1, result.flags) == (0, ("no_answer",))


def test_an_illegal_prediction_scores_nothing():
    result = match_intervals(reference=[(0, 10)], prediction=[(0, 10), (5, 15)])
    assert (result.f1, result.flags) == (0, ("invalid_overlap",))
    assert match_intervals(reference=[(0, 10)], prediction=[(0, float("nan"))]).f1 == 0


def test_an_illegal_reference_is_refused():
    with pytest.raises(InputError, match="row 1: overlap"):
        match_intervals(reference=[(0, 10), (5, 15)], prediction=[])


def test_predictions_are_clipped_to_the_recording():
    result = match_intervals(reference=[(0, 10), (10, 20)], prediction=[(0, 10), (10, 90)], duration_s=20)
    assert (result.true_positives, result.flags) == (2, ("clipped", "clipped_far"))


def test_segments_come_in_several_forms():
    forms = [Segment(start_s=0, end_s=10, label="a")], [{"start_s": 0, "end_s": 10, "label": "a"}], [(0, 10, "a")]
    for reference in forms:
        for prediction in forms:
            assert match_intervals(reference=reference, prediction=prediction, label_aware=True).true_positives == 1


THREE_PARTS = [(0, 10, "verse"), (10, 20, "chorus"), (20, 30, "verse")]
TWO_PARTS = THREE_PARTS[:2]

# music_metrics.md 5.3: agnostic and aware true positives
LABELLED = [
    (TWO_PARTS, TWO_PARTS, 2, 2),
    (TWO_PARTS, [(0, 10, "chorus"), (10, 20, "verse")], 2, 0),
    (TWO_PARTS, [(0, 10, " Verse"), (10, 20, "CHORUS ")], 2, 2),
    (TWO_PARTS, [(0, 20, "chorus")], 1, 1),
    (TWO_PARTS, [(0, 20, "verse")], 1, 1),
    (TWO_PARTS, [(0, 20, "bridge")], 1, 0),
    ([(0, 20, "verse")], [(0, 10, "intro"), (10, 20, "verse")], 1, 1),
    (THREE_PARTS, [(0, 10, "intro"), (10, 20, "chorus"), (20, 30, "outro")], 3, 1),
    ([(0, 10, "intro"), (10, 20, "verse"), (20, 30, "outro")], [(a, b, "verse") for a, b in TENS], 3, 1),
    ([(0, 10, "verse")], [(0, 4, "verse")], 0, 0),
    ([(0, 10, "")], [(0, 10, "")], 1, 0),
    ([(0, 10, "verse 1")], [(0, 10, "verse")], 1, 0),
]


@pytest.mark.parametrize(("reference", "prediction", "agnostic", "aware"), LABELLED)
def test_labels_must_be_equal_where_they_count(reference, prediction, agnostic, aware):
    assert match_intervals(reference=reference, prediction=prediction).true_positives == agnostic
    assert match_intervals(reference=reference, prediction=prediction, label_aware=True).true_positives == aware


def edges_of(*points):
    return list(pairwise(points))


# music_metrics.md 5.4: reference, prediction, F at .5, trimmed F at .5, F at 3
BOUNDARIES = [
    (TENS, TENS, 1, 1, 1),
    (TENS, [(0, 30)], 0.666667, 0, 0.666667),
    (TENS, edges_of(0, 10.5, 20.5, 30), 1, 1, 1),
    (TENS, edges_of(0, 10.51, 20.51, 30), 0.5, 0, 1),
    (TENS, edges_of(0, 13, 23, 30), 0.5, 0, 1),
    ([(0, 10), (10, 20)], edges_of(0, 9.8, 10.2, 20), 0.857143, 0.666667, 0.857143),
    ([(0, 30)], edges_of(0, 15, 30), 0.8, 0, 0.8),
    (edges_of(0, 8, 24, 40, 56, 64), edges_of(0, 8.2, 23, 41, 64), 0.545455, 0.285714, 0.909091),
    (edges_of(0, 16, 32), edges_of(0, 8, 16, 24, 32), 0.75, 0.5, 0.75),
]


@pytest.mark.parametrize(("reference", "prediction", "short", "trimmed", "long"), BOUNDARIES)
def test_worked_boundaries(reference, prediction, short, trimmed, long):
    sides = {"reference": reference, "prediction": prediction}
    assert boundary_hit_rate(**sides, window_s=0.5).f1 == pytest.approx(short, abs=1e-6)
    assert trimmed_boundary_hit_rate(**sides, window_s=0.5).f1 == pytest.approx(trimmed, abs=1e-6)
    assert boundary_hit_rate(**sides, window_s=3).f1 == pytest.approx(long, abs=1e-6)


def test_hit_rates_name_precision_and_recall():
    assert boundary_hit_rate(reference=TENS, prediction=[(0, 30)], window_s=0.5)[:2] == (1, 0.5)
    rates = boundary_hit_rate(reference=[(0, 10), (10, 20)], prediction=edges_of(0, 9.8, 10.2, 20), window_s=0.5)
    assert (rates.precision, rates.recall) == (0.75, 1)


def test_no_inner_boundary_on_either_side_is_agreement():
    sides = {"reference": [(0, 30)], "prediction": [(0, 29)]}
    assert trimmed_boundary_hit_rate(**sides, window_s=0.5).f1 == 1
    assert not has_inner_boundary(**sides)
    assert has_inner_boundary(reference=TENS, prediction=[(0, 30)])
    assert has_inner_boundary(reference=[(0, 30)], prediction=TENS)


def test_no_answer_finds_no_boundary():
    assert boundary_hit_rate(reference=TENS, prediction=None, window_s=3) == (0, 0, 0)
    assert boundary_hit_rate(reference=[], prediction=[], window_s=3).f1 == 1


def off_the_edge():
    """Segmentations on a grid of 0.3 s: no two boundaries are exactly 0.5 or 3.1 s apart."""
    return st.lists(st.integers(1, 60), min_size=1, max_size=8, unique=True).map(
        lambda steps: edges_of(0, *[0.3 * step for step in sorted(steps)])
    )


@settings(max_examples=60, deadline=None)
@given(off_the_edge(), off_the_edge(), st.sampled_from([0.5, 3.1]))
def test_it_agrees_with_mir_eval_off_the_edge(reference, prediction, window):
    theirs = mir_eval.segment.detection(np.array(reference), np.array(prediction), window=window)
    ours = boundary_hit_rate(reference=reference, prediction=prediction, window_s=window)
    assert tuple(ours) == pytest.approx(tuple(theirs))


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_segments_without_labels_may_be_an_array(kind):
    reference, prediction = np.array([[0, 10], [10, 20]], dtype=kind), np.array([[0, 11], [11, 20]], dtype=kind)
    listed = {"reference": reference.tolist(), "prediction": prediction.tolist(), "duration_s": 20}
    arrays = {"reference": reference, "prediction": prediction, "duration_s": 20}
    for function in (match_intervals, greedy_match, has_inner_boundary, pairwise_score, v_measure):
        assert function(**arrays) == function(**listed)
    for function in (boundary_hit_rate, trimmed_boundary_hit_rate):
        assert function(**arrays, window_s=1) == function(**listed, window_s=1)


def test_an_array_keeps_its_decimals_and_may_be_empty():
    edge = np.array([[0.1, 41.6]], dtype=np.float32)
    assert match_intervals(reference=edge, prediction=[(0.1, 41.6)]).f1 == 1
    assert boundary_hit_rate(reference=edge, prediction=[(0.1, 41.6)], window_s=0).f1 == 1
    assert match_intervals(reference=np.empty((0, 2)), prediction=np.empty((0, 2))).flags == ("both_empty",)


@pytest.mark.parametrize("array", [np.array([0.0, 10.0]), np.array([[0.0, 5.0, 10.0, 20.0]]), np.zeros((1, 2, 2))])
def test_an_array_of_another_shape_is_told(array):
    with pytest.raises(InputError, match="row 0: shape"):
        match_intervals(reference=array, prediction=[])
