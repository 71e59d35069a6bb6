"""The public Python names."""

import pytest

import musebench_tasks
from musebench_tasks.base.errors import InputError


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    return musebench_tasks.run(model="random", tasks=["mub_demo", "musebench_demo"], out=tmp_path_factory.mktemp("x"))


def test_tasks_are_listed_and_loaded():
    assert "mub_demo" in [entry.name for entry in musebench_tasks.list_tasks()]
    assert musebench_tasks.load_task("mub_demo").kind == "music"


def test_a_run_gives_its_scorecards(outcome):
    assert [card.task for card in outcome.scorecards] == ["mub_demo", "musebench_demo"]
    assert outcome.failures == ()


def test_scoring_one_folder_gives_one_scorecard_equal_to_the_runs(outcome):
    assert musebench_tasks.score(outcome.folder / "random" / "mub_demo") == outcome.scorecards[0]
    with pytest.raises(InputError, match="holds 2 scored folders"):
        musebench_tasks.score(outcome.folder)
    cards = musebench_tasks.score_run(outcome.folder)
    assert sorted(cards, key=lambda card: card.task) == sorted(outcome.scorecards, key=lambda card: card.task)


def test_a_scorecard_is_a_frame(outcome):
    frame = outcome.scorecards[0].to_frame()
    row = frame[(frame.metric == "mub.key.symmetric") & (frame.system == "random")].iloc[0]
    assert row["value"] == outcome.scorecards[0].row("mub.key.symmetric").value
    assert row["low"] <= row["value"] <= row["high"]
    assert "prior:heldout" in set(frame.system)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        musebench_tasks.runn  # noqa: B018
