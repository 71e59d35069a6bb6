"""Five public benchmarks, by mapping alone: their own columns and folders, and rows as odd as theirs."""

import json
import re

import pytest
from fakes.public_benchmarks import MAKERS, PLACES, put_sound
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import LETTERS, Cells, make_options
from musebench_tasks.items import check_data, load_items, load_references
from musebench_tasks.items.option_cells import read_options, unlabelled_answer
from musebench_tasks.tasks import load_task


@pytest.fixture
def placed(here, monkeypatch):
    """Places some rows of a benchmark in the folder of data, each changed as asked, and gives the task."""

    def place(name, *changes, count=4, task=None):
        monkeypatch.setenv("MUSEBENCH_DATA", str(here / "data"))
        write, row = MAKERS[name]
        rows = [row(number) for number in range(count)]
        for number, change in enumerate(changes):
            rows[number] |= change
        write(here / "data" / PLACES.get(name, name), rows)
        return load_task(task or name)

    return place


def texts(item):
    return [option.text for option in item.options]


def right(task):
    items = {item.id: item for item in load_items(task).items}
    references = load_references(task).references
    return {
        name: [option.text for option in items[name].options if option.id in reference.answer]
        for name, reference in references.items()
    }


@pytest.mark.parametrize("name", MAKERS)
def test_every_medium_is_found_and_every_row_read(placed, name):
    task = placed(name)
    found = check_data(task)
    assert (found.items, found.single, found.problems, found.media_missing) == (4, 4, [], [])


def test_muchomusic_makes_options_of_answer_and_distractors(placed):
    task = placed("muchomusic")
    first, second = load_items(task).items[:2]
    assert sorted(texts(first)) == ["A cello", "A choir", "A drum", "A flute"]
    assert (first.category, first.tags, first.cluster_id) == ("Folk", ("instrumentation", "melody"), "1000")
    assert first.media.path.endswith("audio/sdd/1000.2min.mp3")
    assert second.media.path.endswith("audio/musiccaps/ab-_1_30.wav")
    assert right(task)["q0"] == ["A flute"]


def test_mmau_takes_letters_off_and_reads_what_lies_in_one_cell(placed):
    task = placed("mmau")
    item = load_items(task).items[0]
    assert texts(item) == ["Man", "Woman", "Child", "Robot"]
    assert (item.id, item.category, item.subdomain) == ("3fe6-0", "music", "Instrumentation")
    assert set(map(tuple, right(task).values())) == {("Woman",)}


def test_mmau_pro_asks_about_music_alone(placed):
    other = {"category": "multi", "audio_path": ["data/1.wav", "data/2.wav"]}
    open_ended = {"category": "open", "choices": []}
    task = placed("mmau_pro", {}, other, open_ended)
    assert right(task) == {"pro-0": ["3"], "pro-3": ["3"]}
    item = load_items(task).items[0]
    assert (item.tags, item.subdomain) == (("Rhythm", "Metre"), "Rhythm")


def test_mmar_reads_its_json(placed):
    task = placed("mmar")
    item = load_items(task).items[0]
    assert (texts(item), item.category, item.subdomain) == (["violin", "piano"], "music", "Perception Layer")


def test_video_mme_clusters_by_video_and_answers_in_letters(placed):
    task = placed("video_mme")
    items = load_items(task).items
    assert texts(items[0]) == ["Apples.", "Candles.", "Berries.", "As many of each."]
    assert [item.cluster_id for item in items] == ["fFjv93ACGo0"] * 3 + ["fFjv93ACGo1"]
    assert right(task)["001-1"] == ["Berries."]


ODD = [
    ("muchomusic", {"distractor_1_answer": "a flute."}, 'csv row 1, column "correct_answer": .* are the same option'),
    ("muchomusic", {"correct_answer": ""}, 'csv row 1, column "correct_answer": is empty'),
    ("muchomusic", {"dataset_identifier": ""}, 'csv row 1, column "dataset_identifier": is empty, but a part'),
    ("mmau", {"choices": ["(A) Man", "(B) man"]}, 'parquet row 1, column "choices": .* are the same option'),
    ("mmau", {"choices": ["(A) Man", "Woman"]}, 'column "choices": option 2, "Woman", does not begin with its letter'),
    ("mmau", {"choices": ["(A) Man", "(C) Woman"]}, 'option 2, "\\(C\\) Woman", does not begin with its letter'),
    ("mmau", {"choices": ["(A) Man", "(B) "]}, "option B is empty behind its letter"),
    ("mmau", {"answer": "(A) Woman"}, 'row 1, column "answer": "\\(A\\) Woman" is not one of the options'),
    ("mmau", {"answer": "(H) Whale"}, 'row 1, column "answer": "\\(H\\) Whale" is not one of the options'),
    (
        "mmau",
        {"other_attributes": "{"},
        'row 1, column "other_attributes": should be an object as JSON',
    ),
    ("mmau", {"other_attributes": "[]"}, 'row 1, column "other_attributes": should be an object'),
    ("mmau", {"other_attributes": "{}"}, 'row 1, column "other_attributes.id": is empty'),
    ("mmau_pro", {"audio_path": ["data/1.wav", "data/2.wav"]}, 'row 1, column "audio_path": names 2 media'),
    ("mmau_pro", {"audio_path": []}, 'row 1, column "audio_path": is empty'),
    ("mmau_pro", {"choices": []}, 'row 1, column "choices": .*0 options'),
    ("mmau_pro", {"answer": "three"}, 'row 1, column "answer": "three" is not one of the options'),
    ("mmau_pro", {"answer": ""}, 'row 1, column "answer": is empty'),
    ("mmar", {"answer": "viola"}, 'MMAR-meta.json row 1, column "answer": "viola" is not one of the options'),
    ("mmar", {"choices": ["violin", "violin"]}, 'row 1, column "choices": .* are the same option'),
    ("mmar", {"answer": 1}, 'row 1, column "answer": 1 is no option label'),
    ("mmar", {"audio_path": "../violin.wav"}, 'row 1, column "audio_path": .* leaves the dataset'),
    ("video_mme", {"answer": "E"}, 'row 1, column "answer": the letter "E" lies beyond the 4 options'),
    ("video_mme", {"options": ["A. Apples.", "A. Candles."]}, 'column "options": option 2, "A. Candles.", does not'),
    ("video_mme", {"videoID": ""}, 'row 1, column "videoID": is empty, but a part'),
]


