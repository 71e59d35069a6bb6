"""What people do on tired days, and what models say on theirs."""

import json

import pytest

import musebench_tasks
from musebench_tasks.base.errors import InputError

TASK = """\
task: mine
dataset_path: data
kind: choice
columns: {id: id, media: media, question: question, options: options, answer: answer}
protocol: {media: [audio]}
metric_list: [{metric: accuracy}]
metadata: {version: 1.0, headline: accuracy}
"""


@pytest.fixture
def mine(musebench):
    data = musebench.folder / "data"
    data.mkdir()
    rows = [
        {"id": f"q{number}", "media": f"{number}.wav", "question": "?", "options": ["a", "b"], "answer": "a"}
        for number in range(2)
    ]
    (data / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (data / "0.wav").write_bytes(b"RIFF")
    (musebench.folder / "mine.yaml").write_text(TASK)
    return musebench


def test_missing_media_are_told_before_the_run_also_where_the_model_needs_none(mine):
    done = mine("run", "--tasks", "mine.yaml", "--model", "random", "--no-report")
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0]
    assert "1 of 2 media files cannot be read" in first
    assert "1.wav" in first


def test_checking_a_task_looks_over_its_data_too(mine):
    done = mine("tasks", "check", "mine.yaml")
    assert done.returncode == 2
    assert "2 items, 2 single-select, 1 medium found, 1 missing" in done.stdout
    assert 'row 2, column "media": no file "1.wav" lies in data.' in done.stderr
    rows = mine.folder / "data" / "test.jsonl"
    rows.write_text(rows.read_text().replace('"answer": "a"', '"answer": "c"', 1))
    done = mine("tasks", "check", "mine.yaml")
    assert done.returncode == 2
    assert 'row 1, column "answer"' in done.stderr


def test_checking_a_task_reads_its_template(mine):
    (mine.folder / "mine.yaml").write_text(TASK + "doc_to_text: odd.jinja\n")
    done = mine("tasks", "check", "mine.yaml")
    assert done.returncode == 2
    assert "no such template" in done.stderr
    (mine.folder / "odd.jinja").write_text("{{ question")
    done = mine("tasks", "check", "mine.yaml")
    assert done.returncode == 2
    assert "odd.jinja line 1" in done.stderr


def test_the_suite_of_a_run_finds_a_task_of_ones_own_from_anywhere(mine, results_of):
    assert mine("run", "--tasks", "mine.yaml", "--model", "random", "--out", "one", "--no-report").returncode == 0
    (mine.folder / "elsewhere").mkdir()
    mine.folder, home = mine.folder / "elsewhere", mine.folder
    done = mine("run", "--suite", home / "one" / "suite.yaml", "--out", "two", "--no-report")
    assert done.returncode == 0, done.stderr
    assert results_of(mine.folder / "two") == results_of(home / "one")
    assert mine("validate", home / "one" / "random" / "mine" / "predictions.jsonl").returncode == 0


def test_half_a_character_pair_in_an_answer_is_an_answer(musebench):
    (musebench.folder / "half.py").write_text(
        "def answer(question):\n    return 'A \\ud83d'\n\nanswer.kinds = {'single'}\n"
    )
    done = musebench("run", "--tasks", "hummusqa_demo", "--model", "python:half.py:answer", "--limit", "1")
    assert done.returncode == 0, done.stderr
    (path,) = musebench.folder.rglob("predictions.jsonl")
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[0])["raw"] == "A \ufffd"


def test_a_condition_asked_twice_is_asked_once(musebench):
    arguments = ["run", "--tasks", "mub_demo", "--model", "random", "--limit", "1", "--no-report", "--out"]
    assert musebench(*arguments, "once").returncode == 0
    assert musebench(*arguments, "twice", "--conditions", "full,full").returncode == 0
    once, twice = (next((musebench.folder / name).rglob("mub_demo/scores.json")) for name in ("once", "twice"))
    assert once.read_bytes() == twice.read_bytes()


@pytest.mark.parametrize(("kept", "said"), [(0, "0 valid predictions"), (3, "3 valid predictions")])
def test_validate_tells_of_missing_predictions(musebench, kept, said):
    assert musebench("run", "--tasks", "mub_demo", "--model", "random", "--no-report", "--out", "o").returncode == 0
    (path,) = (musebench.folder / "o").rglob("predictions.jsonl")
    path.write_text("".join(line + "\n" for line in path.read_text().splitlines()[:kept]))
    done = musebench("validate", path)
    assert said in done.stdout
    assert f"{48 - kept} of 48 are missing" in done.stdout


def test_a_folder_one_level_off_is_understood_or_explained(musebench):
    assert (
        musebench("run", "--tasks", "mub_demo", "--model", "random", "--limit", "1", "--out", "runs/x").returncode == 0
    )
    assert musebench("score", "runs/x/random").returncode == 0
    done = musebench("report", "runs")
    assert done.returncode == 2
    assert "Runs lie below it: runs/x." in done.stderr
    (journal,) = musebench.folder.rglob("worker-0.jsonl")
    assert "1 valid response\n" in musebench("validate", journal).stdout


def test_python_takes_one_name_or_several_and_names_what_is_none(tmp_path):
    outcome = musebench_tasks.run(tasks="mub_demo", model=["random"], conditions="full", limit=1, out=tmp_path / "x")
    assert [card.task for card in outcome.scorecards] == ["mub_demo"]
    with pytest.raises(InputError, match="model: <function"):
        musebench_tasks.run(tasks="mub_demo", model=[lambda question: "A"])


def test_a_program_that_needs_pictures_is_not_asked_about_sound(musebench):
    done = musebench("run", "--tasks", "mub_demo", "--model", "command:cat {video}", "--no-report")
    assert done.returncode == 2
    assert "takes no question without video" in done.stdout


def test_replayed_lines_that_nothing_asks_for_are_told(musebench):
    line = {"item_id": "nobody", "run": 0, "condition": "full", "raw": "{}"}
    (musebench.folder / "answers.jsonl").write_text(json.dumps(line) + "\n")
    done = musebench("run", "--tasks", "mub_demo", "--model", "replay:answers.jsonl", "--no-report")
    assert done.returncode == 3
    assert "nobody" in done.stdout
