"""The generated trees of lm-eval and lmms-eval: made on demand, in their words, one file a task and condition."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Modality
from musebench_tasks.base.resources import yaml_configs
from musebench_tasks.cli import main
from musebench_tasks.harnesses import export
from musebench_tasks.harnesses.export import (
    HARNESSES,
    KEYS,
    MARK,
    PREFIX,
    exported_name,
    exported_tree,
    generated_files,
    key_problems,
    own_tasks,
    read_generated,
    write_tree,
)
from musebench_tasks.harnesses.questions import documents
from musebench_tasks.tasks import load_task

ROOT = Path(__file__).resolve().parents[2]

ONLY_LM_EVAL = {"custom_dataset", "doc_to_image", "doc_to_audio", "unsafe_code", "gen_prefix"}


@pytest.fixture(scope="module")
def tasks():
    return own_tasks()


@pytest.fixture(scope="module")
def trees(tasks):
    return {harness: exported_tree(harness, tasks) for harness in HARNESSES}


@pytest.fixture(scope="module")
def leaves(trees):
    """The task files of each harness, read."""
    read = {
        harness: {path: read_generated(text) for path, text in tree.items() if path.endswith(".yaml")}
        for harness, tree in trees.items()
    }
    return {harness: {path: each for path, each in files.items() if "task" in each} for harness, files in read.items()}


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_folder_of_a_harness_is_printed_and_holds_its_tree(harness, trees, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MUSEBENCH_CACHE", str(tmp_path))
    for _ in range(2):
        assert main(["tasks", "path", harness]) == 0
        folder = Path(capsys.readouterr().out.strip())
        assert folder.is_relative_to(tmp_path)
        assert files_of(folder) == trees[harness]
        (folder / generated_files(folder)[0]).unlink()  # what cleans caches may take: the next call makes it whole


def test_processes_that_ask_at_once_get_one_whole_tree(trees, tmp_path):
    command = [sys.executable, "-m", "musebench_tasks", "tasks", "path", "lmms_eval"]
    environment = {**os.environ, "MUSEBENCH_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    (folder,) = {process.communicate()[0].strip() for process in started}
    assert [process.returncode for process in started] == [0, 0]
    assert files_of(Path(folder)) == trees["lmms_eval"]


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_examples_that_show_the_form_are_what_is_generated(harness, trees):
    """Where this fails, copy these files of `musebench tasks path` anew."""
    examples = files_of(yaml_configs() / harness)
    assert {path: trees[harness][path] for path in examples} == examples
    assert any("task" in read_generated(text) for text in examples.values())


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("harness", HARNESSES)
def test_every_task_has_a_file_for_each_of_its_conditions(harness, leaves, tasks):
    found = [content["task"] for content in leaves[harness].values()]
    wanted = [exported_name(task.task, each) for task in tasks for each in task.protocol.conditions]
    assert sorted(found) == sorted(wanted)
    assert all(name == PREFIX or name.startswith(f"{PREFIX}_") for name in found)


def test_the_key_lists_are_the_harnesses_own():
    """Keys that the harnesses know; held against the dataclasses themselves where the harnesses are installed."""
    assert KEYS["lm_eval"] - KEYS["lmms_eval"] >= ONLY_LM_EVAL
    assert {"doc_to_visual", "doc_to_messages", "cluster_key"} <= KEYS["lmms_eval"] - KEYS["lm_eval"]
    assert "doc_to_video" not in KEYS["lm_eval"] | KEYS["lmms_eval"]


@pytest.mark.parametrize(
    ("harness", "text", "problem"),
    [
        ("lm_eval", "task: a\ndoc_to_visual: !function a.b\n", '"doc_to_visual" is no key of lm_eval'),
        ("lmms_eval", "task: a\ncustom_dataset: !function a.b\n", '"custom_dataset" is no key of lmms_eval'),
        ("lm_eval", "task: a\nmetric_list: [{metric: caa, aggregation: mean}]\n", '"higher_is_better" is missing'),
        ("lmms_eval", "task: a\nmetadata: {split: test}\n", 'metadata "split" would replace'),
    ],
)
def test_a_key_that_would_end_a_run_is_named(harness, text, problem):
    assert problem in "\n".join(key_problems(harness, "a.yaml", read_generated(text)))


@pytest.mark.parametrize("harness", HARNESSES)
def test_conditions_without_media_name_no_media_hook(harness, leaves):
    """So that a model of texts alone runs them on the same command."""
    for path, content in leaves[harness].items():
        has_media = {"doc_to_image", "doc_to_visual", "doc_to_messages"} & set(content)
        assert bool(has_media) == (content["metadata"]["condition"] != "text_only"), path


def test_lmms_eval_is_told_which_wrappers_take_what_a_condition_holds(leaves, tasks, trees):
    by_name = {exported_name(task.task, each): (task, each) for task in tasks for each in CONDITIONS.values()}
    for content in leaves["lmms_eval"].values():
        task, condition = by_name[content["task"]]
        streams = condition.modalities(task.modalities)
        wanted = {frozenset(Modality): "../_film_with_sound.yaml", frozenset({Modality.AUDIO}): "../_sound.yaml"}
        included = content["include"] if isinstance(content["include"], list) else [content["include"]]
        assert included[1:] == [wanted[streams]] if streams in wanted else len(included) == 1
    told = read_generated(trees["lmms_eval"]["_film_with_sound.yaml"])["lmms_eval_specific_kwargs"]
    assert told["default"] == {"takes_sound": False}
    assert told["qwen2_5_omni"] == {"takes_sound": True}
    assert "qwen2_5_vl" not in told
    assert set(export.LMMS_EVAL_FILM_WITH_SOUND) < set(export.LMMS_EVAL_SOUND)


OWN = """task: mine
dataset_path: hummusqa_demo
include: {include}
revision: null
"""


@pytest.fixture
def own_task(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(OWN.format(include=yaml_configs() / "tasks" / "hummusqa" / "hummusqa_demo.yaml"))
    return path


def test_a_task_of_ones_own_is_exported_under_a_name_that_no_harness_has(own_task, tmp_path, capsys):
    assert main(["tasks", "export", str(own_task), "--to", str(tmp_path / "out"), "--harness", "lm_eval"]) == 0
    told = capsys.readouterr().out
    assert "4 task files of 1 task\n" in told
    assert told.endswith(f"where the harness runs: export MUSEBENCH_TASKS={own_task}\n")
    folder = tmp_path / "out" / "lm_eval" / "musebench_mine"
    leaf = read_generated((folder / "musebench_mine_noise.yaml").read_text())
    assert leaf["dataset_kwargs"] == {"musebench_task": "mine", "musebench_condition": "noise"}
    assert not (tmp_path / "out" / "lmms_eval").exists()


def test_no_path_of_this_machine_stands_in_a_tree(own_task, tmp_path, trees):
    assert main(["tasks", "export", str(own_task), "hummusqa_demo", "--to", str(tmp_path / "out")]) == 0
    for text in (*files_of(tmp_path / "out").values(), *(text for tree in trees.values() for text in tree.values())):
        assert not {word for word in text.replace("{", " ").replace('"', " ").split() if word.startswith("/")}


def test_a_task_of_another_ones_name_is_refused(own_task, tmp_path, capsys):
    own_task.write_text(own_task.read_text().replace("task: mine", "task: mub_demo"))
    assert main(["tasks", "export", str(own_task), "--to", str(tmp_path / "out")]) == 2
    assert 'the name "mub_demo" stands in' in capsys.readouterr().err


def test_a_harness_that_was_not_told_of_a_task_says_how(own_task, monkeypatch):
    with pytest.raises(
        InputError, match='There is no task "mine"\\. A harness .* MUSEBENCH_TASKS: set it to the YAML file'
    ):
        documents("mine", "text_only")
    monkeypatch.setenv("MUSEBENCH_TASKS", str(own_task))
    assert {each["musebench_task"] for each in documents("mine", "text_only")} == {"mine"}


def test_some_tasks_alone_are_not_written_over_the_packages_own(own_task, capsys):
    assert main(["tasks", "export", str(own_task)]) == 2
    assert "--to DIR" in capsys.readouterr().err


def test_what_is_no_longer_exported_goes_and_what_others_wrote_stays(own_task, tmp_path):
    task = load_task(own_task)
    write_tree(tmp_path, exported_tree("lmms_eval", [task]))
    assert len(generated_files(tmp_path)) == 2 + 1 + 2 * 4
    (tmp_path / "musebench_mine" / "documents" / "mine.json").write_text("{}")
    (tmp_path / "notes.yaml").write_text("task: theirs\n")
    write_tree(tmp_path, {"_sound.yaml": f"{MARK}\n"})
    assert generated_files(tmp_path) == ["_sound.yaml"]
    assert (tmp_path / "notes.yaml").exists()
    assert (tmp_path / "musebench_mine" / "documents" / "mine.json").exists()


def test_lm_evals_own_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="lm-eval takes files below lm_eval/tasks for its own"):
        write_tree(tmp_path / "lm_eval" / "tasks", {"a.yaml": "task: a\n"})


def test_two_tasks_of_one_name_and_a_system_text_are_refused(own_task):
    task = load_task(own_task)
    with pytest.raises(InputError, match="name of another exported task already"):
        exported_tree("lm_eval", [task, task])
    with pytest.raises(InputError, match="mine: has a system text"):
        exported_tree("lm_eval", [task.model_copy(update={"system": "Be brief."})])


def test_an_unknown_key_in_a_generated_file_is_a_problem_of_the_tasks(monkeypatch, capsys):
    monkeypatch.setitem(KEYS, "lm_eval", KEYS["lm_eval"] - {"test_split"})
    assert main(["tasks", "check"]) != 0
    told = capsys.readouterr()
    assert 'lm_eval/musebench_demo/_musebench_demo.yaml: "test_split" is no key of lm_eval' in told.err
    assert "generated task files" in told.out
