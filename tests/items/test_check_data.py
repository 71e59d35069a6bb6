"""The data of a task looked over before a run: counts, media that are not there, problems; nothing is raised."""

import json

import pytest

from musebench_tasks.base.resources import demo_directory
from musebench_tasks.items import DataCheck, check_data, hub
from musebench_tasks.items.display_names import folder_called
from musebench_tasks.tasks import load_task

ROW = {"id": "q1", "question": "Which?", "options": ["cello", "viola"], "answer": "A", "audio": "a/one.wav"}
NOTHING = DataCheck(0, 0, 0, 0, 0, [], [], [], None)


@pytest.fixture(autouse=True)
def _no_hub(monkeypatch):
    monkeypatch.setattr(hub, "_snapshot", lambda *_: pytest.fail("asked the Hub"))


@pytest.fixture
def check(here, choice_task):
    def check_rows(*rows):
        task = choice_task(more="protocol: {media: [audio]}")
        (here / "set" / "a").mkdir(exist_ok=True)
        (here / "set" / "a" / "one.wav").write_bytes(b"sound")
        (here / "set" / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
        return check_data(task)

    return check_rows


def test_items_and_media_are_counted(here, check):
    (here / "set" / "a").mkdir(parents=True, exist_ok=True)
    (here / "set" / "a" / "same.wav").write_bytes(b"sound")
    rows = [ROW, ROW | {"id": "q2", "kind": "multi", "answer": ["A", "B"]}, ROW | {"id": "q3", "audio": "a/same.wav"}]
    assert check(*rows) == DataCheck(3, 2, 1, 0, 1, [], [], [], f"{here}/set")


def test_every_file_that_is_not_there_is_told_once_with_what_may_be_meant(check):
    rows = [
        ROW | {"audio": "a/ONE .wav"},
        ROW | {"id": "q2", "audio": "b/none.wav"},
        ROW | {"id": "q3", "audio": "b/none.wav"},
        ROW | {"id": "q4", "audio": "A/one.wav", "answer": "", "question": ""},
    ]
    found = check(*rows)
    place, todo = (
        'set/test.jsonl row {}, column "audio": no file {} lies in set{}.',
        " Put it there, or correct the name.",
    )
    assert found.media_missing == ["A/one.wav", "a/ONE .wav", "b/none.wav"]
    assert [line for line in found.problems if "no file" in line] == [
        place.format(1, '"a/ONE .wav"', ' (nearest: "a/one.wav")') + todo,
        place.format(2, '"b/none.wav"', " (1 more row names it)") + todo,
        place.format(4, '"A/one.wav"', ' (nearest: "a/one.wav")') + todo,
    ]


def test_media_that_are_to_be_fetched_are_no_problem(check):
    found = check(ROW | {"audio": "media/x.wav", "platform_id": "x"}, ROW | {"id": "q2", "platform_id": None})
    assert (found.media_linked, found.media_missing, found.problems) == (["media/x.wav"], [], [])


ONE_ROW = [
    ({"id": "", "question": "", "answer": "C"}, {"id", "question", "answer"}),
    ({"question": "", "options": ["cello"], "answer": "cell", "start_s": "x"}, {"question", "options", "start_s"}),
    ({"kind": "both", "answer": ["viola", "bass"], "audio": "../x.wav"}, {"kind", "answer", "audio"}),
    ({"kind": "both", "answer": ""}, {"kind", "answer"}),
    ({"question": "", "answer": ["cello", "viola"]}, {"question", "answer"}),
    ({"id": "q0", "answer": "C"}, {"id", "answer"}),
]


@pytest.mark.parametrize(("changes", "columns"), ONE_ROW)
def test_all_faults_of_a_row_are_told_at_once(check, changes, columns):
    problems = check(ROW | {"id": "q0"}, ROW | changes).problems
    assert {line.partition('column "')[2].partition('"')[0] for line in problems} == columns
    assert len(problems) == len(columns)


@pytest.mark.parametrize(
    ("changes", "phrases"),
    [
        ({"options": ["a", "A.", "b", "B."]}, ['"a" and "A."', '"b" and "B."']),
        ({"options": [{"id": "x", "text": "a"}, {"id": "x", "text": "A"}]}, ['"a" and "A"', 'option id "x"']),
        ({"kind": "multi", "answer": ["C", "D", "A", "A"]}, ['letter "C"', 'letter "D"', "names an option twice"]),
    ],
)
def test_all_faults_of_a_cell_are_told_at_once(check, changes, phrases):
    problems = check(ROW | changes).problems
    assert all(any(phrase in line for line in problems) for phrase in phrases)
    assert all(line.startswith("set/test.jsonl row 1, column ") for line in problems)


def test_all_missing_columns_are_told_at_once(check):
    (first, second) = check({"id": "q1", "options": ["a", "b"], "answer": "A"}).problems
    assert 'no column "question"' in first
    assert 'no column "media"' in second or 'no column "audio"' in second


def test_wrong_gold_leaves_the_counts(check):
    found = check(ROW, ROW | {"id": "q2", "answer": ""})
    assert (found.items, found.media_found, len(found.problems)) == (2, 1, 1)


def test_a_demo_is_all_there(here):
    found = check_data(load_task("mub_demo"))
    assert (found.single, found.multi, found.media_missing, found.problems) == (0, 0, [], [])
    assert found.items == found.music == found.media_found > 0


@pytest.mark.parametrize("path", ["hummusqa", "musebench", "mtg-upf/HumMusQA", "someone/music-qa"])
def test_data_that_are_not_on_this_machine_are_left_alone(here, path):
    task = load_task("musebench").model_copy(update={"dataset_path": path})
    assert check_data(task) == NOTHING


@pytest.mark.parametrize("path", ["no_such_folder", "no/such/folder", "set/test.jsonl"])
def test_a_path_that_is_nothing_is_a_problem(here, path):
    task = load_task("musebench").model_copy(update={"dataset_path": path})
    (line,) = check_data(task).problems
    assert line.startswith(f'musebench: dataset_path "{path}" is no folder here')


@pytest.mark.parametrize("folder", ["sub/set", "../far/set", "/elsewhere/set"])
def test_a_table_is_named_by_its_path_as_it_was_given(here, choice_task, folder):
    folder = f"{here.parent}{folder}" if folder.startswith("/") else folder
    (here / folder).mkdir(parents=True)
    (here / folder / "test.jsonl").write_text(json.dumps(ROW | {"question": ""}))
    task = choice_task(more="protocol: {media: []}").model_copy(update={"dataset_path": folder})
    assert check_data(task).problems == [f'{folder}/test.jsonl row 1, column "question": is empty. Fill it.']


def test_a_demonstration_and_a_repository_of_the_hub_are_named_as_such(tmp_path):
    assert folder_called(demo_directory("mub")) == "mub_demo"
    assert folder_called(tmp_path / "hub" / "datasets--someone--music-qa" / "snapshots" / "abc") == "someone/music-qa"