@pytest.mark.parametrize(("name", "change", "message"), ODD)
def test_an_odd_row_is_told_with_row_and_column(placed, name, change, message):
    problems = check_data(placed(name, change)).problems
    assert len(problems) == 1
    assert re.search(message, problems[0])


@pytest.mark.parametrize("answer", ["C", "C. Berries.", "(C)", "C.", "Berries."])
def test_a_labelled_answer_is_a_letter_a_text_or_both(placed, answer):
    assert right(placed("video_mme", {"answer": answer}, count=1)) == {"001-1": ["Berries."]}


def test_a_missing_medium_is_named_and_the_item_kept(placed, here):
    task = placed("video_mme")
    (here / "data/video_mme/data/fFjv93ACGo1.mp4").unlink()
    found = check_data(task)
    assert (found.items, found.media_missing) == (4, ["data/fFjv93ACGo1.*"])


def test_two_files_that_fit_one_row_are_told(placed, here):
    task = placed("muchomusic")
    put_sound(here / "data/muchomusic/audio/sdd/1000.wav", 300)
    fits = r'row 1, column "dataset_identifier": audio/sdd/1000\.\* fits 2 files: 1000\.2min\.mp3, 1000\.wav'
    with pytest.raises(InputError, match=fits):
        load_items(task)


def test_broken_rows_can_be_left_out_by_name(placed, here):
    task = placed("mmar", {"answer": "viola"})
    kept = task.model_copy(update={"exclude": ("KBn0_00-00-00",)})
    assert len(load_items(kept).items) == len(load_references(kept).references) == 3
    with pytest.raises(InputError, match=r'no row has the id "KBn0".*`exclude`'):
        load_items(task.model_copy(update={"exclude": ("KBn0",)}))


def test_rows_that_name_nothing_are_told(placed):
    task = placed("mmau_pro")
    with pytest.raises(InputError, match=r'names "musik" in the column "category" \(nearest: music\), in no row'):
        load_items(task.model_copy(update={"rows": {"category": ["musik", "music"]}}))
    with pytest.raises(InputError, match=r'the column "categori" \(nearest: category\)'):
        load_items(task.model_copy(update={"rows": {"categori": "music"}}))


def test_what_is_not_here_says_where_to_get_it(here):
    with pytest.raises(
        InputError, match=r"video_mme: the data of video_mme are not here.*\./video_mme.*unpack videos_"
    ):
        load_items(load_task("video_mme"))


def test_options_in_one_text_or_in_columns_of_their_own(here, choice_task):
    row = {"id": "q1", "question": "Which?", "all": "cello; viola;flute", "A": "cello", "B": "viola", "C": "flute"}
    (here / "set").mkdir()
    (here / "set/test.jsonl").write_text(json.dumps(row | {"D": None, "answer": "C"}))
    one = choice_task("{options: all}", "cells: {option_separator: ';'}")
    several = choice_task("{options: [A, B, C, D]}")
    assert texts(load_items(one).items[0]) == texts(load_items(several).items[0]) == ["cello", "viola", "flute"]
    assert load_references(one).references == load_references(several).references
    (here / "set/test.jsonl").write_text(json.dumps(row | {"B": "", "D": None, "answer": "C"}))
    with pytest.raises(InputError, match='row 1, column "A": option B is empty, and a later one is not'):
        load_items(several)


@pytest.mark.parametrize(
    ("columns", "more", "message"),
    [
        ("{media: 'a/{b/*'}", "", "brace without its partner"),
        ("{media: '*/{b}.wav'}", "", 'may hold one "\\*", in the name of the file'),
        ("{media: '../{b}.wav'}", "", "leaves the dataset's folder"),
        ("{}", "rows: {answer: A}", "is the column of answers"),
        ("{}", "rows: {grade: 3}", "Quote numbers"),
        ("{}", "cells: {option_label: true}", 'nearest known key: "option_labels"'),
        ("{distractors: wrong}", "cells: {option_labels: true}", "is about columns.options"),
        ("{}", "exclude: [a, a]", 'names "a" twice'),
    ],
)
def test_a_slip_in_the_mapping_is_told(choice_task, columns, more, message):
    with pytest.raises(InputError, match=message):
        choice_task(columns, more)


SPOKEN = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=12)


@given(
    st.lists(SPOKEN, min_size=2, max_size=26, unique=True), st.sampled_from(["{}. {}", "({}) {}", "{}) {}", "{}:{}"])
)
def test_letters_come_off_without_a_trace(texts, style):
    labelled = [style.format(letter, text) for letter, text in zip(LETTERS, texts, strict=False)]
    read = read_options("q", Cells(option_labels=True), [labelled])
    assert read == tuple(make_options("q", texts))
    assert [unlabelled_answer(each, read) for each in labelled] == list(LETTERS[: len(texts)])
