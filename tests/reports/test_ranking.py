"""Ranks with intervals beside the tables (statistics.md 3.4 and 3.5): the questions of `test_comparison`."""

import csv
import json

import pytest

from musebench_tasks import api
from musebench_tasks.reports import write_report
from musebench_tasks.reports.answers import read_task
from musebench_tasks.reports.item_scores import ItemEvidence
from musebench_tasks.reports.ranking import NOTE, all_ranks, rank_table
from musebench_tasks.reports.runs import read_parts

TASK = """\
task: quiz
dataset_path: {data}
kind: choice
columns: {{id: id, question: question, options: options, answer: answer, cluster_id: source}}
protocol: {{media: [], conditions: [full], runs: 1, option_order: stored, answer: letter}}
doc_to_text: video_choice.jinja
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
RIGHT = {"low": set(range(4)), "high": set(range(18)), "near": set(range(1, 18))}


@pytest.fixture(scope="module")
def quiz(tmp_path_factory):
    """Twenty questions, answered by three systems: 18, 17 and 4 right."""
    folder = tmp_path_factory.mktemp("quiz")
    options = ["north", "east", "south", "west"]
    rows = [
        {"id": f"q{n:02}", "question": f"Question {n}?", "options": options, "answer": "north", "source": f"s{n}"}
        for n in range(20)
    ]
    (folder / "quiz.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "quiz.yaml").write_text(TASK.format(data=folder / "quiz.jsonl"))
    for system, right in RIGHT.items():
        said = [{"item_id": f"q{n:02}", "raw": "A" if n in right else "B"} for n in range(20)]
        (folder / f"{system}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in said))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(folder / "cache"))
        models = [f"replay:{folder / system}.jsonl" for system in RIGHT]
        api.run(tasks=[str(folder / "quiz.yaml")], model=models, out=folder / "run")
    return folder


@pytest.fixture(scope="module")
def parts(quiz):
    return read_parts([quiz / "run"])[0]


def test_close_systems_share_their_ranks(parts):
    table = rank_table(all_ranks(ItemEvidence(read_task("quiz", parts))))
    assert table.head == ("system", "measure", "score", "rank", "95 % ranks", "best in", "detectable", "n")
    found = [(row[0].rpartition("_")[2].removesuffix(".jsonl"), *row[2:5], row[7]) for row in table.rows]
    assert [each[1:] for each in found] == [
        ("0.900", "1", "1", "20"), ("0.850", "2", "1–2", "20"), ("0.200", "3", "3", "20")
    ]  # fmt: skip
    assert [bool(row[6]) for row in table.rows] == [True, True, False]


def test_one_system_has_no_rank(parts):
    assert all_ranks(ItemEvidence(read_task("quiz", parts[:1]))) == []


def test_ranks_stand_in_the_report_and_beside_it(quiz, parts, page_of, tmp_path):
    found = all_ranks(ItemEvidence(read_task("quiz", parts)))
    path = write_report([quiz / "run"], out=tmp_path)
    assert NOTE in page_of(path).text
    rows = list(csv.DictReader((tmp_path / "tables" / "quiz-ranks.csv").open()))
    assert [(row["rank"], row["low"], row["high"]) for row in rows] == [
        ("1", "1", "1"),
        ("2", "1", "2"),
        ("3", "3", "3"),
    ]
    assert [(row["metric"], row["version"], row["score"], row["clusters"]) for row in rows] == [
        ("accuracy", "1", score, "20") for score in ("0.9", "0.85", "0.2")
    ]
    assert all(row["best_in"] == str(each.best_in) for row, each in zip(rows, found, strict=True))
    assert float(rows[0]["detectable"]) == found[0].detectable != round(found[0].detectable, 2)
    assert rows[2]["detectable"] == ""
