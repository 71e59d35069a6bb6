"""Ids that become names of files must be such names, whatever columns the sheet has."""

import csv

import pytest
import yaml
from fakes.media_makers import sound, tone

from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.source_checks import check_source
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.cli import main

TASK = TaskConfig.model_validate(
    {
        "task": "listening",
        "dataset_path": "nowhere",
        "columns": {"id": "nr", "media": "file", "question": "asks", "answer": "right", "distractors": ["bad"]},
        "protocol": {"media": ["audio"]},
        "metric_list": [{"metric": "accuracy"}],
        "metadata": {"version": 1.0, "headline": "accuracy"},
    }
)


@pytest.fixture
def sheet(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    sound(folder / "My Tune.wav", tone(2, 8000), 8000)
    (folder / "about.yaml").write_text("license: CC0-1.0\ncreators: [We]\n", encoding="utf-8")

    def write(*names, **changes):
        with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
            row = {"file": "My Tune.wav", "right": "a tone", "bad": "a beat"} | changes
            writer = csv.DictWriter(file, ["nr", "asks", *row])
            writer.writeheader()
            writer.writerows({"nr": name, "asks": f"What is {n}?", **row} for n, name in enumerate(names))
        return folder

    return write


@pytest.mark.parametrize("name", ["../../esc/q1", ".", "..", "a/b", "a\\b", " q1 ", "qé1", "-q", ".hidden"])
def test_an_id_that_names_no_file_stops_check_and_build(sheet, tmp_path, name):
    checked = check_source(sheet("q0", name), TASK, media=False)
    assert [(each.code, each.row, each.severity.name) for each in checked.findings.stopping] == [
        ("ID_NOT_PLAIN", 2, "HIGH")
    ]
    with pytest.raises(InputError, match=r"row 2.*is no plain file name. Use letters"):
        build_dataset(sheet("q0", name), tmp_path / "repo", TASK, BuildSettings())


def test_ids_that_differ_in_case_alone_would_be_one_file(sheet, tmp_path):
    assert [each.code for each in check_source(sheet("q1", "Q1"), TASK, media=False).findings.stopping] == [
        "ID_DUPLICATE"
    ]
    with pytest.raises(InputError, match='"Q1" stands in row 1 already as "q1"'):
        build_dataset(sheet("q1", "Q1"), tmp_path / "repo", TASK, BuildSettings())


FAULTS = [
    ({"right": "a tone", "bad": "A tone."}, "right", "DUPLICATE_OPTIONS"),
    ({"bad": ""}, "right", "OPTION_COUNT"),
    ({"bad": "B"}, "right/bad", "LABEL_LIKE_OPTION"),
    ({"file": "none.wav"}, "file", "MEDIUM_UNUSABLE"),
    ({"file": "text.wav"}, "file", ""),
    ({"file": "My Tune.wav", "to": "0:09"}, "to", ""),
]


@pytest.mark.parametrize(("cells", "column", "tag"), FAULTS)
def test_columns_are_called_as_the_sheet_calls_them(sheet, tmp_path, cells, column, tag):
    folder = sheet("q1", **({"to": ""} | cells))
    (folder / "text.wav").write_text("<!DOCTYPE html>", encoding="utf-8")
    task = TASK.model_copy(update={"columns": TASK.columns.model_copy(update={"end_s": "to"})})
    with pytest.raises(InputError, match=rf'row 1, column "{column}": '):
        build_dataset(folder, tmp_path / "repo", task, BuildSettings())
    if tag:
        found = [each for each in check_source(folder, task).findings.stopping if each.code == tag]
        assert [each.column for each in found] == [column]


def test_a_file_of_a_sheet_may_be_called_anything_for_the_build_renames_it(sheet, monkeypatch, capsys):
    monkeypatch.chdir(sheet("q1").parent)
    (sheet("q1").parent / "task.yaml").write_text(yaml.safe_dump(TASK.model_dump(mode="json", exclude_unset=True)))
    assert main(["data", "check", "source", "--task", "task.yaml"]) == 0, capsys.readouterr().out
    assert "plain file name" not in capsys.readouterr().out
