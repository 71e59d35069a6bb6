"""The rules on tasks of any columns, on repositories, and on the sheets that these are built from."""

import csv
import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from musebench_tasks.assembly import choice_columns
from musebench_tasks.assembly.item_checks import check_task
from musebench_tasks.assembly.rules.benchmarks import STRATEGIES
from musebench_tasks.assembly.rules.findings import UNREADABLE
from musebench_tasks.cli import main
from musebench_tasks.tasks import load_task

DEMOS = ("musebench_demo", "hummusqa_demo", "mub_demo")
TASK = """
task: listening
dataset_path: {folder}
columns: {{id: nr, media: file, start_s: from, end_s: to, question: asks, {options}}}
protocol: {{media: [audio]}}
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
SPREAD = "answer: right, distractors: [wrong 1, wrong 2]"
LISTED = "options: choices, answer: right"
ROW = {"nr": "1", "file": "a.wav", "from": "0", "to": "3", "asks": "Where does the tune go?"}


@pytest.fixture
def check(tmp_path):
    """Checks rows (over ROW) as a task reads them; gives tag and row of each finding."""

    def checked(options, *changes):
        rows = [{**ROW, "nr": str(number), **each} for number, each in enumerate(changes, start=1)]
        (tmp_path / "listening").mkdir()
        (tmp_path / "listening" / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
        task = tmp_path / "task.yaml"
        task.write_text(TASK.format(folder=tmp_path / "listening", options=options))
        return [(each.code, each.row, each.item) for each in check_task(load_task(str(task))).findings]

    return checked


def test_wrong_rows_of_a_task_are_told_and_its_media_left_alone(check, tmp_path, capsys):
    check(SPREAD, SOUND, SOUND | {"asks": "Which way?", "right": ""})
    assert main(["data", "check", str(tmp_path / "task.yaml")]) == 2
    told = capsys.readouterr().out.splitlines()
    place = f"{tmp_path}/listening/rows.json"
    assert told[0] == f'CRITICAL  EMPTY_ANSWER_SET  {place} row 2 (2), column "right": is empty. Fill it.'
    assert told[-1] == "2 rows: 1 without a remark, 1 to be put right."
    assert main(["data", "check", str(tmp_path / "task.yaml"), "--media-only"]) == 2


SOUND = {"right": "It rises", "wrong 1": "It falls", "wrong 2": "It stays"}


@pytest.mark.parametrize(
    ("changes", "tag"),
    [
        ({"right": ""}, "EMPTY_ANSWER_SET"),
        ({"wrong 1": "it rises."}, "DUPLICATE_OPTIONS"),
        ({"wrong 1": "It rises"}, "DUPLICATE_OPTIONS"),
        ({"to": "0"}, "CLIP_RANGE_INVALID"),
        ({"from": "soon"}, UNREADABLE),
        ({"nr": "1"}, "ID_DUPLICATE"),
        ({"file": ""}, UNREADABLE),
        ({"asks": "Select all that apply."}, "STEM_OPTIONS_MISMATCH"),
        ({"asks": "Where does the tune go &amp; why?"}, "TEXT_BROKEN"),
    ],
)
def test_spread_columns(check, changes, tag):
    found = check(SPREAD, {**SOUND, "asks": "Which way?"}, SOUND | changes)
    assert [each[:2] for each in found] == [(tag, 2)]


CHOICES = {"choices": ["It rises", "It falls", "It stays"], "right": "B"}


@pytest.mark.parametrize(
    ("changes", "tag"),
    [
        ({"right": "D"}, "LABEL_OUT_OF_RANGE"),
        ({"right": "It sinks"}, "LABEL_OUT_OF_RANGE"),
        ({"right": []}, "EMPTY_ANSWER_SET"),
        ({"right": ["A", "B"]}, "ANSWER_COUNT"),
        ({"choices": ["It falls"]}, "OPTION_COUNT"),
        ({"choices": ["It falls", "it  falls"]}, "DUPLICATE_OPTIONS"),
    ],
)
def test_listed_options(check, changes, tag):
    assert (tag, 2) in [each[:2] for each in check(LISTED, CHOICES, {**CHOICES, "asks": "Which way?", **changes})]


def test_sound_rows_of_any_columns(check):
    assert check(LISTED, CHOICES, {**CHOICES, "asks": "Which way?", "choices": ["A minor", "C minor", "D"]}) == []


@pytest.mark.parametrize("name", DEMOS)
def test_the_demos_are_free_of_what_stops(name):
    checked = check_task(load_task(name), offline=True)
    assert checked.findings.rows >= 48
    assert checked.findings.stopping == ()
    assert {each.severity.name for each in checked.findings} <= {"LOW"}


def test_a_repository_whose_configs_disagree(tmp_path, monkeypatch, capsys, card, mub_row):
    from musebench_tasks.assembly import write_repository

    monkeypatch.chdir(tmp_path)
    write_repository(tmp_path / "mub", "mub", [mub_row("m1"), mub_row("m2")], card)
    for place in (["mub"], ["mub", "--as", "mub"]):
        assert main(["data", "check", *place]) == 0
        told = capsys.readouterr().out
        assert told.startswith("2 rows: 2 without a remark.\n")
        assert "1 medium, 3 s decoded" in told
    (file,) = (tmp_path / "mub" / "references").glob("*.parquet")
    table = pq.read_table(file)
    place = table.column_names.index("key")
    pq.write_table(table.set_column(place, "key", pa.array(["A minor", "C major"])), file)
    assert main(["data", "check", "mub", "--as", "mub", "--items-only"]) == 2


def test_what_is_published_without_gold(tmp_path, monkeypatch, capsys, card, musebench_row):
    from musebench_tasks.assembly import write_repository

    monkeypatch.chdir(tmp_path)
    strategies = dict(zip(("Whip pan", "Crane shot", "Still frame"), STRATEGIES, strict=False))
    row = musebench_row() | choice_columns("b1", ("Slow push-in",), strategies)
    write_repository(tmp_path / "musebench", "musebench", [row], card)
    for name in ("default", "references"):
        shutil.rmtree(tmp_path / "musebench" / name)
    (tmp_path / "musebench" / "README.md").write_text("Only the questions.")
    for place in (["musebench"], ["musebench", "--as", "musebench"]):
        assert main(["data", "check", *place, "--items-only"]) == 0
        assert capsys.readouterr().out == "1 row: 1 without a remark.\n"


MUSEBENCH = {
    "id": "q1",
    "video": "",
    "category": "Cinematic",
    "subdomain": "Sound",
    "question": "What does the bell in the yard do to the scene?",
    "correct_1": "It ends their talk",
    "distractor_1": "It starts the chase",
    "distractor_2": "It is never heard",
    "distractor_3": "It only marks the hour",
    "strategy_1": "temporal confusion",
    "strategy_2": "factual error",
    "strategy_3": "over-simplification",
    "alignment": "audio",
    "core_intent": "a bell as turning point",
    "license": "CC-BY-4.0",
    "attribution": "us",
}
BAD = {
    "q2": ({"license": "free to use"}, "HIGH RIGHTS: license"),
    "q3": ({"distractor_2": "It ends their talk."}, "MEDIUM DUPLICATE_OPTIONS: correct_1"),
    "q4": ({"correct_1": ""}, "CRITICAL EMPTY_ANSWER_SET: correct_1"),
    "q5": ({"subdomain": "Photography"}, "HIGH VOCABULARY: subdomain"),
    "q6": ({"question": "Select all that apply to the bell."}, "CRITICAL STEM_OPTIONS_MISMATCH: question"),
    "q7": ({"strategy_1": "wrong"}, "HIGH STRATEGY: strategy_1"),
    "q8": ({"question": "Why does FlÃ¼gel ring?"}, "HIGH TEXT_BROKEN: question"),
}


def write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_errors_come_back_in_the_owners_own_sheet(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    good = {name: {**MUSEBENCH, "id": name, "question": f"What does bell {name} do here?"} for name in ("q1", *BAD)}
    write(tmp_path / "items.csv", [row | BAD.get(name, ({},))[0] for name, row in good.items()])
    command = ["data", "check", "items.csv", "--as", "musebench", "--items-only"]
    assert main([*command, "--sheet", "errors.csv"]) == 2
    told = capsys.readouterr().out
    assert "errors.csv: 7 of 8 rows have something in the column `problems`." in told
    with (tmp_path / "errors.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert list(rows["q1"]) == [*MUSEBENCH, "problems"]
    assert rows["q1"]["problems"] == ""
    for name, (changes, problem) in BAD.items():
        assert problem in rows[name]["problems"]
        assert {column: rows[name][column] for column in changes} == changes
    write(tmp_path / "errors.csv", [{**row, "problems": rows[name]["problems"]} for name, row in good.items()])
    assert main(["data", "check", "errors.csv", "--as", "musebench", "--items-only"]) == 0


def test_everything_as_json(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "items.csv", [MUSEBENCH | {"license": "free"}])
    assert main(["data", "check", "items.csv", "--as", "musebench", "--items-only", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    items = told["items"]
    assert (told["media"], told["summary"]) == ([], "no medium decoded.")
    (finding,) = items["findings"]
    assert finding == {
        "severity": "HIGH",
        "tag": "RIGHTS",
        "effect": "stop",
        "file": "items.csv",
        "row": 1,
        "item": "q1",
        "field": "license",
        "found": '"free" is no SPDX id.',
        "advice": "Write it as in CC-BY-3.0 or CC0-1.0.",
    }
    assert [(row["tag"], row["severity"], row["findings"]) for row in items["failures"]] == [("RIGHTS", "HIGH", 1)]
    assert (items["rows"], items["summary"]) == (1, "1 row: 0 without a remark, 1 to be put right.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["items.csv"], "items.csv: is a table. Say what it holds: --as musebench, hummusqa, mub, or --task TASK."),
        (["absent.csv"], "absent.csv: no such file."),
        (["items.csv", "--as", "musebench", "--items-only", "--sheet", "e.xlsx"], "a file that ends in .csv or .tsv"),
        (["items.csv", "items.csv", "--as", "musebench", "--items-only", "--sheet", "e.csv"], "2 were checked"),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "items.csv", [MUSEBENCH])
    assert main(["data", "check", *arguments]) == 2
    assert said in capsys.readouterr().err
