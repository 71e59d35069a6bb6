"""Sheets with media become repos that load; what is wrong comes back by row, and nothing else is written."""

import csv
import io

import av
import datasets
import pyarrow.parquet as pq
import pytest
from fakes.sheets import ABOUT, RATE, TASK, question, tone, write_csv, write_wav

from musebench_tasks.assembly.build import BuildSettings, build_dataset, build_demo, is_demo
from musebench_tasks.assembly.medium import MediaSettings
from musebench_tasks.assembly.source_checks import check_source
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.base.resources import demo_directory
from musebench_tasks.items import check_data, load_items, load_references
from musebench_tasks.tasks import load_task


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    for name, hertz in {"low": 220, "high": 880}.items():
        write_wav(folder / "sounds" / f"{name}.wav", tone(hertz))
    (folder / "about.yaml").write_text(ABOUT, encoding="utf-8")
    rows = [question("q1", "sounds/low.wav"), question("q2", "sounds/high.wav", **{"from": "0:01", "to": "0:02"}),
            question("q3", "sounds/low.wav", asks="And now?")]  # fmt: skip
    write_csv(folder / "questions.csv", rows)
    return folder


def opened(directory):
    return TASK.model_copy(update={"dataset_path": str(directory), "columns": type(TASK.columns)()})


def test_a_sheet_becomes_a_repo_that_loads_in_every_config(source, tmp_path):
    built = build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    assert (built.rows, built.media, built.version) == (3, 2, "1.0")
    for config, columns in {"default": 17, "blind": 16, "references": 2}.items():
        loaded = datasets.load_dataset(
            str(built.directory), config, split="test", cache_dir=str(tmp_path / "cache" / config)
        )
        assert (loaded.num_rows, len(loaded.features)) == (3, columns)
    items = {item.id: item for item in load_items(opened(built.directory)).items}
    assert (items["q2"].start_s, items["q2"].end_s, items["q1"].end_s) == (1.0, 2.0, 3.0)
    assert items["q1"].cluster_id == items["q3"].cluster_id != items["q2"].cluster_id
    reference = load_references(opened(built.directory)).references["q1"]
    assert [option.text for option in items["q1"].options if option.id in reference.answer] == ["It rises"]
    assert load_items(opened(built.directory)).data_sha256 == built.data_sha256


def test_a_task_says_which_rows_how_options_are_written_and_where_media_lie(source, tmp_path):
    rows = [
        {"track": name, "asks": "Which?", "choices": "A. flute; B. oboe; C. horn", "right": "B", "part": part}
        for name, part in (("low", "music"), ("high", "speech"), ("none", "music"))
    ]
    write_csv(source / "questions.csv", rows)
    changes = {
        "columns": {"id": "track", "media": "sounds/{track}.wav", "question": "asks", "options": "choices",
                    "answer": "right"},
        "cells": {"option_labels": True, "option_separator": ";"},
        "rows": {"part": "music"},
        "exclude": ["none"],
    }  # fmt: skip
    task = TaskConfig.model_validate(TASK.model_dump(mode="json") | changes)
    built = build_dataset(source, tmp_path / "listening", task, BuildSettings())
    (item,) = load_items(opened(built.directory)).items
    assert (item.id, [option.text for option in item.options]) == ("low", ["flute", "oboe", "horn"])
    assert load_references(opened(built.directory)).references["low"].answer == (item.options[1].id,)


def test_media_are_named_after_ids_and_stored_once(source, tmp_path):
    build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    cells = pq.read_table(next((tmp_path / "listening" / "blind").iterdir()), columns=["audio"])["audio"].to_pylist()
    assert [cell["path"] for cell in cells] == ["q1.wav", "q2.wav", "q1.wav"]
    assert cells[0]["bytes"] == cells[2]["bytes"]


