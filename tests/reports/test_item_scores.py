from dataclasses import replace

import numpy as np
import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.reports.answers import read_task
from musebench_tasks.reports.item_scores import (
    ItemScores,
    all_item_scores,
    baseline_item_scores,
    compared,
    difference,
    excludes_zero,
    item_scores,
)
from musebench_tasks.reports.runs import read_parts


@pytest.fixture(scope="session")
def answers_of(built):
    """What every task of the built run was asked and answered, by task."""

    def read(task):
        parts, _ = read_parts([built])
        return read_task(task, [part for part in parts if part.card.task == task])

    return read


def scores(values, *, item_ids=None, clusters=None):
    ids = tuple(item_ids or map(str, range(len(values))))
    return ItemScores("accuracy/1", ids, tuple(clusters or ids), np.array(values, dtype=float)[:, None])


@pytest.mark.parametrize("task", ["musebench_demo", "hummusqa_demo", "mub_demo"])
def test_item_scores_add_up_to_what_the_scorecard_says(answers_of, task):
    answers = answers_of(task)
    part = answers.parts[0]
    for condition in part.conditions:
        found = all_item_scores(answers, part, condition)
        assert len(found) >= 6
        for name, each in found.items():
            row = part.part.card.row(name, condition=condition)
            assert each.value == (None if row.value is None else pytest.approx(row.value, abs=1e-9))
            assert len(each.item_ids) == len(each.clusters) == row.n
            assert list(each.item_ids) == sorted(each.item_ids)


def test_a_slice_is_the_same_scores_on_fewer_items(answers_of):
    answers = answers_of("musebench_demo")
    part = answers.parts[0]
    category = answers.items[0].category
    ids = [item.id for item in part.items if item.category == category]
    row = part.part.card.row("accuracy", slice="category", slice_value=category)
    assert item_scores(answers, part, metric="accuracy").only(ids).value == pytest.approx(row.value)


def test_the_headline_is_meant_where_no_metric_is_named(answers_of):
    answers = answers_of("mub_demo")
    assert item_scores(answers, answers.parts[0]).metric == "mub.key.symmetric/2"
    assert item_scores(answers, answers.parts[0], CONDITIONS["silence"], "mub.tempo.acc2").metric == "mub.tempo.acc2/1"
    assert item_scores(answers, answers.parts[0], metric="blue") is None


def test_baselines_have_item_scores_of_their_own(answers_of):
    answers = answers_of("mub_demo")
    part = answers.parts[0]
    prior = baseline_item_scores(answers, part)["prior:constant"]["mub.key.symmetric/2"]
    rows = [each for each in part.part.card.baselines if each.system == "prior:constant"]
    assert prior.value == pytest.approx(next(each.value for each in rows if each.metric == "mub.key.symmetric"))


def test_a_difference_is_over_the_items_that_both_have():
    mean, interval = difference(scores([1, 1, 0], item_ids="abc"), scores([0, 1, 1], item_ids="bcd"))
    assert mean == pytest.approx((1 - 0 + 0 - 1) / 2)
    assert interval is None


def test_a_difference_is_told_from_none_by_its_interval():
    always, never = scores([1] * 11 + [0]), scores([0] * 11 + [0])
    assert excludes_zero(difference(always, never)[1])
    assert not excludes_zero(difference(scores([1, 0] * 6), scores([0, 1] * 6))[1])
    assert not excludes_zero(None)


def test_a_statistic_of_sums_is_compared_by_the_bootstrap(answers_of):
    answers = answers_of("mub_demo")
    balanced = item_scores(answers, answers.parts[0], metric="mub.time_signature.balanced_accuracy")
    assert difference(balanced, balanced) == (0, None)  # all draws are alike: no spread, no interval
    assert compared(balanced, balanced) is None


def test_a_comparison_has_a_p_value():
    found = compared(scores([1] * 12), scores([0] * 12))
    assert found.difference == 1
    assert found.p_value < 0.01


def test_no_hit_among_few_items_is_no_proof_of_being_below_chance():
    expected = replace(scores([0.016, 0.02, 0.011] * 8), is_expectation=True)
    none = scores([0.0] * 24)
    value, interval = difference(none, expected)
    assert value == pytest.approx(-0.047 / 3)
    assert interval.low < value + 1e-9
    assert interval.high > 0
    assert compared(none, expected).p_value is None
    half = compared(scores([0.0, 1.0] * 12), expected)
    assert half.interval.low > 0
    assert half.p_value < 0.01


def test_adjusted_scores_of_misses_have_no_interval_against_guessing():
    wrong = scores([-1 / 3, -1 / 4, -1 / 5] * 8)
    expected = replace(scores([0.0] * 24), is_expectation=True)
    assert difference(wrong, expected)[1] is None
    assert difference(scores([1.0, -1 / 3] * 12), expected)[1] is not None
