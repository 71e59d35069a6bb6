"""A budget is looked at before every request: what is spent beyond it is what was on its way."""

import threading

import pytest

from musebench_tasks.base.errors import BudgetReachedError
from musebench_tasks.base.records import Limits
from musebench_tasks.inference import RunBudget, TaskPlan, plan_units, read_responses, work
from musebench_tasks.inference.budget import Spending

ONE_DOLLAR = "some/model: {input: 10000, cached_input: 10000, output: 0}\n"
"""The fake server tells 100 tokens read."""


@pytest.fixture
def priced(model, tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text(ONE_DOLLAR)
    return lambda **options: model(prices=path, **options)


@pytest.fixture
def asked(make_request):
    """Eight items of eleven questions each."""
    places = [(item, run) for item in range(8) for run in range(11)]
    return [
        make_request(item_id=f"item-{item}", run=run, prompt=f"{item} {run}", parts=(), audio_route="none")
        for item, run in places
    ]


@pytest.fixture
def answer(tmp_path, asked):
    """What stands in the journals after all was asked that the budget allows, and whether it stopped the work."""

    def answer(model, usd, folder=tmp_path / "run", count=None):
        plan = TaskPlan("task", folder, plan_units(asked[:count]), Limits(), budget=RunBudget(usd, (folder,)))
        try:
            work(plan, model, 0, lambda *_: None)
        except BudgetReachedError as reached:
            return list(read_responses(folder).values()), str(reached)
        return list(read_responses(folder).values()), None

    return answer


@pytest.mark.parametrize("concurrency", [1, 8, 64])
@pytest.mark.parametrize("usd", [0.5, 5.0, 17.5])
def test_nothing_is_asked_beyond_what_the_budget_holds(server, priced, answer, concurrency, usd):
    server.delay_s = 0.002
    found, told = answer(priced(concurrency=concurrency), usd)
    assert usd <= len(server.requests) < usd + 1
    assert sum(each.cost_usd for each in found) == len(found) == len(server.requests)
    assert f"The budget of {usd:g} USD is spent ({len(found)}.0000 USD)." in told


def test_one_request_goes_at_a_time_until_a_first_cost_is_known(server, priced, answer):
    server.delay_s = 0.005
    server.faults = ["400"] * 3
    server.most_in_flight = 0
    answer(priced(), 0.5)
    assert server.most_in_flight == 1
    assert len(server.requests) == 4


def test_a_budget_that_is_large_enough_costs_no_speed(server, priced, answer):
    server.delay_s = 0.005
    _, told = answer(priced(), 1000)
    assert (told, len(server.requests)) == (None, 88)
    assert server.most_in_flight > 1


def test_dearer_answers_than_the_mean_are_kept_and_end_it(server, priced, answer):
    """Ten answers of a cent, then all that is on its way costs a dollar."""
    server.delay_s = 0.005
    cheap = {"prompt_tokens": 1, "completion_tokens": 0}
    server.usage = cheap
    server.reply = lambda body: "B"
    model = priced(concurrency=2)

    def reply(body):
        if len(server.requests) > 10:
            server.usage = {"prompt_tokens": 100, "completion_tokens": 0}
        return "B"

    server.reply = reply
    found, told = answer(model, 1.0)
    assert told is not None
    assert len(found) == len(server.requests) <= 10 + 2 * 2
    assert 1.0 <= sum(each.cost_usd for each in found) <= 0.1 + 4


def test_a_further_try_is_asked_for_too(server, priced, answer):
    server.faults = ["500", None, "500"]
    found, told = answer(priced(concurrency=1), 1.0)
    assert (len(found), len(server.requests)) == (1, 2)
    assert "spent (1.0000 USD)" in told


def test_a_server_that_tells_no_counts_ends_a_run_with_a_budget(server, priced, answer):
    server.fault = "no_usage"
    found, told = answer(priced(), 5.0)
    assert len(found) == len(server.requests) == 1
    assert "tells no token counts, so that the budget of 5 USD cannot be held" in told


def test_what_was_spent_before_is_known_from_the_journals(server, priced, answer):
    server.delay_s = 0.002
    answer(priced(), 2.5)
    assert len(server.requests) == 3
    answer(priced(), 2.5)
    assert len(server.requests) == 3
    found, _ = answer(priced(), 6.0)
    assert len(found) == len(server.requests) == 6


def test_each_of_several_processes_leaves_room_for_the_others(tmp_path):
    alone, one_of_four = (Spending(RunBudget(9.0, (tmp_path,), processes)) for processes in (1, 4))
    for spending, most in ((alone, 8), (one_of_four, 2)):
        with spending.payment("first") as payment:
            payment.begin()
            payment.received(1.0)
        for _ in range(most):
            assert spending._has_room()
            spending.begin(is_on_its_way=False)
        assert not spending._has_room()


def test_threads_that_wait_go_on_when_one_has_ended(tmp_path):
    """Whatever the order of ends: never more on its way than the budget holds, and no thread is left behind."""
    spending, lock, now, most, paid = Spending(RunBudget(10.0, (tmp_path,))), threading.Lock(), [0], [0], []

    def ask(number):
        try:
            with spending.payment(str(number)) as payment:
                payment.begin()
                with lock:
                    now[0] += 1
                    most[0] = max(most[0], now[0] + len(paid))
                payment.received(1.0)
                with lock:
                    now[0] -= 1
                    paid.append(number)
        except BudgetReachedError:
            pass

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(40)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(10)
    assert not any(each.is_alive() for each in threads)
    assert len(paid) == most[0] == 10
