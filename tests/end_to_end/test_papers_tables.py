"""HumMusQA's table (four orders; true, noise, silence, text only) and MuseBench's (T, A+T, V+T, V+A+T): a command each.

The server decodes what it is sent, so that what a condition promises is checked where it arrives.
"""

import csv
import hashlib
import json
import re
from collections import Counter

import numpy as np
import pytest
from fakes.openai_media import MediaModel, decoded
from fakes.openai_server import FakeOpenAIServer

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition
from musebench_tasks.cli import main
from musebench_tasks.evaluation.files import read_scorecard
from musebench_tasks.inference.journal import read_responses
from musebench_tasks.pages.text import signed_text, value_text

PAPERS = {
    "hummusqa_demo": {"full": "true", "noise": "noise", "silence": "silence", "text_only": "text only"},
    "musebench_demo": {"text_only": "T", "no_video": "A+T", "no_audio": "V+T", "full": "V+A+T"},
}
COLUMNS = {
    "hummusqa_demo": ["accuracy", "consistency"],
    "musebench_demo": ["accuracy", "CAA", "EM", "P", "R", "F1"],
}
RUNS = {"hummusqa_demo": 4, "musebench_demo": 1}
SENT = {
    "hummusqa_demo": {"full": {"sound"}, "noise": {"sound"}, "silence": {"sound"}, "text_only": set()},
    "musebench_demo": {
        "full": {"image", "sound"}, "no_audio": {"image"}, "no_video": {"sound"}, "text_only": set(),
    },
}  # fmt: skip


def letter(body):
    """An answer that hangs on all that was sent."""
    sent = json.dumps(body["messages"], sort_keys=True).encode()
    return "ABCD"[hashlib.sha256(sent).digest()[0] % 4]


def asked(task, model, out, limit, *more):
    """One command; the MODEL/TASK folder that it made."""
    words = ["run", "--tasks", task, "--conditions", "all", "--model", model, "--limit", str(limit), "--out", str(out)]
    assert main([*words, *more]) == 0
    (folder,) = out.glob(f"*/{task}")
    return folder


def check_printed(task, folder, printed, n_items):
    """That the printed table holds every condition by its paper's name, with differences, intervals and p."""
    names, card = PAPERS[task], read_scorecard(folder / "scores.json")
    for count in (each for each in card.counts if each.field is None):
        assert (count.planned, count.coverage) == (n_items * RUNS[task], 1.0)
    lines = printed[printed.index(f"{task} · conditions") :].splitlines()
    heading = next(line for line in lines if "chance" in line)
    assert re.split(r"\s{2,}", heading.strip()) == [*names.values(), "chance"]
    for column in (*COLUMNS[task], "coverage", "answered"):
        assert any(re.match(rf"{column}  n \d+", line) for line in lines), column
    scored = {row.condition: row.value for row in card.scores if row.metric == "accuracy" and row.slice is None}
    values = [value_text(scored[CONDITIONS[each]]) for each in names]
    assert next(line for line in lines if line.startswith("accuracy")).split()[3:-1] == values
    changes = [signed_text(scored[CONDITIONS[each]] - scored[Condition.FULL]) for each in names]
    place = next(number for number, line in enumerate(lines) if line.startswith(f"  minus {names['full']} "))
    told = lines[place].removeprefix(f"  minus {names['full']} ").split()
    assert told == [change if each != "full" else "–" for each, change in zip(names, changes, strict=True)]
    assert lines[place + 1].count(" to ") == lines[place + 2].count("p ") == len(names) - 1


def check_report(task, folder, n_items):
    """That the report's tables hold the same, with differences inside their intervals."""
    names, tables = PAPERS[task], folder.parents[1] / "report" / "tables"
    with (tables / f"{task}-deltas.csv").open() as file:
        deltas = list(csv.DictReader(file))
    assert [(each["condition"], each["label"]) for each in deltas] == [
        (condition, label) for condition, label in names.items() if condition != "full"
    ]
    for each in deltas:
        assert float(each["low"]) <= float(each["difference"]) <= float(each["high"])
        assert (int(each["n"]), each["p"] != "") == (n_items, True)
    rows = (tables / f"{task}-conditions.tex").read_text()
    assert [name for name in re.findall(r"^([^&%\\]+?) & ", rows, re.MULTILINE) if name.strip() != "chance"] == [
        *names.values()
    ]


def heard(piece):
    """none, silence, noise or music."""
    level = float(np.sqrt(np.mean(piece.samples**2)))
    if level == 0:
        return "silence"
    return "noise" if abs(level - 0.1) < 0.001 else "music"


def seen_and_heard(server):
    """How often which sorts of media were sent, by decoding them."""
    found = Counter()
    for request in server.requests:
        content = request["body"]["messages"][-1]["content"]
        pieces = [decoded(part) for part in content] if isinstance(content, list) else []
        sound = {heard(piece) for piece in pieces if piece.kind == "sound"}
        found[frozenset({piece.kind for piece in pieces} - {"text"} | sound - {"music"})] += 1
    return found


@pytest.mark.parametrize(("task", "limit"), [("hummusqa_demo", 10), ("musebench_demo", 10)])
def test_the_table_comes_from_one_command_and_a_server(tmp_path, capsys, task, limit):
    card = tmp_path / "little.yaml"
    with FakeOpenAIServer() as server:
        server.media, server.reply = MediaModel(), letter
        card.write_text(f"spec: openai:m@{server.url}\nlimits: {{max_frames: 4, max_audio_s: 4}}\n")
        folder = asked(task, str(card), tmp_path / "run", limit, "--no-report")
    check_printed(task, folder, capsys.readouterr().out, limit)
    orders = [orders_under(each, folder) for each in PAPERS[task]]
    assert all(each == orders[0] for each in orders)
    assert len(orders[0]) == limit * RUNS[task]
    # Two of the four orders of an item may be the same: then one question is asked, and its answer counts for both.
    n_questions = len({(item, order) for (item, _), order in orders[0].items()})
    assert n_questions >= limit * RUNS[task] - 2
    wanted = Counter()
    for condition, kinds in SENT[task].items():
        wanted[frozenset(kinds | ({condition} & {"noise", "silence"}))] += n_questions
    assert seen_and_heard(server) == wanted


def orders_under(condition, folder):
    """The order of options in each run of each item."""
    lines = map(json.loads, (folder / "predictions.jsonl").read_text().splitlines())
    return {
        (line["item_id"], line["run"]): tuple(line["option_order"]) for line in lines if line["condition"] == condition
    }


@pytest.mark.slow
@pytest.mark.parametrize("task", PAPERS)
def test_the_table_comes_from_one_command_and_a_checkpoint(tiny_omni, tmp_path, capsys, task):
    folder = asked(task, f"transformers:{tiny_omni}", tmp_path / "run", 12)
    check_printed(task, folder, capsys.readouterr().out, 12)
    check_report(task, folder, 12)
    for response in read_responses(folder).values():
        kinds = SENT[task][response.condition]
        assert (response.received.audio_route == "native") == ("sound" in kinds)
        assert bool(response.received.frames_used) == ("image" in kinds)
        assert bool(response.received.media_tokens) == bool(kinds)
