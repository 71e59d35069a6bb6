"""Where no README declares splits, names of files do: a file of one split is never read for another."""

import json

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.items import load_items

from .conftest import card

COLUMNS = "{id: qid, question: ask, options: choices, answer: gold}"


@pytest.fixture
def asked(here, choice_task):
    """The ids of the items of a split, from a folder of files that hold one row each, called as the file."""

    def ask(split, *names, readme=None):
        task = choice_task(COLUMNS, f"test_split: {split}")
        for name in names:
            path = here / "set" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"qid": name, "ask": "Which?", "choices": ["a", "b"], "gold": "A"}))
        if readme is not None:
            (here / "set" / "README.md").write_text(readme)
        return [item.id for item in load_items(task).items]

    return ask


@pytest.mark.parametrize(
    ("split", "names", "found"),
    [
        ("test", ["test.jsonl", "dev.jsonl", "train.jsonl"], "test.jsonl"),
        ("dev", ["data/test.jsonl", "data/dev.jsonl"], "data/dev.jsonl"),
        ("test", ["Test.jsonl"], "Test.jsonl"),
        ("test", ["train/test.jsonl"], "train/test.jsonl"),
        ("test", ["test/rows.jsonl", "train/rows.jsonl"], "test/rows.jsonl"),
        ("hard", ["mine_hard.jsonl", "mine_easy.jsonl"], "mine_hard.jsonl"),
        ("hard", ["rows.jsonl"], "rows.jsonl"),
        ("dev", ["latest.jsonl"], "latest.jsonl"),
        ("validation", ["default/validation-00000-of-00001.jsonl"], "default/validation-00000-of-00001.jsonl"),
    ],
)
def test_the_file_of_the_split_is_read(asked, split, names, found):
    assert asked(split, *names) == [found]


@pytest.mark.parametrize(
    ("split", "name"),
    [
        ("dev", "data/test.jsonl"),
        ("test", "train.jsonl"),
        ("test", "my-training.jsonl"),
        ("test", "eval/rows.jsonl"),
        ("test", "test/train.jsonl"),
        ("val", "validation.jsonl"),
        ("dev", "default/test-00000-of-00001.jsonl"),
        ("dev", "test2.jsonl"),
    ],
)
def test_a_file_of_another_split_is_not_read(asked, split, name):
    with pytest.raises(InputError, match=rf'no file of the split "{split}", found {name}\. Correct test_split'):
        asked(split, name)


def test_a_file_without_a_split_is_not_read_beside_files_that_have_one(asked):
    with pytest.raises(InputError, match=r'no file of the split "dev", found notes\.jsonl, test\.jsonl\.'):
        asked("dev", "test.jsonl", "notes.jsonl")


def test_files_that_a_readme_gives_to_no_split_go_by_their_names(asked):
    whole = "---\nconfigs:\n- {config_name: default, data_files: 'data/*'}\n---\n"
    assert asked("test", "data/test.jsonl", "data/dev.jsonl", readme=whole) == ["data/test.jsonl"]
    with pytest.raises(InputError, match=r'no file of the split "train", found data/dev\.jsonl, data/test\.jsonl'):
        asked("train", readme=whole)


def test_a_readme_may_give_any_file_to_a_split(asked):
    assert asked("test", "train.jsonl", readme=card(default="train.jsonl")) == ["train.jsonl"]
