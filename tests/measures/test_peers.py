"""Where and why our numbers are not those of mir_eval 0.8.2 (music_metrics.md 0, 1.4, 2 and 5.5)."""

import warnings

import mir_eval
import numpy as np
import pytest

from musebench_tasks.measures import interval_table, key_score, match_intervals, pairwise_scores, tempo_hits, v_measures
from musebench_tasks.values import Span, parse_key_name

UNKNOWN_TO_MIR_EVAL = (
    *("Cb major", "Fb major", "E# minor", "B# major", "f#m", "F# Minor", "c MAJOR"),
    *("F sharp minor", "C♯ major", "8A", "h minor"),
)


@pytest.mark.parametrize("spelling", UNKNOWN_TO_MIR_EVAL)
def test_spellings_that_mir_eval_refuses_are_read(spelling):
    assert parse_key_name(spelling)
    assert key_score(reference=spelling, prediction=spelling) == 1
    with pytest.raises(ValueError, match="Key|Mode|form"):
        mir_eval.key.weighted_score(spelling, "C major")


def test_no_key_is_right_for_mir_eval_and_nothing_here():
    assert mir_eval.key.weighted_score("X", "X") == 1
    assert mir_eval.key.weighted_score("C major", "C other") == 0.2
    assert key_score(reference="C major", prediction="C other") == 0
    with pytest.raises(ValueError, match="[Kk]ey"):
        mir_eval.key.weighted_score("C", "C major")


def test_floats_miss_half_of_the_exact_four_percent_edges():
    references = np.repeat(np.arange(40, 241), 2)
    predictions = (references * np.tile([104, 96], 201)) / 100
    distance = np.abs(predictions - references)
    assert (distance / references > 0.04).sum() == (distance > 0.04 * references).sum() == 196
    assert tempo_hits(references=references, predictions=predictions).sum() == 402


@pytest.mark.parametrize(("decimals", "fewest", "most"), [(1, 0.2, 0.35), (2, 0.2, 0.35), (3, 0.2, 0.35)])
def test_floats_miss_exact_halves(decimals, fewest, most):
    generator, scale = np.random.default_rng(decimals), 10**decimals
    starts, lengths = generator.integers(0, 100 * scale, 2000), generator.integers(1, 30 * scale, 2000)
    missed = 0
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        a, b, c = start / scale, (start + length) / scale, (start + 2 * length) / scale
        missed += (b - a) / (c - a) < 0.5
        if start < 5 * scale:
            assert match_intervals(reference=[(a, c)], prediction=[(a, b)]).true_positives == 1
    assert fewest < missed / 2000 < most  # measured: 27 to 29 %


@pytest.mark.parametrize(
    ("reference", "estimate"),
    [([0, 0], [0, 100]), ([0, 100], [100]), ([0, 100], [np.nan, 100]), ([0, 100], [-100, 100])],
)
def test_mir_eval_raises_where_a_tempo_is_none(reference, estimate):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ValueError, IndexError)):
            mir_eval.tempo.detection(np.array(reference, dtype=float), 0.0, np.array(estimate, dtype=float), tol=0.04)


def parts(labels, *cuts):
    return [(start, end, label) for start, end, label in zip(cuts, cuts[1:], labels, strict=False)]


ABA = parts("ABA", 0, 10, 20, 30)

# music_metrics.md 5.5: reference, prediction, pairwise and V here, what mir_eval's frames of 0.1 s make of them
STRUCTURE = [
    (ABA, parts("ABA", 0, 13, 23, 30), {"pairwise": (None, None, 0.712), "v": (None, None, 0.237366)}, (2, 0.710262)),
    (ABA, parts("x", 0, 30), {"pairwise": (0.555556, 1, 0.714286), "v": (None, None, 0)}, (2, 0.713056)),
    (ABA, parts("xyz", 0, 10, 20, 30), {"pairwise": (1, 0.6, 0.75), "v": (0.57938, 1, 0.73368)}, (1, 0.597586)),
    (
        *(parts("AB", 0, 16, 32), parts("ABAB", 0, 8, 16, 24, 32)),
        *({"pairwise": (None, None, 0.5), "v": (None, None, 0)}, (2, 0.496855)),
    ),
    (ABA, parts("xyx", 0, 10, 20, 30), {"pairwise": (1, 1, 1), "v": (1, 1, 1)}, (2, 1)),
]


def table(*recordings):
    return interval_table([[Span(int(a * 1e6), int(b * 1e6), label) for a, b, label in each] for each in recordings])


def frames_of(score, reference, prediction, frame_s):
    sides = [
        (np.array([each[:2] for each in side], dtype=float), [each[2] for each in side])
        for side in (reference, prediction)
    ]
    return score(*sides[0], *sides[1], frame_size=frame_s)


@pytest.mark.parametrize(("reference", "prediction", "values", "sampled"), STRUCTURE)
def test_structure_by_durations_and_by_frames(reference, prediction, values, sampled):
    sides = {"reference": table(reference), "prediction": table(prediction), "durations": [int(reference[-1][1] * 1e6)]}
    found = {"pairwise": pairwise_scores(**sides), "v": v_measures(**sides)}
    for name, expected in values.items():
        for value, number in zip(found[name], expected, strict=True):
            assert number is None or value[0] == pytest.approx(number, abs=5e-6)
    position, number = sampled
    theirs = frames_of(mir_eval.segment.pairwise, reference, prediction, 0.1)
    assert theirs[position] == pytest.approx(number, abs=5e-7)


def test_one_label_on_both_sides_agrees():
    sides = {"reference": table(parts("A", 0, 30)), "prediction": table(parts("b", 0, 30))}
    assert v_measures(**sides, durations=[30_000_000]).f[0] == 1
    assert frames_of(mir_eval.segment.vmeasure, parts("A", 0, 30), parts("b", 0, 30), 0.1)[2] == 0


def random_tracks(n):
    """Segmentations of 60 to 240 s with up to 12 segments of 5 labels on both sides."""
    generator = np.random.default_rng(0)

    def side(end):
        cuts = np.unique(generator.integers(1, end * 1000, size=generator.integers(2, 12))) / 1000
        return parts(generator.choice(list("ABCDE"), size=len(cuts) + 1).tolist(), 0, *cuts.tolist(), end)

    ends = generator.integers(60, 240, size=n).tolist()
    return [(side(end), side(end), end) for end in ends]


def largest_differences(n, frame_s):
    tracks = random_tracks(n)
    sides = {
        "reference": table(*(each[0] for each in tracks)),
        "prediction": table(*(each[1] for each in tracks)),
        "durations": [each[2] * 1_000_000 for each in tracks],
    }
    for many, theirs in ((pairwise_scores, mir_eval.segment.pairwise), (v_measures, mir_eval.segment.vmeasure)):
        sampled = [frames_of(theirs, *track[:2], frame_s)[2] for track in tracks]
        yield float(np.abs(many(**sides).f - sampled).max())


def test_fine_frames_come_near_the_exact_durations():
    pairwise_off, v_off = largest_differences(20, 0.1)
    assert pairwise_off < 0.004
    assert v_off < 0.008


@pytest.mark.slow
def test_finer_frames_come_nearer():
    pairwise_off, v_off = largest_differences(20, 0.02)
    assert pairwise_off < 0.002
    assert v_off < 0.004
