"""Any public media benchmark fits by mapping its columns: formats, options, answers, times, media paths."""

import json

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import make_options, option_id, shuffled_order
from musebench_tasks.items import cells, load_items, load_references
from musebench_tasks.values.option_text import comparable

COLUMNS = "{id: qid, question: ask, options: choices, answer: gold}"
ROW = {"qid": "q1", "ask": "Which?", "choices": ["cello", "viola", "flute"], "gold": "B"}


def write_lines(here, rows, name="set/test.jsonl"):
    (here / name).write_text("\n".join(json.dumps(row) for row in rows) + "\n")


def texts(loaded, number=0):
    return [option.text for option in loaded.items[number].options]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("test.jsonl", json.dumps(ROW)),
        ("test.json", json.dumps([ROW])),
        ("rows.csv", 'qid,ask,choices,gold\nq1,Which?,"[""cello"", ""viola"", ""flute""]",B\n'),
        ("data/test.jsonl", json.dumps(ROW)),
    ],
)
def test_every_file_format_gives_the_same_items(here, choice_task, name, content):
    task = choice_task(COLUMNS)
    (here / "set" / name).parent.mkdir(exist_ok=True)
    (here / "set" / name).write_text(content)
    loaded = load_items(task)
    assert texts(loaded) == ["cello", "viola", "flute"]
    assert load_references(task).references["q1"].answer == (option_id("q1", "viola"),)


@pytest.mark.parametrize("gold", ["B", "viola", option_id("q1", "viola"), ["viola"]])
def test_an_answer_is_a_letter_a_text_or_an_id(here, choice_task, gold):
    task = choice_task(COLUMNS)
    write_lines(here, [ROW | {"gold": gold}])
    assert load_references(task).references["q1"].answer == (option_id("q1", "viola"),)


def test_a_position_is_no_answer(here, choice_task):  # faults_scoring.md 42
    task = choice_task(COLUMNS)
    write_lines(here, [ROW | {"gold": 1}])
    with pytest.raises(InputError, match=r'set/test\.jsonl row 1, column "gold": 1 is no option label'):
        load_references(task)
    write_lines(here, [ROW | {"choices": ["1", "2", "3"], "gold": "2"}])
    assert load_references(task).references["q1"].answer == (option_id("q1", "2"),)


def test_a_column_of_letters_stays_letters_beside_options_that_look_like_letters(here, choice_task):
    task = choice_task(COLUMNS)
    pitches = ROW | {"qid": "q2", "choices": ["C", "D", "A", "B"], "gold": "A"}
    write_lines(here, [ROW, pitches])
    assert load_references(task).references["q2"].answer == (option_id("q2", "C"),)
    write_lines(here, [ROW | {"gold": "viola"}, pitches])
    assert load_references(task).references["q2"].answer == (option_id("q2", "A"),)


def test_a_filter_changes_no_gold(here, choice_task):
    pitches = ROW | {"qid": "q2", "choices": ["C", "D", "A", "B"], "gold": "A"}
    whole = choice_task(COLUMNS)
    write_lines(here, [ROW, pitches])
    part = choice_task(COLUMNS, "filter: {id: q2}")
    assert load_references(part).references == {"q2": load_references(whole).references["q2"]}


@pytest.mark.parametrize(
    "choices",
    [
        [{"id": "x", "text": "cello"}, {"id": "y", "text": "viola"}],
        {"id": ["x", "y"], "text": ["cello", "viola"]},
    ],
)
def test_options_may_bring_their_ids(here, choice_task, choices):
    task = choice_task(COLUMNS)
    write_lines(here, [ROW | {"choices": choices, "gold": "B"}])
    assert load_items(task).items[0].option_ids == ("x", "y")
    assert load_references(task).references["q1"].answer == ("y",)


def test_answer_and_distractors_get_the_order_of_run_0(here, choice_task):
    task = choice_task("{question: ask, answer: right, distractors: [w1, w2]}")
    write_lines(here, [{"id": "q1", "ask": "?", "right": "a", "w1": "b", "w2": "c"}])
    ids = [option.id for option in make_options("q1", "abc")]
    assert load_items(task).items[0].option_ids == shuffled_order("q1", 0, ids)
    assert load_references(task).references["q1"].answer == (option_id("q1", "a"),)


def test_a_list_of_distractors_may_be_one_column_and_repeats_are_refused(here, choice_task):
    task = choice_task("{question: ask, answer: right, distractors: wrong}")
    write_lines(here, [{"id": "q1", "ask": "?", "right": "a", "wrong": ["b", "c"]}])
    assert sorted(texts(load_items(task))) == ["a", "b", "c"]
    write_lines(here, [{"id": "q1", "ask": "?", "right": "a", "wrong": ["b", "a"]}])
    with pytest.raises(InputError, match=r'column "right": "a" stands twice among answer and distractors'):
        load_items(task)


