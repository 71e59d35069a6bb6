import sys
import threading
from types import SimpleNamespace

import pytest

from musebench_tasks.base.errors import (
    BackendError,
    BackendTimeoutError,
    DeviceLostError,
    MediaError,
    MediaUnavailableError,
    ModelUnusableError,
    MuseError,
)
from musebench_tasks.base.records import Limits
from musebench_tasks.inference import Journal, TaskPlan, journal_path, journal_sizes, plan_units, read_responses, work
from musebench_tasks.inference.leases import Leases
from musebench_tasks.inference.task_plan import Answered
from musebench_tasks.inference.watchdog import Watchdog
from musebench_tasks.inference.work import poll_s
from musebench_tasks.models import answered


def plan_of(folder, requests, **more):
    return TaskPlan("task", folder, plan_units(requests), Limits(), **more)


def statuses(folder):
    return {each.item_id: (each.failure and each.failure.value) or each.raw for each in read_responses(folder).values()}


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (MediaError("short_decode", "62 of 100"), "media_error"),
        (MediaUnavailableError("missing", "nothing there"), "media_unavailable"),
        (BackendTimeoutError("too slow"), "timeout"),
        (BackendError("server gone"), "backend_error"),
        (RuntimeError("bug in a model"), "backend_error"),
    ],
)
def test_an_error_ends_the_rest_of_its_group_and_nothing_else(tmp_path, request_of, echo, problem, status):
    requests = [*(request_of(name, media="file") for name in "abc"), request_of("d", media="other")]
    work(plan_of(tmp_path, requests), echo(raising={"b": problem}), 0, lambda *_: None)
    assert statuses(tmp_path) == {"a": "a", "b": status, "c": status, "d": "d"}
    assert all(str(problem) in each.error for each in read_responses(tmp_path).values() if each.failure)


def test_a_request_the_model_passes_over_is_a_backend_error(tmp_path, request_of, echo):
    work(plan_of(tmp_path, [request_of("a"), request_of("b")]), echo(silent="b"), 0, lambda *_: None)
    assert statuses(tmp_path) == {"a": "a", "b": "backend_error"}


def test_trouble_of_ours_is_no_answer_and_stops_the_work(tmp_path, request_of, echo):
    problem = MuseError("the cache cannot be written")
    with pytest.raises(MuseError, match="cache"):
        work(plan_of(tmp_path, [request_of("a")]), echo(raising={"a": problem}), 0, lambda *_: None)
    assert statuses(tmp_path) == {}


def test_what_is_answered_is_not_asked_again(tmp_path, request_of, echo):
    requests = [request_of("a"), request_of("b")]
    work(plan_of(tmp_path, requests[:1]), echo(), 0, lambda *_: None)
    model = echo()
    work(plan_of(tmp_path, requests), model, 1, lambda *_: None)
    assert model.groups == [["b"]]


def test_failures_stay_unless_they_are_to_be_retried_and_then_once(tmp_path, request_of, echo):
    requests = [request_of("a"), request_of("b")]
    work(plan_of(tmp_path, requests), echo(failing="b"), 0, lambda *_: None)
    again = echo()
    work(plan_of(tmp_path, requests), again, 0, lambda *_: None)
    assert again.groups == []
    retried = echo(failing="b")
    work(plan_of(tmp_path, requests, retry_before=journal_sizes(tmp_path)), retried, 0, lambda *_: None)
    assert retried.groups == [["b"]]
    work(plan_of(tmp_path, requests, retry_before=journal_sizes(tmp_path)), echo(), 0, lambda *_: None)
    assert statuses(tmp_path) == {"a": "a", "b": "b"}


def test_a_known_answer_is_taken_over_under_the_own_run(tmp_path, request_of, echo):
    asked = request_of("a", key="same", run=2)
    model = echo()
    known = answered(request_of("a", key="same", run=0), "from before")
    with Journal(journal_path(tmp_path / "before", 0)) as journal:
        journal.append(known)
    work(plan_of(tmp_path / "now", [asked], reuse=(tmp_path / "before",)), model, 0, lambda *_: None)
    assert model.groups == []
    (response,) = read_responses(tmp_path / "now").values()
    assert (response.raw, response.run) == ("from before", 2)


def test_what_another_task_just_answered_is_not_asked_again(tmp_path, request_of, echo):
    first, second = tmp_path / "first", tmp_path / "second"
    model = echo()
    plans = [
        plan_of(first, [request_of("a"), request_of("b")]),
        plan_of(second, [request_of("b"), request_of("c")], reuse=(first,)),
    ]
    for plan in plans:
        work(plan, model, 0, lambda *_: None)
    assert sorted(item for group in model.groups for item in group) == ["a", "b", "c"]
    assert statuses(second) == {"b": "b", "c": "c"}


