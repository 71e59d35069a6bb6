"""Conditions beside one another on a terminal."""

import io
import re
import shutil

from rich.console import Console

from musebench_tasks import api
from musebench_tasks.base.records import Condition
from musebench_tasks.reports import print_conditions, print_tables
from musebench_tasks.reports.answers import read_task
from musebench_tasks.reports.deltas import all_differences
from musebench_tasks.reports.item_scores import ItemEvidence
from musebench_tasks.reports.runs import read_parts


def printed(run, width=80, tasks=("musebench_demo", "hummusqa_demo", "mub_demo")):
    parts, _ = read_parts([run])
    out = io.StringIO()
    cards = [part.card for part in parts if part.card.task in tasks]
    print_conditions(run, cards, Console(file=out, width=width, highlight=False))
    return out.getvalue().splitlines()


def test_conditions_stand_beside_one_another_by_their_papers_names(built):
    lines = printed(built)
    assert max(map(len, lines)) <= 80
    assert [line.partition(" · ")[0] for line in lines if line.endswith(" · conditions")] == [
        "musebench_demo", "hummusqa_demo", "mub_demo",
    ]  # fmt: skip
    heads = [line.split() for line in lines if re.search("chance|prior:|native audio +silence", line)]
    assert heads == [
        ["V+T", "V+A+T", "chance"],
        ["true", "silence", "chance"],
        ["native", "audio", "silence", "prior:constant"],
        ["prior:heldout"],
    ]


def test_each_change_has_its_interval_and_p_and_is_that_of_the_report(built):
    parts, _ = read_parts([built])
    for task, condition in (("musebench_demo", "V+T"), ("hummusqa_demo", "silence")):
        answers = read_task(task, [part for part in parts if part.card.task == task])
        deltas = next(family for family in all_differences(ItemEvidence(answers)) if family.name == "deltas")
        (change,) = deltas.rows
        assert (change.condition, change.asked) != (condition, Condition.FULL)
        lines = printed(built, tasks=(task,))
        place = next(number for number, line in enumerate(lines) if line.startswith("  minus "))
        assert f"{change.value:+.3f}".replace("-", "−").replace("+0.000", "0.000") in lines[place]
        assert f"{change.interval.low:.2f} to".replace("-", "−") in lines[place + 1]
        assert f"p {change.p_value:.3f}" in lines[place + 2]


def test_what_does_not_fit_stands_below(built):
    wide, narrow = printed(built, 80, ("hummusqa_demo",)), printed(built, 42, ("hummusqa_demo",))
    assert max(map(len, narrow)) <= 42
    assert sum(line.startswith("accuracy") for line in wide) == 1
    assert sum(line.startswith("accuracy") for line in narrow) > 1


def test_one_condition_alone_has_no_such_table(tmp_path):
    api.run(tasks="mub_demo", model="random", out=tmp_path / "run", limit=1)
    assert printed(tmp_path / "run") == []


def test_without_the_items_the_scores_stand_alone(built, tmp_path):
    run = tmp_path / "elsewhere"
    shutil.copytree(built, run)
    for file in run.rglob("run.yaml"):
        text = file.read_text()
        sha = next(line for line in text.splitlines() if "data_sha256" in line)
        file.write_text(text.replace(sha, f"{sha.partition(':')[0]}: {'f' * 64}"))
    lines = printed(run, tasks=("hummusqa_demo",))
    assert any(line.startswith("accuracy") for line in lines)
    assert not any("minus" in line for line in lines)


def test_beside_them_the_main_tables_are_of_the_main_condition_alone(built):
    parts, _ = read_parts([built])
    out = io.StringIO()
    print_tables([part.card for part in parts], Console(file=out, width=160, highlight=False), is_main_only=True)
    titles = [line for line in out.getvalue().splitlines() if "·" in line]
    assert titles == ["musebench_demo · full", "hummusqa_demo · full", "mub_demo · full"]
