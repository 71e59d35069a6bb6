import pytest
from fakes.figure_material import make_answers, parts_of
from fakes.scored_material import CHOICE_METRICS, answer, choice_item, choice_task, gold

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, Kind, Status
from musebench_tasks.reports.figures.choice import option_count_figure, position_figure, set_figure
from musebench_tasks.reports.figures.conditions import condition_figure, status_figure
from musebench_tasks.reports.figures.material import make_material
from musebench_tasks.reports.figures.profile import profile_figures
from musebench_tasks.reports.figures.seconds import length_bins, seconds_figure

RIGHT, CHOSEN = "AAAAABBBBBCCCCCDDDDD", "AAAAABBAAACCAADDDDAA"  # statistics.md 2.4


def material_of(items, right, systems, *, conditions=(Condition.FULL,), tiers=None, **task):
    """`systems`: name and, for each item, the letters answered; or predictions."""
    references = [gold(item, letters) for item, letters in zip(items, right, strict=True)]
    predictions = {
        name: [answer(i, x) if isinstance(x, str | None) else x for i, x in zip(items, given, strict=True)]
        if len(given) == len(items)
        else given
        for name, given in systems.items()
    }
    answers = make_answers(
        choice_task(conditions=conditions, **task), items, references, predictions, conditions, tiers
    )
    return make_material(answers, parts_of(answers))


def twenty(n_options=4, **more):
    return [choice_item(f"i{number:02}", n_options, **more) for number in range(20)]


def test_positions_are_those_of_the_worked_example():
    (figure,) = position_figure(material_of(twenty(), RIGHT, {"m": CHOSEN}))
    assert figure.title == "m chooses the first option in 60\u00a0% of its answers; it is the right one in 25\u00a0%"
    assert "m: A 60\u00a0%, B 10\u00a0%, C 10\u00a0%, D 20\u00a0%." in figure.description
    assert "right: A 25\u00a0%, B 25\u00a0%, C 25\u00a0%, D 25\u00a0%." in figure.description
    assert "first option +35.0 points" in figure.description
    assert "0.103 bits" in figure.description


def test_positions_are_over_items_with_five_options_or_more_and_say_what_was_not_read():
    items = [*twenty(4)[:10], *[choice_item(f"k{number}", 5) for number in range(10)]]
    chosen = ["A"] * 10 + ["E"] * 8 + [None] * 2
    (figure,) = position_figure(material_of(items, ["A"] * 20, {"m": chosen}))
    assert "m: A 0\u00a0%, B 0\u00a0%, C 0\u00a0%, D 0\u00a0%, E 100\u00a0%." in figure.description
    assert "expected: A 20\u00a0%" in figure.description
    assert "one right option of 5 or more" in figure.caption
    assert "not read: m 20\u00a0%" in figure.caption


def test_many_systems_are_pooled_by_tier():
    systems = {f"m{number}": CHOSEN if number < 4 else RIGHT for number in range(8)}
    tiers = {name: "open" if systems[name] is CHOSEN else "closed" for name in systems}
    (figure,) = position_figure(material_of(twenty(), RIGHT, systems, tiers=tiers))
    assert "open (4): A 60\u00a0%" in figure.description
    assert "closed (4): A 25\u00a0%" in figure.description


def test_sets_are_precision_against_recall():
    items = twenty(kind=Kind.MULTI)
    (figure,) = set_figure(material_of(items, ["AB"] * 20, {"shy": ["A"] * 20, "greedy": ["ABCD"] * 20}))
    assert figure.title == "1 of 2 systems is clearly more precise than complete on sets"
    assert "shy: precision 1.00" in figure.description
    assert "greedy: precision 0.50" in figure.description
    assert "chance: precision" in figure.description
    assert "select all: precision 0.50" in figure.description


def test_accuracy_by_option_count_stands_beside_chance():
    items = [choice_item(f"i{number:02}", 4 if number < 12 else 8) for number in range(24)]
    (figure,) = option_count_figure(material_of(items, ["A"] * 24, {"m": ["A"] * 12 + ["B"] * 12}))
    assert figure.title == "m is above chance at 1 of 2 numbers of options"
    assert "M: 4 options 1.00" in figure.description
    assert "8 options 0.00" in figure.description
    assert "chance 1/K: 4 options 0.25, 8 options 0.12" in figure.description


def test_one_option_count_says_nothing():
    assert not list(option_count_figure(material_of(twenty(), RIGHT, {"m": CHOSEN})))


def categories(counts):
    return [name for name, n in counts.items() for _ in range(n)]


def in_categories(counts, given=None, metrics=CHOICE_METRICS):
    names = categories(counts)
    items = [choice_item(f"i{number:03}", category=name) for number, name in enumerate(names)]
    return material_of(
        items, ["A"] * len(items), given or {"m": ["A"] * len(items)}, slices=("category",), metrics=metrics
    )