@pytest.mark.slow
def test_streaming_gives_the_first_row(source, tmp_path):
    build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    stream = datasets.load_dataset(str(tmp_path / "listening"), split="test", streaming=True)
    row = next(iter(stream))
    assert (row["id"], row["audio"]["path"]) == ("q1", "q1.wav")
    assert row["audio"]["bytes"]


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_same_sheet_gives_the_same_bytes(source, tmp_path, processes):
    first = build_dataset(source, tmp_path / "one", TASK, BuildSettings())
    second = build_dataset(source, tmp_path / "two", TASK, BuildSettings(processes=processes))
    assert (first.data_sha256, first.references_sha256) == (second.data_sha256, second.references_sha256)
    for path in sorted(first.directory.rglob("*.*")):
        assert path.read_bytes() == (second.directory / path.relative_to(first.directory)).read_bytes()


def test_a_window_can_be_cut_out(source, tmp_path):
    built = build_dataset(source, tmp_path / "cut", TASK, BuildSettings(media=MediaSettings(cut=True)))
    rows = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    by_id = {row["id"]: row for row in rows}
    assert (by_id["q2"]["start_s"], by_id["q2"]["end_s"]) == (0.0, 1.0)
    with av.open(io.BytesIO(by_id["q2"]["audio"]["bytes"])) as container:
        samples = sum(frame.samples for frame in container.decode(audio=0))
    assert abs(samples / RATE - 1.0) < 0.2


def test_faulty_rows_come_back_as_a_sheet_and_nothing_is_built(source, tmp_path):
    rows = [
        question("q1", "sounds/low.wav"),
        question("q2", "sounds/none.wav", **{"wrong b": "it falls."}),
        question("q3", "sounds/low.wav", **{"from": "0:01", "to": "0:09"}),
        question("q4", "../secret.wav"),
        question("q1", "sounds/high.wav"),
    ]
    write_csv(source / "questions.csv", rows)
    (source / "sounds" / "page.wav").write_text("<!DOCTYPE html>", encoding="utf-8")
    with pytest.raises(InputError, match='row 2, column "file": no file "sounds/none.wav"') as caught:
        build_dataset(source, tmp_path / "out" / "listening", TASK, BuildSettings())
    assert "source/questions.errors.csv: 4 of 5 rows" in str(caught.value)
    sheet = list(csv.DictReader((source / "questions.errors.csv").open(encoding="utf-8")))
    problems = [row.pop("problems") for row in sheet]
    assert sheet == [{name: str(cell) for name, cell in row.items()} for row in rows]
    assert problems[0] == ""
    assert "same option" in problems[1]
    assert "ends after the file's 3 s" in problems[2]
    assert "leaves the folder" in problems[3]
    assert not (tmp_path / "out").exists()


def test_the_sheet_of_errors_goes_when_nothing_is_wrong(source, tmp_path):
    errors, rows = source / "questions.errors.csv", list(csv.DictReader((source / "questions.csv").open()))
    for right, is_kept in (("It rises", False), ("It rose, corrected by hand", True)):
        write_csv(errors, [row | {"right": right, "problems": "once"} for row in rows])
        build_dataset(source, tmp_path / "listening", TASK, BuildSettings(force=True))
        assert errors.exists() == is_kept


