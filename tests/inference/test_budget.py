import pytest

from musebench_tasks.base.errors import BudgetReachedError
from musebench_tasks.base.records import Kind, Limits, Modality
from musebench_tasks.inference import RunBudget, TaskPlan, plan_units, read_responses, work
from musebench_tasks.models import answered


class Dear:
    """Every answer costs a dollar."""

    name, revision = "dear", "1"
    kinds = frozenset(Kind)
    limits = Limits(modalities=frozenset(Modality))

    def answer(self, group):
        for request in group.requests:
            yield answered(request, request.item_id, cost_usd=1.0)


def plan_of(folder, requests, usd, *others, **more):
    return TaskPlan("task", folder, plan_units(requests), Limits(), budget=RunBudget(usd, (folder, *others)), **more)


def requests_on(request_of, media):
    return [request_of(f"{medium}{number}", media=medium) for medium in media for number in range(2)]


def test_no_group_is_begun_once_the_budget_is_spent(tmp_path, request_of):
    plan = plan_of(tmp_path, requests_on(request_of, "abcd"), 3.0)
    with pytest.raises(BudgetReachedError, match=r"budget of 3 USD is spent \(4\.0000 USD\).*larger --budget"):
        work(plan, Dear(), 0, lambda *_: None)
    assert len(read_responses(tmp_path)) == 4
    assert not list((tmp_path / "leases").glob("[!.]*"))


def test_what_other_tasks_and_earlier_runs_cost_counts(tmp_path, request_of):
    first, second = tmp_path / "first", tmp_path / "second"
    work(plan_of(first, requests_on(request_of, "a"), 9.0), Dear(), 0, lambda *_: None)
    with pytest.raises(BudgetReachedError):
        work(plan_of(second, requests_on(request_of, "b"), 2.0, first), Dear(), 0, lambda *_: None)
    assert not read_responses(second)
    work(plan_of(second, requests_on(request_of, "b"), 2.5, first), Dear(), 0, lambda *_: None)
    assert len(read_responses(second)) == 2


def test_an_answer_that_is_taken_over_costs_nothing_again(tmp_path, request_of):
    first, second = tmp_path / "first", tmp_path / "second"
    asked = requests_on(request_of, "ab")
    work(plan_of(first, asked, 9.0), Dear(), 0, lambda *_: None)
    work(plan_of(second, asked, 5.0, first, reuse=(first,)), Dear(), 0, lambda *_: None)
    assert {each.cost_usd for each in read_responses(second).values()} == {None}
    assert {each.cost_usd for each in read_responses(first).values()} == {1.0}
