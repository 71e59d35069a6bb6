"""The lists of codes hold what readings give, and nothing else."""

import ast
import json
import re
from pathlib import Path

import pytest

from musebench_tasks import answers
from musebench_tasks.answers.outcomes import CHOICE_RULES, FLAGS, MUSIC_RULES
from musebench_tasks.values import intervals, key

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*.jsonl"))
ROOM = Path(answers.__file__).parent
SOURCES = [file for file in ROOM.glob("*.py") if file.name != "outcomes.py"] + [
    Path(intervals.__file__),
    Path(key.__file__),
]
GIVERS = {
    "NoReading",
    "Decision",
    "ChoiceAnswer",
    "MusicAnswer",
    "Declaration",
    "MusicDeclaration",
    "RawSegments",
    "CleanedPrediction",
    "_no_answer",
}


@pytest.mark.slow
@pytest.mark.parametrize("file", CASES, ids=lambda each: each.stem)
def test_every_code_that_a_reading_gives_is_listed(file):
    for line in file.read_text().splitlines():
        case = json.loads(line)
        text, options = case["response"], case.get("options") or ["Trumpet", "C major", "128", "4/4"]
        for cut in (None, "length"):
            choice = answers.parse_choice(text, options, multi=case.get("kind") == "multi", finish_reason=cut)
            assert choice.rule in CHOICE_RULES
            fields = answers.parse_music(text, ("tempo", "key", "time_signature", "segments"), 60.0, cut).values()
            assert {field.rule for field in fields} <= MUSIC_RULES
            assert {flag for each in (choice, *fields) for flag in each.flags} <= FLAGS


def constants(tree):
    return {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def test_every_listed_code_stands_in_the_source():
    written = set().union(*(constants(ast.parse(file.read_text())) for file in SOURCES))
    assert written >= CHOICE_RULES | MUSIC_RULES | FLAGS


def test_every_code_that_the_source_gives_is_listed():
    given = set()
    for file in SOURCES:
        for each in ast.walk(ast.parse(file.read_text())):
            if isinstance(each, ast.Call) and getattr(each.func, "id", "") in GIVERS:
                given |= {code for part in each.args for code in constants(part) if re.fullmatch("[a-z_]+", code)}
    assert len(given) >= 40
    assert given <= CHOICE_RULES | MUSIC_RULES | FLAGS
