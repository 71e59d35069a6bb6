"""VLMEvalKit's tables as pandas writes them: workbooks of several writers, gaps as NaN, texts cut off, row numbers."""

import json
import zipfile

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import LETTERS
from musebench_tasks.harnesses.logs import match, read_log
from musebench_tasks.harnesses.logs.workbook import MOST_CHARACTERS, read_workbook
from musebench_tasks.harnesses.questions import documents, questions
from tests.fakes.workbooks import write_workbook

TASK = "musebench_demo"


def rows_of(predictions):
    """A row for each prediction; the numbers of options differ, so there are gaps."""
    _, items = questions(TASK)
    rows = []
    for document, text in zip(documents(TASK, "text_only"), predictions, strict=False):
        item = items[document["item_id"]]
        options = {letter: option.text for letter, option in zip(LETTERS, item.options, strict=False)}
        rows.append({"index": item.id, "question": item.question, "answer": "A", **options, "prediction": text})
    return rows


def read(path, condition="text_only"):
    config, items = questions(TASK)
    return match(read_log("vlmevalkit", [path], config), config, list(items.values()), condition).predictions


@pytest.mark.parametrize("writer", ["shared", "inline", "formulas"])
def test_a_workbook_keeps_every_text(writer, tmp_path):
    texts = [
        "B",
        "=B",
        "one\ntwo <b> & \x07\nANSWER: A",
        "",
        "Failed to obtain answer: <class 'RuntimeError'> out of memory",
    ]
    found = read(write_workbook(tmp_path / "x.xlsx", rows_of(texts), writer))
    assert [each.raw for each in found] == [*texts[:3], None, None]
    assert [each.status for each in found] == ["ok", "ok", "ok", "backend_error", "backend_error"]


def test_numbers_and_columns_beyond_z_are_read(tmp_path):
    sheet = '<row><c><v>7</v></c><c r="AB1" t="b"><v>1</v></c><c t="str"><v>x_x0041_</v></c></row>'
    path = write_workbook(tmp_path / "x.xlsx", [], sheet=sheet)
    assert read_workbook(path) == [["7", *[""] * 26, "True", "xA"]]


def test_a_text_that_fills_its_cell_was_cut_off(tmp_path):
    long = "Let me think. " * 4000
    found = read(write_workbook(tmp_path / "x.xlsx", rows_of([long[:MOST_CHARACTERS], long[: MOST_CHARACTERS - 1]])))
    assert [(each.status, each.finish_reason) for each in found] == [("truncated", "length"), ("unparsed", None)]


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/worksheets/sheet7.xml"])
def test_a_damaged_workbook_says_what_to_do(part, tmp_path):
    whole, broken = write_workbook(tmp_path / "x.xlsx", rows_of(["A"])), tmp_path / "y.xlsx"
    with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(broken, "w") as other:
        for name in archive.namelist():
            other.writestr(name, archive.read(name)[:60] if name == part else archive.read(name))
    with pytest.raises(InputError, match=r"y\.xlsx: cannot be read as a workbook .* PRED_FORMAT=tsv"):
        read(broken)


def test_gaps_of_pandas_are_no_options(tmp_path):
    rows = rows_of(["B", "C"])
    names = dict.fromkeys(name for row in rows for name in row)
    full = [{name: row.get(name, float("nan")) for name in names} | {"score": 3.0} for row in rows]
    (tmp_path / "x.json").write_text(json.dumps(full))
    assert "NaN" in (tmp_path / "x.json").read_text()
    assert [each.status for each in read(tmp_path / "x.json")] == ["ok", "ok"]


def test_a_row_number_is_not_taken_for_an_item(tmp_path):
    first, second = rows_of(["A", "B"])
    swapped = [first | {"index": second["index"]}, second | {"index": first["index"]}]
    for row in swapped:
        del row["A"], row["B"]
    (tmp_path / "x.json").write_text(json.dumps(swapped))
    with pytest.raises(InputError, match=r"row 1: asks .* which is not the question of .* Add a column item_id\."):
        read(tmp_path / "x.json")
    named = [row | {"item_id": row["index"], "index": number} for number, row in enumerate(swapped)]
    spaced = [first | {"question": f"Listen.\n{first['question']}  Answer."}, second]
    for rows in (named, spaced):
        (tmp_path / "x.json").write_text(json.dumps(rows))
        assert [each.status for each in read(tmp_path / "x.json")] == ["ok", "ok"]


@pytest.mark.parametrize("suffix", [".json", ".tsv", ".xlsx"])
@pytest.mark.parametrize("lost", ["None", "nan", "NaN", " ", "", None, float("nan")])
def test_what_tables_hold_where_an_answer_was_lost_is_no_answer(lost, suffix, tmp_path):
    rows, path = rows_of([lost, "B"]), tmp_path / f"x{suffix}"
    if suffix == ".json":
        path.write_text(json.dumps(rows))
    elif suffix == ".tsv":
        cells = [[str(each.get(name, "")) for name in rows[1]] for each in rows]
        path.write_text("".join("\t".join(line) + "\n" for line in [list(rows[1]), *cells]))
    else:
        write_workbook(path, [row | {"prediction": str(row["prediction"])} for row in rows])
    assert [each.status for each in read(path)] == ["backend_error", "ok"]
