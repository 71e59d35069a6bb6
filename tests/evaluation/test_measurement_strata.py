"""Averages over classes are drawn within classes, so that a rare one is never lost (music_metrics.md 4)."""

import numpy as np
import pytest
from fakes.scored_material import music_answer, music_task, recording, truth

from musebench_tasks.evaluation.measurement import drawn_sums, lone_strata

METRES = ["4/4"] * 40 + ["3/4"] * 6 + ["6/8"] * 4
ANSWERS = ["4/4"] * 36 + ["3/4"] * 8 + ["4/4"] * 2 + ["6/8"] * 3 + ["3/4"]
STRATIFIED = "percentile_stratified_cluster_bootstrap"


def scored(score, cluster_of, metres=METRES, answers=ANSWERS):
    items = [recording(f"r{number:02}", cluster=cluster_of(number)) for number in range(len(metres))]
    references = [truth(item, metre=metre) for item, metre in zip(items, metres, strict=True)]
    predictions = [music_answer(item, time_signature=each) for item, each in zip(items, answers, strict=True)]
    return score(music_task(), items, references, predictions)


@pytest.mark.parametrize("name", ["balanced_accuracy", "macro_f1"])
@pytest.mark.parametrize("items_a_cluster", [1, 2])
def test_clusters_of_one_class_each_are_drawn_within_classes(score, name, items_a_cluster):
    row = scored(score, lambda number: f"tune{number // items_a_cluster}").row(f"mub.time_signature.{name}")
    assert row.interval.method == STRATIFIED
    assert row.interval.low < row.value < row.interval.high
    assert row.note == "3/4: n 6, 4/4: n 40, 6/8: n 4"


def test_the_error_is_that_of_independent_recalls(score):
    row = scored(score, lambda number: f"tune{number}").row("mub.time_signature.balanced_accuracy")
    recalls, sizes = np.array([36 / 40, 4 / 6, 3 / 4]), np.array([40, 6, 4])
    assert row.value == pytest.approx(recalls.mean())
    expected = np.sqrt(np.sum(recalls * (1 - recalls) / sizes)) / 3
    assert row.standard_error == pytest.approx(expected, rel=0.03)


def test_clusters_that_mix_classes_are_drawn_without(score):
    row = scored(score, lambda number: f"tune{number % 25}").row("mub.time_signature.balanced_accuracy")
    assert row.interval.method.startswith("percentile_cluster_bootstrap")
    assert "undefined draws" in row.interval.method


def test_a_class_of_one_cluster_leaves_the_error_unknown(score):
    metres, answers = ["4/4"] * 12 + ["3/4"], ["4/4"] * 9 + ["3/4"] * 4
    row = scored(score, lambda number: f"tune{number}", metres, answers).row("mub.time_signature.balanced_accuracy")
    assert (row.value, row.standard_error, row.interval) == (0.875, None, None)
    assert row.note == "3/4: n 1, 4/4: n 12; no interval, because one cluster is all there is of 3/4"


def test_strata_of_one_cluster_are_named():
    assert lone_strata("aabcd", "xxyyz") == ["x", "z"]
    assert drawn_sums(np.ones((10, 1)), list("abcdefghij"), list("xxxxxxxxxy")) is None
    totals, method = drawn_sums(np.ones((10, 1)), list("abcdefghij"), list("xxxxxyyyyy"))
    assert (totals.shape, method) == ((10_000, 1), STRATIFIED)
