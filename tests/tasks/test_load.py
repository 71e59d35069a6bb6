"""Tasks, groups and suites: names and files, includes, and the files that travel with the package."""

import json
import subprocess
import sys

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition
from musebench_tasks.base.resources import yaml_configs
from musebench_tasks.tasks import check_files, list_tasks, load_suite, load_task, load_tasks


def test_every_file_that_travels_with_the_package_is_valid():
    assert check_files([yaml_configs() / "tasks", yaml_configs() / "suites"]) == []


def test_every_listed_task_loads():
    entries = list_tasks()
    tasks = {task.task for task in load_tasks([entry.name for entry in entries])}
    assert tasks == {entry.name for entry in entries if entry.kind == "task"}
    assert {"musebench", "hummusqa", "mub", "musebench_demo", "hummusqa_demo", "mub_demo"} <= tasks
    assert all(entry.description for entry in entries)


def test_the_three_benchmarks_are_as_published():
    musebench, hummusqa, mub = load_tasks(["musebench", "hummusqa", "mub"])
    assert (musebench.protocol.runs, musebench.protocol.option_order, musebench.protocol.fps) == (1, "stored", 1)
    assert (hummusqa.protocol.runs, hummusqa.protocol.option_order) == (4, "shuffled")
    assert hummusqa.columns.distractors == ("distractor_1", "distractor_2", "distractor_3")
    assert (mub.kind, mub.protocol.answer, mub.protocol.track) == ("music", "json", "native_audio")
    assert [task.metadata.headline for task in (musebench, hummusqa, mub)] == ["accuracy", "accuracy", "mub_key"]


def test_a_category_is_an_include_and_a_filter():
    stage, whole = load_task("musebench_stage"), load_task("musebench")
    assert stage.filter == {"category": "Stage Performing"}
    changed = {"task": whole.task, "filter": {}, "description": whole.description}
    assert stage.model_copy(update=changed) == whole


def test_a_group_stands_for_its_tasks_each_once():
    names = [task.task for task in load_tasks(["musebench_stage", "musebench_all"])]
    assert names == ["musebench_stage", "musebench_cinematic", "musebench_static", "musebench_game"]


def test_the_demo_suite_pairs_the_demos_with_the_reference_systems():
    suite = load_suite("demo")
    assert suite.tasks == ("musebench_demo", "hummusqa_demo", "mub_demo")
    assert suite.models == ("random", "dsp")
    assert suite.conditions == (Condition.FULL,)


def test_includes_are_relative_chained_and_merged_deeply(write):
    write("parts/_base.yaml", "kind: choice\nprotocol: {media: [audio], runs: 2, conditions: [full, noise]}\n")
    write("_middle.yaml", "include: parts/_base.yaml\nprotocol: {runs: 3}\ndataset_path: there\n")
    path = write(
        "deep/top.yaml",
        """\
        task: top
        include: ../_middle.yaml
        protocol: {conditions: [full]}
        metric_list: [{metric: accuracy}]
        metadata: {headline: accuracy}
        """,
    )
    protocol = load_task(path).protocol
    assert (protocol.media, protocol.runs, protocol.conditions) == (("audio",), 3, (Condition.FULL,))


def test_a_mistake_in_an_included_file_names_that_file(write):
    write("_base.yaml", "kind: choice\nprotocol:\n  media: [audio]\n  run: 2\n")
    path = write("top.yaml", "task: top\ninclude: _base.yaml\ndataset_path: x\n")
    with pytest.raises(InputError, match=r'_base\.yaml line 4, key "protocol\.run": is no known key .*"runs"'):
        load_task(path)


def test_includes_in_a_circle_are_an_error(write):
    write("a.yaml", "include: b.yaml\n")
    path = write("b.yaml", "task: b\ninclude: a.yaml\n")
    with pytest.raises(InputError, match=r'^a\.yaml line 1, key "include": .*circle: b\.yaml -> a\.yaml -> b\.yaml'):
        load_task(path)


def test_a_missing_include_is_named(write):
    path = write("a.yaml", "task: a\ninclude: nowhere.yaml\n")
    with pytest.raises(InputError, match=r'line 2, key "include": no file "nowhere\.yaml" beside this file'):
        load_task(path)


def test_a_group_in_itself_is_an_error(write, monkeypatch):
    write("one.yaml", "group: one\ntask: [two]\n")
    write("two.yaml", "group: two\ntask: [one]\n")
    monkeypatch.setenv("MUSEBENCH_TASKS", ".")
    with pytest.raises(InputError, match="groups contain each other: one -> two -> one"):
        load_tasks(["one"])


def test_an_unknown_member_of_a_group_is_told_with_its_line(write):
    path = write("one.yaml", "group: one\ntask:\n  - mub_demo\n  - mub_dem\n")
    with pytest.raises(InputError, match=r'line 4, key "task\[1\]": There is no task "mub_dem" \(nearest: mub_demo\)'):
        load_tasks([path])


