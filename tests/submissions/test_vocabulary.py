"""Rules, flags and reasons are codes: what nobody here gives is refused by name, what was ever given is accepted."""

import json
from pathlib import Path

import pytest
from fakes.submissions import edit_predictions

from musebench_tasks import api
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Audio, Condition, FieldAnswer, Parser, Prediction, Status
from musebench_tasks.evaluation.files import LONGEST_ANSWER, prediction_problems
from musebench_tasks.evaluation.vocabulary import FIELD_RULES, KNOWN_FLAGS, ROUTES, RULES, VERSIONS


def of_music(**answer):
    return {"parsed": {"tempo": FieldAnswer(value=96.0, status=Status.OK, **answer)}}


FREE_TEXTS = [
    ({"rule": "the answer key says so"}, "rule"),
    ({"rule": "declard"}, "rule"),
    ({"rule": ""}, "rule"),
    ({"flags": ("cut_at_turn", "key: ABCD")}, "flags"),
    ({"flags": ("rules_",)}, "flags"),
    ({"flags": ("rules_judge",)}, "flags"),
    ({"finish_reason": "because I say so"}, "finish_reason"),
    ({"finish_reason": "stop\x1b[2J"}, "finish_reason"),
    ({"finish_reason": "x" * 41}, "finish_reason"),
    ({"finish_reason": ""}, "finish_reason"),
    ({"finish_reason": "stop: the key is B"}, "finish_reason"),
    ({"finish_reason": "stop: here: too"}, "finish_reason"),
    ({"audio": Audio(route="by hand", seconds=1.0)}, "audio.route"),
    ({"parser": Parser(method="rules", version="99")}, "parser.version"),
    ({"parser": Parser(method="rules", version="0")}, "parser.version"),
    ({"raw": "x" * (LONGEST_ANSWER + 1)}, "raw"),
    (of_music(rule="declared"), "parsed.tempo.rule"),
    (of_music(flags=("sorted by hand",)), "parsed.tempo.flags"),
]
CODES = [
    *({"rule": rule} for rule in RULES),
    *({"flags": (flag,)} for flag in KNOWN_FLAGS),
    *(of_music(rule=rule, flags=("gaps",)) for rule in FIELD_RULES),
    *({"audio": Audio(route=route)} for route in ROUTES),
    *({"parser": Parser(method="rules", version=version)} for version in VERSIONS),
    {"raw": "x" * LONGEST_ANSWER},
    *({"finish_reason": each} for each in ("stop", "length", "MAX_TOKENS", "end_turn", "content-filter", "eos.token")),
    *({"finish_reason": each} for each in ("content_filter: PROHIBITED_CONTENT", "content_filter:RECITATION", "2")),
]


def problems(tmp_path, told):
    path = tmp_path / "predictions.jsonl"
    line = Prediction(item_id="a", run=0, condition=Condition.FULL, status=Status.OK).model_copy(update=told)
    path.write_text(line.canonical_json() + "\n")
    return prediction_problems(path)


@pytest.mark.parametrize(("told", "field"), FREE_TEXTS, ids=range(len(FREE_TEXTS)))
def test_a_text_in_place_of_a_code_is_refused_by_name(tmp_path, told, field):
    (said,) = problems(tmp_path, told)
    assert (Path(said.place).name, said.line, said.column) == ("predictions.jsonl", 1, field)
    assert "\x1b" not in said.text


def test_the_nearest_code_is_named(tmp_path):
    assert '"declard" is not known here (nearest: declared).' in problems(tmp_path, {"rule": "declard"})[0].text


def test_every_code_is_accepted(tmp_path):
    path = tmp_path / "predictions.jsonl"
    line = Prediction(item_id="a", run=0, condition=Condition.FULL, status=Status.OK)
    path.write_text("".join(f"{line.model_copy(update=code).canonical_json()}\n" for code in CODES))
    assert prediction_problems(path) == []


@pytest.mark.parametrize(
    "field", ["rule", *(pytest.param(each, marks=pytest.mark.slow) for each in ("flags", "finish_reason"))]
)
def test_a_submission_and_its_file_are_refused_alike(colours, submission, field):
    text = "as told by the maker"
    edit_predictions(submission, lambda line: {**line, field: [text] if field == "flags" else text})
    told = []
    for check in (colours.check, api.validate):
        with pytest.raises(InputError) as caught:
            check(submission if check == colours.check else submission / "predictions.jsonl")
        told.append([line for line in str(caught.value).splitlines() if f'field "{field}"' in line])
    assert told[0] == told[1]
    assert len(told[0]) == 12


def test_codes_of_a_run_are_known(colours):
    """Whatever a run writes can be handed in."""
    for file in colours.folder.rglob("predictions.jsonl"):
        assert prediction_problems(file) == []
        assert {json.loads(line)["finish_reason"] for line in file.read_text().splitlines()} == {"stop"}
