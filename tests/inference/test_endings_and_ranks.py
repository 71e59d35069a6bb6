import os
import signal
import threading

import pytest

from musebench_tasks.inference import leads, own_local_rank, own_rank, stopped_in_order, take_device_from_launcher

VARIABLES = ("RANK", "LOCAL_RANK", "SLURM_PROCID", "SLURM_LOCALID")


@pytest.fixture(autouse=True)
def no_launcher(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_is_heard_as_an_interrupt(number):
    with pytest.raises(KeyboardInterrupt), stopped_in_order():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is signal.SIG_DFL


def test_what_nohup_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopped_in_order():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_outside_the_main_thread_signals_are_left_alone():
    seen = []

    def look():
        with stopped_in_order():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.SIG_DFL]


@pytest.mark.parametrize(
    ("environment", "rank", "local_rank"),
    [
        ({}, 0, 0),
        ({"RANK": "5", "LOCAL_RANK": "1"}, 5, 1),
        ({"RANK": "5"}, 5, 5),
        ({"SLURM_PROCID": "6", "SLURM_LOCALID": "2"}, 6, 2),
        ({"RANK": "1", "LOCAL_RANK": "1", "SLURM_PROCID": "0", "SLURM_LOCALID": "0"}, 1, 1),
        ({"RANK": "", "SLURM_PROCID": "3"}, 3, 0),
    ],
)
def test_a_process_is_numbered_by_what_started_it(monkeypatch, environment, rank, local_rank):
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    assert (own_rank(), own_local_rank(), leads()) == (rank, local_rank, rank == 0)


@pytest.mark.parametrize(
    ("environment", "device"),
    [({}, None), ({"SLURM_LOCALID": "2"}, "2"), ({"SLURM_LOCALID": "2", "LOCAL_RANK": "1"}, "1")],
)
def test_models_find_their_device_where_slurm_tells_it(monkeypatch, environment, device):
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    take_device_from_launcher()
    assert os.environ.get("LOCAL_RANK") == device
