"""Sheets as their owners really have them, and rows that come back as they were given."""

import csv
import io
import json
from pathlib import Path

import pytest
from fakes.sheets import ABOUT, TASK, question, tone, write_csv, write_wav

from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.rules.findings import line_of
from musebench_tasks.assembly.sheet import Faults, of_findings, read_sheet, write_errors_sheet
from musebench_tasks.assembly.source_checks import check_source
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.cli import main


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "source"
    write_wav(made / "low.wav", tone(220))
    (made / "about.yaml").write_text(ABOUT, encoding="utf-8")
    return made


def excel(rows):
    """What a German Excel saves: semicolons, a mark in front, CRLF, empty rows and columns where cells were once."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\r\n")
    writer.writerow([*rows[0], "", ""])
    writer.writerows([*row.values(), "", ""] for row in rows)
    writer.writerows([""] * (len(rows[0]) + 2) for _ in range(3))
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def test_what_excel_saves_gives_the_same_data_as_plain_csv(folder, tmp_path):
    rows = [question("q1", "low.wav", asks="Wohin führt die Melodie; und wozu?"), question("q2", "low.wav")]
    write_csv(folder / "rows.csv", rows)
    plain = build_dataset(folder, tmp_path / "plain", TASK, BuildSettings())
    (folder / "rows.csv").write_bytes(excel(rows))
    assert build_dataset(folder, tmp_path / "excel", TASK, BuildSettings())[3:5] == plain[3:5]


def test_errors_come_back_as_spreadsheets_read_them(folder, tmp_path):
    (folder / "rows.csv").write_bytes(excel([question("q1", "löw.wav"), question("q2", "low.wav")]))
    with pytest.raises(InputError, match="1 of 2 rows"):
        build_dataset(folder, tmp_path / "out", TASK, BuildSettings())
    text = (folder / "rows.errors.csv").read_bytes()
    assert text.startswith(b"\xef\xbb\xbfnr;file;")
    assert "löw.wav" in text.decode()


COLUMNS = {"id": "uid", "media": "sound.path", "question": "q.asks", "options": "q.choices", "answer": "q.gold"}
NESTED = TaskConfig.model_validate(TASK.model_dump(mode="json") | {"columns": COLUMNS})


def nested(number, **changes):
    asked = {"asks": f"Which is {number}?", "choices": ["a" * 60, "b" * 60], "gold": "a" * 60}
    return {"uid": number, "sound": {"path": "low.wav"}, "q": asked | changes}


def write_lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_rows_of_nested_values_come_back_whole_and_in_their_own_columns(folder, tmp_path):
    """Once cells of more than 80 characters came back cut, and beside them what the task had made of them."""
    faulty = [nested(2, choices=["a" * 60]), nested(3) | {"sound": {"path": "none.wav"}}]
    write_lines(folder / "rows.jsonl", nested(1), *faulty)
    with pytest.raises(InputError, match='row 2, column "q.choices": has 1 option'):
        build_dataset(folder, tmp_path / "out", NESTED, BuildSettings())
    with (folder / "rows.errors.csv").open(encoding="utf-8-sig", newline="") as file:
        found = list(csv.DictReader(file))
    assert list(found[0]) == ["uid", "sound", "q", "problems"]
    assert [bool(row.pop("problems")) for row in found] == [False, True, True]
    read = [{"uid": int(row["uid"]), **{name: json.loads(row[name]) for name in ("sound", "q")}} for row in found]
    assert read == [nested(1), *faulty]


UNWRITABLE = {"half a character": ("a \ud800", "a \\ud800"), "nothing": ("a \0", "a \\x00"), "a line": ("a\r1", "a\r1")}


@pytest.mark.parametrize(("given", "back"), UNWRITABLE.values(), ids=UNWRITABLE)
def test_characters_that_no_text_holds_come_back_as_escapes(folder, tmp_path, given, back):
    write_lines(folder / "rows.jsonl", question(given, "low.wav", right=given))
    with pytest.raises(InputError, match="1 of 1 rows"):
        build_dataset(folder, tmp_path / "out", TASK, BuildSettings())
    checked = check_source(folder, TASK, media=False)
    write_errors_sheet(tmp_path / "sheet.csv", checked.table, of_findings(checked.table, checked.findings))
    for path in (folder / "rows.errors.csv", tmp_path / "sheet.csv"):
        with path.open(encoding="utf-8-sig", newline="") as file:
            (row,) = csv.DictReader(file)
        assert row["right"] == row["nr"] == back


def test_a_sheet_of_nested_values_is_checked_again_as_it_came_back(folder, tmp_path):
    write_lines(folder / "rows.jsonl", nested(1), nested(2, gold="c"))
    checked = check_source(folder, NESTED, media=False)
    assert [(each.code, each.row) for each in checked.findings.stopping] == [("LABEL_OUT_OF_RANGE", 2)]
    told = write_errors_sheet(folder / "again.csv", checked.table, of_findings(checked.table, checked.findings))
    assert told == f"{folder / 'again.csv'}: 1 of 2 rows have something in the column `problems`."
    (folder / "rows.jsonl").unlink()
    again = check_source(folder, NESTED, media=False)
    assert set(again.table.columns) - again.table.derived == {"uid", "sound", "q"}
    assert [line_of(each) for each in again.findings] == [
        line_of(each).replace("rows.jsonl", "again.csv") for each in checked.findings
    ]


def test_rows_are_called_by_their_number_in_the_file_whichever_the_task_asks(folder):
    rows = [question(f"q{n}", "low.wav", asks=f"What is {n}?", part=part) for n, part in enumerate("axaxa", start=1)]
    rows[4]["right"], rows[2]["wrong a"] = "", "it rises."
    write_csv(folder / "rows.csv", rows)
    task = TaskConfig.model_validate(TASK.model_dump(mode="json") | {"rows": {"part": "a"}})
    checked = check_source(folder, task, media=False)
    assert {(each.row, each.item) for each in checked.findings.stopping} == {(3, "q3"), (5, "q5")}


def test_a_sheet_of_errors_goes_when_no_row_is_to_blame(folder, tmp_path):
    write_csv(folder / "rows.csv", [question("q1", "low.wav")])
    write_csv(folder / "rows.errors.csv", [question("q1", "low.wav") | {"problems": "once"}])
    faults = Faults(read_sheet(folder))
    faults.add(None, "", "something of the whole")
    with pytest.raises(InputError, match="something of the whole"):
        faults.refuse(tmp_path / "out")
    assert not (folder / "rows.errors.csv").exists()


def test_a_repository_inside_the_folder_of_its_table_is_refused(folder, monkeypatch):
    """The folder would hold several tables from then on."""
    write_csv(folder / "rows.csv", [question("q1", "low.wav")])
    monkeypatch.chdir(folder)
    for source, out in ((".", "repo"), ("../source", "deep/repo"), (str(folder), "repo")):
        with pytest.raises(InputError, match=rf"{out}: lies in {source}, whose tables are read"):
            build_dataset(Path(source), Path(out), TASK, BuildSettings())
    assert sorted(each.name for each in folder.iterdir()) == ["about.yaml", "low.wav", "rows.csv"]


def test_a_checked_sheet_beside_the_table_of_a_folder_is_refused(folder, monkeypatch, capsys):
    write_csv(folder / "rows.csv", [question("q1", "low.wav")])
    (folder.parent / "task.yaml").write_text(json.dumps(TASK.model_dump(mode="json", exclude_none=True)))
    monkeypatch.chdir(folder.parent)
    command = ["data", "check", "--task", "task.yaml", "--items-only", "--sheet"]
    assert main([*command, "source/checked.csv", "source"]) == 2
    assert "--sheet is source/checked.csv: would be a second table in source" in capsys.readouterr().err
    assert main([*command, "checked.csv", "source"]) == 0
    assert main([*command, "source/checked.csv", "source/rows.csv"]) == 0


def test_the_table_to_name_is_the_one_that_lies_in_the_folder(folder, tmp_path):
    write_csv(folder / "rows.csv", [question("q1", "low.wav")])
    build_dataset(folder / "rows.csv", folder / "a_repo", TASK, BuildSettings())
    with pytest.raises(
        InputError, match=r"holds several tables \(rows\.csv, a_repo/.*\. Give .*: .*source/rows\.csv"
    ) as told:
        build_dataset(folder, tmp_path / "out", TASK, BuildSettings())
    assert "croissant" not in str(told.value)


def test_a_row_without_a_medium_is_told_once(folder, tmp_path):
    write_csv(folder / "rows.csv", [question("q1", "none.wav", platform_id=""), question("q2", "", platform_id="x")])
    with pytest.raises(InputError) as caught:
        build_dataset(folder, tmp_path / "out", TASK, BuildSettings())
    assert [line.partition(": ")[2] for line in str(caught.value).splitlines()][:-1] == [
        f'no file "none.wav" lies in {folder}. Put it there, or correct the name.',
        "is empty. Fill it.",
    ]


def test_the_medium_that_was_meant_is_named(folder, tmp_path):
    write_csv(folder / "rows.csv", [question("q1", "Low .wav"), question("q2", "../\x1b[31mlow.wav")])
    with pytest.raises(InputError, match=r'no file "Low \.wav" lies in .* \(nearest: "low\.wav"\)\. Put it') as caught:
        build_dataset(folder, tmp_path / "out", TASK, BuildSettings())
    assert '"../\\u001b[31mlow.wav" leaves the folder of the table' in str(caught.value)
