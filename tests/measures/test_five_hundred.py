"""The arithmetic that must reproduce, from 500 constructed recordings (music_metrics.md 9)."""

import numpy as np
import pytest
from fakes import five_hundred
from sklearn.metrics import cohen_kappa_score, f1_score, matthews_corrcoef

from musebench_tasks.measures import (
    KEYS,
    adjusted_balanced_accuracy,
    balanced_accuracy,
    key_scores,
    macro_f1,
    tempo_hits,
    time_signature_hits,
)
from musebench_tasks.statistics import clopper_pearson_interval, cluster_bootstrap, wilson_interval
from musebench_tasks.values import key_name

N = five_hundred.N
CONSTANT_KEY, CONSTANT_METRE = ["C major"] * N, ["4/4"] * N


def key_hits(version, predictions=None):
    references, answered = five_hundred.keys()
    return key_scores(references=references, predictions=predictions or answered, version=version)


def metre_hits(predictions=None):
    references, answered = five_hundred.metres()
    return time_signature_hits(references=references, predictions=predictions or answered)


def tempo_hits_of_dsp(version):
    references, predictions = five_hundred.tempi()
    return tempo_hits(references=references, predictions=predictions, version=version)


# quantity, count, value, Wilson 95 %, Clopper-Pearson
TABLE = {
    "DSP tempo acc1": (lambda: tempo_hits_of_dsp("acc1/1"), 268, 0.536, (0.4922, 0.5793), (0.4912, 0.5804)),
    "DSP key legacy": (lambda: key_hits("legacy_directional_a/1"), 127, 0.254, (0.2178, 0.2939), (0.2164, 0.2945)),
    "DSP key symmetric": (lambda: key_hits("symmetric/2"), 147, 0.294, (0.2558, 0.3354), (0.2544, 0.3361)),
    "constant key": (lambda: key_hits("symmetric/2", CONSTANT_KEY), 55, 0.11, (0.0855, 0.1405), (0.0839, 0.1408)),
    "DSP metre": (metre_hits, 183, 0.366, (0.3249, 0.4091), (0.3237, 0.4099)),
    "constant metre": (lambda: metre_hits(CONSTANT_METRE), 492, 0.984, (0.9687, 0.9919), (0.9687, 0.9931)),
}


@pytest.mark.parametrize(("score", "count", "value", "wilson", "exact"), TABLE.values(), ids=TABLE)
def test_counts_and_intervals(score, count, value, wilson, exact):
    hits = score()
    assert (int(hits.sum()), hits.mean()) == (count, pytest.approx(value, abs=1e-12))
    for interval, ends in ((wilson_interval(count, N), wilson), (clopper_pearson_interval(count, N), exact)):
        assert (interval.low, interval.high) == pytest.approx(ends, abs=5e-5)


def test_the_keys_of_the_fixture():
    references, _ = five_hundred.keys()
    counts = {key_name(key): references.count(key_name(key)) for key in KEYS}
    assert (counts.pop("C major"), counts.pop("A minor"), len(references)) == (35, 20, 500)
    assert set(counts.values()) == {20, 21}
    assert sum(references.count(key) for key in ("C major", "A minor")) == 55


@pytest.mark.parametrize(
    ("version", "hits"),
    [("exact/1", 100), ("symmetric/2", 147), ("legacy_directional_a/1", 127), ("legacy_directional_b/1", 127)],
)
def test_keys_under_each_rule(version, hits):
    assert key_hits(version).sum() == hits


def test_a_constant_key():
    assert (key_hits("symmetric/2", CONSTANT_KEY).sum(), key_hits("exact/1", CONSTANT_KEY).sum()) == (55, 35)


def test_the_missed_direction_explains_the_difference():
    assert key_hits("symmetric/2").sum() - key_hits("legacy_directional_a/1").sum() == 20


def test_octaves_do_not_rescue_three_halves():
    assert tempo_hits_of_dsp("acc2/1").sum() == 268


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(268, 500, 0.492, 0.580), (492, 500, 0.972, 0.994), (3, 8, 0.125, 0.75), (0, 500, 0, 0), (500, 500, 1, 1)],
)
def test_percentiles_of_drawn_indices(hits, n, low, high):
    scores = np.repeat([1.0, 0.0], [hits, n - hits])
    drawn = scores[np.random.default_rng(42).integers(n, size=(10_000, n))].mean(axis=1)
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx((low, high), abs=5e-4)
    # The product draws counts instead: one distribution, other random numbers, at most a step of 1/n apart.
    ours = cluster_bootstrap(scores, range(n))
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1.001 / n if n > 8 else 1e-12)


@pytest.mark.parametrize(("hits", "low", "high"), [(0, 0, 0.0076), (500, 0.9924, 1)])
def test_wilson_where_the_bootstrap_has_no_width(hits, low, high):
    interval = wilson_interval(hits, N)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)


def test_constant_four_four():
    references = five_hundred.METRES
    assert metre_hits(CONSTANT_METRE).mean() == pytest.approx(0.984)
    assert balanced_accuracy(references, CONSTANT_METRE) == pytest.approx(1 / 3)
    assert adjusted_balanced_accuracy(references, CONSTANT_METRE) == pytest.approx(0)
    assert macro_f1(references, CONSTANT_METRE) == pytest.approx(0.330645, abs=5e-7)
    weighted = f1_score(references, CONSTANT_METRE, average="weighted", zero_division=0)
    assert weighted == pytest.approx(0.976065, abs=5e-7)
    assert cohen_kappa_score(references, CONSTANT_METRE) == 0
    assert matthews_corrcoef(references, CONSTANT_METRE) == 0


@pytest.mark.parametrize(
    ("right_3", "balanced", "f1"),
    [
        (0, 0.123984, 0.179676),
        (1, 0.206640, 0.181312),
        (2, 0.289295, 0.182919),
        (3, 0.371951, 0.184498),
        (4, 0.454607, 0.186049),
    ],
)
def test_a_system_that_cannot_say_six_eight(right_3, balanced, f1):
    references, predictions = five_hundred.metres(right_3)
    assert time_signature_hits(references=references, predictions=predictions).sum() == 183
    assert balanced_accuracy(references, predictions) == pytest.approx(balanced, abs=5e-7)
    assert macro_f1(references, predictions) == pytest.approx(f1, abs=5e-7)
    beats_the_constant = balanced_accuracy(references, predictions) > balanced_accuracy(references, CONSTANT_METRE)
    assert beats_the_constant == (right_3 >= 3)


def test_a_plain_draw_may_lose_a_rare_class():
    # music_metrics.md 4: 1.80 % of draws for a class of 4 in 500, about 3.6 % for either of two
    classes = np.unique(five_hundred.METRES, return_inverse=True)[1]
    drawn = np.random.default_rng(42).multinomial(N, np.bincount(classes) / N, size=100_000)
    rare = drawn[:, np.bincount(classes) == 4] == 0
    assert pytest.approx(0.0180, abs=5e-5) == (496 / 500) ** 500
    assert rare[:, 0].mean() == pytest.approx(0.0180, abs=0.0015)
    assert rare.any(axis=1).mean() == pytest.approx(0.036, abs=0.002)


def test_segments_of_the_published_set():
    assert 4676 / N == 9.352
    assert round(100 * 3232 / 4676, 3) == 69.119  # the page prints 69.117
    assert 460 / N == 0.92
