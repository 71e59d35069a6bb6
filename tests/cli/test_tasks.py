"""`musebench tasks check`: names, files and folders; every problem named, and the exit code that follows."""

from pathlib import Path

import pytest

from musebench_tasks.cli import main

TASK = """task: {name}
dataset_path: {name}
columns: {{media: file}}
protocol: {{media: [audio]}}
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
HEAD = "id,file,question,options,answer,platform_id\n"
ROW = '{0},{0}.wav,Which?,"[""x"",""y""]",A,{1}\n'


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A task with a table of these rows; the medium `a.wav` is there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUSEBENCH_CACHE", str(tmp_path / "cache"))

    def task(name, *rows):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.wav").write_bytes(b"sound")
        (tmp_path / name / "test.csv").write_text(HEAD + "".join(rows))
        (tmp_path / f"{name}.yaml").write_text(TASK.format(name=name))
        return f"{name}.yaml"

    return task


@pytest.fixture
def check(capsys):
    def told(*places):
        code = main(["tasks", "check", *places])
        return code, *capsys.readouterr()

    return told


def test_missing_media_are_named_and_fail(write, check):
    code, out, err = check(write("one", ROW.format("a", ""), ROW.format("b", "")))
    assert code == 2
    assert out == f"{'one':<22} 2 items, 2 single-select, 1 medium found, 1 missing\n"
    assert err.splitlines() == [
        'one/test.csv row 2, column "file": no file "b.wav" lies in one. Put it there, or correct the name.',
        "musebench: 1 problem found.",
    ]


def test_media_to_be_fetched_are_told_with_the_way_and_do_not_fail(write, check):
    code, out, _ = check(write("one", ROW.format("a", ""), ROW.format("b", "b7")))
    assert code == 0
    assert "1 medium found, 1 to be fetched (`musebench data fetch" in out


def test_a_wrong_file_hides_no_other(write, check):
    good, bad = write("good", ROW.format("a", "").replace(",A,", ",C,")), write("bad", ROW.format("a", ""))
    Path(bad).write_text(f"{Path(bad).read_text()}kindd: choice\n")
    code, _, err = check(bad, good)
    assert code == 2
    assert 'key "kindd"' in err
    assert 'good/test.csv row 1, column "answer"' in err
    assert err.endswith("musebench: 2 problems found.\n")


def test_names_stand_for_tasks_and_groups(check, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert check("musebench_all")[:2] == (
        0,
        "".join(
            f"{name:<22} data not looked at: they are on the Hub, or not placed yet\n"
            for name in ("musebench_cinematic", "musebench_static", "musebench_stage", "musebench_game")
        )
        + "No problems found. Media were not decoded: `musebench data check TASK` does that.\n",
    )


def test_cells_steer_no_terminal_and_fill_no_screen(write, check):
    row = ROW.format("a", "").replace("Which?", "").replace(",A,", f",\x1b[31m\u202e{'x' * 5000},")
    _, out, err = check(write("one", row))
    assert not any(sign in out + err for sign in "\x1b\u202e")
    assert max(map(len, err.splitlines())) < 300