def test_an_unknown_name_gets_the_nearest_one():
    with pytest.raises(InputError, match=r'There is no task "musebnch" \(nearest: musebench\)'):
        load_task("musebnch")
    with pytest.raises(InputError, match=r'There is no suite "dem" \(nearest: demo\)'):
        load_suite("dem")


def test_a_suite_names_tasks_that_exist(write):
    path = write("s.yaml", "suite: s\ntasks: [mub_demo, mub_dmo]\nmodels: [dsp]\n")
    with pytest.raises(InputError, match=r's\.yaml line 2, key "tasks\[1\]": there is no task "mub_dmo"'):
        load_suite(path)


def test_own_tasks_are_found_through_the_environment_and_by_folder(change, monkeypatch):
    path = change("task: mine", "task: mine", "own/mine.yaml")
    assert load_task("mine", include_paths=[path.parent]).task == "mine"
    monkeypatch.setenv("MUSEBENCH_TASKS", str(path.parent))
    assert load_task("mine").task == "mine"


def test_what_a_run_wrote_in_a_folder_of_tasks_is_no_task(change, write, monkeypatch):
    change("task: mine", "task: mine")
    write("runs/mine/random/mine/run.yaml", "schema_version: '1'\ntask: mine\n")
    monkeypatch.setenv("MUSEBENCH_TASKS", ".")
    assert load_task("mine").task == "mine"


def test_one_name_in_two_files_is_an_error_that_names_both(change, monkeypatch):
    path = change("task: mine", "task: mub_demo")
    monkeypatch.setenv("MUSEBENCH_TASKS", str(path.parent))
    with pytest.raises(InputError, match=r'mine\.yaml: the name "mub_demo" stands in .*mub_demo\.yaml already'):
        list_tasks()
    with pytest.raises(InputError, match="already"):
        load_tasks(["mub_demo"])
    with pytest.raises(InputError, match="already"):
        load_tasks([yaml_configs() / "tasks/mub/mub_demo.yaml", path])


def test_a_broken_file_elsewhere_does_not_stop_other_tasks(write, monkeypatch):
    write("own/broken.yaml", "task: [")
    monkeypatch.setenv("MUSEBENCH_TASKS", "own")
    assert load_task("mub_demo").task == "mub_demo"
    with pytest.raises(InputError, match=r"own/broken\.yaml line"):
        list_tasks()


def test_a_folder_that_does_not_exist_is_told(monkeypatch):
    monkeypatch.setenv("MUSEBENCH_TASKS", "/nowhere/tasks")
    with pytest.raises(InputError, match=r"\$MUSEBENCH_TASKS names /nowhere/tasks, which does not exist"):
        list_tasks()


def test_data_and_templates_beside_the_task_file_are_found_from_anywhere(change, tmp_path, monkeypatch):
    path = change("dataset_path: somewhere", "dataset_path: data\ndoc_to_text: mine.jinja")
    (tmp_path / "data").mkdir()
    (tmp_path / "mine.jinja").write_text("{{ question }}")
    monkeypatch.chdir("/")
    task = load_task(path)
    assert task.dataset_path == str(tmp_path / "data")
    assert task.doc_to_text == str(tmp_path / "mine.jinja")


def test_a_constant_of_the_package_may_be_named(change):
    path = change("kind: choice", "protocol_seed: 1")
    path.write_text(
        path.read_text().replace("protocol_seed: 1", "system: !function musebench_tasks.base.records.LETTERS")
    )
    assert load_task(path).system == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def test_listing_imports_nothing_heavy():
    code = (
        "import sys, json; from musebench_tasks.tasks import list_tasks; list_tasks();"
        "print(json.dumps(sorted(name for name in sys.modules if '.' not in name)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "pyarrow", "datasets", "pandas", "scipy", "torch", "av", "matplotlib", "huggingface_hub"}
    assert not heavy & set(json.loads(done.stdout))


def test_a_scorer_of_frames_is_found_beside_the_task(tmp_path):
    (tmp_path / "score.py").write_text("def fit(frames, text): ...\n")
    (tmp_path / "mine.yaml").write_text(
        "task: mine\ndataset_path: d\nprotocol: {media: [video], frames: 'query:python:score.py:fit'}\n"
        "metric_list: [{metric: accuracy}]\nmetadata: {headline: accuracy}\n"
    )
    assert load_task(tmp_path / "mine.yaml").protocol.frames == f"query:python:{tmp_path / 'score.py'}:fit"


def test_a_suite_may_choose_frames_by_a_rule_that_there_is(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("suite: mine\ntasks: [musebench_demo]\nmodels: [random]\nframes: keyframes\nchunk: limit\n")
    assert (load_suite(path).frames, load_suite(path).chunk) == ("keyframes", "limit")
    path.write_text(path.read_text().replace("keyframes", "keyframe"))
    with pytest.raises(InputError, match=r'mine.yaml line 4, key "frames": "keyframe" is no way of choosing frames'):
        load_suite(path)
