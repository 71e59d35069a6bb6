"""Every fault of a row is one line that says row, column, what was found and what to do."""

import pytest

from musebench_tasks.assembly import check_rows
from musebench_tasks.assembly.rules import check_items
from musebench_tasks.assembly.rules.cells import seconds
from musebench_tasks.assembly.rules.findings import line_of
from musebench_tasks.values.option_text import comparable


def only_line(dataset, row, **others):
    lines = check_rows(dataset, [row], **others)
    assert len(lines) == 1, lines
    return lines[0]


def test_sound_rows_have_no_problem(musebench_row, hummusqa_row, mub_row):
    multi = musebench_row("b2", correct=("Slow push-in", "Low angle"), wrong=("Whip pan", "Still frame"))
    assert check_rows("musebench", [musebench_row(), multi]) == []
    assert check_rows("hummusqa", [hummusqa_row()]) == []
    assert check_rows("mub", [mub_row()]) == []


def test_a_line_names_row_id_column_and_remedy(mub_row):
    line = check_rows("mub", [mub_row("m1"), mub_row("m2", key="Db major")])[0]
    assert line == 'mub row 2 (m2), column "key": "Db major" is not spelled canonically. Write "C# major".'


def test_a_duplicate_id_names_the_row_that_has_it(mub_row):
    lines = check_rows("mub", [mub_row("m1"), mub_row("m2"), mub_row("m1")])
    assert lines == ['mub row 3 (m1), column "id": "m1" stands in row 1 already. Give each row its own id.']


def test_no_rows_is_a_problem():
    assert check_rows("mub", []) == ["mub: no rows. Give at least one."]


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (("Whip pan", "whip  pan.", "Crane shot"), "equals another option after normalisation"),
        (("Whip pan", "The whip pan", "Crane shot"), "equals another option after normalisation"),
    ],
)
def test_options_that_cannot_be_told_apart(musebench_row, wrong, expected):
    lines = check_rows("musebench", [musebench_row(wrong=wrong)])
    assert len(lines) == 2
    assert all(expected in line for line in lines)


def test_gold_must_be_among_the_options(musebench_row):
    lines = check_rows("musebench", [musebench_row(answer=["00000000"])])
    assert any('"00000000" is no option id of this row' in line for line in lines)


def test_correct_answer_is_verbatim_and_the_nearest_option_is_named(musebench_row):
    rows = [musebench_row(correct_answer=["Slow push-in "])]
    (line,) = [line_of(each) for each in check_items(rows, "musebench") if each.code == "ANSWER_PARAPHRASE"]
    assert '"Slow push-in " is not one of the options (nearest: Slow push-in). Copy the option verbatim.' in line
    assert check_rows("musebench", rows) == []


def test_two_correct_options_in_a_single_select_item(musebench_row):
    row = musebench_row(correct=("Slow push-in", "Low angle"), wrong=("Whip pan", "Still frame"), kind="single")
    assert only_line("musebench", row).endswith("2 correct options in a single-select item. Give exactly 1.")


def test_multi_select_has_two_to_four_correct(musebench_row):
    texts = tuple(f"Number {number}" for number in range(5))
    assert "Give 2 to 4" in only_line("musebench", musebench_row(correct=texts, wrong=("Nine", "Ten"), kind="multi"))
    assert "Give 2 to 4" in only_line("musebench", musebench_row(kind="multi"))


def test_at_least_two_options_are_wrong(musebench_row):
    row = musebench_row(correct=("One", "Two", "Three"), wrong=("Four",), kind="multi")
    assert "1 wrong option. Give at least 2." in only_line("musebench", row)


@pytest.mark.parametrize("count", [2, 8])
def test_four_to_eight_options(musebench_row, count):
    row = musebench_row(wrong=tuple(f"Number {number}" for number in range(count)))
    assert f"{count + 1} options found. Give 4 to 8." in only_line("musebench", row)


