"""Two commands at the same time, and commands that are stopped in between: everything is there once, or waits."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import huggingface_hub
import pytest
from fakes.hub import STRANGER

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.resources import demo_directory
from musebench_tasks.hub import connection, pending, sending
from musebench_tasks.hub.connection import Hub
from musebench_tasks.hub.parcel import Content, Parcel, Repository
from musebench_tasks.hub.pending import keep, or_keep, send_waiting, waiting
from musebench_tasks.submissions.parcel import Result, send_submission, submission_parcel

RESULT = Result(
    "mub", "dsp", "mub", b"task: mub\n", b'{"item_id": "a"}\n', b'{"task": "mub"}\n', "retry rate 0.0000 (0 of 1)"
)


@pytest.fixture(autouse=True)
def own_queue(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(sending, "sleep", lambda _: None)


@pytest.fixture
def board(hub):
    return hub.create("datasets", "ORG/submissions", {"README.md": b"# Submissions\n"})


def submit(submitter="Ada"):
    return send_submission(Hub(), submission_parcel((RESULT,), "ORG/submissions", submitter, date(2026, 1, 31)))


def still_open(board):
    return [each.number for each in board.discussions if each.status == "open"]


def test_of_two_submissions_at_once_the_first_stays_open(hub, board):
    others = []
    hub.faults.order("commit", "none", do=lambda: others.append(submit("Bo")))
    mine = submit()
    assert still_open(board) == [1]
    assert (mine.number, mine.is_new, others[0].number, others[0].is_new) == (1, False, 1, True)
    assert board.discussions[1].comments == ["The same as #1, which was opened at the same time."]


@pytest.mark.slow
def test_anybody_may_close_what_was_one_too_many(hub, online, board):
    hub.faults.order("commit", "none", do=lambda: submit("Bo"))
    online(hub, STRANGER)
    assert submit().number == 1
    assert still_open(board) == [1]


@pytest.mark.slow
def test_another_submission_at_the_same_time_is_another_one(hub, board):
    other = submission_parcel((RESULT._replace(run=b"task: other\n"),), "ORG/submissions", "Bo", date(2026, 1, 31))
    hub.faults.order("commit", "none", do=lambda: send_submission(Hub(), other))
    assert submit().is_new
    assert still_open(board) == [1, 2]


@pytest.mark.slow
def test_of_many_at_once_one_stays_open(hub, board):
    with ThreadPoolExecutor(6) as pool:
        published = list(pool.map(submit, "ABCDEF"))
    assert still_open(board) == [1]
    assert {each.number for each in published} == {1}


def test_two_commands_that_send_what_waits_send_each_thing_once(monkeypatch):
    for name in "abc":
        keep("data", name, {"name": name})
    sent, begun, going_on = [], threading.Event(), threading.Event()

    def slowly(entry):
        begun.set()
        assert going_on.wait(10)
        sent.append(entry.words)
        return "done"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: list(send_waiting("data", slowly)))
        assert begun.wait(10)
        second = pool.submit(lambda: list(send_waiting("data", slowly)))
        going_on.set()
        lines = [first.result(), second.result()]
    assert sorted(sent) == ["a", "b", "c"]
    assert sorted(map(len, lines)) == [0, 3]
    assert list(waiting("data")) == []


def test_what_another_command_sent_meanwhile_waits_no_more():
    kept = [keep("data", name, {"name": name}) for name in "ab"]
    found = waiting("data")
    assert next(found).words == "a"
    pending.sent(kept[1])
    assert list(found) == []


def test_what_failed_goes_on_waiting_and_the_rest_is_sent():
    for name in "abc":
        keep("data", name, {"name": name})

    def send(entry):
        if entry.words == "b":
            raise MuseError("not now")
        return "done"

    lines = []
    with pytest.raises(MuseError, match=r"b: not now\n1 still waiting in "):
        lines.extend(send_waiting("data", send))
    assert lines == ["a: done", "c: done"]
    assert [each.words for each in waiting("data")] == ["b"]


@pytest.mark.parametrize("step", ["create_repo", "preupload_lfs_files", "create_commit"])
def test_a_push_that_is_stopped_before_its_commit_waits_and_shows_nothing(hub, monkeypatch, step):
    """Ctrl-C while the Hub is asked: of the set nothing is there, and it waits."""
    parcel = Parcel(Repository("dataset", "ORG/set"), "Publish", (Content("a.txt", b"a"), Content("b.parquet", b"b")))

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"huggingface_hub.HfApi.{step}", stop)
    with pytest.raises(MuseError, match=r"Interrupted\. set waits in the queue; `again` sends it\."):
        or_keep(lambda: sending.publish(Hub(), parcel.repository, lambda _: parcel), "data", "set", {}, "again")
    held = hub.store.repositories.get(("datasets", "ORG/set"))
    assert held is None or held.files == {}
    assert [each.words for each in waiting("data")] == ["set"]


@pytest.mark.slow
@pytest.mark.parametrize("signal_sent", [signal.SIGINT, signal.SIGKILL], ids=["stopped", "killed"])
def test_a_process_that_ends_between_uploading_and_committing(hub, tmp_path, signal_sent):
    """Nothing is to be seen of the set; stopped, it waits in the queue; killed, the same command does it all."""
    variables = {**os.environ, **hub.environment(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    push = ["data", "push", str(demo_directory("hummusqa")), "--to", "ORG/hummusqa_demo"]
    started = []

    def end_it():
        """The Hub says nothing before the process has gone."""
        started[0].send_signal(signal_sent)
        started[0].wait(60)

    hub.faults.order("commit", "drop", do=end_it)

    def musebench(*arguments):
        command = [sys.executable, "-m", "musebench_tasks", *arguments]
        return subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    started.append(musebench(*push))
    _, told = started[0].communicate(timeout=120)
    assert hub.repository("datasets", "ORG/hummusqa_demo").files == {}
    assert "Traceback" not in told
    if signal_sent is signal.SIGINT:
        assert started[0].returncode == 1
        assert "waits in the queue; `musebench data push --pending` sends it" in told
        again = musebench("data", "push", "--pending")
    else:
        again = musebench(*push)
    said, _ = again.communicate(timeout=120)
    assert again.returncode == 0
    assert "all hashes right" in said
    assert "manifest.json" in hub.repository("datasets", "ORG/hummusqa_demo").files


@pytest.mark.parametrize("ask", [lambda hub: hub.state(Repository("dataset", "ORG/submissions")), Hub.account])
def test_what_is_waited_for_is_told_and_not_for_ever(hub, board, monkeypatch, ask):
    """A Hub that takes the question and says nothing."""
    answers, told = threading.Event(), []
    monkeypatch.setattr(connection, "TOLD_AFTER_S", 0.01)
    monkeypatch.setattr(connection, "_tell", told.append)
    monkeypatch.setattr(huggingface_hub.get_session(), "timeout", None)
    hub.faults.order("*", "none", do=lambda: answers.wait(30))
    with pytest.raises(connection.NotNowError, match=r"the Hub cannot be reached \(ReadTimeout"):
        ask(Hub(patience_s=0.1))
    answers.set()
    assert len(told) == 1
    assert told[0].startswith(f"waiting for {hub.url}")


def test_a_hub_that_answers_at_once_is_waited_for_in_silence(hub, board, capsys):
    Hub().state(Repository("dataset", "ORG/submissions"))
    assert capsys.readouterr().err == ""
