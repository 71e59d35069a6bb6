"""The bootstrap of independent items, and draws within classes (statistics.md 3.2; music_metrics.md 4)."""

import time

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import balanced_accuracy_score, f1_score

from musebench_tasks.base.errors import InputError
from musebench_tasks.statistics import (
    class_totals,
    cluster_bootstrap,
    clusters_within_strata,
    independent_bootstrap,
    independent_means,
    mean_f1_of,
    mean_recall_of,
    percentile_interval,
    stratified_bootstrap,
    stratified_totals,
)
from musebench_tasks.statistics.independent import _binned_means


@pytest.mark.parametrize(
    ("scores", "method"),
    [
        ([0, 1, 1, 1] * 30, "percentile_binomial_bootstrap"),
        ([0, 0.3, 0.5, 1, 0.2, 1] * 20, "percentile_multinomial_bootstrap"),
        (np.random.default_rng(1).beta(0.5, 0.5, size=120), "percentile_bootstrap"),
    ],
)
def test_counts_have_the_distribution_of_drawn_items(scores, method):
    scores = np.asarray(scores, dtype=float)
    assert independent_bootstrap(scores).method == method
    found = independent_means(scores, draws=4000, seed=1)
    drawn = scores[np.random.default_rng(2).integers(scores.size, size=(4000, scores.size))].mean(axis=1)
    assert stats.ks_2samp(found, drawn).pvalue > 0.01


def test_bins_have_the_distribution_of_drawn_items():
    scores = np.random.default_rng(3).lognormal(sigma=1.5, size=1000)
    binned = _binned_means(np.sort(scores), 20_000, np.random.default_rng(4))
    drawn = independent_means(scores, draws=5000, seed=5)
    assert stats.ks_2samp(binned, drawn).pvalue > 0.01
    assert binned.mean() == pytest.approx(scores.mean(), abs=4 * scores.std() / np.sqrt(1000 * 20_000))
    assert binned.std() == pytest.approx(scores.std() / np.sqrt(1000), rel=0.02)


def test_it_is_the_cluster_bootstrap_of_items_by_themselves():
    scores = np.random.default_rng(6).choice([0, 0.5, 1], size=300)
    ours, others = independent_bootstrap(scores), cluster_bootstrap(scores, range(300))
    assert (ours.low, ours.high) == pytest.approx((others.low, others.high), abs=0.004)


def test_a_hundred_thousand_recordings_take_milliseconds():
    generator = np.random.default_rng(0)
    for scores, method, seconds in (
        (generator.integers(2, size=100_000), "percentile_binomial_bootstrap", 0.1),
        (generator.integers(12, size=100_000) / 12, "percentile_multinomial_bootstrap", 0.3),
        (generator.random(100_000), "percentile_binned_bootstrap", 1.0),
    ):
        start = time.process_time()
        found = independent_bootstrap(scores)
        assert time.process_time() - start < seconds
        assert found.method == method
        assert found.high - found.low == pytest.approx(2 * 1.96 * scores.std() / np.sqrt(100_000), rel=0.05)


def test_one_item_has_no_interval():
    assert independent_bootstrap([1]) is None
    with pytest.raises(InputError, match="at least one item"):
        independent_means([])


CONFUSION = np.array([[30, 3, 1, 2], [2, 5, 1, 0], [1, 0, 3, 0]])
"""Three classes of the references; the fourth column is no answer."""


def labels(confusion):
    pairs = [(row, column) for row, column in np.ndindex(confusion.shape) for _ in range(confusion[row, column])]
    return np.array(pairs).T


def test_averages_over_classes_are_those_of_scikit_learn():
    right, found = labels(CONFUSION)
    totals = np.concatenate([np.diag(CONFUSION), CONFUSION.sum(axis=1), CONFUSION[:, :3].sum(axis=0)])[None].astype(
        float
    )
    with pytest.warns(UserWarning, match="not in y_true"):
        theirs = balanced_accuracy_score(right, found)
    assert mean_recall_of(totals)[0] == pytest.approx(theirs)
    assert mean_f1_of(totals)[0] == pytest.approx(f1_score(right, found, labels=[0, 1, 2], average="macro"))


@pytest.mark.parametrize("statistic", [mean_recall_of, mean_f1_of])
def test_rows_of_the_confusion_matrix_are_drawn_like_items_of_a_class(statistic):
    right, found = labels(CONFUSION)
    columns = np.column_stack(
        [right == found, np.ones_like(right), *(found == each for each in range(3))],
    )
    by_class = [(right == each)[:, None] * columns[:, :2] for each in range(3)]
    table = np.column_stack([each[:, 0] for each in by_class] + [each[:, 1] for each in by_class] + [columns[:, 2:]])
    items = stratified_totals(table.astype(float), range(len(right)), right, draws=6000, seed=1)
    rows = class_totals(CONFUSION, draws=6000, seed=2)
    assert (items[:, 3:6] == CONFUSION.sum(axis=1)).all()
    assert (rows[:, 3:6] == CONFUSION.sum(axis=1)).all()
    assert stats.ks_2samp(statistic(items), statistic(rows)).pvalue > 0.01


def test_a_rare_class_is_never_lost():
    # music_metrics.md 4: a plain bootstrap of 500 loses a class of 4 in 1.80 % of draws
    confusion = [[492, 0, 0], [3, 1, 0], [2, 0, 2]]
    assert stratified_bootstrap(confusion).method == "percentile_stratified_bootstrap"
    right, found = labels(np.array(confusion))
    hits = np.column_stack([(right == each) & (found == right) for each in range(3)])
    members = np.column_stack([right == each for each in range(3)])
    table = np.column_stack([hits, members, members]).astype(float)
    plain = cluster_bootstrap(table, range(500), mean_recall_of)
    lost = int(plain.method.split("(")[1].split()[0])
    assert lost / 10_000 == pytest.approx(2 * (496 / 500) ** 500, abs=0.006)


def test_undefined_draws_are_counted():
    found = stratified_bootstrap([[3, 1], [0, 0]])
    assert found is None
    odd = np.where(np.arange(100) % 4 == 0, np.nan, np.arange(100) / 100)
    assert percentile_interval(odd, seed=0, method="named").method == "named (25 undefined draws)"


def test_clusters_are_drawn_within_strata():
    clusters, strata = list("aabbccdd"), [0, 0, 0, 0, 1, 1, 1, 1]
    table = np.column_stack([[1, 1, 0, 0, 1, 0, 0, 0], np.ones(8), np.array(strata) == 0]).astype(float)
    totals = stratified_totals(table, clusters, strata, draws=400, seed=0)
    assert (totals[:, 1:] == [8, 4]).all()
    # Cluster sums are 2 and 0 in one stratum, 1 and 0 in the other: of each two are drawn.
    assert set(totals[:, 0]) == {0, 1, 2, 3, 4, 5, 6}
    assert clusters_within_strata(clusters, strata)


def test_clusters_that_mix_strata_cannot_be_drawn_within_them():
    assert not clusters_within_strata("aab", [0, 1, 1])
    with pytest.raises(InputError, match="several strata"):
        stratified_totals(np.ones((3, 1)), "aab", [0, 1, 1])


@pytest.mark.parametrize("confusion", [[], [1, 2], [[1], [2]], [[1, -1]], [[0.5, 1]], [[np.nan, 1]]])
def test_a_confusion_matrix_holds_counts(confusion):
    with pytest.raises(InputError, match="confusion matrix"):
        class_totals(confusion)
