"""Every case of tests/cases: a response, and what may be read in it."""

import json
from pathlib import Path

import pytest

from musebench_tasks.answers import (
    parse_choice,
    parse_key,
    parse_music,
    parse_segments,
    parse_tempo,
    parse_time_signature,
)

CASES = Path(__file__).parents[1] / "cases"


def load(name):
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


# answers.md 5: statuses other than ok and unparsed, and rules
STATUSES = {
    **dict.fromkeys(("s158", "s159"), "backend_error"),
    **dict.fromkeys(("s091", "m248"), "truncated"),
    **dict.fromkeys(("s146", "s147", "s156", "s183"), "refused"),
    **dict.fromkeys(("s151", "m236"), "out_of_range"),
    **dict.fromkeys(("m231", "m232"), "ok"),
}
RULES = {
    **dict.fromkeys(("s062", "s105", "s150", "s164", "s165"), "ambiguous"),
    **dict.fromkeys(("s097", "s098", "s160", "s161", "s162", "m249"), "empty"),
    **dict.fromkeys(("m231", "m232"), "explicit_none"),
    "s087": "loop",
    "s086": "placeholder",
    "s145": "not_an_option",
}


@pytest.mark.parametrize("case", load("answers.jsonl"), ids=lambda case: case["id"])
def test_shared_choice_case(case):
    answer = parse_choice(case["response"], case["options"], multi=case["kind"] == "multi")
    assert list(answer.labels) == case["expected"], case["why"]
    assert answer.status == STATUSES.get(case["id"], "ok" if case["expected"] else "unparsed")
    assert answer.rule == RULES.get(case["id"], answer.rule)


@pytest.mark.parametrize("case", load("more_choice.jsonl"), ids=lambda case: case["id"])
def test_further_choice_case(case):
    answer = parse_choice(case["response"], case["options"], multi=case["kind"] == "multi")
    assert (list(answer.labels), str(answer.status)) == (case["expected"], case["status"])


def is_missed(case):
    answer = parse_choice(case["response"], case["options"], multi=case["kind"] == "multi")
    is_answer = bool(case["expected"]) or case.get("status") == "ok"
    right = (answer.status == "ok") == is_answer and answer.status == case.get("status", answer.status)
    return list(answer.labels) != case["expected"] or not right


def test_written_choice_cases():
    """Answers in the manner of many models and languages; a third of them hold none."""
    assert [(case["id"], case["response"]) for case in load("answers_more.jsonl") if is_missed(case)] == []


TURNS_AND_SETS = load("answers_turns_and_sets.jsonl")


@pytest.mark.parametrize(
    "case", [case for case in TURNS_AND_SETS if "field" not in case], ids=lambda case: f"{case['id']}-{case['kind']}"
)
def test_turns_and_sets(case):
    assert not is_missed(case), case["why"]


@pytest.mark.parametrize("case", [case for case in TURNS_AND_SETS if "field" in case], ids=lambda case: case["id"])
def test_turns_and_repetitions_in_music_answers(case):
    assert read_field(case).value == case["expected"], case["why"]


@pytest.mark.parametrize(
    ("response", "is_cut"),
    [
        ("B<|im_end|>", False),
        ("<|endoftext|>B", False),
        ("B<|im_end|>\n<|im_start|>user\nNext?", True),
        ("Answer: B\n\nQuestion: Next?", True),
        ("Question: Which?\n\nAnswer: B", False),
    ],
)
def test_what_is_left_out_behind_an_answer_is_flagged(response, is_cut):
    answer = parse_choice(response, ["Guitar", "Flute", "Drums", "Piano"])
    assert (answer.labels, "cut_at_turn" in answer.flags) == (("B",), is_cut)
    music = parse_tempo(response.replace("B", "120 BPM"))
    assert (music.value, "cut_at_turn" in music.flags) == (120.0, is_cut)


def read_field(case):
    if case["field"] == "segments":
        return parse_segments(case["response"], duration_s=case.get("duration", 60.0))
    readers = {"tempo": parse_tempo, "key": parse_key, "time_signature": parse_time_signature}
    return readers[case["field"]](case["response"])


@pytest.mark.parametrize("case", load("structured.jsonl"), ids=lambda case: case["id"])
def test_shared_music_case(case):
    answer = read_field(case)
    if case["field"] == "tempo" and case["expected"] is not None:
        assert answer.value == pytest.approx(case["expected"], abs=1e-6)
    else:
        assert answer.value == case["expected"], case["why"]
    assert (answer.value is None) == (answer.status != "ok")


@pytest.mark.parametrize("case", load("more_music.jsonl"), ids=lambda case: case["id"])
def test_further_music_case(case):
    answer = read_field(case)
    assert (answer.value, str(answer.status)) == (case["expected"], case["status"])


FIELDS = ("tempo", "key", "time_signature", "segments")
WRITTEN_FOR_HERE = load("structured_more.jsonl")
"""The first 90 were written beside the rules, the other 378 before they were tried: 22 are marked `missed_at_first`."""


@pytest.mark.parametrize(
    "case", [case for case in WRITTEN_FOR_HERE if case["field"] != "music"], ids=lambda case: case["id"]
)
def test_realistic_music_case(case):
    answer = read_field(case)
    is_number = isinstance(case["expected"], (int, float))
    assert answer.value == (pytest.approx(case["expected"], abs=1e-6) if is_number else case["expected"]), case["why"]
    assert answer.status == case.get("status", answer.status), case["why"]
    assert (answer.value is None) == (answer.status != "ok")


@pytest.mark.parametrize(
    "case", [case for case in WRITTEN_FOR_HERE if case["field"] == "music"], ids=lambda case: case["id"]
)
def test_realistic_answer_with_several_fields(case):
    answers = parse_music(case["response"], FIELDS, case["duration"])
    values = {name: answer.value for name, answer in answers.items()}
    if values["segments"] is not None:
        values["segments"] = [[each[key] for key in ("start_s", "end_s", "label")] for each in values["segments"]]
    assert values == case["expected"], case["why"]
    stated = case.get("status", {})
    assert {name: str(answers[name].status) for name in stated} == stated


@pytest.mark.parametrize("case", load("no_music_answer.jsonl"), ids=lambda case: case["id"])
def test_nothing_is_read_where_nothing_is_answered(case):
    answers = parse_music(case["response"], FIELDS, 60.0)
    assert {name: answer.value for name, answer in answers.items()} == dict.fromkeys(FIELDS)


def test_a_third_of_the_realistic_values_is_none():
    values = [
        value
        for case in WRITTEN_FOR_HERE
        for value in (case["expected"].values() if case["field"] == "music" else [case["expected"]])
    ]
    assert len(WRITTEN_FOR_HERE) >= 220
    assert 3 * values.count(None) >= len(values)


@pytest.mark.parametrize("case", load("structured.jsonl"), ids=lambda case: case["id"])
def test_all_fields_at_once_read_what_one_field_reads(case):
    alone = read_field(case)
    together = parse_music(case["response"], FIELDS, case.get("duration"))
    field = together[case["field"]]
    assert (field.status, field.rule, field.flags) == (alone.status, alone.rule, alone.flags)
    if case["field"] != "segments":
        assert field.value == alone.value
