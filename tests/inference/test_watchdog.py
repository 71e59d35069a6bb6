import pytest

from musebench_tasks.base.records import Limits
from musebench_tasks.inference import TaskPlan, plan_units, read_responses, watchdog, work
from musebench_tasks.inference.leases import Leases
from musebench_tasks.inference.watchdog import Watchdog, allowed_s


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def unit(request_of):
    return plan_units([request_of("a", media="file", seconds=200.0)])[0]


def test_the_time_follows_from_what_a_medium_holds_unless_it_is_given(unit):
    assert unit.cost_s == 201.0
    assert allowed_s(unit, None) == 1800 + 2010
    assert allowed_s(unit, 7.0) == 7.0


def test_only_time_without_an_answer_counts(unit):
    clock, hung = Clock(), []
    dog = Watchdog(10.0, lambda each, seconds: hung.append((each.id, seconds)), clock=clock)
    with dog.watching(unit) as answered:
        clock.now = 9.0
        dog.look()
        answered()
        clock.now = 18.0
        dog.look()
        assert not hung
        clock.now = 20.0
        dog.look()
        dog.look()
    assert hung == [(unit.id, 11.0)]
    clock.now = 99.0
    dog.look()
    assert len(hung) == 1


def test_the_timer_behind_it_is_wound_up_as_long_as_it_looks(unit, monkeypatch):
    wound = []
    monkeypatch.setattr(watchdog.faulthandler, "dump_traceback_later", lambda seconds, exit: wound.append(seconds))
    monkeypatch.setattr(watchdog.faulthandler, "cancel_dump_traceback_later", lambda: wound.append(None))
    with Watchdog(10.0, lambda *_: None, ends_process=True) as dog:
        with dog.watching(unit):
            assert wound == [10 + watchdog.GRACE_S]
        dog.look()
        assert wound[1] == 10 + watchdog.GRACE_S
    assert wound[-1] is None


@pytest.mark.parametrize(
    ("incidents", "status", "told"),
    [
        (["died", "died"], "backend_error", "2 died"),
        (["died", "hung"], "timeout", "1 died and 1 hung"),
        (["hung", "died", "died"], "backend_error", "2 died and 1 hung"),
    ],
)
def test_a_medium_with_too_many_incidents_is_given_up(tmp_path, request_of, echo, incidents, status, told):
    plan = TaskPlan("task", tmp_path, plan_units([request_of("a", media="clip"), request_of("b")]), Limits())
    bad = next(unit for unit in plan.units if unit.groups[0][0].parts)
    for number, how in enumerate(incidents):
        leases = Leases(tmp_path)
        object.__setattr__(leases._holder, "pid", 1000 + number)
        leases.note(bad.id, how)
    model = echo()
    work(plan, model, 0, lambda *_: None)
    assert model.groups == [["b"]]
    failure = next(each for each in read_responses(tmp_path).values() if each.item_id == "a")
    assert failure.failure == status
    assert failure.error == (
        f"clip.mp4: of the workers that were at it {told}, so nobody is sent there any more. --retry errors asks again."
    )


def test_an_answer_clears_the_medium_of_suspicion(tmp_path, request_of, echo):
    plan = TaskPlan("task", tmp_path, plan_units([request_of("a"), request_of("b")]), Limits())
    leases = Leases(tmp_path)
    leases.note(plan.units[0].id, "died")
    work(plan, echo(), 0, lambda *_: None)
    assert leases.incidents(plan.units[0].id) == ()
