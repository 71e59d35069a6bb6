"""Logs that say of themselves that they are no results, contradict themselves, or give nothing a name."""

import json
import shutil

import pytest
from fakes.harness_logs import inspect_log, read_whole, write_inspect, write_json, write_lines

from musebench_tasks.api import import_log
from musebench_tasks.base.errors import InputError
from musebench_tasks.cli import main
from musebench_tasks.harnesses.questions import documents

TASK = "hummusqa_demo"
DATE = "2026-01-02T03-04-05.6"
LINES = f"samples_musebench_{TASK}_text_only_{DATE}.jsonl"


def samples(**changed):
    rows = [{**each, **changed} for each in documents(TASK, "text_only")[:4]]
    return [{"doc_id": number, "doc": each, "resps": [["A"]]} for number, each in enumerate(rows)]


BOTH = pytest.mark.parametrize("suffix", [".json", ".eval"])


@BOTH
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"version": 99}, "is a log of version 99; versions 1 to 2 are known"),
        ({"version": "2"}, 'is a log of version "2"'),
        ({"invalidated": True}, "is marked as invalidated, so what it answers is no result"),
    ],
)
def test_what_a_log_of_inspect_says_against_itself_refuses_it(changed, told, suffix, tmp_path):
    with pytest.raises(InputError, match=told):
        read_whole("inspect", write_inspect(tmp_path / f"log{suffix}", {**inspect_log(TASK), **changed}), TASK)


@BOTH
def test_a_sample_that_was_invalidated_is_named_with_the_reason(suffix, tmp_path):
    log = {**inspect_log(TASK), "invalidated": True}
    log["samples"][1]["invalidation"] = {"author": "me", "reason": "wrong\nsound card"}
    with pytest.raises(InputError, match=r"(sample 2|_epoch_2\.json): is marked as invalidated \(wrong sound card\)"):
        read_whole("inspect", write_inspect(tmp_path / f"log{suffix}", log), TASK)


@BOTH
@pytest.mark.parametrize("status", ["error", None])
def test_a_run_of_inspect_that_did_not_end_is_told_of(status, suffix, tmp_path):
    path = write_inspect(
        tmp_path / f"log{suffix}", {**inspect_log(TASK), "status": status, "error": {"message": "out of\nmemory"}}
    )
    log, found = read_whole("inspect", path, TASK)
    told = f"its status is {json.dumps(status)} (out of memory). What it lacks is missing."
    assert log.warnings == (f"{path}: its run did not end well, {told}",)
    assert len(found.predictions) == 4


def test_the_command_warns_of_a_run_that_did_not_end(tmp_path, capsys):
    path = write_inspect(tmp_path / "log.json", {**inspect_log(TASK), "status": "error"})
    assert main(["import", "inspect", str(path), "--task", TASK, "--out", str(tmp_path / "run"), "--limit", "1"]) == 0
    assert 'its status is "error". What it lacks is missing.' in capsys.readouterr().err


@BOTH
@pytest.mark.parametrize("version", [1, 2])
def test_whole_logs_of_known_versions_come_without_a_word(version, suffix, tmp_path):
    log, _ = read_whole(
        "inspect", write_inspect(tmp_path / f"log{suffix}", {**inspect_log(TASK), "version": version}), TASK
    )
    assert (log.warnings, log.harness.name) == ((), f"inspect_ai (EvalLog version {version})")


@pytest.mark.parametrize("keep", [0.3, 0.99])
def test_half_an_archive_is_called_so(keep, tmp_path):
    path = write_inspect(tmp_path / "log.eval", inspect_log(TASK))
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content))])
    with pytest.raises(InputError, match=r"log\.eval: is an archive without its end, .* copy it anew"):
        read_whole("inspect", path, TASK)
    path.write_text("PLAIN")
    with pytest.raises(InputError, match=r"log\.eval: is no archive, so no \.eval log"):
        read_whole("inspect", path, TASK)


