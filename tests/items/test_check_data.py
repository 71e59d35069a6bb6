"""The data of a task looked over before a run: counts, media that are not there, problems; nothing is raised."""

import json

import pytest

from musebench_tasks.items import DataCheck, check_data, hub
from musebench_tasks.tasks import load_task

ROW = {"id": "q1", "question": "Which?", "options": ["cello", "viola"], "answer": "A", "audio": "a/one.wav"}
NOTHING = DataCheck(0, 0, 0, 0, 0, [], [], None)


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
    rows = [
        ROW,
        ROW | {"id": "q2", "kind": "multi", "answer": ["A", "B"]},
        ROW | {"id": "q3", "audio": "a/two.wav"},
        ROW | {"id": "q4", "audio": "a/two.wav"},
    ]
    assert check(*rows) == DataCheck(4, 3, 1, 0, 1, ["a/two.wav"], [], f"{here}/set")


def test_problems_of_items_and_of_gold_are_told_once(here, check):
    found = check(ROW | {"audio": ""}, ROW | {"id": "q2", "answer": "C"})
    assert found == DataCheck(
        0,
        0,
        0,
        0,
        0,
        [],
        [
            'set/test.jsonl row 1, column "audio": is empty. Fill it.',
            'set/test.jsonl row 2, column "answer": the letter "C" lies beyond the 2 options.',
        ],
        f"{here}/set",
    )


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
