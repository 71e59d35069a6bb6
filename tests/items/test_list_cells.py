"""Lists in the cells of a sheet: read as they are written, or told; never taken for one text."""

import csv
import json

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.items import cells, check_data, load_items

WHOLE = {
    '["Wren", "Owl", "Crow"]': ("Wren", "Owl", "Crow"),
    "['Wren', 'Owl', 'Crow',]": ("Wren", "Owl", "Crow"),
    ' ["Wren, small"]': ("Wren, small",),
    "[\"it's\", 'a \"b\"', '']": None,
}
BROKEN = {
    '["Wren","Owl","Crow"': "is no JSON list",
    '["Wren","Owl","Crow': "is no JSON list",
    '["Wren" "Owl" "Crow"]': "is no JSON list",
    "['Wren' 'Owl'\n 'Crow']": "is no JSON list",
    "[“Wren”, “Owl”]": "is no JSON list",
    "[Wren, Owl, Crow": "is no JSON list",
    '{"Wren", "Owl"}': "should be a list, found",
}
PLAIN = {
    "Robin, Owl, Crow": '["Robin", "Owl", "Crow"]',
    "Robin; Owl": '["Robin", "Owl"]',
    "Robin|Owl": '["Robin", "Owl"]',
    "Robin\nOwl": '["Robin", "Owl"]',
    '"Robin", "Owl"': r'["\"Robin\"", "\"Owl\""]',
}
TEXTS = ("[Chorus] and [Verse]", "[C, E, G]", "[0, 10)", "[0 s, 10 s) of it", "a [sic", "{x} is 4/4", "4/4", "[1, 2]")


@pytest.mark.parametrize(("cell", "texts"), WHOLE.items())
def test_a_whole_list_is_its_texts_in_every_column_that_may_hold_one(cell, texts):
    for read in (cells.texts, cells.text_list):
        if texts is None:
            with pytest.raises(InputError, match="holds blanks only"):
                read(cell)
        else:
            assert read(cell) == texts


@pytest.mark.parametrize(("cell", "fault"), BROKEN.items())
def test_a_broken_list_is_no_text(cell, fault):
    for read in (cells.texts, cells.text_list):
        with pytest.raises(InputError, match=fault):
            read(cell)
    with pytest.raises(InputError, match="should be one text, found .*, a list or a part of one"):
        cells.one_text(cell)


@pytest.mark.parametrize(("cell", "written"), PLAIN.items())
def test_entries_in_plain_text_are_no_list_where_a_list_belongs(cell, written):
    with pytest.raises(InputError) as told:
        cells.text_list(cell)
    assert f"Write {written}, or {json.dumps([cell])} if it is one text." in str(told.value)
    assert cells.texts(cell) == (cell,)
    assert cells.one_text(cell) == cell


@pytest.mark.parametrize("cell", TEXTS)
def test_brackets_alone_make_no_list_of_a_text(cell):
    assert cells.one_text(cell) == cell


def test_one_entry_needs_no_brackets():
    assert cells.text_list("4/4") == ("4/4",)


def sheet(here, rows):
    with (here / "set" / "test.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


ROW = {"id": "q1", "question": "Which?"}
FAULTY_COLUMNS = [
    ("{answer: right, distractors: bad}", {"right": "Robin"}, "bad", tuple(BROKEN) + tuple(PLAIN)),
    ("{answer: bad, distractors: wrong}", {"wrong": '["Owl", "Crow"]'}, "bad", tuple(BROKEN)),
    ("{answer: right, distractors: [wrong, bad]}", {"right": "Robin", "wrong": "Dove"}, "bad",
     (*BROKEN, '["Wren", "Owl"]')),
    ("{options: bad}", {"answer": "A"}, "bad", tuple(BROKEN) + tuple(PLAIN)),
    ("{options: [bad, other]}", {"answer": "A", "other": "Dove"}, "bad", (*BROKEN, '["Wren", "Owl"]')),
    ("{answer: bad}", {"options": '["Owl", "Crow"]'}, "bad", tuple(BROKEN)),
    ("{tags: bad}", {"options": '["Owl", "Crow"]', "answer": "A"}, "bad", tuple(BROKEN)),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "more", "column", "faulty"), FAULTY_COLUMNS)
def test_every_column_of_lists_tells_row_and_column(here, choice_task, columns, more, column, faulty):
    task = choice_task(columns)
    sheet(here, [ROW | more | {"id": f"q{number}", column: cell} for number, cell in enumerate(faulty)])
    problems = check_data(task).problems
    for number in range(1, len(faulty) + 1):
        assert any(f'row {number}, column "{column}": ' in line for line in problems), problems
    assert not any("Traceback" in line for line in problems)


def test_the_separator_of_options_takes_no_list_apart(here, choice_task):
    task = choice_task("{options: all}", more='cells: {option_separator: ","}')
    sheet(here, [ROW | {"all": '["Owl", "Crow"]', "answer": "A"}])
    with pytest.raises(InputError, match='row 1, column "all": should be one text'):
        load_items(task)


def test_a_fault_in_wrong_options_hides_none_in_the_answer(here, choice_task):
    task = choice_task("{answer: right, distractors: bad}")
    sheet(here, [ROW | {"right": "", "bad": "Owl, Crow"}])
    lines = "\n".join(check_data(task).problems)
    assert 'column "bad": should be a list' in lines
    assert 'column "right": is empty' in lines