@pytest.mark.parametrize(("source", "condition"), [("lm_eval", "full"), ("lmms_eval", "silence")])
def test_a_file_called_after_another_condition_is_refused(source, condition, tmp_path):
    rows = samples(condition=condition)
    name = LINES
    if source == "lmms_eval":
        name = f"20260102_030405_samples_musebench_{TASK}_text_only.jsonl"
        rows = [{"doc_id": each["doc_id"], "filtered_resps": "A", **each["doc"]} for each in rows]
    told = rf"line 1: was asked under {condition} by its own words, and under text_only by the name of its file"
    with pytest.raises(InputError, match=told):
        read_whole(source, write_lines(tmp_path / name, rows), TASK)
    assert read_whole(source, write_lines(tmp_path / "renamed.jsonl", rows), TASK)[1].conditions == (condition,)


@pytest.mark.parametrize("source", ["lm_eval", "lmms_eval", "inspect", "vlmevalkit"])
def test_a_mark_before_the_first_byte_is_no_part_of_a_log(source, tmp_path):
    mark = "\ufeff"
    if source == "inspect":
        path = write_json(tmp_path / "log.json", inspect_log(TASK), before=mark)
    elif source == "vlmevalkit":
        names = ("item_id", "run", "condition", "option_order")
        rows = [{**{name: each["doc"][name] for name in names}, "prediction": "A"} for each in samples()]
        path = write_json(tmp_path / "x.json", rows, before=mark)
    else:
        path = write_lines(tmp_path / LINES, samples(), before=mark)
    whole = read_whole(source, path, TASK)[1].predictions
    path.write_text(path.read_text().removeprefix(mark))
    assert read_whole(source, path, TASK)[1].predictions == whole
    if source == "lm_eval":
        path.write_text(mark + json.dumps(samples()))
        assert read_whole(source, path, TASK)[1].predictions == whole


@pytest.mark.parametrize(
    ("arguments", "name", "found"),
    [
        ({}, "qdpv68r5", None),
        ("", "qdpv68r5", None),
        ("dtype=float", "qdpv68r5", None),
        ({"pretrained": "org/abcd1234"}, "abcd1234", "abcd1234"),
        ("model=tiny1234,temperature=0", "tiny1234", "tiny1234"),
        ({}, "org/x", "org/x"),
        (None, "qdpv68r5", "qdpv68r5"),
    ],
)
def test_a_name_that_lm_eval_drew_is_nobodys(arguments, name, found, tmp_path):
    told = {"model_name": name, "config": {"model": "dummy", "model_args": arguments}, "configs": {}}
    write_json(tmp_path / f"results_{DATE}.json", told)
    path = write_lines(tmp_path / LINES, samples())
    assert read_whole("lm_eval", path, TASK)[0].model == found
    if found is None:
        with pytest.raises(InputError, match="does not tell which model answered. Give --model NAME"):
            import_log("lm_eval", path, task=TASK, out=tmp_path / "run")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 1001])
@pytest.mark.parametrize("by", ["--model", "log"])
def test_what_nothing_can_be_called_is_refused_in_one_line(name, by, tmp_path, capsys):
    path = write_lines(tmp_path / LINES, samples())
    arguments = ["import", "lm_eval", str(path), "--task", TASK, "--out", str(tmp_path / "run"), "--limit", "1"]
    if by == "log":
        told = {"model_name": name, "configs": {}}
        write_json(tmp_path / f"results_{DATE}.json", told)
    else:
        arguments += ["--model", name]
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert told.strip().isprintable()
    assert "--model NAME" in told
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("name", "by"), [("..", "log"), (".", "--model"), ("../../../evil", "--model"), ("通义", "log")]
)
def test_no_model_leads_out_of_the_run(name, by, tmp_path):
    log, out = tmp_path / "log", tmp_path / "deep" / "run"
    log.mkdir()
    path = write_lines(log / LINES, samples())
    if by == "log":
        write_json(log / f"results_{DATE}.json", {"model_name": name, "configs": {}})
    imported = import_log("lm_eval", path, task=TASK, out=out, model=name if by == "--model" else None, limit=1)
    assert imported.folder.parents[1] == out
    assert imported.folder.resolve().is_relative_to(out.resolve())
    assert imported.card.system == name
    assert sorted(each.name for each in (tmp_path / "deep").iterdir()) == ["run"]


