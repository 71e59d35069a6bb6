"""A model that answers several media at a time."""

import threading

import pytest

from musebench_tasks.base.errors import LeakError
from musebench_tasks.base.records import Kind, Limits, Modality
from musebench_tasks.inference import TaskPlan, plan_units, read_responses, work
from musebench_tasks.inference.leases import Leases
from musebench_tasks.models import answered

AT_ONCE = 4


class Meeting:
    """Answers only when as many groups are asked at once as it takes; says what each group met."""

    name, revision, units_in_flight = "meeting", "1", AT_ONCE
    kinds = frozenset(Kind)
    limits = Limits(modalities=frozenset(Modality))

    def __init__(self, expected=AT_ONCE, raising=None):
        self.barrier, self.raising = threading.Barrier(expected), raising or {}
        self.asked, self.together, self._inside = [], [], 0
        self._lock = threading.Lock()

    def answer(self, group):
        items = [request.item_id for request in group.requests]
        with self._lock:
            self._inside += 1
            self.together.append((items, self._inside))
        self.barrier.wait(20)
        if items[0] in self.raising:
            raise self.raising[items[0]]
        for request in group.requests:
            self.asked.append(request.item_id)
            yield answered(request, request.item_id)
        with self._lock:
            self._inside -= 1


def plan_of(folder, requests, **more):
    return TaskPlan("task", folder, plan_units(requests), Limits(), **more)


def test_several_media_are_answered_at_a_time_each_request_once(tmp_path, request_of):
    requests = [request_of(f"{medium}{number}", media=medium) for medium in "abcdefgh" for number in range(2)]
    model, heard = Meeting(), []
    work(plan_of(tmp_path, requests), model, 0, lambda task, response: heard.append(response.item_id))
    names = sorted(request.item_id for request in requests)
    assert sorted(model.asked) == sorted(heard) == names
    assert sorted(each.raw for each in read_responses(tmp_path).values()) == names
    assert max(inside for _, inside in model.together) == AT_ONCE


def test_what_stops_the_work_stops_all_threads_and_frees_what_they_held(tmp_path, request_of):
    requests = [request_of(medium, media=medium) for medium in "abcdefghijkl"]
    plan = plan_of(tmp_path, requests)
    first = plan.units[0].requests[0].item_id
    model = Meeting(expected=1, raising={first: LeakError("a title was about to be sent")})
    with pytest.raises(LeakError, match="a title"):
        work(plan, model, 0, lambda *_: None)
    assert first not in model.asked
    assert len(read_responses(tmp_path)) == len(model.asked)
    assert not list((tmp_path / "leases").glob("[!.]*"))


def test_what_happens_outside_the_threads_ends_them_in_order(tmp_path, request_of):
    requests = [request_of(medium, media=medium) for medium in "abcdefghijkl"]

    def interrupt(task, response):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work(plan_of(tmp_path, requests), Meeting(), 0, interrupt)
    assert not list((tmp_path / "leases").glob("[!.]*"))
    work(plan_of(tmp_path, requests), Meeting(expected=1), 0, lambda *_: None)
    assert len(read_responses(tmp_path)) == len(requests)


def test_a_medium_at_which_a_worker_died_is_asked_alone(tmp_path, request_of):
    requests = [request_of(medium, media=medium) for medium in "abcdef"]
    plan = plan_of(tmp_path, requests)
    suspect = plan.units[2]
    Leases(tmp_path).note(suspect.id, "died")
    model = Meeting(expected=1)
    work(plan, model, 0, lambda *_: None)
    assert len(read_responses(tmp_path)) == len(requests)
    assert {items[0]: inside for items, inside in model.together}[suspect.requests[0].item_id] == 1