def test_an_unreadable_medium_is_blamed_on_its_rows(source, tmp_path):
    (source / "sounds" / "low.wav").write_text("<!DOCTYPE html>", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    lines = [line for line in str(caught.value).splitlines() if "not_media" in line]
    assert [line.split(":")[0] for line in lines] == [
        f'{source}/questions.csv row {number}, column "file"' for number in (1, 3)
    ]


def test_rights_must_be_said_somewhere(source, tmp_path):
    (source / "about.yaml").write_text("creators: [We]", encoding="utf-8")
    with pytest.raises(InputError, match=r'row 1, column "license": is empty. Fill it .a column, or once'):
        build_dataset(source, tmp_path / "listening", TASK, BuildSettings())


LICENCES = {
    '""': '"license": about.yaml: is empty. Fill it',
    '" "': '"license": about.yaml: is empty. Fill it',
    "Creative Commons": '"license": about.yaml: "Creative Commons" is no SPDX id. Write it as in CC-BY-3.0',
    "NOASSERTION": '"license": about.yaml: "NOASSERTION" is no SPDX id.',
    "https://creativecommons.org/licenses/by/4.0/": "is no SPDX id.",
    "cc-by-4.0": 'is not spelled canonically. Write "CC-BY-4.0".',
    'CC0-1.0\ncreators: [" "]': '"attribution": about.yaml: is empty.',
    'CC0-1.0\ncreators: ["NONE"]': '"attribution": about.yaml: "NONE" credits nobody.',
}


@pytest.mark.parametrize(("written", "fault"), LICENCES.items())
@pytest.mark.parametrize("has_column", [False, True])
def test_rights_of_all_rows_are_held_to_the_rule_by_check_and_build(source, tmp_path, written, fault, has_column):
    credit = "" if "creators" in written else "\ncreators: [We]"
    (source / "about.yaml").write_text(f"license: {written}{credit}\n", encoding="utf-8")
    if has_column:
        rows = [question(name, "sounds/low.wav", license="MIT", attribution="Ada") for name in ("q1", "q2")]
        write_csv(source / "questions.csv", rows)
    findings = check_source(source, TASK, media=False).findings
    assert [each.code for each in findings.stopping] == ["RIGHTS"]
    assert fault in findings.lines[0]
    with pytest.raises(InputError) as told:
        build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    assert fault in str(told.value)
    assert len(str(told.value).splitlines()) == 1
    assert not (tmp_path / "listening").exists()


def test_rights_of_every_row_are_looked_at_whatever_else_is_wrong_with_it(source, tmp_path):
    (source / "about.yaml").write_text("pretty_name: Listening\n", encoding="utf-8")
    rows = [
        question("q1", "sounds/low.wav", license="", attribution="Ada"),
        question("q2", "sounds/low.wav", license="free", attribution="", right=""),
        question("q2", "sounds/none.wav", license="", attribution="NONE", **{"from": "soon"}),
        question("", "sounds/low.wav", license="MIT", attribution=" "),
        question("q5", "sounds/low.wav", license="LicenseRef-Lab", attribution="Ada", asks=""),
    ]
    write_csv(source / "questions.csv", rows)
    found = check_source(source, TASK, media=False).findings
    rights = [(each.row, each.column) for each in found if each.code == "RIGHTS"]
    assert sorted(rights) == [(1, "license"), (2, "attribution"), (2, "license"), (3, "attribution"), (3, "license")]
    assert [each.found for each in found if each.row == 4 and each.column == "attribution"] == [
        "holds blanks only. Fill it."
    ]
    with pytest.raises(InputError) as told:
        build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    for row, column in rights:
        assert f'row {row}, column "{column}": ' in str(told.value)


def test_a_folder_is_named_in_words_where_it_is_the_current_one(source, tmp_path, monkeypatch):
    write_csv(source / "questions.csv", [question("q1", "sounds/lw.wav")])
    monkeypatch.chdir(source)
    line = 'no file "sounds/lw.wav" lies in the current folder (nearest: "sounds/low.wav"). Put it there'
    with pytest.raises(InputError) as told:
        build_dataset(source / "questions.csv", tmp_path / "listening", TASK, BuildSettings())
    assert line in str(told.value)
    assert line in "\n".join(check_data(TASK.model_copy(update={"dataset_path": str(source)})).problems)


def test_what_is_there_is_replaced_only_when_asked(source, tmp_path):
    directory = tmp_path / "listening"
    build_dataset(source, directory, TASK, BuildSettings())
    (directory / "errata.yaml").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="Add --force"):
        build_dataset(source, directory, TASK, BuildSettings())
    built = build_dataset(source, directory, TASK, BuildSettings(force=True, version="2.0"))
    assert built.version == "2.0"
    assert (directory / "errata.yaml").read_text(encoding="utf-8") == "[]"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letters.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="no dataset repo"):
        build_dataset(source, tmp_path / "other", TASK, BuildSettings(force=True))


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("sheet.xlsx", "x", r'sheet.xlsx: cannot be read .*Save its sheet as "CSV UTF-8" or as TSV'),
        ("folder/sheet.xlsx", "x", r"folder/sheet.xlsx: cannot be read .*Save its sheet as"),
        ("sheet.csv", "id,asks\n", "has no rows"),
        ("sheet.csv", "id,question\n1,2\n", 'no column "video" with the media'),
    ],
)
def test_a_sheet_that_cannot_be_used_is_told(tmp_path, name, text, line):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    source = path if path.parent == tmp_path else path.parent
    with pytest.raises(InputError, match=line):
        build_dataset(source, tmp_path / "out", "musebench", BuildSettings())


