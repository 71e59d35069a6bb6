"""Pairwise and V-measure by exact durations (music_metrics.md 5.5)."""

import mir_eval
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.measures import pairwise_score, v_measure


def parts(labels, *cuts):
    return [(start, end, label) for start, end, label in zip(cuts, cuts[1:], labels, strict=False)]


ABA = parts("ABA", 0, 10, 20, 30)


def test_moved_inner_boundaries():
    moved = parts("ABA", 0, 13, 23, 30)
    assert pairwise_score(reference=ABA, prediction=moved, duration_s=30).f == pytest.approx(0.712, abs=5e-4)
    assert v_measure(reference=ABA, prediction=moved, duration_s=30).f == pytest.approx(0.237366, abs=1e-6)


def test_one_segment():
    one = parts("x", 0, 30)
    found = pairwise_score(reference=ABA, prediction=one, duration_s=30)
    assert found == pytest.approx((0.555556, 1, 0.714286), abs=1e-6)
    assert v_measure(reference=ABA, prediction=one, duration_s=30).f == pytest.approx(0, abs=1e-12)


def test_all_labels_distinct():
    distinct = parts("xyz", 0, 10, 20, 30)
    found = pairwise_score(reference=ABA, prediction=distinct, duration_s=30)
    assert found == pytest.approx((1, 0.6, 0.75), abs=1e-6)
    assert v_measure(reference=ABA, prediction=distinct, duration_s=30) == pytest.approx(
        (0.57938, 1, 0.73368), abs=5e-6
    )


def test_unrelated_labels():
    reference, prediction = parts("AB", 0, 16, 32), parts("ABAB", 0, 8, 16, 24, 32)
    assert pairwise_score(reference=reference, prediction=prediction, duration_s=32).f == pytest.approx(0.5)
    assert v_measure(reference=reference, prediction=prediction, duration_s=32).f == pytest.approx(0, abs=1e-12)


def test_names_do_not_matter():
    renamed = parts("xyx", 0, 10, 20, 30)
    assert pairwise_score(reference=ABA, prediction=renamed, duration_s=30) == pytest.approx((1, 1, 1))
    assert v_measure(reference=ABA, prediction=renamed, duration_s=30) == pytest.approx((1, 1, 1))


def test_one_label_on_both_sides_is_perfect():
    assert v_measure(reference=parts("A", 0, 30), prediction=parts("b", 0, 30), duration_s=30) == (1, 1, 1)


def test_uncovered_time_has_its_own_label():
    whole, half = parts("A", 0, 20), parts("A", 0, 10)
    assert pairwise_score(reference=whole, prediction=half, duration_s=20) == pytest.approx((1, 0.5, 2 / 3))
    assert pairwise_score(reference=half, prediction=half, duration_s=20) == (1, 1, 1)


@pytest.mark.parametrize("nothing", [None, [], [(0, 10, "a"), (5, 15, "b")]])
def test_no_segments_score_nothing(nothing):
    assert pairwise_score(reference=ABA, prediction=nothing, duration_s=30) == (0, 0, 0)
    assert v_measure(reference=ABA, prediction=nothing, duration_s=30) == (0, 0, 0)


def whole_tracks():
    """Segmentations of 24 s without gaps, cut on whole seconds."""
    return st.lists(
        st.tuples(st.integers(1, 23), st.sampled_from("ABC")), max_size=6, unique_by=lambda each: each[0]
    ).map(lambda cuts: parts(["A", *[label for _, label in sorted(cuts)]], 0, *[cut for cut, _ in sorted(cuts)], 24))


@settings(max_examples=25, deadline=None)
@given(whole_tracks(), whole_tracks())
def test_it_agrees_with_fine_sampling(reference, prediction):
    sides = [np.array([each[:2] for each in side], dtype=float) for side in (reference, prediction)]
    labels = [[each[2] for each in side] for side in (reference, prediction)]
    theirs = mir_eval.segment.pairwise(sides[0], labels[0], sides[1], labels[1], frame_size=0.02)
    ours = pairwise_score(reference=reference, prediction=prediction, duration_s=24)
    assert tuple(ours) == pytest.approx(theirs, abs=2e-3)
    if len(set(labels[0])) > 1 and len(set(labels[1])) > 1:
        theirs = mir_eval.segment.vmeasure(sides[0], labels[0], sides[1], labels[1], frame_size=0.02)
        ours = v_measure(reference=reference, prediction=prediction, duration_s=24)
        assert tuple(ours) == pytest.approx(theirs, abs=2e-3)
