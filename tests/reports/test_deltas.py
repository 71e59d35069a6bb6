import pytest

from musebench_tasks.reports.answers import read_task
from musebench_tasks.reports.deltas import Difference, Differences, all_differences, differences_table, measure_name
from musebench_tasks.reports.item_scores import ItemEvidence
from musebench_tasks.reports.runs import read_parts


@pytest.fixture(scope="session")
def families(built):
    """The differences of a task of the built run, by name."""

    def find(task):
        parts, _ = read_parts([built])
        answers = read_task(task, [part for part in parts if part.card.task == task])
        return {each.name: each for each in all_differences(ItemEvidence(answers))}

    return find


def test_conditions_are_held_against_full_by_the_papers_names(families):
    (change,) = families("musebench_demo")["deltas"].rows
    assert (change.condition, change.against, change.metric) == ("V+T", "V+A+T", "accuracy/1")
    assert change.interval.method == "t_clusters"
    assert 0 < change.p_value <= 1


def test_guessing_is_expected_item_by_item(families):
    found = {each.condition: each for each in families("hummusqa_demo")["baselines"].rows}
    assert set(found) == {"true", "silence"}
    assert found["true"].against == "chance"
    assert found["true"].n == 12


def test_a_music_system_is_held_against_the_priors_in_every_field(families):
    rows = families("mub_demo")["baselines"].rows
    constant = [each.metric for each in rows if each.against == "prior:constant"]
    assert {"mub.tempo.acc1/1", "mub.key.symmetric/2", "mub.time_signature.balanced_accuracy/1"} < set(constant)
    assert not any("segments" in metric for metric in constant)
    assert any("segments" in each.metric for each in rows if each.against == "prior:heldout")


def test_one_system_is_compared_with_no_other(families):
    assert "systems" not in families("musebench_demo")


def test_columns_that_say_nothing_are_left_out():
    row = Difference("a", "full", "b", "accuracy/1", 0.1, None, None, 9, 9)
    table = differences_table(Differences("systems", "System against system", (row,)))
    assert table.head == ("system", "minus", "accuracy, difference", "95 % interval", "n", "clusters")
    assert table.rows == (("a", "b", "+0.100", "", "9", "9"),)


def test_what_a_condition_changes_names_the_condition():
    row = Difference("a", "noise", "true", "accuracy/1", -0.1, None, 0.0001, 9, 9)
    table = differences_table(Differences("deltas", "What a condition changes", (row,)))
    assert table.head[:3] == ("system", "condition", "minus")
    assert "< 0.001" in table.rows[0]


def test_measures_are_named_with_versions_from_two_on():
    assert measure_name("mub.key.symmetric/2") == "key symmetric/2"
    assert measure_name("mub.tempo.acc1/1") == "tempo acc1"