def test_a_mapping_that_names_a_missing_column_is_an_error(here, choice_task):
    task = choice_task("{id: qid, question: asks, options: choices, answer: gold}")
    write_lines(here, [ROW])
    with pytest.raises(InputError) as caught:
        load_items(task)
    assert str(caught.value) == (
        'set/test.jsonl: no column "asks" (columns.question of the task mine) (nearest: ask). '
        "It has: qid, ask, choices, gold. Correct `columns` in the task, or the file."
    )
    task = choice_task("{id: qid, question: ask, answer: gold, distractors: [wrong_1]}")
    with pytest.raises(InputError, match=r'no column "wrong_1"'):
        load_items(task)
    task = choice_task("{id: qid, question: ask, options: choices, answer: goldd}")
    with pytest.raises(InputError, match=r'no column "goldd" .*nearest: gold'):
        load_references(task)


MEDIA = "protocol: {media: [audio]}"


def test_a_media_column_holds_paths_inside_the_folder(here, choice_task):
    task = choice_task("{id: qid, question: ask, options: choices, answer: gold, media: file}", MEDIA)
    (here / "set" / "a.wav").write_bytes(b"sound")
    write_lines(
        here, [ROW | {"file": "a.wav"}, ROW | {"qid": "q2", "file": "a.wav"}, ROW | {"qid": "q3", "file": "b.wav"}]
    )
    first, second, third = load_items(task).items
    assert first.media.path == str(here / "set" / "a.wav")
    assert first.media.sha256 == second.media.sha256 is not None
    assert third.media.sha256 is None
    assert first.cluster_id == second.cluster_id != third.cluster_id


@pytest.mark.parametrize("path", ["../secret.wav", "/etc/passwd"])
def test_a_media_path_cannot_leave_the_folder(here, choice_task, path):
    task = choice_task("{id: qid, question: ask, options: choices, answer: gold, media: file}", MEDIA)
    write_lines(here, [ROW | {"file": path}])
    with pytest.raises(InputError, match=rf'row 1, column "file": "{path}" leaves the dataset\'s folder'):
        load_items(task)


def test_a_task_may_name_one_file(here, choice_task):
    task = choice_task(COLUMNS).model_copy(update={"dataset_path": str(here / "set" / "only.jsonl")})
    write_lines(here, [ROW], "set/only.jsonl")
    assert load_items(task).items[0].benchmark == "only"
    assert load_references(task).references


def test_two_tables_that_could_be_meant_are_an_error(here, choice_task):
    task = choice_task(COLUMNS)
    write_lines(here, [ROW], "set/a.jsonl")
    write_lines(here, [ROW], "set/b.jsonl")
    with pytest.raises(InputError, match=r'which file holds the split "test"\? Found a\.jsonl, b\.jsonl'):
        load_items(task)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("test.jsonl", '{"a": 1}\n{"a": \n', r"test\.jsonl: cannot be read \(line 2: Expecting value"),
        ("test.jsonl", "[1]\n", r"a row should be an object, found '\[1\]'"),
        ("test.json", '{"a": 1}', "should be a list of objects, one a row"),
        ("test.csv", "a,b\n1\n", "row 1 has another number of cells than the head line"),
        ("test.parquet", "no parquet", r"test\.parquet: cannot be read"),
    ],
)
def test_a_broken_file_is_told_in_one_line(here, choice_task, name, content, message):
    task = choice_task(COLUMNS)
    (here / "set" / name).write_text(content)
    with pytest.raises(InputError, match=message):
        load_items(task)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("1:05", 65),
        ("01:05.5", 65.5),
        ("1:01:05", 3665),
        ("90", 90),
        ("12.5", 12.5),
        (7, 7),
        (0.25, 0.25),
        ("75:00", 4500),
    ],
)
def test_times_are_clock_times_or_seconds(cell, expected):
    assert cells.seconds(cell) == expected


@pytest.mark.parametrize("cell", ["1:60", "1:2:3:4", "-5", -5, "five", float("nan"), float("inf"), True, None, "1,5"])
def test_other_times_are_refused(cell):
    with pytest.raises(InputError, match="should be a time of at least 0"):
        cells.seconds(cell)


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("A minor", "a Minor.", True),
        ("Rock & roll", "rock and roll", True),
        ("the cello", "Cello", True),
        ("C", "C#", False),
        ("call, response", "response, call", False),
        ("3/4", "3 4", False),
    ],
)
def test_options_are_compared_as_answers_are(first, second, alike):  # answers.md 3.4
    assert (comparable(first) == comparable(second)) is alike


def test_an_answer_may_begin_with_a_bracket(here, choice_task):
    task = choice_task(COLUMNS)
    write_lines(here, [ROW | {"choices": ["[intro] verse", "verse"], "gold": "[intro] verse"}])
    assert load_references(task).references["q1"].answer == (option_id("q1", "[intro] verse"),)


def test_a_column_named_media_is_the_medium_where_none_is_mapped(here, choice_task):
    task = choice_task(COLUMNS, more="protocol: {media: [audio]}")
    (here / "set" / "one.bin").write_bytes(b"sound")
    write_lines(here, [ROW | {"media": "one.bin"}])
    assert load_items(task).items[0].media.path.endswith("one.bin")
