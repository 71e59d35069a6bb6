"""Several calls at a time: each once, as they end, and nobody waits for those that are given up."""

import subprocess
import sys
import threading

import pytest

from musebench_tasks.models.pace import as_they_end


def test_each_is_called_once_and_so_many_at_a_time():
    lock, inside, most = threading.Lock(), [0], [0]

    def call(number):
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        threading.Event().wait(0.005)
        with lock:
            inside[0] -= 1
        return number

    assert sorted(as_they_end(call, range(20), 3)) == list(range(20))
    assert most[0] == 3


def test_what_ends_first_comes_first():
    first_may_end = threading.Event()

    def call(number):
        if number == 0:
            first_may_end.wait(5)
        return number

    found = as_they_end(call, range(2), 2)
    assert next(found) == 1
    first_may_end.set()
    assert list(found) == [0]


def test_nothing_given_nothing_found():
    assert list(as_they_end(str, [], 4)) == []


def test_what_a_call_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        list(as_they_end(lambda number: 1 / number, [0], 2))


def test_where_the_iteration_ends_no_further_call_begins():
    begun = []
    found = as_they_end(begun.append, range(100), 1)
    next(found)
    found.close()
    count = len(begun)
    threading.Event().wait(0.01)
    assert len(begun) <= count + 1


def test_a_process_does_not_wait_for_calls_on_their_way():
    code = (
        "import threading\n"
        "from musebench_tasks.models.pace import as_they_end\n"
        "found = as_they_end(lambda each: each or threading.Event().wait(), [1, 0, 0], 3)\n"
        "print(next(found))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "1\n"
