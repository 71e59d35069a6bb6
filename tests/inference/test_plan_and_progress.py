import random

from musebench_tasks.inference import Progress, plan_units
from musebench_tasks.models import answered, failed


def test_one_unit_a_file_one_group_a_window_and_condition_longest_first(request_of):
    requests = [
        request_of("a", media="short", seconds=5.0),
        request_of("b", media="long", seconds=60.0),
        request_of("c", media="long", seconds=60.0),
        request_of("b", media="long", seconds=60.0, condition="no_audio"),
        request_of("d"),
    ]
    units = plan_units(requests)
    assert [[[request.item_id for request in group] for group in unit.groups] for unit in units] == [
        [["b", "c"], ["b"]],
        [["a"]],
        [["d"]],
    ]
    assert [unit.cost_s for unit in units] == [60 + 2 + 60 + 1, 6, 1]


def test_the_plan_does_not_depend_on_the_order_of_equal_units(request_of):
    requests = [request_of(f"item{number}", media=f"file{number}") for number in range(20)]
    shuffled = random.Random(1).sample(requests, len(requests))
    assert [unit.id for unit in plan_units(requests)] == [unit.id for unit in plan_units(shuffled)]


def test_equal_requests_are_asked_once_and_counted_for_each(request_of):
    requests = [request_of("a", key="same", run=0), request_of("a", key="same", run=1)]
    units = plan_units(requests)
    assert sum(len(unit.requests) for unit in units) == 1
    progress = Progress(requests, units, [])
    progress.add(answered(requests[0], "A"))
    assert (progress.answered, progress.planned, progress.failed) == (2, 2, 0)


def test_time_left_is_reckoned_in_media_seconds(request_of):
    requests = [request_of("long", media="long", seconds=89.0), request_of("short", media="short", seconds=9.0)]
    now = [0.0]
    progress = Progress(requests, plan_units(requests), [], clock=lambda: now[0])
    assert progress.time_left_s() is None
    now[0] = 45.0
    progress.add(answered(requests[0], "A"))
    assert progress.time_left_s() == 45.0 * 10 / 90


def test_what_was_known_before_counts_as_done_but_not_as_pace(request_of):
    requests = [request_of("a", media="a", seconds=9.0), request_of("b", media="b", seconds=9.0)]
    progress = Progress(requests, plan_units(requests), [answered(requests[0], "A")])
    assert progress.answered == 1
    assert progress.time_left_s() is None


def test_an_answer_after_a_failure_takes_the_failure_back(request_of):
    requests = [request_of("a")]
    progress = Progress(requests, plan_units(requests), [failed(requests[0], "timeout", "slow")])
    assert progress.failed == 1
    progress.add(answered(requests[0], "A"))
    assert (progress.answered, progress.failed) == (1, 0)
