import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.base.records import AvailableOnly, Condition, Interval, ScoreRow
from musebench_tasks.reports.table import Cell, Column, Row, Table
from musebench_tasks.reports.table_files import (
    FORMULA_STARTS,
    SCORE_HEAD,
    Files,
    csv_text,
    file_stem,
    safe_cell,
    score_records,
)


def score(metric="accuracy", value=0.5, **more):
    interval = Interval(low=0.25, high=0.75, method="wilson_t")
    return ScoreRow(
        **{"metric": metric, "version": "1", "condition": Condition.FULL, "value": value, "interval": interval}
        | {"n": 16, "n_clusters": 8, **more}
    )


def records(*rows, name="model"):
    cells = (Cell(0.5, rows=rows, coverage=1.0, answered=0.75), Cell(1.0, n=16), Cell())
    table = Table("t", "task", (Column("accuracy"), Column("coverage", is_rate=True), Column("")), (Row(name, cells),))
    return [dict(zip(SCORE_HEAD, each, strict=True)) for each in score_records(table)]


def test_one_record_a_number_with_all_that_belongs_beside_it():
    (found,) = records(score(slice="category", slice_value="Stage"))
    assert found == {
        "task": "task", "system": "model", "type": "model", "condition": "full", "slice": "category",
        "slice_value": "Stage", "metric": "accuracy", "version": "1", "value": 0.5, "low": 0.25, "high": 0.75,
        "method": "wilson_t", "n": 16, "clusters": 8, "coverage": 1.0, "answered": 0.75,
    }  # fmt: skip


def test_a_spread_and_what_was_available_are_numbers_of_their_own():
    found = records(score(available=AvailableOnly(value=0.6, n=12)), score("accuracy_sd", 0.02, interval=None))
    assert [(each["metric"], each["slice_value"], each["value"], each["n"]) for each in found] == [
        ("accuracy", None, 0.5, 16),
        ("accuracy", "available", 0.6, 12),
        ("accuracy_sd", None, 0.02, 16),
    ]


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_no_text_begins_a_formula(start):
    assert safe_cell(f"{start}HYPERLINK(1)") == f"'{start}HYPERLINK(1)"


def test_numbers_stay_numbers():
    assert safe_cell(-0.5) == -0.5


@given(
    st.lists(st.tuples(st.text(st.characters(exclude_characters="\0\r", codec="utf-8")), st.floats(allow_nan=False)))
)
def test_what_is_written_can_be_read(rows):
    read = list(csv.reader(io.StringIO(csv_text(("name", "value"), iter(rows)), newline="")))[1:]
    assert [(name.removeprefix("'"), float(value)) for name, value in read] == [
        (name.removeprefix("'"), value) for name, value in rows
    ]


def test_names_of_files_are_plain():
    assert file_stem("my task", "scores") == "my_task-scores"
    assert file_stem("../my task", "scores").startswith("__my_task-scores~")


def test_an_earlier_reports_files_go_and_others_stay(tmp_path):
    (tmp_path / "old.csv").write_text("")
    (tmp_path / "notes.txt").write_text("")
    files = Files(tmp_path, (".csv",))
    assert [files.write("a", ".csv", "1"), files.write("a", ".csv", "2")] == ["a.csv", "a-2.csv"]
    files.remove_others()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a-2.csv", "a.csv", "notes.txt"]