def test_a_category_with_a_twentieth_of_the_items_is_left_out():  # HQ-13
    radar, bars = profile_figures(
        in_categories({"Harmony": 50, "Melody": 30, "Rhythm": 15, "Lyrics": 5}, metrics=["accuracy"])
    )
    for figure in (radar, bars):
        assert "Lyrics" not in figure.svg
        assert "Lyrics" in figure.caption
        assert "n 15" in figure.svg
    assert "accuracy, Harmony, n 50: m 1.00 (0.93 to 1.00), always first 1.00" in bars.description
    assert "chance 0.25" in bars.description


def test_small_categories_have_a_value_and_no_interval():
    (bars,) = profile_figures(in_categories({"one": 9, "two": 9}))
    assert "CAA, one, n 9: m 1.00, " in bars.description
    assert bars.title == "With 9 items a category no system can be told from chance"


def test_one_category_is_split_by_subdomain():
    items = [choice_item(f"i{n:02}", category="Game", subdomain="graphics" if n < 20 else "play") for n in range(40)]
    material = material_of(items, ["A"] * 40, {"m": ["A"] * 40}, slices=("category", "subdomain"))
    (bars,) = profile_figures(material)
    assert "CAA, graphics, n 20: m 1.00" in bars.description


def test_two_categories_make_bars_and_no_radar():
    assert [figure.name for figure in profile_figures(in_categories({"one": 20, "two": 20}))] == ["profile"]
    assert not list(profile_figures(in_categories({"one": 20})))


def test_a_condition_is_compared_item_by_item():
    items = twenty()
    blind = [
        answer(item, "B" if number < 8 else "A", condition=CONDITIONS["text_only"]) for number, item in enumerate(items)
    ]
    given = {"m": [*(answer(item, "A") for item in items), *blind], "other": [answer(item, "A") for item in items]}
    conditions = (Condition.FULL, CONDITIONS["text_only"])
    (figure,) = condition_figure(material_of(items, ["A"] * 20, given, conditions=conditions))
    assert figure.title == "With the text alone other loses 1.00 of accuracy"
    assert "m −0.40" in figure.description
    assert "n 20" in figure.description


def test_few_items_tell_nothing_of_a_condition():
    items = twenty()[:9]
    given = {
        "m": [answer(item, "A", condition=each) for item in items for each in (Condition.FULL, CONDITIONS["noise"])]
    }
    (figure,) = condition_figure(material_of(items, ["A"] * 9, given, conditions=(Condition.FULL, CONDITIONS["noise"])))
    assert figure.title == "Too few items to tell what a condition changes"


def test_without_a_second_condition_nothing_is_compared():
    assert not list(condition_figure(material_of(twenty(), RIGHT, {"m": CHOSEN})))


def test_statuses_show_who_did_not_answer():
    items = twenty()
    given = [answer(item, None, status=Status.TIMEOUT if n < 2 else Status.REFUSED) for n, item in enumerate(items[:5])]
    given += [answer(item, "A") for item in items[5:18]]
    (figure,) = status_figure(material_of(items, RIGHT, {"good": RIGHT, "bad": given}))
    assert figure.title == "bad gave no readable answer to 7 of 20"
    assert "Bad, of 20: 13 ok, 3 refused, 2 timeout, 2 missing." in figure.description
    assert "All requests to good gave a readable answer." in figure.caption


def test_where_all_is_answered_there_is_no_status_figure():
    assert not list(status_figure(material_of(twenty(), RIGHT, {"m": CHOSEN})))


def test_lengths_fall_into_bins_of_equal_number():
    items = [choice_item(f"i{number:02}", duration_s=10.0 + number) for number in range(48)]
    bins = length_bins(items)
    assert [name for name, _ in bins] == ["10 to 21 s", "22 to 33 s", "34 to 45 s", "46 to 57 s"]
    assert [len(ids) for _, ids in bins] == [12, 12, 12, 12]


@pytest.mark.parametrize("seconds", [[None] * 48, [5.0, 50.0] * 8, [10.0] * 48])
def test_equal_unknown_or_few_lengths_make_no_bins(seconds):
    items = [choice_item(f"i{number:02}", duration_s=each) for number, each in enumerate(seconds)]
    assert length_bins(items) == []


def test_accuracy_against_seconds_names_the_clearest_change():
    items = [choice_item(f"i{number:02}", duration_s=10.0 + number) for number in range(48)]
    (figure,) = seconds_figure(material_of(items, ["A"] * 48, {"m": ["A"] * 24 + ["B"] * 24}))
    assert figure.title == "m scores 0.00 on the longest media (46 to 57 s) and 1.00 on the shortest"
    assert "Chance: 10 to 21 s 0.25" in figure.description
