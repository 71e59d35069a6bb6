import xml.etree.ElementTree as ElementTree

import pytest
from fakes.figure_material import make_answers, parts_of
from fakes.scored_material import CHOICE_METRICS, answer, choice_item, choice_task, gold

from musebench_tasks.base.records import Kind
from musebench_tasks.reports.figures import make_figures
from musebench_tasks.reports.figures.material import MOST_LINES, make_material

HOSTILE = "</svg><script>alert('x')</script>$\\frac{\x00\u202e"


def choice_answers(names, n_items=60, category="category", right=lambda number: "A"):
    kinds = [Kind.MULTI if number % 3 == 0 else Kind.SINGLE for number in range(n_items)]
    items = [
        choice_item(f"i{n:03}", 4 + n % 4, kind=kind, category=f"{category} {n % 4}", duration_s=8.0 + n % 20)
        for n, kind in enumerate(kinds)
    ]
    references = [gold(item, "AB" if item.kind is Kind.MULTI else "A") for item in items]
    systems = {
        name: [
            answer(item, "ABC"[: 1 + (number + n) % 2] if item.kind is Kind.MULTI else "ABC"[(number + n) % 3])
            for n, item in enumerate(items)
        ]
        for number, name in enumerate(names)
    }
    return make_answers(choice_task(metrics=CHOICE_METRICS, slices=("category",)), items, references, systems)


def figures_of(answers):
    return make_figures(answers, parts_of(answers))


def test_a_choice_task_gets_its_figures_in_order():
    names = [figure.name for figure in figures_of(choice_answers(["a", "b"]))]
    assert names == ["profile-radar", "profile", "precision-recall", "option-count", "positions", "media-seconds"]


def test_scorecards_alone_are_enough_for_some():
    parts = parts_of(choice_answers(["a", "b"]))
    assert [figure.name for figure in make_figures(None, parts)] == ["profile-radar", "profile", "precision-recall"]


def test_no_part_no_figure():
    assert make_figures(None, []) == ()


def test_hostile_names_are_text_everywhere():
    name = HOSTILE.partition("\x00")[0]
    figures = figures_of(choice_answers([name, "<b>other</b>"], category=HOSTILE))
    assert len(figures) >= 5
    for figure in figures:
        for text in (figure.svg, figure.standalone_svg):
            assert "<script" not in text
            assert "<b>" not in text
            ElementTree.fromstring(str(text))


def test_ids_of_all_figures_differ():
    figures = figures_of(choice_answers(["a", "b"]))
    ids = [
        each.attrib["id"]
        for figure in figures
        for each in ElementTree.fromstring(str(figure.svg)).iter()
        if "id" in each.attrib
    ]
    assert len(ids) == len(set(ids))


def test_twelve_systems_are_the_best_six_of_twelve():
    answers = choice_answers([f"system {number}" for number in range(12)])
    material = make_material(answers, parts_of(answers))
    assert len(material.shown) == MOST_LINES
    assert all(
        "The best 6 of 12 systems" in figure.caption for figure in figures_of(answers) if figure.name == "profile"
    )


@pytest.mark.parametrize(
    "change", [{"selection": "limit:5"}, {"track": "tool_assisted"}, {"truncation": "audio after 30 s"}]
)
def test_systems_on_other_terms_stand_in_no_figure(change):
    answers = choice_answers(["a", "b"])
    first, second = parts_of(answers)
    other = type(second)(second.run, second.folder, second.config, second.card.model_copy(update=change))
    material = make_material(answers, [first, other])
    assert [system.name for system in material.systems] == ["a"]
    assert material.others == ("b",)


def test_names_that_look_alike_get_numbers():
    answers = choice_answers(["a  b", "a b"])
    assert [each.name for each in make_material(answers, parts_of(answers)).systems] == ["a b", "a b 2"]


def test_the_same_answers_give_the_same_bytes():
    assert figures_of(choice_answers(["a"])) == figures_of(choice_answers(["a"]))


def test_the_largest_group_is_drawn_and_the_captions_name_the_others():
    answers = choice_answers(["a", "b", "c"])
    first, *rest = parts_of(answers)
    other = type(first)(first.run, first.folder, first.config, first.card.model_copy(update={"selection": "limit:5"}))
    material = make_material(answers, [other, *rest])
    assert {system.name for system in material.systems} == {"b", "c"}
    for figure in make_figures(answers, [other, *rest]):
        assert "Not in the figures" in figure.caption
        assert "a (" in figure.caption
        assert "limit:5" in figure.caption
