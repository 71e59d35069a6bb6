"""What is told of files of others is told in the words of those files: no types, values or errors of Python."""

import json
import re

import pytest
from fakes.submissions import edit_predictions, edit_run

from musebench_tasks import api
from musebench_tasks.base.errors import InputError
from musebench_tasks.submissions.verify import first_difference

PYTHON = re.compile(
    r"\bTrue\b|\bFalse\b|\bNone\b|tuple\[|\bdict\[|Input should|pydantic|validation error|<class|\\'|'\{"
)
WRONG = [None, True, False, 0.5, -1, 10**30, "x" * 200, [], [None], {}, {"a": {"b": None}}, [["x"]]]
FIELDS = ["item_id", "run", "condition", "option_order", "raw", "option_probabilities", "parsed", "parser", "rule"]
FIELDS += ["flags", "status", "finish_reason", "frames", "audio"]


def told(call, *arguments, **more):
    """Every line of what is refused; none where nothing is."""
    try:
        call(*arguments, **more)
    except InputError as problem:
        return str(problem).splitlines()
    return []


@pytest.mark.parametrize("field", FIELDS)
def test_wrong_values_of_a_line_are_told_in_words_of_json(tmp_path, field):
    good = {"item_id": "a", "run": 0, "condition": "full", "status": "ok", "parsed": ["x"], "raw": "A"}
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps({**good, field: value}) + "\n" for value in WRONG))
    lines = told(api.validate, path)
    assert lines
    assert [line for line in lines if PYTHON.search(line) or line.count('"') % 2] == []


@pytest.mark.parametrize("block", ["benchmark", "system", "prompt", "decoding", "media", "protocol", "harness"])
def test_wrong_values_of_run_yaml_are_told_in_words_of_yaml(run_folder, block):
    for value in ({"name": None, "track": False, "temperature": "hot", "modalities": [None]}, {"conditions": [None]}):
        edit_run(run_folder, **{block: value})
    lines = told(api.validate, run_folder / "run.yaml")
    assert lines
    assert [line for line in lines if PYTHON.search(line)] == []


def test_values_that_no_field_of_music_has_are_told_in_words_of_json(colours, run_folder):
    for value in (None, True, {"a": None}):
        music = {"tempo": {"value": value, "status": "ok", "rule": "json", "flags": []}}
        edit_predictions(run_folder, lambda line, music=music: {**line, "parsed": music})
        lines = told(api.score, run_folder)
        assert len(lines) == 1
        assert not PYTHON.search(lines[0])


@pytest.mark.parametrize("value", [None, True, "x" * 200, ["y" * 200]])
def test_differences_are_quoted_to_their_end(value):
    said = first_difference(json.dumps({"a": value}), json.dumps({"a": 1}))
    assert not PYTHON.search(said)
    assert said.count('"') % 2 == 0
    assert len(said) < 200
