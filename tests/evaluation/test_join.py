import json

import pytest
from fakes.scored_material import answer, choice_item, choice_task, gold, music_answer, recording

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Prediction
from musebench_tasks.evaluation.files import read_predictions
from musebench_tasks.evaluation.join import join

ITEMS = [choice_item("one"), choice_item("two")]
PLAN = [("one", 0, Condition.FULL), ("two", 0, Condition.FULL)]


def changed(prediction, change):
    return Prediction.model_validate({**prediction.model_dump(), **change})


def test_what_nobody_predicted_is_there_as_none():
    joined = join(PLAN, ITEMS, [answer(ITEMS[1], "A")])
    assert [joined[key] is None for key in PLAN] == [True, False]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"item_id": "oen"},
            r'predictions line 1, field "item_id": "oen" is no item of the benchmark \(nearest: one\)',
        ),
        ({"run": 1}, r'line 1: item "one", run 1, condition full was not planned'),
        ({"condition": "noise"}, "condition noise was not planned"),
        ({"parsed": ("zzzz",)}, r'field "parsed": "zzzz" is no option of item "one"'),
        ({"option_order": ("zzzz",)}, r'field "option_order": "zzzz" is no option'),
        ({"option_order": ITEMS[0].option_ids[:2]}, r'"option_order": should show each of the 4 options'),
        ({"parsed": None}, r'"parsed": is null, but the status is ok'),
        ({"status": "unparsed"}, r'"parsed": is an answer, but the status is unparsed'),
        ({"status": "timeout"}, r'"parsed": holds an answer, but the status is timeout'),
        ({"status": "missing", "parsed": None}, '"missing" is given by the scorer'),
        ({"parsed": ITEMS[0].option_ids[:1] * 2}, "names an option twice"),
        ({"parsed": ITEMS[0].option_ids[:2]}, "holds 2 options; a single-select answer is exactly one"),
        ({"parsed": ()}, "holds 0 options"),
        ({"parsed": {}}, "should be a list of option ids"),
    ],
)
def test_what_nobody_planned_refuses_the_file(change, message):
    wrong = changed(answer(ITEMS[0], "A"), change)
    with pytest.raises(InputError, match=message):
        join(PLAN, ITEMS, [wrong])


@pytest.mark.parametrize(
    ("values", "change", "message"),
    [
        ({"tempo": float("nan")}, {}, 'field "parsed.tempo": NaN is no tempo'),
        ({"tempo": "fast"}, {}, "is no tempo"),
        ({"key": ["C major"]}, {}, 'field "parsed.key"'),
        ({"time_signature": [4, 4]}, {}, "is no time signature"),
        ({"segments": "none"}, {}, "is no segments"),
        ({"mood": "calm"}, {}, '"mood" is no music field'),
        ({"tempo": 120.0}, {"status": "unparsed"}, 'field "status": is unparsed, but the fields make the line ok'),
        ({"tempo": 120.0}, {"parsed": None}, "is null, but the status is ok"),
        ({"tempo": 120.0}, {"parsed": ("x",)}, "should hold music fields"),
    ],
)
def test_a_music_answer_that_cannot_be_one_refuses_the_file(values, change, message):
    item = recording("one")
    wrong = changed(music_answer(item, **values), change)
    with pytest.raises(InputError, match=message):
        join([("one", 0, Condition.FULL)], [item], [wrong])


def test_a_duplicate_refuses_the_file():  # faults_scoring.md 5, MU-12
    with pytest.raises(InputError, match="line 2: .* predicted twice"):
        join(PLAN, ITEMS, [answer(ITEMS[0], "A"), answer(ITEMS[0], "B")])


def test_one_hit_repeated_is_refused_by_the_scorer(score):  # music_metrics.md 6
    with pytest.raises(InputError, match="predicted twice"):
        score(choice_task(), ITEMS, [gold(item, "A") for item in ITEMS], [answer(ITEMS[0], "A")] * 500)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"status": "fine"}, 'line 1, field "status": should be .ok., .unparsed.'),
        ({"model_prediction": "A"}, 'line 1, field "model_prediction": is no known field'),
        ({"raww": "A"}, r'field "raww": is no known field \(nearest known field: "raw"\)'),
        ({"run": None}, 'line 1, field "run": should be a whole number, found null'),
    ],
)
def test_a_bad_line_is_named_with_its_field(tmp_path, line, message):  # faults_scoring.md 4
    good = json.loads(answer(ITEMS[0], "A").canonical_json())
    path = tmp_path / "predictions.jsonl"
    path.write_text(json.dumps({**good, **line}) + "\n")
    with pytest.raises(InputError, match=message):
        read_predictions(path)


def test_numbers_that_are_no_numbers_are_refused(tmp_path):
    path = tmp_path / "predictions.jsonl"
    text = (
        answer(ITEMS[0], "A")
        .canonical_json()
        .replace('"option_probabilities":null', '"option_probabilities":{"a":NaN}')
    )
    path.write_text(text + "\n")
    with pytest.raises(InputError, match="predictions.jsonl line 1"):
        read_predictions(path)
