import json
import os
import resource
import socket
import subprocess
import sys
import time

import pytest

from musebench_tasks.errors import MuseError
from musebench_tasks.inference import leases as leases_module
from musebench_tasks.inference.leases import Leases


def test_one_worker_at_a_time_holds_a_lease(tmp_path):
    first, second = Leases(tmp_path, 0), Leases(tmp_path, 1)
    with first.claim("unit") as held:
        assert held
        with second.claim("unit") as other:
            assert not other
        with second.claim("another") as other:
            assert other
    with second.claim("unit") as held:
        assert held


def test_a_lease_is_gone_after_its_block_even_when_it_raised(tmp_path):
    leases = Leases(tmp_path, 0)
    try:
        with leases.claim("unit"):
            raise RuntimeError
    except RuntimeError:
        pass
    assert not (tmp_path / "leases" / "unit").exists()


def test_the_lease_of_a_dead_process_is_taken_over_at_once(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    leases = Leases(tmp_path, 0)
    holder = {"host": socket.gethostname(), "pid": dead.pid, "started": "1", "worker": 1}
    (tmp_path / "leases" / "unit").write_text(json.dumps(holder))
    with leases.claim("unit") as held:
        assert held


def test_the_lease_of_another_host_is_taken_over_when_nobody_touched_it_for_long(tmp_path):
    leases = Leases(tmp_path, 0)
    path = tmp_path / "leases" / "unit"
    path.write_text(json.dumps({"host": "elsewhere", "pid": os.getpid(), "started": "1", "worker": 1}))
    with leases.claim("unit") as held:
        assert not held
    long_ago = time.time() - leases_module.STALE_AFTER_S - 1
    os.utime(path, (long_ago, long_ago))
    with leases.claim("unit") as held:
        assert held


def test_a_lease_torn_while_it_was_written_is_waited_for_then_taken(tmp_path):
    leases = Leases(tmp_path, 0)
    path = tmp_path / "leases" / "unit"
    path.write_text('{"host": "ab')
    with leases.claim("unit") as held:
        assert not held
    ago = time.time() - leases_module.HEARTBEAT_S - 1
    os.utime(path, (ago, ago))
    with leases.claim("unit") as held:
        assert held


def test_the_heart_beats_while_a_lease_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr(leases_module, "HEARTBEAT_S", 0.02)
    leases = Leases(tmp_path, 0)
    with leases.claim("unit"):
        path = tmp_path / "leases" / "unit"
        os.utime(path, (0, 0))
        deadline = time.monotonic() + 10
        while path.stat().st_mtime == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert path.stat().st_mtime > 0


def test_a_lease_that_another_worker_took_over_stays_with_it(tmp_path):
    first, second = Leases(tmp_path, 0), Leases(tmp_path, 1)
    path = tmp_path / "leases" / "unit"
    with first.claim("unit"):
        path.unlink()
        other = second.claim("unit")
        assert other.__enter__()
    assert path.exists()
    other.__exit__(None, None, None)
    assert not path.exists()


def test_a_full_disk_is_told_and_leaves_no_lease_behind(tmp_path):
    leases = Leases(tmp_path, 0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(MuseError, match="Everything answered so far is kept"), leases.claim("unit"):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not (tmp_path / "leases" / "unit").exists()
