"""Rows of any benchmark that hold what nobody meant: told with file, row and column, never a traceback later."""

import csv
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import shown
from musebench_tasks.items import cells, check_data, load_items, load_references
from musebench_tasks.items.tables import read_table
from musebench_tasks.items.windows import RANGE_INVALID, window_fault

ROW = {"id": "q1", "question": "Which?", "options": ["cello", "viola"], "answer": "A"}
PLACE = "set/test.jsonl row 1, column "


@pytest.fixture
def load(here, choice_task):
    """Loads items and gold of rows or of a file's text."""

    def load_rows(*rows, name="test.jsonl", text=None, more=""):
        task = choice_task(more=more)
        text = "\n".join(map(json.dumps, rows)) if text is None else text
        (here / "set" / name).write_text(text, encoding="utf-8")
        load_references(task)
        return load_items(task)

    return load_rows


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"id": "q\0"}, '"id": holds the character U+0000 at position 2. Remove it.'),
        ({"id": "q\ud800"}, '"id": holds half a character (U+D800) at position 2. Remove it.'),
        ({"id": "q\n1"}, '"id": holds the control character U+000A, found "q\\n1". Remove it.'),
        ({"id": "q\x851"}, '"id": holds the control character U+0085, found "q\\u00851". Remove it.'),
        ({"id": "q" * 201}, '"id": has 201 characters, an id has at most 200. Shorten it.'),
        ({"question": "Why\ud83d?"}, '"question": holds half a character (U+D83D) at position 4. Remove it.'),
        ({"options": ["a", "b\0"]}, '"options": holds the character U+0000 at position 2. Remove it.'),
        ({"options": ["a", "b\udfff"]}, '"options": holds half a character (U+DFFF) at position 2. Remove it.'),
        (
            {"options": [{"id": "\t", "text": "a"}, {"id": "y", "text": "b"}]},
            '"options": holds blanks only. Fill it.',
        ),
        (
            {"options": {"id": ["x"], "text": ["a", "b"]}},
            '"options": should have an id for each of its 2 texts, found ["x"].',
        ),
        ({"category": "\udc00"}, '"category": holds half a character (U+DC00) at position 1. Remove it.'),
        ({"version": "1\ud800"}, '"version": holds half a character (U+D800) at position 2. Remove it.'),
        (
            {"start_s": -1},
            '"start_s": should be a time of at least 0 (seconds, mm:ss or hh:mm:ss), found -1.',
        ),
        (
            {"end_s": 10**400},
            '"end_s": should be a time of at least 0 (seconds, mm:ss or hh:mm:ss), found a number of more than '
            "80 digits.",
        ),
        ({"end_s": 1e7}, '"end_s": should be a time of at most 1000000 s, found 10000000.0. Write seconds.'),
        (
            {"duration_s": 0},
            '"duration_s": should be a time above 0, found 0. Leave it empty where it is not known.',
        ),
        (
            {"start_s": 1, "end_s": 31, "duration_s": 20},
            '"end_s": the window ends at 31 s, but duration_s is 20 s. Correct one of them.',
        ),
        (
            {"start_s": 20, "duration_s": 20},
            '"start_s": the window starts at 20 s of 20 s (duration_s). Correct one of them.',
        ),
    ],
)
def test_a_cell_that_nobody_meant_is_told(load, change, line):
    with pytest.raises(InputError) as caught:
        load(ROW | change)
    assert str(caught.value) == PLACE + line


@pytest.mark.parametrize(
    ("start", "end", "duration", "field"),
    [
        (None, 20.5, 20.0, None),
        (None, 20.6, 20.0, "end_s"),
        (60.0, 90.0, 30.0, None),  # The excerpt's own length: the medium is cut.
        (60.0, 90.0, 70.0, "end_s"),
        (0.0, 0.0, None, "end_s"),
        (5.0, None, 4.0, "start_s"),
        (5.0, None, None, None),
    ],
)
def test_times_of_a_row_must_fit_together(start, end, duration, field):
    fault = window_fault(start, end, duration)
    assert (fault and (fault.column, fault.code)) == (field and (field, RANGE_INVALID))


MEDIA = "protocol: {media: [audio]}"


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        (None, "is empty. Fill it."),
        ("", "is empty. Fill it."),
        ({"path": None}, "is empty. Fill it."),
        ("  ", "holds blanks only. Fill it."),
        ("a\0.wav", "holds the character U+0000 at position 2. Remove it."),
        (3, "should be the path of a file in the dataset's folder, found 3."),
    ],
)
def test_a_row_that_names_no_medium_is_told_with_its_other_problems(load, cell, line):
    with pytest.raises(InputError) as caught:
        load(ROW | {"audio": cell, "question": ""}, more=MEDIA)
    assert str(caught.value).splitlines() == [f'{PLACE}"audio": {line}', f'{PLACE}"question": is empty. Fill it.']
    assert load(ROW | {"audio": cell}).items


