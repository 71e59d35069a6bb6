"""`macro:` and `by:` for any measure: a mean over the values of an item field, and a measure of one field's slices."""

import numpy as np
import pytest
from fakes.scored_material import answer, choice_item, choice_task, gold

from musebench_tasks.base.records import Kind, MetricConfig
from musebench_tasks.evaluation.metrics.registry import number_of

HITS = {"low": (1, 1, 1, 0, 1, 1, 0, 1), "high": (0, 1, 0, 0)}


def scored(score, entries, hits=HITS, clusters=None, slices=(), kind=Kind.SINGLE):
    items = [
        choice_item(f"{value}{n}", 4, difficulty=value, cluster=clusters and clusters[value][n], kind=kind)
        for value, found in hits.items()
        for n in range(len(found))
    ]
    right = [hit for found in hits.values() for hit in found]
    letters = ("A", "B") if kind is Kind.SINGLE else ("AB", "AC")
    predictions = [answer(item, letters[not hit]) for item, hit in zip(items, right, strict=True)]
    task = choice_task(["accuracy"], slices=slices).model_copy(
        update={"metric_list": (MetricConfig(metric="accuracy"), *(MetricConfig(**entry) for entry in entries))}
    )
    return score(task, items, [gold(item, letters[0]) for item in items], predictions)


def test_each_value_counts_alike(score):
    card = scored(score, [{"metric": "accuracy", "macro": "difficulty"}])
    assert card.row("accuracy").value == pytest.approx(7 / 12)
    assert card.row("accuracy.macro.difficulty").value == pytest.approx((6 / 8 + 1 / 4) / 2)
    assert card.row("accuracy.macro.difficulty").n == 12


def test_caa_is_adjusted_first_and_averaged_then(score):
    row = scored(score, [{"metric": "caa", "macro": "difficulty"}]).row("caa.macro.difficulty")
    assert row.value == pytest.approx(((6 / 8 - 1 / 4) / (3 / 4) + 0) / 2)
    assert (row.version, row.note) == ("1", "mean over 2 values of difficulty")


def test_a_statistic_of_sums_is_averaged_as_well(score):
    card = scored(score, [{"metric": "set_f1", "macro": "difficulty"}], kind=Kind.MULTI)
    by_value = {"low": (6 * 2 + 2) / 16, "high": (2 + 3) / 8}
    assert card.row("micro_f1.macro.difficulty").value == pytest.approx(sum(by_value.values()) / 2)


def test_the_error_is_that_of_independent_groups(score):
    """sqrt(sum of s²/n of each group) / 2 where no cluster spans groups, by draws within them."""
    generator = np.random.default_rng(3)
    hits = {name: tuple(generator.integers(0, 2, n).tolist()) for name, n in (("low", 60), ("high", 30))}
    row = scored(score, [{"metric": "accuracy", "macro": "difficulty"}], hits).row("accuracy.macro.difficulty")
    expected = np.sqrt(sum(np.var(found, ddof=1) / len(found) for found in hits.values())) / 2
    assert row.standard_error == pytest.approx(expected, rel=0.05)
    assert row.interval.low < row.value < row.interval.high
    assert "stratified" in row.interval.method


def test_clusters_that_span_values_are_drawn_whole(score):
    """With every answer of a cluster alike, the error is that of half as many independent units in each group."""
    pairs = {"low": tuple(n % 2 for n in range(40)), "high": tuple(n % 2 for n in range(40))}
    clusters = {name: [f"c{n}" for n in range(40)] for name in pairs}
    alone = scored(score, [{"metric": "accuracy", "macro": "difficulty"}], pairs).row("accuracy.macro.difficulty")
    tied = scored(score, [{"metric": "accuracy", "macro": "difficulty"}], pairs, clusters)
    row = tied.row("accuracy.macro.difficulty")
    assert row.standard_error == pytest.approx(alone.standard_error * np.sqrt(2), rel=0.06)


def test_a_value_without_the_measure_is_no_zero(score):
    """Multi-select items alone have no CAA: the mean is over the other values."""
    items = [choice_item(f"s{n}", difficulty="low") for n in range(4)]
    items += [choice_item(f"m{n}", 6, kind=Kind.MULTI, difficulty="high") for n in range(4)]
    predictions = [answer(item, "A" if item.kind is Kind.SINGLE else "AB") for item in items]
    references = [gold(item, "A" if item.kind is Kind.SINGLE else "AB") for item in items]
    entries = [{"metric": "accuracy"}, {"metric": "caa", "macro": "difficulty"}]
    task = choice_task(["accuracy"]).model_copy(update={"metric_list": tuple(MetricConfig(**each) for each in entries)})
    row = score(task, items, references, predictions).row("caa.macro.difficulty")
    assert (row.value, row.n, row.note) == (1.0, 4, "mean over 1 value of difficulty")


def test_guessing_is_averaged_over_the_same_values(score):
    card = scored(score, [{"metric": "accuracy", "macro": "difficulty"}])
    (chance,) = [row for row in card.baselines if (row.system, row.metric) == ("chance", "accuracy.macro.difficulty")]
    assert chance.value == pytest.approx(1 / 4)
    first = [row for row in card.baselines if (row.system, row.metric) == ("always_first", "accuracy.macro.difficulty")]
    assert first[0].value == 1.0


def test_by_measures_one_metric_on_the_slices_of_one_field(score):
    card = scored(score, [{"metric": "caa", "by": "difficulty"}])
    found = {(row.metric, row.slice, row.slice_value): row.value for row in card.scores}
    assert ("caa", None, None) not in found
    assert found["caa", "difficulty", "low"] == pytest.approx((6 / 8 - 1 / 4) / (3 / 4))
    assert ("accuracy", "difficulty", "low") not in found


def test_a_macro_measure_has_no_slices_of_its_own_field(score):
    card = scored(score, [{"metric": "accuracy", "macro": "difficulty"}], slices=("difficulty", "kind"))
    places = {row.slice for row in card.scores if row.metric == "accuracy.macro.difficulty"}
    assert places == {None, "kind"}


def test_bounds_are_those_of_the_measure():
    assert number_of("caa.macro.difficulty").bounds == number_of("caa").bounds
