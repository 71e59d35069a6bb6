"""Cases written by someone who knew the rules of answers.md but neither the parser nor its cases."""

import json
from pathlib import Path

import pytest

from musebench_tasks.answers import parse_choice, parse_key, parse_segments, parse_tempo, parse_time_signature

CASES = Path(__file__).parents[1] / "cases"
PARSERS = {"tempo": parse_tempo, "key": parse_key, "time_signature": parse_time_signature}


def load(name):
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def choice_miss(case):
    answer = parse_choice(
        case["response"], case["options"], multi=case["kind"] == "multi", finish_reason=case.get("finish_reason")
    )
    return (list(answer.labels), answer.status == "ok") != (case["expected"], case["status"] == "ok")


def value_of(case):
    if case["field"] != "segments":
        return PARSERS[case["field"]](case["response"]).value
    return parse_segments(case["response"], duration_s=case.get("duration")).value


def as_written(value):
    if isinstance(value, list):
        return [[*map(float, each[:2]), each[2]] for each in value]
    return pytest.approx(value, abs=1e-6) if isinstance(value, (int, float)) else value


def test_choices():
    assert [case["id"] for case in load("answers_independent.jsonl") if choice_miss(case)] == []


def test_values():
    cases = load("structured_independent.jsonl")
    assert [case["id"] for case in cases if value_of(case) != as_written(case["expected"])] == []
