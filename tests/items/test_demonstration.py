"""A demonstration is known by what it is, not by the name of its folder."""

import shutil

import pytest

from musebench_tasks import api
from musebench_tasks.base.resources import demo_directory
from musebench_tasks.items import load_items
from musebench_tasks.items.demonstration import benchmark_name, is_demonstration
from musebench_tasks.tasks import load_task

UNTAGGED = "---\npretty_name: Mine\n---\n"


@pytest.fixture
def placed(here):
    """The demonstration of HumMusQA where the benchmark is looked for."""
    return shutil.copytree(demo_directory("hummusqa"), here / "hummusqa")


def test_a_demonstration_in_the_place_of_the_benchmark_is_called_one(placed):
    assert {item.benchmark for item in load_items(load_task("hummusqa")).items} == {"hummusqa_demo"}


def test_the_scores_say_what_a_run_on_it_is_of(placed, here):
    (card,) = api.run(tasks=["hummusqa"], model="random", limit=2, out=here / "run").scorecards
    assert (card.task, card.benchmark) == ("hummusqa", "hummusqa_demo")
    assert "The items are of hummusqa_demo, a demonstration" in card.warnings[0]


@pytest.mark.parametrize("name", ["musebench", "hummusqa", "mub"])
def test_files_of_a_demonstration_are_known_without_its_tag(name, tmp_path):
    copy = shutil.copytree(demo_directory(name), tmp_path / "mine")
    (copy / "README.md").write_text(UNTAGGED)
    assert is_demonstration(copy)
    assert benchmark_name("mine", copy) == "mine_demo"


def test_a_tag_is_enough_where_the_rows_are_others(tmp_path):
    (tmp_path / "README.md").write_text("---\ntags: [demonstration]\n---\n")
    (tmp_path / "test.jsonl").write_text("{}\n")
    assert benchmark_name("mine", tmp_path) == "mine_demo"
    assert benchmark_name("mine_demo", tmp_path) == "mine_demo"


@pytest.mark.parametrize("card", ["", UNTAGGED, "---\ntags: demonstration of nothing\n---\n", "---\ntags: [1]\n---\n"])
def test_other_data_are_none(tmp_path, card):
    (tmp_path / "README.md").write_text(card)
    (tmp_path / "test.parquet").write_bytes(b"x")
    assert benchmark_name("mub", tmp_path) == "mub"
