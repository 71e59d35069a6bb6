"""What is wrong is fields until it is shown; errors carry them, and whoever knows the place adds it."""

import pytest

from musebench_tasks.base.errors import InputError, MediaError
from musebench_tasks.base.problems import Problem, Problems, Severity, lines, reason, spelled

EMPTY = Problem("is empty.", "Fill it.", "CELL_MISSING")


def test_a_problem_is_one_line_of_place_found_and_advice():
    assert EMPTY.text == "is empty. Fill it."
    assert EMPTY.at(place="x.csv", row=3, column="answer").text == 'x.csv row 3, column "answer": is empty. Fill it.'
    assert EMPTY.at(place="t.yaml", line=2, location=("a", 0, "b"), noun="key").where == 't.yaml line 2, key "a[0].b"'
    assert EMPTY.at(place="two\nlines\x1b").text == r"two\nlines\x1b: is empty. Fill it."


def test_what_the_finder_knew_stays():
    known = EMPTY.at(column="answer", items=("a1",)).at(column="options", items=("b1",), row=2)
    assert (known.column, known.items, known.item, known.row) == ("answer", ("a1",), "a1", 2)
    assert Problem("x.", location=(0, "metric")).below("metric_list").location == ("metric_list", 0, "metric")
    assert spelled(("metric_list", 0, "metric")) == "metric_list[0].metric"


def test_the_plain_form_has_the_names_that_a_format_asks_for():
    known = EMPTY.at(place="x.csv", items=("a1",))
    assert known.as_json(tag="code", file="place", severity="severity", effect="effect", item="item") == {
        "tag": "CELL_MISSING",
        "file": "x.csv",
        "severity": "HIGH",
        "effect": "stop",
        "item": "a1",
    }
    assert known.as_json()["items"] == ["a1"]
    assert Severity.CRITICAL < Severity.LOW


def test_problems_are_kept_once_in_order_and_refused_together():
    found = Problems([EMPTY])
    found.add(Problem("second."), EMPTY, Problem("third."))
    assert found.lines == ["is empty. Fill it.", "second.", "third."]
    assert len(found) == 3
    assert lines(found, most=1) == ["is empty. Fill it.", "and 2 more lines like these."]
    with pytest.raises(InputError) as caught:
        found.refuse(InputError, most=2)
    assert caught.value.problems == tuple(found)
    assert str(caught.value) == "is empty. Fill it.\nsecond.\nand 1 more line like these."
    Problems().refuse(InputError)


def test_an_error_is_made_of_sentences_or_problems_and_placed_later():
    assert InputError("one.\ntwo.").problems == (Problem("one."), Problem("two."))
    placed = InputError(EMPTY, Problem("other.", place="y.csv")).at(place="x.csv", row=1)
    assert isinstance(placed, InputError)
    assert placed.exit_code == 2
    assert placed.lines == ["x.csv row 1: is empty. Fill it.", "y.csv row 1: other."]
    assert MediaError("corrupt", "it ends early.").problems[0].code == "corrupt"


@pytest.mark.parametrize(
    ("error", "text"),
    [(OSError(2, "No such file"), "No such file"), (ValueError("a\n b"), "a b"), (KeyError(), "KeyError")],
)
def test_what_a_library_says_is_one_line(error, text):
    assert reason(error) == text
