"""Answers about recordings are read again, field by field."""

import pytest

from musebench_tasks.answers import parse_music
from musebench_tasks.base.records import Condition, Item, Prediction
from musebench_tasks.evaluation.read_answers import RULES, line_status
from musebench_tasks.submissions.check_readings import doubtful_lines
from musebench_tasks.tasks import load_task

RAW = '{"tempo": 120, "key": "A minor", "segments": [{"start_s": 0, "end_s": 90, "label": "verse"}]}'
ITEM = Item(id="a", benchmark="mub_demo", kind="music", question="?", cluster_id="c", start_s=0.0, end_s=60.0)
FIELDS = ("tempo", "key", "time_signature", "segments")


def prediction(raw=RAW, duration_s=60.0, **changed):
    parsed = {**parse_music(raw, FIELDS, duration_s=duration_s), **changed}
    shown = {"item_id": "a", "run": 0, "condition": Condition.FULL, "raw": raw, "parser": RULES}
    line = Prediction(**shown, parsed=parsed, status=line_status(parsed))
    return Prediction.model_validate_json(line.model_dump_json())


def doubtful(line):
    return list(doubtful_lines(load_task("mub_demo"), {"a": ITEM}, [line], is_model=True))


@pytest.mark.parametrize("duration_s", [60.0, None])
def test_what_was_read_is_read_again_with_and_without_sound(duration_s):
    assert doubtful(prediction(duration_s=duration_s)) == []


def test_a_better_tempo_than_was_written_is_named():
    better = prediction().parsed["tempo"].model_copy(update={"value": 121.0})
    (said,) = doubtful(prediction(tempo=better))
    assert (said.line, said.column) == (1, "parsed")


def test_a_field_that_was_not_written_is_named():
    invented = prediction().parsed["key"].model_copy(update={"value": "4/4"})
    assert doubtful(prediction(time_signature=invented))
