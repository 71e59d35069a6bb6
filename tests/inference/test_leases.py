import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from musebench_tasks.base.errors import MuseError
from musebench_tasks.inference import leases as leases_module
from musebench_tasks.inference.leases import HEARTBEAT_S, STALE_AFTER_S, Leases, clear_leases, note_death
from musebench_tasks.inference.process_id import (
    HOST_VARIABLE,
    ProcessId,
    process_here,
    read_process_id,
    this_host,
    this_process,
)


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ended():
    """A process of this machine that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return ProcessId(this_host(), process.pid, "1")


ELSEWHERE = ProcessId("elsewhere", 1, "1")


def place(folder, holder, unit="unit"):
    path = folder / "leases" / unit
    path.parent.mkdir(exist_ok=True)
    path.write_text(holder.text)
    return path


def can_claim(leases, unit="unit"):
    with leases.claim(unit) as held:
        return held


def test_one_worker_at_a_time_holds_a_lease(tmp_path):
    first, second = Leases(tmp_path), Leases(tmp_path)
    with first.claim("unit") as held:
        assert held
        assert not can_claim(second)
        assert can_claim(second, "another")
    assert can_claim(second)


def test_a_lease_is_gone_after_its_block_even_when_it_raised(tmp_path):
    leases = Leases(tmp_path)
    with pytest.raises(RuntimeError), leases.claim("unit"):
        raise RuntimeError
    assert not (tmp_path / "leases" / "unit").exists()


def test_a_holder_reads_what_it_wrote(ended):
    assert read_process_id(this_process().text) == this_process() == process_here(os.getpid())
    assert not this_process().is_gone()
    assert ended.is_gone()
    assert not ELSEWHERE.is_gone()
    assert read_process_id('{"host": "ab') is None


def test_a_process_that_only_waits_to_be_asked_after_is_gone():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    holder = process_here(process.pid)
    assert not holder.is_gone()
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert holder.is_gone()
    process.communicate()


def test_the_name_of_the_machine_can_be_set(monkeypatch):
    before = this_process()
    monkeypatch.setenv(HOST_VARIABLE, "node-7")
    assert this_host().startswith("node-7 ")
    assert this_process() != before


def test_the_lease_of_a_dead_process_is_taken_over_at_once(tmp_path, ended):
    place(tmp_path, ended)
    assert can_claim(Leases(tmp_path))


@pytest.mark.parametrize("hours", [-3, 0, 3], ids=["its clock is late", "right", "early"])
def test_the_lease_of_another_machine_is_stale_by_the_clock_of_who_waits(tmp_path, clock, hours):
    path = place(tmp_path, ELSEWHERE)
    there = time.time() + 3600 * hours
    os.utime(path, (there, there))
    leases = Leases(tmp_path, clock)
    clock.now += STALE_AFTER_S - 1
    assert not can_claim(leases)
    os.utime(path, (there + 5, there + 5))
    assert not can_claim(leases)
    clock.now += STALE_AFTER_S - 1
    assert not can_claim(leases)
    clock.now += 2
    assert can_claim(leases)


def test_a_lease_torn_while_it_was_written_is_waited_for_then_taken(tmp_path, clock):
    leases = Leases(tmp_path, clock)
    (tmp_path / "leases" / "unit").write_text('{"host": "ab')
    assert not can_claim(leases)
    clock.now += HEARTBEAT_S + 1
    assert can_claim(leases)


def test_one_heart_beats_for_all_leases_that_are_held(tmp_path, monkeypatch):
    monkeypatch.setattr(leases_module, "HEARTBEAT_S", 0.02)
    with Leases(tmp_path) as leases, leases.claim("first"), leases.claim("second"):
        paths = [tmp_path / "leases" / name for name in ("first", "second")]
        for path in paths:
            os.utime(path, (0, 0))
        deadline = time.monotonic() + 10
        while any(path.stat().st_mtime == 0 for path in paths) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert all(path.stat().st_mtime > 0 for path in paths)


def test_a_lease_that_another_worker_took_over_stays_with_it(tmp_path):
    leases = Leases(tmp_path)
    with leases.claim("unit"):
        path = place(tmp_path, ELSEWHERE)
    assert path.exists()


def test_a_folder_that_another_process_cleared_is_made_again(tmp_path):
    leases = Leases(tmp_path)
    clear_leases(tmp_path)
    assert not (tmp_path / "leases").exists()
    assert can_claim(leases)


def test_a_full_disk_is_told_and_leaves_no_lease_behind(tmp_path):
    leases = Leases(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with (
            pytest.raises(MuseError, match="no room to write .* is kept"),
            leases.claim("unit"),
        ):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not (tmp_path / "leases" / "unit").exists()


def test_a_journal_has_one_writer(tmp_path):
    first, second = Leases(tmp_path), Leases(tmp_path)
    with first.seat(0) as mine, second.seat(0) as other, second.seat(5) as third:
        assert (mine, other, third) == (0, 1, 5)
    with second.seat(0) as again:
        assert again == 0


def test_the_seat_of_a_dead_process_is_taken_but_never_one_of_another_machine(tmp_path, clock, ended):
    place(tmp_path, ended, "worker-0")
    place(tmp_path, ELSEWHERE, "worker-1")
    leases = Leases(tmp_path, clock)
    clock.now += 10 * STALE_AFTER_S
    with leases.seat(0) as mine, leases.seat(1) as other:
        assert (mine, other) == (0, 2)


def test_a_death_is_noted_by_who_lived_through_it(tmp_path, ended):
    leases = Leases(tmp_path)
    place(tmp_path, ended)
    with leases.claim("unit") as held:
        assert held
        assert leases.incidents("unit") == ("died",)
        leases.clear_incidents("unit")
        assert leases.incidents("unit") == ()


def test_a_run_that_was_killed_as_a_whole_blames_no_medium(tmp_path, ended):
    place(tmp_path, ended)
    leases = Leases(tmp_path)
    assert can_claim(leases)
    assert leases.incidents("unit") == ()


def test_a_parent_that_saw_a_death_counts_it_also_when_a_newcomer_took_over_before(tmp_path, ended):
    place(tmp_path, ended)
    newcomer = Leases(tmp_path)
    assert can_claim(newcomer)
    assert newcomer.incidents("unit") == ()
    note_death(tmp_path, ended)
    note_death(tmp_path, ended)
    assert newcomer.incidents("unit") == ("died",)


def test_who_is_ended_after_another_died_notes_where_it_was(tmp_path, ended):
    place(tmp_path, ended, "before")
    with Leases(tmp_path):
        place(tmp_path, ended)
    after = Leases(tmp_path)
    assert can_claim(after)
    assert can_claim(after, "before")
    assert after.incidents("unit") == ("died",)
    assert after.incidents("before") == ()


def test_a_machine_that_beat_and_then_fell_silent_died(tmp_path, clock):
    path = place(tmp_path, ELSEWHERE)
    leases = Leases(tmp_path, clock)
    os.utime(path, (1, 1))
    assert not can_claim(leases)
    clock.now += STALE_AFTER_S + 1
    assert can_claim(leases)
    assert leases.incidents("unit") == ("died",)


def test_the_end_of_one_worker_counts_once(tmp_path):
    worker = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    holder = process_here(worker.pid)
    leases = Leases(tmp_path)
    place(tmp_path, holder)
    worker.send_signal(signal.SIGKILL)
    worker.communicate()
    note_death(tmp_path, holder)
    place(tmp_path, holder)
    assert can_claim(leases)
    assert leases.incidents("unit") == ("died",)
    leases.note("unit", "hung")
    assert leases.incidents("unit") == ("died", "hung")


def test_a_parent_frees_what_a_dead_worker_held(tmp_path, ended):
    paths = [place(tmp_path, ended), place(tmp_path, ended, "worker-3")]
    others = place(tmp_path, ELSEWHERE, "other")
    note_death(tmp_path, ended)
    assert [path.exists() for path in (*paths, others)] == [False, False, True]


def test_what_is_cleared_leaves_the_seats_of_who_may_live(tmp_path, ended):
    leases = Leases(tmp_path)
    place(tmp_path, ended, "worker-0")
    foreign = place(tmp_path, ELSEWHERE, "worker-1")
    place(tmp_path, ELSEWHERE, "unit")
    leases.note("unit", "hung")
    clear_leases(tmp_path)
    assert list((tmp_path / "leases").iterdir()) == [foreign]