@pytest.mark.parametrize("answer", [["a", "a"], "a"])
def test_a_text_that_stands_twice_is_told(load, here, choice_task, answer):
    task = choice_task("{distractors: wrong}")
    row = {"id": "q1", "question": "?", "answer": answer, "wrong": ["b", "b"]}
    (here / "set" / "test.jsonl").write_text(json.dumps(row))
    with pytest.raises(InputError, match="stands twice among answer and distractors"):
        load_items(task)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test.jsonl", ""),
        ("test.jsonl", "\n \n"),
        ("test.json", ""),
        ("test.json", "[]"),
        ("test.csv", ""),
        ("test.csv", "id,question,options,answer\n"),
        ("test.parquet", ""),
    ],
)
def test_a_file_without_rows_says_so(load, name, text):
    with pytest.raises(InputError) as caught:
        load(name=name, text=text)
    assert str(caught.value) == f"set/{name}: has no rows. Write them, or correct the path in the task."


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("test.csv", "id,answer,id\n1,a,2\n", 'the column "id" stands twice in the head line. Rename one'),
        (
            "test.csv",
            "id,answer\n1,a\n2,b,c\n",
            "row 2 has another number of cells than the head line: 3, not 2. Quote cells that hold a comma",
        ),
        (
            "test.csv",
            'id,answer\n1,"a"b\n',
            "row 1, up to line 2: text follows a closing quote. Write quotes inside a cell twice, "
            "and quote the whole cell",
        ),
        (
            "test.csv",
            'id,answer\n1,a\n2,"b\n3,c\n',
            "row 2, up to line 4: a quote is opened and never closed. Close it, or write quotes inside a cell twice",
        ),
        (
            "test.jsonl",
            '{"id": 1}\n' + "[" * 100_000,
            "line 2: values are nested too deeply. Write objects, and lists of plain values",
        ),
        (
            "test.csv",
            "id;answer\n1;a;b\n",
            "row 1 has another number of cells than the head line: 3, not 2. Quote cells that hold a semicolon",
        ),
        (
            "test.jsonl",
            '{"id": "1"}\n{"id": "2", "id": "3"}\n',
            'line 2: the key "id" stands twice in the object {"id": "3"}... Remove one',
        ),
        (
            "test.json",
            '[{"id": "1", "options": [{"text": "a", "text": "b"}]}]',
            'the key "text" stands twice in the object {"text": "b"}... Remove one',
        ),
    ],
)
def test_a_table_that_says_something_twice_is_told(load, here, name, text, message):
    with pytest.raises(InputError) as caught:
        load(name=name, text=text)
    assert str(caught.value) == f"set/{name}: cannot be read ({message})."


@pytest.mark.parametrize(("code", "place"), [("latin-1", "line 3, byte 16"), ("utf-16", "line 1, byte 1")])
@pytest.mark.parametrize("name", ["test.csv", "test.jsonl", "test.json"])
def test_a_file_that_is_not_utf_8_is_told(here, name, code, place):
    file = here / "set" / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes("id,asks\n1,what\né,who\n".encode(code))
    with pytest.raises(InputError) as caught:
        read_table(file.parent, [file])
    assert str(caught.value) == f"set/{file.name}: is not UTF-8 text ({place}). Save it as UTF-8."


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_are_separated_as_spreadsheets_do(here, separator):
    file = here / "set" / "test.csv"
    file.parent.mkdir(exist_ok=True)
    lines = [["id", "asks", "said"], ["1", "what, then", "x" * 200_000]]
    with file.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text, delimiter=separator).writerows(lines)
    table = read_table(file.parent, [file])
    assert table.columns == ("id", "asks", "said")
    assert list(table.rows[0].values()) == lines[1]


def test_values_are_nested_to_a_depth_that_can_be_read(load):
    with pytest.raises(InputError, match="cannot be read"):
        load(text="[" * 100_000)


def test_a_value_of_the_filter_that_no_row_has_is_named(here, load):
    rows = [ROW, ROW | {"id": "q0", "tags": ["loud"]}]
    assert [item.id for item in load(*rows, more="filter: {id: [q0, q1]}").items] == ["q0", "q1"]
    with pytest.raises(InputError) as caught:
        load(*rows, more="filter: {id: [q0, q11, z], tags: [loud, lod]}")
    assert str(caught.value).splitlines() == [
        'set: no row has the id "q11", "z" (nearest: q1). Correct `filter` in the task mine.',
        'set: no row has the tags "lod" (nearest: loud). Correct `filter` in the task mine.',
    ]


def test_slices_need_a_value_in_some_row(here, load):
    rows = [ROW, ROW | {"id": "q0", "category": "Game"}]
    assert load(*rows, more="slices: [category, kind]\nfilter: {id: q1}").items
    with pytest.raises(InputError) as caught:
        load(*rows, more="slices: [category, difficulty]")
    assert str(caught.value) == (
        "set: no row has a difficulty, which `slices` of the task mine names. Fill the column "
        '"difficulty", map another one as columns.difficulty, or write `slices` without it.'
    )


CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.text() | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "text", "path"]), inner),
    max_leaves=6,
)
READERS = [
    cells.text,
    cells.identifier,
    cells.named_medium,
    cells.number,
    cells.seconds,
    cells.duration,
    cells.texts,
    lambda cell: cells.options("q1", cell),
]


@pytest.mark.parametrize("reader", READERS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cell=CELLS)
def test_a_reader_gives_a_value_or_says_what_is_wrong(reader, cell):
    try:
        repr(reader(cell)).encode()
    except InputError as error:
        str(error).encode()


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("a\x1b[2J\u202eb\x85\ud800", r'"a\u001b[2J\u202eb\u0085\ud800"'),
        ("\U0001f469\u200d\U0001f3a4", '"\U0001f469\u200d\U0001f3a4"'),
        pytest.param(10**5000, "a number of more than 80 digits", id="long"),
        ([b"\x1b"], r'["b' + r"'\\x1b'" + '"]'),
    ],
)
def test_a_cell_is_quoted_so_that_it_steers_and_fills_nothing(cell, text):
    assert shown(cell) == text


def test_a_long_cell_is_cut():
    assert len(shown("x" * 5000)) < 120


def test_a_table_without_a_head_line_fills_no_screen(here, choice_task):
    task = choice_task(more="protocol: {media: []}")
    (here / "set" / "test.csv").write_text(f"q1,{'x' * 5000},A\nq2,y,B\n")
    (line, *_) = check_data(task).problems
    assert "It has: q1, " in line
    assert len(line) < 400
