"""The commands that publish: what they print, what waits in the queue, and what never shows."""

import json
from types import SimpleNamespace

import pytest
import yaml
from fakes.hub import READER, STRANGER, WRITER

from musebench_tasks.base.resources import METRICS, demo_directory
from musebench_tasks.cli import main
from musebench_tasks.hub import sending
from musebench_tasks.hub.pending import queue_folder
from musebench_tasks.tasks import load_task


@pytest.fixture(autouse=True)
def own_queue(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(sending, "sleep", lambda _: None)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of `random` on two demonstration items."""
    from musebench_tasks import api

    out = tmp_path_factory.mktemp("runs") / "one"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(tmp_path_factory.getbasetemp() / "musebench-cache"))
        api.run(model="random", tasks=["hummusqa_demo"], out=out, limit=2)
    return out


@pytest.fixture
def command(capsys):
    def give(*arguments):
        code = main([str(each) for each in arguments])
        said = capsys.readouterr()
        assert not any(token in said.out + said.err for token in (WRITER, READER, STRANGER))
        assert "Traceback" not in said.err
        return SimpleNamespace(code=code, out=said.out, err=said.err)

    return give


def waiting():
    return sorted(each.name.partition("-")[0] for each in queue_folder().glob("*"))


def submit(command, run, *more):
    return command("submit", run, "--to", "ORG/submissions", *more)


def test_a_run_is_validated_scored_and_handed_in(hub, command, run):
    board = hub.create("datasets", "ORG/submissions", {"README.md": b"x"})
    shown = submit(command, run, "--notes", "a first try", "--dry-run")
    assert (shown.code, {each.method for each in hub.requests}) == (0, {"GET"})
    done = submit(command, run, "--notes", "a first try")
    assert done.out == f"submission: {hub.url}/datasets/ORG/submissions/discussions/1\n"
    proposed = board.files_at("refs/pr/1")
    (path,) = (each for each in proposed if each.endswith("submission.yaml"))
    assert path.startswith("submissions/hummusqa_demo/random/")
    record = yaml.safe_load(proposed[path])
    assert (record["submitter"], record["notes"]) == ("writer", "retry rate 0.0000 (0 of 8). a first try")
    from musebench_tasks.hub.parcel import Content

    for name, data in proposed.items():
        assert name == "README.md" or f"  {Content(name, data).sha256[:12]}  new" in shown.out
    assert "holds it already" in submit(command, run, "--notes", "a first try").out
    assert not waiting()


def test_what_cannot_be_sent_waits_until_it_can(hub, command, run, monkeypatch):
    from huggingface_hub import constants

    board = hub.create("datasets", "ORG/submissions", {"README.md": b"x"})
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    done = submit(command, run)
    assert (done.code, done.out) == (1, "")
    assert "switched off here" in done.err
    assert "`musebench submit --pending` sends it" in done.err
    assert done.err.count("\n") == 1
    kept = submit(command, run, "--offline")
    assert kept.code == 0  # done as asked
    assert kept.out.endswith("to ORG/submissions waits in the queue; `musebench submit --pending` sends it.\n")
    assert waiting() == ["submission"]
    listed = command("submit", "--pending", "--dry-run")
    shown = submit(command, run, "--dry-run")
    assert listed.out == f"waiting: hummusqa_demo · random to ORG/submissions\n{shown.out}\n"
    still = command("submit", "--pending")
    assert still.code == 1
    assert "still waiting" in still.err
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    sent = command("submit", "--pending")
    assert (sent.code, len(board.discussions), waiting()) == (0, 1, [])
    assert f"{hub.url}/datasets/ORG/submissions/discussions/1" in sent.out
    assert command("submit", "--pending").out == "nothing is waiting\n"


@pytest.mark.parametrize("fault", ["interrupted", pytest.param("limited", marks=pytest.mark.slow)])
def test_a_push_that_was_stopped_waits_and_nothing_is_half_there(hub, command, run, monkeypatch, fault):
    board = hub.create("datasets", "ORG/submissions", {"README.md": b"x"})
    if fault == "limited":
        hub.faults.order("commit", status=429, headers={"Retry-After": "600"}, times=None)
        told = "asks to wait for 600 s"
    else:
        from musebench_tasks.hub.connection import Hub

        monkeypatch.setattr(Hub, "propose", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        told = "Interrupted"
    done = submit(command, run)
    assert done.code == 1
    assert told in done.err
    assert "waits in the queue" in done.err
    assert not board.discussions
    assert waiting() == ["submission"]


def test_a_token_that_only_reads_is_told_before_anything_is_sent(hub, online, command, run):
    hub.create("datasets", "ORG/submissions", {"README.md": b"x"})
    online(hub, READER)
    done = submit(command, run)
    assert (done.code, "the token of reader only reads" in done.err) == (2, True)
    assert {each.method for each in hub.requests} == {"GET"}
    assert not waiting()


def test_wrong_arguments_are_told_in_one_line(command, run, tmp_path):
    for arguments, told in [
        (["submit", run], "Name a run and where it goes"),
        (["submit", run, "--to", "submissions"], '--to is "submissions": write ORG/NAME'),
        (["submit", tmp_path / "no", "--to", "ORG/x"], "there is no such folder"),
        (["submit", run, "--to", "ORG/x", "--model-repo", "ORG/m"], "is a demonstration"),
        (["submit", run, "--to", "ORG/x", "--dataset", "ORG/d"], "give --model-repo too"),
        (["data", "push", tmp_path], "Name a folder and where it goes"),
        (["metrics", "push"], "Say where the metrics go"),
        (["metrics", "push", "cao", "--to", "ORG"], "nearest: caa"),
        (["data", "push", tmp_path / "no", "--to", "ORG/x"], "no: there is no such folder"),
        (["data", "push", tmp_path, "--pending"], "Leave out DIR."),
        (["data", "push", "--pending", "--to", "ORG/x", "--private"], "Leave out --to, --private."),
        (["metrics", "push", "caa", "--pending", "--dry-run"], "Leave out METRIC."),
        (["submit", run, "--pending", "--offline"], "Leave out RUN, --offline."),
    ]:
        done = command(*arguments)
        assert told in done.err, arguments
        assert (done.code, done.err.count("\n")) == (2, 1)


@pytest.mark.slow
def test_a_demonstration_is_pushed_under_its_name_and_read_back(hub, command):
    done = command("data", "push", demo_directory("hummusqa"), "--to", "ORG/hummusqa_demo", "--private")
    repository = hub.repository("datasets", "ORG/hummusqa_demo")
    assert done.out.startswith(f"published at {hub.url}/datasets/ORG/hummusqa_demo, commit {repository.head[:12]}")
    assert repository.private
    assert "read back: default" in done.out
    refused = command("data", "push", demo_directory("hummusqa"), "--to", "ORG/hummusqa")
    assert (refused.code, "Push it to a name with demo in it" in refused.err) == (2, True)


def test_data_that_changed_in_the_queue_are_not_sent(hub, command, tmp_path, monkeypatch):
    import shutil

    from huggingface_hub import constants

    folder = tmp_path / "set_demo"
    shutil.copytree(demo_directory("hummusqa"), folder)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert command("data", "push", folder, "--to", "ORG/set_demo").code == 1
    assert waiting() == ["data"]
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    (folder / "eval.yaml").write_text("name: Another\n")
    for more in (["--dry-run"], []):
        done = command("data", "push", "--pending", *more)
        assert done.code == 1
        assert "changed since it was to be pushed" in done.err
    folder.rename(tmp_path / "elsewhere_demo")
    for more in (["--dry-run"], []):
        done = command("data", "push", "--pending", *more)
        assert (done.code, done.out) == (1, "")
        assert f"{folder}: is no longer there. Put it back, or remove {queue_folder()}" in done.err
    assert not hub.store.repositories


def test_what_waits_is_shown_as_it_was_first(hub, command, tmp_path, monkeypatch):
    from huggingface_hub import constants

    pushes = [
        ["data", "push", demo_directory("hummusqa"), "--to", "ORG/set_demo", "--private"],
        ["metrics", "push", "set_f1", "caa", "--to", "ORG"],
    ]
    for push in pushes:
        with monkeypatch.context() as offline:
            offline.setattr(constants, "HF_HUB_OFFLINE", True)
            assert command(*push).code == 1
        again = command(*push[:2], "--pending", "--dry-run")
        assert again.code == 0
        assert again.out.partition("\n")[2] == command(*push, "--dry-run").out + "\n"
        assert {each.method for each in hub.requests} <= {"GET", "HEAD"}
    assert "waiting: caa, set_f1 to ORG\n" in command("metrics", "push", "--pending", "--dry-run").out


def test_where_nothing_can_be_kept_the_first_fault_is_told_too(hub, command, tmp_path, monkeypatch):
    from huggingface_hub import constants

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    done = command("metrics", "push", "caa", "--to", "ORG")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "the Hub is switched off here" in done.err
    assert "caa to ORG could not be kept for later either: " in done.err
    assert "entry.json: cannot be written" in done.err


@pytest.mark.parametrize("is_off", [True, False], ids=["switched off", "out of reach"])
def test_every_dry_run_shows_what_would_be_sent_without_the_hub(hub, command, run, monkeypatch, is_off):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", is_off)
    hub.faults.order("*", status=503, times=None)
    for arguments in (
        ["data", "push", demo_directory("hummusqa"), "--to", "ORG/set_demo"],
        ["metrics", "push", "--to", "ORG"],
        ["submit", run, "--to", "ORG/submissions"],
    ):
        hub.requests.clear()
        done = command(*arguments, "--dry-run")
        assert (done.code, done.err) == (0, "")
        assert "Shown as for a repository" in done.out
        assert "  README.md " in done.out or "  submission.yaml " in done.out
        assert len(hub.requests) <= (0 if is_off else 1)  # a Hub that does not answer is asked no second time


def test_lines_of_files_fit_on_a_terminal(hub, command, run):
    hub.create("datasets", "ORG/submissions", {"README.md": b"x"})
    for arguments in (
        ["data", "push", demo_directory("hummusqa"), "--to", "ORG/hummusqa_demo"],
        ["metrics", "push", "--to", "ORG"],
        ["submit", run, "--to", "ORG/submissions"],
    ):
        lines = command(*arguments, "--dry-run").out.splitlines()
        sent = [line for line in lines if line.endswith("  new")]
        assert sent
        assert max(map(len, sent)) <= 80


def test_the_name_of_a_benchmark_is_not_taken_in_silence(hub, command, monkeypatch):
    from musebench_tasks.hub import data_rules

    monkeypatch.setattr(data_rules, "is_demonstration", lambda *_: False)
    done = command("data", "push", demo_directory("hummusqa"), "--to", "ORG/mub", "--dry-run")
    assert done.code == 0
    assert done.err.startswith("ORG/mub: takes the name of the benchmark mub, and others will take it for that.")


@pytest.mark.slow
def test_metrics_become_spaces_and_a_second_try_sends_what_is_missing(hub, command):
    hub.faults.order("commit", status=403, skip=2)
    done = command("metrics", "push", "--to", "ORG", "caa", "mub", "set_f1")
    assert done.code == 2
    assert "your token may not write there" in done.err
    done = command("metrics", "push", "--to", "ORG", "caa", "mub", "set_f1")
    assert done.code == 0
    assert done.out.count("lies there already") == 2
    assert done.out.endswith("3 Spaces of ORG are as they should be\n")
    assert command("metrics", "push", "--to", "ORG", "caa").out.endswith("1 Space of ORG is as it should be\n")
    caa = hub.repository("spaces", "ORG/caa")
    assert set(caa.files) == {"README.md", "app.py", "caa.py", "requirements.txt"}
    assert caa.sdk == "gradio"
    assert {name for kind, name in hub.store.repositories} == {"ORG/caa", "ORG/mub", "ORG/set_f1"}


def test_a_dry_run_of_the_metrics_names_all_ten(hub, command):
    done = command("metrics", "push", "--to", "ORG", "--dry-run")
    assert all(
        f"would be sent to {hub.url}/spaces/ORG/{name}, which would be made, public" in done.out for name in METRICS
    )
    assert {each.method for each in hub.requests} == {"GET"}


def test_a_queue_entry_holds_no_token(hub, command, run, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    submit(command, run)
    (entry,) = queue_folder().glob("*/entry.json")
    assert "hf_" not in entry.read_text()
    assert json.loads(entry.read_text())["details"]["to"] == "ORG/submissions"


def test_results_for_a_models_page_are_whole_benchmarks(run):
    from musebench_tasks.base.errors import InputError
    from musebench_tasks.evaluation.files import read_scorecard
    from musebench_tasks.hub.results import entries_of
    from musebench_tasks.inference.run_folder import read_run_config

    folder = run / "random" / "hummusqa_demo"
    card, config = read_scorecard(folder / "scores.json"), read_run_config(folder / "run.yaml")
    real = card.model_copy(update={"benchmark": "hummusqa"})
    with pytest.raises(InputError, match="asked only limit:2"):
        entries_of(real, config, "ORG/hummusqa")
    found = entries_of(real.model_copy(update={"selection": None}), config, "ORG/hummusqa")
    assert {each.task for each in found} == {"accuracy", "choice_consistency"}
    assert {each.file for each in found} == {"hummusqa.yaml"}
    accuracy = next(each for each in found if each.task == "accuracy")
    assert accuracy.value == round(100 * real.row("accuracy").value, 2)
    assert accuracy.notes == "full, T+A, coverage 1.000, answered 1.000"
    assert load_task("hummusqa").revision is None or accuracy.revision is None


@pytest.mark.parametrize("kind", ["data", "metrics", "submission"])
@pytest.mark.parametrize("details", [{}, {"results": 5, "names": 1}, {"directory": None}])
def test_an_entry_of_another_version_keeps_no_other_from_being_sent(hub, command, kind, details):
    from musebench_tasks.hub.pending import keep

    keep(kind, "old", details)
    arguments = ["submit"] if kind == "submission" else [kind, "push"]
    done = command(*arguments, "--pending")
    assert done.code == 1
    assert "entry.json: is not what this version writes. Remove its folder, and give its command again." in done.err
    assert "1 still waiting" in done.err
    assert waiting() == [kind]