def test_the_observer_hears_of_an_answer_once_it_is_on_disk(tmp_path, request_of, echo):
    seen = []

    def observe(task, response):
        seen.append((task, response.item_id, journal_path(tmp_path, 0).read_text().count("\n")))

    work(plan_of(tmp_path, [request_of("a"), request_of("b")]), echo(), 0, observe)
    assert sorted(count for *_, count in seen) == [1, 2]


def test_a_worker_leaves_alone_what_another_holds_and_takes_it_when_that_is_gone(tmp_path, request_of, echo):
    requests = [request_of("a", media="file"), request_of("b")]
    plan = plan_of(tmp_path, requests)
    other = Leases(tmp_path).claim(plan.units[0].id)
    assert other.__enter__()
    model = echo()

    def release(task, response):
        if response.item_id == "b":
            other.__exit__(None, None, None)

    work(plan, model, 0, release)
    assert model.groups == [["b"], ["a"]]


def test_bookkeeping_grows_with_the_work_not_with_its_square(tmp_path, request_of, echo, monkeypatch):
    looks = []
    lacks = Answered.lacks
    monkeypatch.setattr(Answered, "lacks", lambda self, unit: looks.append(unit) or lacks(self, unit))
    plan = plan_of(tmp_path, [request_of(f"{number}", media=f"file-{number}") for number in range(200)])
    second = threading.Thread(target=work, args=(plan, echo(), 1, lambda *_: None))
    second.start()
    work(plan, echo(), 0, lambda *_: None)
    second.join()
    assert len(statuses(tmp_path)) == 200
    assert len(looks) < 10 * 200


def test_a_model_gets_ready_before_its_time_is_taken(tmp_path, request_of, echo, monkeypatch):
    """A download of weights may take longer than a model may be silent at a medium."""
    seen, model = [], echo()
    model.prepare = lambda: seen.append("prepared")
    watching = Watchdog.watching
    monkeypatch.setattr(Watchdog, "watching", lambda self, unit: seen.append("watched") or watching(self, unit))
    requests = [request_of("a"), request_of("b")]
    work(plan_of(tmp_path / "first", requests), model, 0, lambda *_: None)
    assert seen == ["prepared", "watched"] * 2
    seen.clear()
    again = plan_of(tmp_path / "second", requests, reuse=(tmp_path / "first",))
    work(again, model, 0, lambda *_: None)
    assert seen == ["watched"] * 2, "where nothing is asked nothing is loaded"


def test_a_model_that_cannot_get_ready_ends_the_work_and_frees_its_medium(tmp_path, request_of, echo):
    model = echo()

    def prepare():
        raise ModelUnusableError("its weights cannot be loaded")

    model.prepare = prepare
    with pytest.raises(ModelUnusableError):
        work(plan_of(tmp_path, [request_of("a")]), model, 0, lambda *_: None)
    assert not list((tmp_path / "leases").glob("[!.]*"))


def test_a_medium_at_which_a_device_fails_twice_is_given_up(tmp_path, request_of, echo):
    requests = [request_of("a", media="file"), request_of("b")]
    lost = echo(raising={"a": DeviceLostError("cuda:0 failed")})
    for _ in range(2):
        with pytest.raises(DeviceLostError):
            work(plan_of(tmp_path, requests), lost, 0, lambda *_: None)
        assert statuses(tmp_path) == {}
        let_another_process_have_noted_it(tmp_path)
    work(plan_of(tmp_path, requests), lost, 0, lambda *_: None)
    assert statuses(tmp_path) == {"a": "backend_error", "b": "b"}


def let_another_process_have_noted_it(folder):
    """Let what was noted by this process have been noted by another one."""
    for path in (folder / "leases").glob("*.incidents"):
        path.write_text(path.read_text().replace('"pid": ', '"pid": 9'))


@pytest.mark.parametrize(("idle_s", "seconds"), [(0, 0.2), (1, 0.2), (10, 1), (49, 4.9), (600, 5), (1e9, 5)])
def test_who_waits_for_others_looks_more_and_more_rarely(idle_s, seconds):
    assert poll_s(idle_s) == pytest.approx(seconds)


def test_a_wait_for_others_begins_anew_after_work(tmp_path, request_of, echo, monkeypatch):
    requests = [request_of(name, media=name) for name in "abc"]
    plan = plan_of(tmp_path, requests)
    others = [Leases(tmp_path).claim(unit.id) for unit in plan.units[:2]]
    assert all(each.__enter__() for each in others)
    module, now, idle = sys.modules[work.__module__], [100.0], []

    def look_again(idle_s):
        idle.append(idle_s)
        now[0] += 10
        if len(idle) in (3, 6):
            others.pop().__exit__(None, None, None)
        return 0.0

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(module, "poll_s", look_again)
    work(plan, echo(), 0, lambda *_: None)
    assert set(statuses(tmp_path)) == {"a", "b", "c"}
    assert idle == [0, 10, 20, 0, 10, 20]
