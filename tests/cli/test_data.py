import json
import os
from pathlib import Path

import pytest
from fakes.media_makers import silent_wav, sound, tone

from musebench_tasks.cli import main

TASK = """
task: listening
dataset_path: {folder}
columns: {{id: nr, media: file, start_s: from, end_s: to, question: asks, answer: right, distractors: [bad, worse]}}
protocol: {{media: [audio], conditions: [full], runs: 1}}
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""


@pytest.fixture(scope="module")
def listening(tmp_path_factory):
    folder = tmp_path_factory.mktemp("listening")
    sound(folder / "tune.wav", tone(3, 8000), 8000)
    (folder / "empty.wav").write_bytes(b"")
    silent_wav(folder / "silence.wav", 16_000)
    rows = ["1,tune.wav,0,2", "2,tune.wav,5,6", "3,silence.wav,0,1", "4,empty.wav,0,1"]
    lines = [f"{row},What is it?,a,b,c" for row in rows]
    (folder / "questions.csv").write_text("\n".join(["nr,file,from,to,asks,right,bad,worse", *lines]))
    (folder / "task.yaml").write_text(TASK.format(folder=folder))
    return folder


def test_a_task_is_checked_item_by_item(listening, capsys):
    assert main(["data", "check", str(listening / "task.yaml"), "--processes", "2"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("stop")] == [
        "stop  tune.wav, item 2: bad_window: stream 0: the window 5 s to 6 s lies outside the stream's 3.000 s. "
        "Correct where the window starts and ends.",
        "stop  silence.wav, item 3: silent_audio: no sample rises above -80 dBFS. "
        "Give the sound that the item is about, or say that the item does not need to be heard.",
        "stop  empty.wav, item 4: not_media: the file has 0 bytes. Fetch the file again.",
    ]
    assert lines[-1] == "3 media, 4 s decoded: 3 to be put right."


def test_files_and_json(listening, capsys):
    assert main(["data", "check", str(listening / "tune.wav"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["findings"] == []
    (medium,) = told["media"]
    assert (medium["file"], medium["audio"]["seconds"], medium["video"]) == ("tune.wav", 3.0, None)
    assert told["summary"] == "1 medium, 3 s decoded: 1 without a remark."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{empty}"], "no media files lie there. To check a data set, give its task, or say with --as"),
        (["{empty}", "--needs", "smell"], '--needs is "smell": write video, audio or video,audio.'),
        (["{empty}", "--processes", "0"], "--processes is 0: give 1 or more."),
        (["no_such_task"], "no_such_task"),
        (["no_such_film.mp4"], "no_such_film.mp4: no such file."),
    ],
)
def test_what_is_asked_wrongly(arguments, said, tmp_path, capsys):
    assert main(["data", "check", *(each.format(empty=tmp_path) for each in arguments)]) == 2
    assert said in capsys.readouterr().err


def test_a_repository_without_a_task_is_called_what_it_is(tmp_path, capsys):
    for config in ("default", "blind"):
        (tmp_path / "built" / config).mkdir(parents=True)
        (tmp_path / "built" / config / "test.parquet").write_bytes(b"PAR1")
    assert main(["data", "check", str(tmp_path / "built")]) == 2
    told = capsys.readouterr()
    assert f"{tmp_path / 'built'}: is a dataset repository. Say how its rows are to be read: --as " in told.err
    assert told.err.rstrip().endswith("or --task TASK.")
    assert "no media" not in told.out + told.err


NAMES = ["two\nstop  forged.wav: lines.wav", "bell\x1b[31m\u202e.wav", os.fsdecode(b"latin\xff.wav")]


def test_names_stand_in_one_line_as_they_are(tmp_path, capsys):
    for name in NAMES:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / f"link {NAMES[0]}").symlink_to(f"/nowhere/{NAMES[0]}")
    assert main(["data", "check", str(tmp_path), "--media-only"]) == 2
    told = capsys.readouterr().out
    lines = told.splitlines()
    assert len([line for line in lines if line.startswith("stop")]) == 4
    assert all(line.isprintable() for line in lines)
    assert "latin\\udcff.wav: not_media" in told
    assert "bell\\x1b[31m\\u202e.wav: not_media" in told
    assert "two\\nstop  forged.wav: lines.wav: not_media" in told
    assert main(["data", "check", str(tmp_path), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)["findings"]
    assert {each["file"] for each in found} == {*NAMES, f"link {NAMES[0]}"}


def test_names_in_rows_and_refusals_stand_in_one_line(tmp_path, capsys):
    sheet = tmp_path / "my\nsheet.csv"
    sheet.write_text("id,question\n")
    assert main(["data", "check", str(sheet)]) == 2
    assert "my\\nsheet.csv: is a table." in capsys.readouterr().err
    main(["data", "check", str(sheet), "--as", "musebench", "--items-only"])
    (tmp_path / "gone.wav").symlink_to("/nowhere/\n.wav")
    assert main(["data", "check", str(tmp_path / "gone.wav")]) == 2
    assert "gone.wav: a link to /nowhere/\\n.wav, where nothing lies." in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["{place}"], ["{place}", "--as", "musebench"], ["{place}.yaml"]])
def test_a_place_that_may_not_be_read(arguments, tmp_path, monkeypatch, capsys):
    def refuse(path, *_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "x.yaml").write_text("task: x")
    for name in ("is_dir", "is_file", "open", "read_text", "read_bytes"):
        monkeypatch.setattr(Path, name, refuse)
    assert main(["data", "check", *(each.format(place=tmp_path / "x") for each in arguments)]) == 2
    assert "may not be read (Permission denied)." in capsys.readouterr().err
