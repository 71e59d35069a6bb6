"""What is wrong in a row is told with file, row, column, what was found and a fix; everything at once."""

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import make_options
from musebench_tasks.items import load_items, load_references

from .conftest import musebench_row

FILE = "musebench/blind/test-00000-of-00001.parquet"
GOLD = "musebench/references/test-00000-of-00001.parquet"


def options(*texts):
    return [option.model_dump() for option in make_options("mb-1", texts)]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            {"id": "mb-2"},
            f'{FILE} row 2, column "id": "mb-2" stands in {FILE} row 1 already. Give each row its own id.',
        ),
        ({"id": ""}, f'{FILE} row 2, column "id": is empty. Fill it.'),
        ({"question": None}, f'{FILE} row 2, column "question": is empty. Fill it.'),
        ({"kind": "double"}, f'{FILE} row 2, column "kind": should be single or multi, found "double".'),
        (
            {"start_s": 10.0},
            f'{FILE} row 2, column "end_s": the window ends at 10 s, not after its start at 10 s. Correct the times.',
        ),
        (
            {"start_s": -1.0},
            f'{FILE} row 2, column "start_s": should be a time of at least 0 (seconds, mm:ss or hh:mm:ss), found -1.0.',
        ),
        (
            {"options": options("a", "b", "c")},
            f'{FILE} row 2, column "options": has 3 options, should have 4 to 8.',
        ),
        (
            {"options": options(*"abcdefghi")},
            f'{FILE} row 2, column "options": has 9 options, should have 4 to 8.',
        ),
        (
            {"options": options("The cello", " Ｃello.", "b", "d")},
            f'{FILE} row 2, column "options": "The cello" and " Ｃello." are the same option once case, blanks, '
            "articles and punctuation are set aside. Reword one.",
        ),
        (
            {"options": [{"id": "x", "text": text} for text in "pqrs"]},
            f'{FILE} row 2, column "options": the option id "x" stands twice.',
        ),
    ],
)
def test_a_wrong_row_is_told_exactly(musebench, change, line):
    task = musebench([musebench_row(2), musebench_row(1) | change])
    with pytest.raises(InputError) as caught:
        load_items(task)
    assert str(caught.value) == line


@pytest.mark.parametrize(
    ("kind", "answer", "line"),
    [
        ("single", [], "is empty: no option is right. Name at least one."),
        (
            "single",
            ["option z"],
            '"option z" is not one of the options (nearest: "option t"). Correct the answer, or the option.',
        ),
        (
            "single",
            ["option p "],
            '"option p " is not one of the options (nearest: "option p"). Remove the blank at '
            "its end, or correct the option.",
        ),
        ("single", ["F"], 'the letter "F" lies beyond the 5 options.'),
        ("single", ["2"], '"2" is no option\'s text, and positions are not counted. Write the letter or the text.'),
        (
            "single",
            ["option p", "option q"],
            "2 options are right, but the item is single-select. Keep one, or set its kind to multi.",
        ),
        ("multi", ["option p", "option p"], 'names an option twice: ["option p", "option p"]. Remove one.'),
        ("multi", ["option p"], "1 option is right, should be 2 to 4 in a multi-select item of musebench (MB-02)."),
        (
            "multi",
            [f"option {letter}" for letter in "pqrs"],
            "4 of 5 options are right; at least 2 should be wrong in musebench (MB-02).",
        ),
    ],
)
def test_wrong_gold_is_told_exactly(musebench, kind, answer, line):
    task = musebench([musebench_row(2), musebench_row(1, kind) | {"answer": answer}])
    with pytest.raises(InputError) as caught:
        load_references(task)
    assert str(caught.value) == f'{GOLD} row 2, column "answer": {line}'


def test_everything_is_told_at_once_up_to_a_bound(musebench):
    task = musebench([musebench_row(number) | {"kind": "x", "question": ""} for number in range(40)])
    with pytest.raises(InputError) as caught:
        load_items(task)
    lines = str(caught.value).splitlines()
    assert len(lines) == 51
    assert lines[-1] == "and 30 more lines like these."


def test_an_item_without_gold_is_named(here, musebench):
    task = musebench([musebench_row(1), musebench_row(2)])
    from .conftest import write_parquet

    write_parquet(here / GOLD, [{"id": "mb-1", "answer": ["option p"]}])
    with pytest.raises(InputError, match=r'^musebench: item "mb-2" has no row with its answer\. Add one\.$'):
        load_references(task)


def test_a_missing_column_is_named_with_the_nearest_one(musebench):
    rows = [{("queston" if name == "question" else name): value for name, value in musebench_row(1).items()}]
    task = musebench(rows)
    with pytest.raises(InputError) as caught:
        load_items(task)
    assert str(caught.value).startswith(
        f'{FILE}: no column "question" (question of the task musebench) (nearest: queston). It has: id, start_s, '
    )
