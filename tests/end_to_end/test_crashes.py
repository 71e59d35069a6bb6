"""A run that is killed, hangs or runs out of room: nothing answered is lost or asked again, and the bytes are the same.

Each fault once in the quick suite, and twenty times at moments drawn by lot in the slow one.
"""

import errno
import json
import os
import random
import signal
import time

import pytest
from fakes.openai_server import FakeOpenAIServer
from fakes.twelve import EVERYTHING, Twelve

from musebench_tasks.inference import leases, watchdog

PACE = {"PACE_S": "0.004"}


@pytest.fixture
def twelve(tmp_path):
    return Twelve(tmp_path)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What an undisturbed run leaves behind."""
    twelve = Twelve(tmp_path_factory.mktemp("undisturbed"))
    assert twelve.run("whole", "--no-report") == 0
    assert sorted(twelve.calls) == EVERYTHING
    return twelve.results("whole")


def seeds(number):
    """One draw for the quick suite, the others for the slow one."""
    return [pytest.param(seed, marks=[pytest.mark.slow] if seed else []) for seed in range(number + 1)]


def ranks(twelve, number, *more, **environment):
    return [
        twelve.start("out", "--no-report", *more, RANK=str(rank), WORLD_SIZE=str(number), **environment)
        for rank in range(number)
    ]


def require_whole(twelve, undisturbed, in_flight=0):
    """Each planned request has ended once, what had ended was not asked again, and the results are the same."""
    assert sorted(twelve.ended("out")) == EVERYTHING
    assert set(twelve.calls) <= set(EVERYTHING)
    assert len(EVERYTHING) <= len(twelve.calls) <= len(EVERYTHING) + in_flight
    assert twelve.results("out") == undisturbed
    assert not list((twelve.folder / "out").rglob("leases"))


@pytest.mark.parametrize("seed", seeds(20))
def test_one_of_two_workers_is_killed(twelve, undisturbed, seed):
    draw = random.Random(seed)
    workers = ranks(twelve, 2, **PACE)
    twelve.wait_for(draw.randrange(2, 20), *workers)
    twelve.kill(workers.pop(draw.randrange(2)))
    assert twelve.wait(workers[0]) == 0
    require_whole(twelve, undisturbed, in_flight=1)


@pytest.mark.parametrize("seed", seeds(20))
def test_all_workers_are_killed_and_others_go_on(twelve, undisturbed, seed):
    draw = random.Random(seed)
    before = draw.randrange(1, 4)
    workers = ranks(twelve, before, **PACE)
    twelve.wait_for(draw.randrange(1, 20), *workers)
    twelve.kill(*workers)
    ended, asked = twelve.ended("out"), len(twelve.calls)
    assert {twelve.wait(worker) for worker in ranks(twelve, draw.randrange(1, 4))} == {0}
    assert not set(twelve.calls[asked:]) & set(ended)
    require_whole(twelve, undisturbed, in_flight=before)


@pytest.mark.parametrize("seed", seeds(20))
def test_a_worker_that_hangs_is_ended_and_another_takes_over(twelve, undisturbed, seed):
    item = random.Random(seed).randrange(12)
    workers = ranks(twelve, 2, "--unit-timeout", 1, FAULTS=f"hang:{item}:1", **PACE)
    codes = [twelve.wait(worker) for worker in workers]
    assert sorted(codes) == [0, 1]
    told = twelve.told(workers[codes.index(1)])
    assert f"twelve: clip-{item % 4}.wav: no answer for" in told
    assert "give the same command again" in told
    require_whole(twelve, undisturbed, in_flight=1)


def test_a_worker_in_which_nothing_runs_any_more_is_ended_too(twelve, undisturbed):
    def hasty():
        watchdog.GRACE_S = 1.0

    process = twelve.start("out", "--no-report", "--unit-timeout", 1, before=hasty, FAULTS="stick:6:1")
    assert twelve.wait(process) == 1
    assert "model.py" in twelve.told(process), "where it stuck"
    assert twelve.run("out", "--no-report") == 0
    require_whole(twelve, undisturbed, in_flight=1)


def full_disk(place, after):
    """A disk that has no room when something is written at `place` for the `after`-th time."""
    count = iter(range(after, -1, -1))

    def wrap(original):
        def write(*arguments, **more):
            if next(count, 0) == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return original(*arguments, **more)

        return write

    def install():
        if place == "journal":
            os.write = wrap(os.write)
        elif place == "lease":
            os.open = _only(os.open, wrap(os.open), lambda path, *_: "/leases/" in str(path))
        else:
            import tempfile

            tempfile.mkstemp = _only(tempfile.mkstemp, wrap(tempfile.mkstemp), lambda **named: place in named["prefix"])

    return install


def _only(original, wrapped, where):
    return lambda *arguments, **more: (wrapped if where(*arguments, **more) else original)(*arguments, **more)


PLACES = {"journal": 24, "lease": 8, "predictions": 1, "scores": 2, "run.yaml": 1}


def fault_at(seed):
    draw = random.Random(seed)
    place = list(PLACES)[seed % len(PLACES)]
    return place, draw.randrange(PLACES[place])


@pytest.mark.parametrize("seed", seeds(20))
def test_the_disk_is_full(twelve, undisturbed, seed):
    place, after = fault_at(seed)
    process = twelve.start("out", "--no-report", before=full_disk(place, after))
    assert twelve.wait(process) == 1
    assert "so far is kept" in twelve.told(process)
    ended, asked = twelve.ended("out"), len(twelve.calls)
    assert twelve.run("out", "--no-report") == 0
    assert not set(twelve.calls[asked:]) & set(ended)
    require_whole(twelve, undisturbed, in_flight=1)


SERVER_FAULTS = ("429", "500", "503", "drop", "cut", "invalid_json", "error_200", "no_choices")


@pytest.mark.parametrize("seed", seeds(20))
def test_a_server_has_faults(twelve, seed):
    draw = random.Random(seed)
    with FakeOpenAIServer() as server:
        server.reply = lambda body: "ABC"[len(json.dumps(body)) % 3]
        command = ["run", "--tasks", "twelve.yaml", "--model", f"openai:fake@{server.url}", "--conditions", "text_only"]
        assert twelve.run("whole", "--no-report", command=command) == 0
        assert len(server.requests) == 12
        server.faults = draw.choices([None, *SERVER_FAULTS], k=16 if seed else 3)
        code = twelve.run("out", "--no-report", command=command)
        server.faults = []
        failed = json.dumps([line for line in journal_lines(twelve) if "failure" in line])
        asked = len(server.requests)
        assert code == (3 if failed != "[]" else 0)
        assert twelve.run("out", "--no-report", "--retry", "errors", command=command) == 0
        assert len(server.requests) - asked == failed.count('"failure"')
    assert len({line["key"] for line in journal_lines(twelve) if "failure" not in line}) == 12
    assert twelve.results("out") == twelve.results("whole")


def journal_lines(twelve):
    return [
        json.loads(line)
        for path in (twelve.folder / "out").rglob("worker-*.jsonl")
        for line in path.read_text().splitlines()
    ]


@pytest.mark.parametrize(("kind", "status"), [("die", "backend_error"), ("hang", "timeout")])
def test_a_medium_that_ends_worker_after_worker_is_given_up(twelve, undisturbed, kind, status):
    more = ["--unit-timeout", 60 if kind == "die" else 1, "--min-coverage", 0.5]
    faults = {"FAULTS": f"{kind}:5:9", "CROWD": "3" if kind == "die" else "0"}
    workers = ranks(twelve, 3, *more, **faults)
    codes = sorted(twelve.wait(worker) for worker in workers)
    assert codes == sorted([0, *[-signal.SIGKILL if kind == "die" else 1] * 2])
    assert twelve.calls.count("item-05 full") == 2
    failures = {line["item_id"]: line for line in journal_lines(twelve) if "failure" in line}
    assert set(failures) == {"item-05", "item-09"} or set(failures) == {"item-01", "item-05", "item-09"}
    error = f"clip-1.wav: of the workers that were at it 2 {'died' if kind == 'die' else 'hung'}"
    assert {line["failure"] for line in failures.values()} == {status}
    assert all(line["error"].startswith(error) for line in failures.values())
    assert twelve.run("out", "--no-report", "--retry", "errors") == 0
    assert twelve.results("out") == undisturbed


def test_a_medium_that_crashes_a_process_that_is_alone_is_given_up_too(twelve, undisturbed):
    more = ["--no-report", "--min-coverage", 0.5]
    codes = [twelve.run("out", *more, FAULTS="crash:5:9", **PACE) for _ in range(3)]
    assert codes == [-signal.SIGABRT, -signal.SIGABRT, 0]
    assert twelve.calls.count("item-05 full") == 2
    assert {line["failure"] for line in journal_lines(twelve) if "failure" in line} == {"backend_error"}
    assert twelve.run("out", "--no-report", "--retry", "errors") == 0
    assert twelve.results("out") == undisturbed


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_run_that_is_told_to_stop_ends_in_order(twelve, undisturbed, number):
    process = twelve.start("out", "--no-report", **PACE)
    twelve.wait_for(9, process)
    os.kill(process, number)
    assert twelve.wait(process) == 1
    assert "give the same command again to go on" in twelve.told(process)
    assert not list((twelve.folder / "out" / "python_model.py_answer" / "twelve" / "leases").glob("[!.]*"))
    assert twelve.run("out", "--no-report") == 0
    require_whole(twelve, undisturbed, in_flight=1)


def test_a_worker_that_stands_still_loses_its_work_to_others(twelve, undisturbed):
    workers = ranks(twelve, 2, before=impatient, PACE_S="0.02")
    while not any(path.stat().st_size for path in (twelve.folder / "out").rglob("worker-0.jsonl")):
        time.sleep(0.001)
    os.kill(workers[0], signal.SIGSTOP)
    assert twelve.wait(workers[1]) == 0
    assert twelve.results("out") == undisturbed
    os.kill(workers[0], signal.SIGCONT)
    assert twelve.wait(workers[0]) == 0
    assert set(twelve.ended("out")) == set(EVERYTHING)
    assert twelve.results("out") == undisturbed


def impatient():
    leases.STALE_AFTER_S, leases.HEARTBEAT_S = 2.0, 0.1