def test_the_command_counts_what_a_submission_lacks(tmp_path, capsys):
    path = write_lines(tmp_path / LINES, samples()[:3])
    arguments = ["import", "lm_eval", str(path), "--task", TASK, "--out", str(tmp_path / "run"), "--model", "x"]
    assert main([*arguments, "--limit", "1"]) == 3
    told = capsys.readouterr().out
    assert "1 of 4 planned requests, wrong here. A submission needs all of them\n" in told
    assert "say so: --limit" not in told
    arguments = ["submit", str(tmp_path / "run"), "--to", "org/board", "--submitter", "me", "--dry-run", "--offline"]
    assert main(arguments) == 2
    assert "1 of 4 planned requests are missing" in capsys.readouterr().err


def test_an_import_that_differs_from_the_run_there_says_what_an_import_can_do(tmp_path, capsys):
    path = write_lines(tmp_path / LINES, samples())
    arguments = ["import", "lm_eval", str(path), "--task", TASK, "--out", str(tmp_path / "run"), "--model", "x"]
    assert main(arguments) == 3
    told = capsys.readouterr().out
    assert "236 of 240 planned requests" in told
    assert "say so: --limit, --sample" in told
    assert main([*arguments, "--limit", "1"]) == 2
    told = capsys.readouterr().err
    assert "benchmark.selection (nothing, now limit:1). Choose another --out or --model." in told
    assert "--reuse" not in told


OWN = """task: mine
dataset_path: hummusqa_demo
protocol: {media: [audio], conditions: [full, text_only], runs: 1, option_order: shuffled}
columns: {id: identifier, media: audio, answer: answer, distractors: [distractor_1, distractor_2, distractor_3]}
metric_list: [{metric: accuracy}]
metadata: {headline: accuracy}
"""


@pytest.fixture
def own_task(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_file.yaml").write_text(OWN)
    return "my_file.yaml"


@pytest.mark.parametrize("told", ["mine", "/elsewhere/my_file.yaml", "HERE"])
def test_a_log_of_ones_own_task_is_known_by_its_name(told, own_task, tmp_path):
    """Earlier exports told the file, by its path where it was exported: `HERE`, or on another machine."""
    about = str(tmp_path / own_task) if told == "HERE" else told
    rows = [{**each, "musebench_task": about} for each in documents(own_task, "text_only")[:4]]
    rows = [{"doc_id": number, "doc": each, "resps": [["A"]]} for number, each in enumerate(rows)]
    path = write_lines(tmp_path / f"samples_musebench_mine_text_only_{DATE}.jsonl", rows)
    imported = import_log("lm_eval", path, task=own_task, out="run", model="x", limit=4)
    assert (imported.card.task, imported.card.counts[0].statuses) == ("mine", {"ok": 4})
    (tmp_path / "other.yaml").write_text(OWN.replace("task: mine", "task: other"))
    if told != "/elsewhere/my_file.yaml":
        with pytest.raises(InputError, match=r'is of task "mine", not other\. Name that one with --task\.'):
            import_log("lm_eval", path, task="other.yaml", out="run", model="x", limit=4)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    import_log("lm_eval", write_lines(folder / LINES, samples()), task=TASK, out=folder / "run", model="org/x", limit=1)
    return folder / "run"


@pytest.mark.parametrize("name", [" ", "a\x1b[31m", "x" * 1001])
@pytest.mark.parametrize("command", ["run", "verify", "submit", "leaderboard"])
def test_every_command_refuses_what_no_system_can_be_called(command, name, whole_run, tmp_path, capsys):
    run = tmp_path / "run"
    shutil.copytree(whole_run, run)
    (file,) = run.rglob("run.yaml")
    file.write_text(file.read_text().replace("name: org/x", f"name: {json.dumps(name)}"))
    arguments = {
        "run": ["run", "--tasks", TASK, "--model", name, "--out", str(tmp_path / "other"), "--offline"],
        "verify": ["verify", str(run)],
        "submit": ["submit", str(run), "--to", "org/board", "--submitter", "me", "--dry-run", "--offline"],
        "leaderboard": ["leaderboard", "add", str(run), str(tmp_path / "board"), "--submitter", "me"],
    }
    assert main(arguments[command]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert told.strip().isprintable()
    assert "Traceback" not in told
    assert not (tmp_path / "other").exists()
    assert not [*tmp_path.glob("board/submissions/*/*/*")]
