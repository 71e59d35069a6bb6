"""The plan is the denominator: it follows from task, items and conditions alone."""

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Item, Kind, make_options, shuffled_order
from musebench_tasks.tasks import conditions_of, load_task, planned, shown_order


def item(item_id="q1"):
    return Item(
        id=item_id, benchmark="b", kind=Kind.SINGLE, cluster_id="c", options=make_options(item_id, ["a", "b", "c", "d"])
    )


def test_the_plan_is_items_by_runs_by_conditions_sorted_as_predictions_are():
    plan = planned(load_task("hummusqa"), ["q2", "q1"], [CONDITIONS["noise"], Condition.FULL])
    assert len(plan) == 2 * 4 * 2
    assert plan == sorted(plan)
    assert plan[:3] == [("q1", 0, Condition.FULL), ("q1", 0, CONDITIONS["noise"]), ("q1", 1, Condition.FULL)]


def test_full_is_planned_unless_asked_otherwise():
    task = load_task("hummusqa")
    assert conditions_of(task, None) == (Condition.FULL,)
    assert conditions_of(task, ["all"]) == task.protocol.conditions
    assert conditions_of(task, ["noise", "full", "noise"]) == (CONDITIONS["noise"], Condition.FULL)


def test_a_condition_that_the_task_does_not_allow_is_an_error():
    with pytest.raises(InputError, match=r'hummusqa has no condition "no_video".*It allows: full, noise, silence'):
        planned(load_task("hummusqa"), ["q1"], [CONDITIONS["no_video"]])


def test_the_stored_order_is_shown_as_it_is():
    assert shown_order(load_task("musebench"), item(), 0) == item().option_ids


def test_shuffled_orders_follow_the_rule_of_the_run_run_0_included():  # HQ-09
    task, ids = load_task("hummusqa"), item().option_ids
    orders = [shown_order(task, item(), run) for run in range(4)]
    assert orders == [shuffled_order("q1", run, ids, 42) for run in range(4)]
    assert all(sorted(order) == sorted(ids) for order in orders)
    assert len(set(orders)) > 1
