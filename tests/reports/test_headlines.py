import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, Counts, Hashes, Interval, Scorecard, ScoreRow
from musebench_tasks.reports.headlines import headline_sentence, make_overview

HASHES = Hashes(data_sha256="a", references_sha256="b", predictions_sha256="c")


def row(metric, value, **more):
    interval = None if value is None else Interval(low=value - 0.1, high=value + 0.1, method="m")
    place = {"version": "2", "condition": Condition.FULL, "n": 48, "n_clusters": 48}
    return ScoreRow(**{**place, "metric": metric, "value": value, "interval": interval, **more})


def card(system, value, *, metric="mub.key.symmetric", task="mub_demo", condition=Condition.FULL, **more):
    count = Counts(condition=condition, planned=48, statuses={"ok": 48}, coverage=1.0, answered=1.0)
    return Scorecard(
        scorer_version="1",
        task=task,
        benchmark=task,
        benchmark_version="1",
        split="test",
        system=system,
        headline=f"{metric}/2",
        counts=(count,),
        scores=(row(metric, value, condition=condition, **more),),
        baselines=(
            row(metric, 0.02, system="prior:heldout"),
            row(metric, 0.08, system="prior:constant"),
        ),
        hashes=HASHES,
    )


def test_the_sentence_tells_the_best_first_and_what_it_is_worth():
    found = headline_sentence([card("random", 0.2), card("dsp", 0.81)])
    assert found == "dsp reads 0.810 of the keys (0.71 to 0.91), random 0.200 (0.10 to 0.30), the constant prior 0.080."


def test_few_items_give_n_in_place_of_an_interval():
    assert "of the keys (n 8)," in headline_sentence([card("dsp", 0.81, interval=None, n=8)])


def test_many_systems_are_summed_up():
    found = headline_sentence([card(f"s{number}", number / 10) for number in range(1, 7)])
    assert found.startswith("s6 reads 0.600")
    assert "s4 0.400 (0.30 to 0.50), 3 others down to 0.100, the constant prior" in found


def test_nothing_measured_says_nothing():
    assert headline_sentence([card("dsp", None)]) == ""


def test_another_condition_than_full_is_said():
    assert headline_sentence([card("dsp", 0.5, condition=CONDITIONS["noise"])]).endswith(
        'Asked under the condition "noise" alone.'
    )


def test_the_overview_has_a_row_a_system_and_a_column_a_task():
    film = {"metric": "accuracy", "task": "film"}
    found = make_overview([("t1", [card("a", 0.9), card("b", 0.5)]), ("t2", [card("b", 0.4, **film)])])
    assert found.heads == (("t1", "mub_demo", "key symmetric/2", 48), ("t2", "film", "accuracy", 48))
    assert [(name, [cell.value for cell in cells]) for name, cells in found.rows] == [
        ("a", [0.9, None]),
        ("b", [0.5, 0.4]),
    ]
    assert [(name, cell.value) for name, cell in found.baselines] == [("constant prior", 0.08)] * 2


@pytest.mark.parametrize("groups", [[], [("t1", [card("a", 0.9)])]])
def test_one_task_needs_no_overview(groups):
    assert make_overview(groups) is None