@pytest.mark.parametrize("text", ["A wide shot", "C# minor", "AABA", "B"])
def test_options_must_not_read_like_a_letter(musebench_row, text):  # answers.md 3.5
    row = musebench_row(wrong=(text, "Crane shot", "Still frame"))
    assert "begins like an answer letter" in only_line("musebench", row)
    assert check_rows("musebench", [row], label_like=frozenset({"b1"})) == []


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"category": "Cinema"}, "category"),
        ({"subdomain": "Photography"}, "subdomain"),
        ({"alignment": "visuals"}, "alignment"),
        ({"start_s": 3.0}, "end_s"),
        ({"start_s": float("nan")}, "start_s"),
        ({"question": ""}, "question"),
        ({"question": None}, "question"),
        ({"license": "free to use!"}, "license"),
        ({"attribution": ""}, "attribution"),
        ({"id": "my clip#1"}, "id"),
        ({"video": {"bytes": b"", "path": "b1.mp4"}}, "video"),
        ({"video": {"bytes": b"x", "path": "a/b.mp4"}}, "video"),
        ({"distractor_strategies": []}, "distractor_strategies"),
        ({"start_s": "0"}, "start_s"),
    ],
)
def test_faulty_cells_of_musebench(musebench_row, changes, column):
    lines = check_rows("musebench", [musebench_row() | changes])
    assert any(f'column "{column}"' in line for line in lines)


def test_a_misspelled_column_names_the_nearest(mub_row):
    lines = check_rows("mub", [mub_row(tempo=120.0)])
    assert lines == ['mub row 1 (m1), column "tempo": no column of mub (nearest: tempo_bpm). Rename or remove it.']


def test_a_missing_column_is_named(mub_row):
    row = mub_row()
    del row["license"]
    assert only_line("mub", row) == 'mub row 1 (m1), column "license": missing. Add it.'


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"key": "Am"}, 'Write "A minor"'),
        ({"key": "A dorian"}, "is no key"),
        ({"time_signature": "6"}, "no fraction"),
        ({"beat_unit": "dotted quarter"}, "no fraction"),
        ({"tempo_bpm": 0.0}, "no tempo"),
        ({"duration_s": 0.0}, "no duration"),
        ({"multi_valued": ["mode"]}, '"mode" is none of'),
        ({"segments": []}, "no segments"),
        ({"beats_s": [0.5, 0.5]}, "do not rise"),
        ({"downbeats_s": [3.5]}, "outside"),
    ],
)
def test_faulty_truth_of_a_recording(mub_row, changes, found):
    assert any(found in line for line in check_rows("mub", [mub_row(**changes)]))


@pytest.mark.parametrize(
    ("segments", "code"),
    [
        ([(0, 4, "A")], "beyond_duration"),
        ([(0, 2, "A"), (1.5, 3, "B")], "overlap"),
        ([(0, 2, "A"), (0, 2, "B")], "duplicate"),
        ([(2, 1, "A")], "end_le_start"),
        ([(-1, 1, "A")], "negative_start"),
        ([(0, float("nan"), "A")], "nan"),
        ([(0, 1, " ")], "empty_label"),
        ([(2, 3, "B"), (0, 2, "A")], "out of order"),
    ],
)
def test_faulty_segments(mub_row, segments, code):  # music_metrics.md 5.2
    rows = [{"start_s": start, "end_s": end, "label": label} for start, end, label in segments]
    assert code in only_line("mub", mub_row(segments=rows))


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"main_category": "Rhythm"}, "nearest: Metre and Rhythm"),
        ({"difficulty": "Hard"}, '"Hard" is none of Low, Medium, High'),
        ({"secondary_categories": "Instrumentation"}, "is the main category too"),
        ({"distractor_2": "the flute"}, "equals another option"),
        ({"excerpt_start_time": "soon"}, "is no time"),
        ({"excerpt_end_time": "00:39"}, "the excerpt lasts 29 s. Choose 30 to 90 s."),
        ({"excerpt_end_time": "00:01:41"}, "the excerpt lasts 91 s"),
        ({"song_license_url": "CC BY"}, "is no address"),
    ],
)
def test_faulty_cells_of_hummusqa(hummusqa_row, changes, found):
    assert any(found in line for line in check_rows("hummusqa", [hummusqa_row(**changes)]))


@pytest.mark.parametrize(
    ("text", "value"), [("01:05", 65), ("1:00:02", 3602), ("42.5", 42.5), ("", None), ("1:", None)]
)
def test_times_in_three_forms(text, value):
    assert seconds(text) == value


@pytest.mark.parametrize(
    ("one", "other"), [("Rock & Roll", "rock and roll"), ("The flute", "Flute."), ("\uff26lute", " flute ")]
)
def test_texts_that_compare_equal(one, other):
    assert comparable(one) == comparable(other)


@pytest.mark.parametrize(("one", "other"), [("C♯", "C"), ("C#", "C"), ("6/8", "68"), ("The", "A"), ("!", "?")])
def test_texts_that_differ(one, other):
    assert comparable(one) != comparable(other)
