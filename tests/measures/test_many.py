"""Scores of many recordings at once are those of each recording (music_metrics.md 5 and 12)."""

from itertools import pairwise

import numpy as np
import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures import (
    boundary_hit_rate,
    boundary_hit_rates,
    interval_table,
    interval_table_of_arrays,
    label_times,
    match_intervals,
    match_many,
    pairwise_score,
    pairwise_scores,
    trimmed_boundary_hit_rate,
    trimmed_boundary_hit_rates,
    v_measure,
    v_measures,
)
from musebench_tasks.values import Span

END_S = 24
LABELS = ("verse", "Verse ", "chorus", "", "<gap>")


def segments(generator):
    """One recording's legal intervals, some with gaps, on a grid of halves so that exact halves are frequent."""
    cuts = sorted(generator.choice(2 * END_S + 1, size=generator.integers(9), replace=False).tolist())
    return [(a / 2, b / 2, LABELS[generator.integers(5)]) for a, b in pairwise(cuts) if generator.integers(4)]


def sides(seed=0, n=400):
    """References and predictions of many recordings, an eighth of them without an answer."""
    generator = np.random.default_rng(seed)
    references = [segments(generator) for _ in range(n)]
    return references, [segments(generator) if generator.integers(8) else None for _ in range(n)]


def table(recordings):
    def micros(segments):
        return [Span(int(start * 10**6), int(end * 10**6), label) for start, end, label in segments]

    return interval_table([None if each is None else micros(each) for each in recordings])


def same_as_one_by_one(many, single, *, exact=True, seconds=None, drawn=(0, 400), **options):
    references, predictions = sides(*drawn)
    durations = {} if seconds is None else {"durations": np.full(len(references), seconds * 10**6)}
    found = many(reference=table(references), prediction=table(predictions), **durations, **options)
    duration = {} if seconds is None else {"duration_s": seconds}
    pairs = zip(references, predictions, strict=True)
    expected = [single(reference=r, prediction=p, **duration, **options)[: len(found)] for r, p in pairs]
    np.testing.assert_allclose(np.array(found).T, np.array(expected), rtol=0, atol=0 if exact else 1e-12)


@pytest.mark.parametrize("label_aware", [False, True])
def test_matches(label_aware):
    same_as_one_by_one(match_many, match_intervals, label_aware=label_aware)


@pytest.mark.parametrize("window_s", [0.5, 3])
def test_boundaries(window_s):
    same_as_one_by_one(boundary_hit_rates, boundary_hit_rate, window_s=window_s)
    same_as_one_by_one(trimmed_boundary_hit_rates, trimmed_boundary_hit_rate, window_s=window_s)


def test_structure():
    same_as_one_by_one(pairwise_scores, pairwise_score, exact=False, seconds=END_S)
    same_as_one_by_one(v_measures, v_measure, exact=False, seconds=END_S)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_everything_on_many_more(seed):
    drawn = (seed, 4000)
    for label_aware in (False, True):
        same_as_one_by_one(match_many, match_intervals, drawn=drawn, label_aware=label_aware)
    for window_s in (0.5, 1.25, 3):
        same_as_one_by_one(boundary_hit_rates, boundary_hit_rate, drawn=drawn, window_s=window_s)
        same_as_one_by_one(trimmed_boundary_hit_rates, trimmed_boundary_hit_rate, drawn=drawn, window_s=window_s)
    same_as_one_by_one(pairwise_scores, pairwise_score, exact=False, drawn=drawn, seconds=END_S)
    same_as_one_by_one(v_measures, v_measure, exact=False, drawn=drawn, seconds=END_S)


def test_no_recordings():
    nothing = interval_table([])
    assert match_many(reference=nothing, prediction=nothing).f1.size == 0
    assert boundary_hit_rates(reference=nothing, prediction=nothing, window_s=3).f1.size == 0
    assert pairwise_scores(reference=nothing, prediction=nothing, durations=[]).f.size == 0


def test_an_hour_of_one_recording_beside_a_second_of_another():
    long, short = [(0, 1800, "a"), (1800, 3600, "b")], [(0, 1, "a")]
    both = {"reference": table([long, short]), "prediction": table([long, None])}
    assert match_many(**both).f1.tolist() == [1, 0]
    assert pairwise_scores(**both, durations=[3_600_000_000, 1_000_000]).f.tolist() == [1, 0]


def rows(**changed):
    return {"recordings": [0, 0], "starts": [0, 10], "ends": [10, 20], "has_answer": [True], **changed}


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"starts": [0, 9]}, "overlap"),
        ({"starts": [5, 5], "ends": [9, 9]}, "overlap"),
        ({"starts": [-1, 10]}, "negative_start"),
        ({"ends": [10, 10]}, "end_le_start"),
        ({"recordings": [0, 1]}, "there are 1 recordings"),
        ({"has_answer": [False]}, "it has no answer"),
        ({"labels": [0, 1]}, "not one of 1 names"),
        ({"starts": [0.0, 10.0]}, "whole numbers"),
        ({"ends": [10]}, "as many"),
    ],
)
def test_what_is_not_legal_is_refused(changed, fault):
    with pytest.raises(InputError, match=fault):
        interval_table_of_arrays(**rows(**changed))


def test_rows_come_in_any_order():
    mixed = interval_table_of_arrays(
        recordings=[1, 0, 1],
        starts=[7, 0, 2],
        ends=[9, 4, 7],
        labels=[0, 1, 1],
        names=["B ", "a"],
        has_answer=[True] * 2,
    )
    assert mixed.recordings.tolist() == [0, 1, 1]
    assert [mixed.names[label] for label in mixed.labels] == ["a", "a", "b"]


def test_both_sides_are_over_the_same_recordings():
    with pytest.raises(InputError, match="References of 1 recordings but predictions of 2"):
        match_many(reference=table([[]]), prediction=table([[], None]))


@pytest.mark.parametrize(
    ("durations", "fault"),
    [([5], "ends after 5e-06 s"), ([0], "must be above 0"), ([10.0], "whole numbers"), ([10, 10], "one a recording")],
)
def test_durations_must_hold_the_intervals(durations, fault):
    side = interval_table([[Span(0, 10)]])
    with pytest.raises(InputError, match=fault):
        label_times(reference=side, prediction=side, durations=durations)
