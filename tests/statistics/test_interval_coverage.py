"""How often intervals hold the true value (statistics.md 3.6), and the page that says so."""

import numpy as np
import pytest

from benchmarks.interval_coverage import (
    BOUNDED,
    DIFFERENCE,
    LARGE,
    METHODS,
    PAGE,
    RUNS,
    SETTINGS,
    USED,
    Setting,
    accuracy_samples,
    coverage_of_accuracy,
    coverage_of_bounded,
    coverage_of_difference,
    distinct,
    measure_large,
    read_file,
    with_tables,
)
from musebench_tasks.statistics import interval_of_mean

FILED = {(row.score, row.method, *row[2:6]): row for row in read_file()}
LEAST = 0.93


def filed(score, method, setting):
    return FILED[score, method, *setting]


def allowed(runs):
    """3 Monte-Carlo errors + .005."""
    return 3 * np.sqrt(0.95 * 0.05 / runs) + 0.005


def test_the_page_shows_the_file():
    page = PAGE.read_text(encoding="utf-8")
    assert with_tables(page, read_file()) == page, "run python -m benchmarks.interval_coverage --table"


@pytest.mark.parametrize("n", [11, 36, 55, 107])
@pytest.mark.parametrize("share", [0.5, 0.85])
@pytest.mark.parametrize(("icc", "items_a_cluster"), [(0, 1), (0, 3), (0.3, 2), (0.3, 3)])
def test_small_slices_are_covered(n, share, icc, items_a_cluster):
    setting = Setting(n, share, icc, items_a_cluster)
    assert filed("accuracy", USED, setting).runs == RUNS
    for score in ("accuracy", *BOUNDED):
        assert filed(score, USED, setting).coverage >= LEAST


@pytest.mark.parametrize(("n", "low", "high"), [(11, 0.81, 0.83), (36, 0.90, 0.915), (55, 0.91, 0.925)])
@pytest.mark.parametrize("method", ["normal, clusters", "t, clusters", "percentile bootstrap"])
def test_what_is_commonly_printed_is_not(method, n, low, high):
    # statistics.md 3.6: about .81-.83, .90-.91, .91-.92 at p = .85
    row = filed("accuracy", method, Setting(n, 0.85, 0, 1))
    assert low - 2 * np.sqrt(0.16 / row.runs) <= row.coverage <= high + 2 * np.sqrt(0.16 / row.runs)


@pytest.mark.parametrize("setting", LARGE, ids=str)
def test_large_slices_are_covered_as_stated(setting):
    for score in ("accuracy", *BOUNDED, DIFFERENCE):
        row = filed(score, USED, setting)
        assert row.runs == RUNS
        assert abs(row.coverage - 0.95) <= allowed(RUNS)


def test_every_setting_and_method_was_measured():
    expected = {("accuracy", method, *setting) for setting in SETTINGS for method in METHODS}
    expected |= {
        (score, method, *setting) for setting in SETTINGS for score in BOUNDED for method in (USED, "t, clusters")
    }
    expected |= {(DIFFERENCE, USED, *setting) for setting in SETTINGS}
    expected |= {(score, USED, *setting) for setting in LARGE for score in ("accuracy", *BOUNDED, DIFFERENCE)}
    assert set(FILED) == expected


def test_samples_that_differ_in_order_alone_have_one_interval():
    setting = Setting(11, 0.5, 0.3, 3)
    samples = accuracy_samples(setting, 300)
    found, counts = distinct(samples, setting)
    assert counts.sum() == 300
    assert len(found) < 100
    intervals = [interval_of_mean(sample, setting.clusters, binary=True) for sample in samples]
    of_kinds = {interval_of_mean(sample, setting.clusters, binary=True) for sample in found}
    mean_low = sum(
        count * interval_of_mean(sample, setting.clusters, binary=True).low
        for sample, count in zip(found, counts, strict=True)
    )
    assert mean_low == pytest.approx(sum(each.low for each in intervals))
    assert len(of_kinds) <= len(found)


def test_samples_correlate_within_clusters_as_said():
    samples = accuracy_samples(Setting(107, 0.5, 0.3, 2), 2000)
    assert np.corrcoef(samples[:, 0:106:2].ravel(), samples[:, 1:106:2].ravel())[0, 1] == pytest.approx(0.3, abs=0.01)
    assert samples.mean() == pytest.approx(0.5, abs=0.005)


def test_the_file_holds_what_is_measured():
    (found,) = coverage_of_accuracy(Setting(11, 0.85, 0, 1), [USED])
    row = filed("accuracy", USED, found[2:6])
    assert found.coverage == pytest.approx(row.coverage, abs=4 * np.sqrt(2 * 0.05 / row.runs))
    assert found.width == pytest.approx(row.width, abs=0.01)


def assert_as_filed(found):
    row = filed(found.score, found.method, found[2:6])
    spread = np.sqrt(row.coverage * (1 - row.coverage) * (1 / row.runs + 1 / found.runs))
    assert found.coverage == pytest.approx(row.coverage, abs=4 * spread + 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_small_slices_measured_again(setting):
    accuracy = list(coverage_of_accuracy(setting))
    others = [each for score in BOUNDED for each in coverage_of_bounded(score, setting)]
    for each in (*accuracy, *others, coverage_of_difference(setting)):
        assert_as_filed(each)
    assert all(each.coverage >= LEAST for each in (*accuracy, *others) if each.method == USED)


@pytest.mark.slow
@pytest.mark.parametrize("setting", LARGE, ids=str)
def test_large_slices_measured_again(setting):
    # statistics.md 3.6: 10,000 runs, seed 0, 200 clusters
    for found in measure_large(setting):
        assert_as_filed(found)
        assert abs(found.coverage - 0.95) <= allowed(RUNS)
