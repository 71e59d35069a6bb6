"""Ids that become names of files must be such names, whatever columns the sheet has."""

import csv

import pytest
from fakes.media_makers import sound, tone

from musebench_tasks.assembly.making import BuildSettings, build_dataset
from musebench_tasks.assembly.source_checks import check_source
from musebench_tasks.errors import InputError
from musebench_tasks.records import TaskConfig

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
    assert [(each.tag, each.row, each.severity.name) for each in checked.findings.stopping] == [
        ("ID_NOT_PLAIN", 2, "HIGH")
    ]
    with pytest.raises(InputError, match=r"row 2.*is no plain file name. Use letters"):
        build_dataset(sheet("q0", name), tmp_path / "repo", TASK, BuildSettings())


def test_ids_that_differ_in_case_alone_would_be_one_file(sheet, tmp_path):
    assert [each.tag for each in check_source(sheet("q1", "Q1"), TASK, media=False).findings.stopping] == [
        "ID_DUPLICATE"
    ]
    with pytest.raises(InputError, match='"Q1" stands in row 1 already as "q1"'):
        build_dataset(sheet("q1", "Q1"), tmp_path / "repo", TASK, BuildSettings())