SEVERAL = [
    ("a.csv", "b.csv"), ("a.tsv", "b.tsv"), ("a.csv", "b.tsv"), ("a.jsonl", "b.tsv"), ("a.csv", "a.jsonl"),
    ("a.csv", "a.tsv"), ("c/a.csv", "c/b.csv"),
]  # fmt: skip


@pytest.mark.parametrize("names", SEVERAL)
def test_of_several_tables_one_must_be_named(tmp_path, names):
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("id\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"holds several tables \({', '.join(names)}\). Give one by its name"):
        build_dataset(tmp_path, tmp_path.parent / "out", "musebench", BuildSettings())


def test_names_of_columns_are_mapped_by_about(tmp_path):
    write_wav(tmp_path / "source" / "a.wav", tone(220, 4.0))
    (tmp_path / "source" / "about.yaml").write_text(
        ABOUT + "columns: {audio: file, key: tonality, cluster_id: tune, tempo_bpm: bpm}\n", encoding="utf-8"
    )
    row = {
        "id": "m1", "file": "a.wav", "bpm": "120.5", "beat_unit": "1/4", "tonality": "A minor", "tune": "t",
        "time_signature": "4/4", "segments": '[{"start_s": 0, "end_s": 4, "label": "verse"}]',
    }  # fmt: skip
    write_csv(tmp_path / "source" / "rows.csv", [row | {"remark": "nice", "problems": ""}])
    built = build_dataset(tmp_path / "source", tmp_path / "mub_trial", "mub", BuildSettings())
    assert any(note.startswith('nothing is made of the sheet\'s columns "remark"') for note in built.notes)
    (found,) = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    assert (found["tempo_bpm"], found["key"], found["cluster_id"]) == (120.5, "A minor", "t")
    (tmp_path / "source" / "about.yaml").write_text(ABOUT + "columns: {audio: fil}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r'columns.audio: the sheet has no column "fil" \(nearest: file\)'):
        build_dataset(tmp_path / "source", tmp_path / "mub_trial", "mub", BuildSettings(force=True))


def test_a_demo_is_built_again_from_its_own_rows(tmp_path):
    assert is_demo("hummusqa_demo")
    assert not is_demo("hummusqa")
    built = build_demo("hummusqa_demo", tmp_path / "again")
    files = sorted(path.relative_to(built.directory) for path in built.directory.rglob("*.*"))
    there = demo_directory("hummusqa")
    assert files == sorted(path.relative_to(there) for path in there.rglob("*.*"))
    for path in files:
        assert (built.directory / path).read_bytes() == (there / path).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["musebench", "hummusqa", "mub"])
def test_a_built_repo_is_a_sheet_that_gives_the_same_data(dataset, tmp_path):
    kept = BuildSettings(media=MediaSettings(mode="keep"))
    built = build_dataset(demo_directory(dataset), tmp_path / dataset, dataset, kept)
    assert built.data_sha256 == load_items(load_task(f"{dataset}_demo")).data_sha256
    assert built.references_sha256 == load_references(load_task(f"{dataset}_demo")).references_sha256
