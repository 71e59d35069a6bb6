"""The generated trees of lm-eval and lmms-eval: up to date, in the words of their harness, one file a condition."""

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Modality
from musebench_tasks.cli import main
from musebench_tasks.harnesses import harness_keys
from musebench_tasks.harnesses.check import KEYS, key_problems, read_generated, tree_problems
from musebench_tasks.harnesses.export import (
    HARNESSES,
    MARK,
    PREFIX,
    exported_name,
    exported_tree,
    generated_files,
    own_tasks,
    tree_folder,
    write_tree,
)
from musebench_tasks.harnesses.questions import documents
from musebench_tasks.tasks import load_task

ONLY_LM_EVAL = {"custom_dataset", "doc_to_image", "doc_to_audio", "unsafe_code", "gen_prefix"}


@pytest.fixture(scope="module")
def tasks():
    return own_tasks()


def leaves(harness):
    folder = tree_folder(harness)
    found = {path: read_generated(folder / path) for path in generated_files(folder) if path.endswith(".yaml")}
    return {path: content for path, content in found.items() if "task" in content}


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_trees_are_what_the_tasks_give_now(harness):
    assert tree_problems(harness)[0] == []  # `musebench tasks export` writes them anew


@pytest.mark.parametrize("harness", HARNESSES)
def test_every_task_has_a_file_for_each_of_its_conditions(harness, tasks):
    found = [content["task"] for content in leaves(harness).values()]
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
def test_a_key_that_would_end_a_run_is_named(harness, text, problem, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(text)
    assert problem in "\n".join(key_problems(harness, path))


@pytest.mark.parametrize("harness", HARNESSES)
def test_conditions_without_media_name_no_media_hook(harness, tasks):
    """So that a model of texts alone runs them on the same command."""
    for path, content in leaves(harness).items():
        has_media = {"doc_to_image", "doc_to_visual", "doc_to_messages"} & set(content)
        assert bool(has_media) == (content["metadata"]["condition"] != "text_only"), path


def test_lmms_eval_is_told_which_wrappers_take_what_a_condition_holds(tasks):
    by_name = {exported_name(task.task, each): (task, each) for task in tasks for each in Condition}
    for content in leaves("lmms_eval").values():
        task, condition = by_name[content["task"]]
        streams = condition.modalities(task.modalities)
        wanted = {frozenset(Modality): "../_film_with_sound.yaml", frozenset({Modality.AUDIO}): "../_sound.yaml"}
        included = content["include"] if isinstance(content["include"], list) else [content["include"]]
        assert included[1:] == [wanted[streams]] if streams in wanted else len(included) == 1
    told = read_generated(tree_folder("lmms_eval") / "_film_with_sound.yaml")["lmms_eval_specific_kwargs"]
    assert told["default"] == {"takes_sound": False}
    assert told["qwen2_5_omni"] == {"takes_sound": True}
    assert "qwen2_5_vl" not in told
    assert set(harness_keys.LMMS_EVAL_FILM_WITH_SOUND) < set(harness_keys.LMMS_EVAL_SOUND)


OWN = """task: mine
dataset_path: hummusqa_demo
include: {include}
revision: null
"""


@pytest.fixture
def own_task(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(OWN.format(include=tree_folder("tasks") / "hummusqa" / "hummusqa_demo.yaml"))
    return path


def test_a_task_of_ones_own_is_exported_under_a_name_that_no_harness_has(own_task, tmp_path, capsys):
    assert main(["tasks", "export", str(own_task), "--to", str(tmp_path / "out"), "--harness", "lm_eval"]) == 0
    told = capsys.readouterr().out
    assert "4 task files of 1 task\n" in told
    assert told.endswith(f"where the harness runs: export MUSEBENCH_TASKS={own_task}\n")
    folder = tmp_path / "out" / "lm_eval" / "musebench_mine"
    leaf = read_generated(folder / "musebench_mine_noise.yaml")
    assert leaf["dataset_kwargs"] == {"musebench_task": "mine", "musebench_condition": "noise"}
    assert not (tmp_path / "out" / "lmms_eval").exists()


def test_no_path_of_this_machine_stands_in_a_tree(own_task, tmp_path):
    assert main(["tasks", "export", str(own_task), "hummusqa_demo", "--to", str(tmp_path / "out")]) == 0
    written = [path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    ours = [path.read_text() for each in HARNESSES for path in tree_folder(each).rglob("*") if path.is_file()]
    for text in (*written, *ours):
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


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_folder_of_a_harness_is_printed(harness, capsys):
    assert main(["tasks", "path", harness]) == 0
    assert capsys.readouterr().out == f"{tree_folder(harness)}\n"


def test_a_stale_file_is_a_problem_of_the_tasks(monkeypatch, tmp_path):
    from musebench_tasks.harnesses import check

    files = exported_tree("lm_eval", own_tasks())
    changed, gone = "musebench_demo/musebench_demo.yaml", "musebench_demo/musebench_demo_no_audio.yaml"
    write_tree(tmp_path, {path: text for path, text in files.items() if path != gone})
    (tmp_path / changed).write_text(f"{files[changed]}repeats: 2\n")
    (tmp_path / "old.yaml").write_text(f"{MARK}\ntask: old\n")
    monkeypatch.setattr(check, "tree_folder", lambda harness: tmp_path)
    problems, count = tree_problems("lm_eval")
    named = {line.removeprefix(f"{tmp_path}/").partition(":")[0] for line in problems}
    assert named == {"old.yaml", gone, changed}
    assert all(line.endswith("Run `musebench tasks export`.") for line in problems)
    assert count == sum("task" in read_generated(tmp_path / path) for path in generated_files(tmp_path))
