import pytest

from musebench_tasks.base.records import Status
from musebench_tasks.pages import Facet, make_facets


@pytest.fixture
def items(choice_item):
    levels = ("High", "Low", "Medium", "Beyond")
    return [choice_item.model_copy(update={"difficulty": each, "category": "Stage"}) for each in levels]


def test_what_differs_can_be_chosen_and_difficulty_goes_up(items):
    facets = make_facets(items, ["one"], [Status.TIMEOUT, Status.OK, Status.OK])
    assert facets == (
        Facet("difficulty", "Difficulty", ("Low", "Medium", "High", "Beyond")),
        Facet("status", "Status", ("ok", "timeout")),
        Facet("system", "System", ("one",)),
    )


def test_some_fields_can_be_right_in_recordings_only(items, music_item):
    assert "partly" not in [each.name for each in make_facets(items, ["one"], [])]
    assert [each.name for each in make_facets([music_item], ["one"], [])] == ["system", "partly"]


def test_without_answers_nothing_is_asked_of_them(items):
    assert [each.name for each in make_facets(items, [], [])] == ["difficulty"]
