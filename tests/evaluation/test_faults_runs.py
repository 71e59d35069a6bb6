"""faults_scoring.md 69 to 81: tables, caches and runs. And: all 81 rows are accounted for."""

import json
import re
from pathlib import Path

import pytest
from fakes.scored_material import answer, choice_item, choice_task, gold, run_config

from musebench_tasks import api
from musebench_tasks.answers import PARSER_VERSION
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import HarnessBlock, MediaPart, MediaSource, Response, canonical_json, request_key
from musebench_tasks.evaluation.files import read_predictions
from musebench_tasks.inference.run_folder import first_difference, require_same, task_folder

CANNOT_OCCUR = {
    13: "records are frozen and a planned request without a prediction is None: no slot is shared and written into",
    41: "there is no option subset: a task selects items by filter, limit or sample, options never",
    48: "no aggregate takes weights: an item counts once, and a slice has its own row",
    60: "no error is pooled from groups: it is computed on items in their clusters",
    67: "no score is scaled by the field: every number is of one system and its references",
    74: "no group is cached or fingerprinted: a group is replaced by its tasks, and a key is of one request",
}
"""Rows that nothing here can do, and why."""

ELSEWHERE = {
    26: "tests/end_to_end/test_judge.py::test_without_a_verdict_the_status_of_the_rules_stays",
    77: "tests/inference/test_work.py::test_failures_stay_unless_they_are_to_be_retried_and_then_once",
    80: "tests/tasks/test_load.py::test_one_name_in_two_files_is_an_error_that_names_both",
}
"""Rows that need a whole run, or material that is made there."""


def material():
    items = [choice_item(name[0], category=name) for name in ("reasoning", "knowledge")]
    return items, [gold(item, "A") for item in items]


@pytest.fixture
def card(score):
    items, references = material()
    task = choice_task(["accuracy"], slices=("category",))
    return score(task, items, references, [answer(items[1], "A"), answer(items[0], "B")])


TASK = """\
task: mine
dataset_path: {folder}
columns: {{id: id, question: question, options: options, answer: answer}}
protocol: {{conditions: [full, text_only]}}
metric_list: [{{metric: accuracy}}]
metadata: {{headline: accuracy}}
"""


def test_row_10_a_limit_below_the_number_of_processes_ends(tmp_path):
    row = {"id": "i", "question": "What?", "options": ["a cut", "a pan", "a zoom"], "answer": "a pan"}
    (tmp_path / "test.jsonl").write_text("".join(json.dumps({**row, "id": f"i{number}"}) + "\n" for number in range(3)))
    (tmp_path / "mine.yaml").write_text(TASK.format(folder=tmp_path))
    done = api.run(
        tasks=str(tmp_path / "mine.yaml"),
        model="random",
        conditions="text_only",
        limit=1,
        out=tmp_path / "out",
        settings=api.RunSettings(processes=2),
    )
    (card,) = done.scorecards
    assert (card.counts[0].planned, card.counts[0].coverage) == (1, 1.0)


def test_row_69_every_value_stands_under_its_own_name(card):
    frame = card.to_frame()
    ours = frame[(frame["system"] == card.system) & frame["slice"].notna()]
    assert dict(zip(ours["slice_value"], ours["value"], strict=True)) == {"reasoning": 0.0, "knowledge": 1.0}


def test_row_70_columns_have_one_order():
    assert canonical_json({"b": 1, "a": {"d": 2, "c": 3}}) == '{"a":{"c":3,"d":2},"b":1}'


def test_row_71_every_record_is_checked_and_not_the_first_alone(tmp_path):
    good = answer(choice_item("i"), "A").canonical_json()
    path = tmp_path / "predictions.jsonl"
    path.write_text(good + "\n" + good.replace('"raw":null', '"raw":null,"colour":1') + "\n")
    with pytest.raises(InputError, match='line 2, field "colour": is no known field'):
        read_predictions(path)


@pytest.mark.parametrize("backwards", [False, True])
def test_row_72_predictions_are_joined_by_id_and_not_by_their_place(score, backwards):
    items, references = material()
    predictions = [answer(items[0], "A"), answer(items[1], "B")]
    card = score(choice_task(["accuracy"]), items[::-1], references, predictions[:: -1 if backwards else 1])
    assert (card.row("accuracy").value, card.row("accuracy").n) == (0.5, 2)


@pytest.mark.parametrize("field", ["item", "media", "order", "prompt", "generation", "model"])
def test_row_73_a_key_changes_with_all_that_can_change_an_answer(field):
    asked = dict.fromkeys(["item", "media", "order", "prompt", "generation", "model"], "a")
    assert request_key(asked) == request_key(dict(reversed(asked.items())))
    assert request_key(asked) != request_key({**asked, field: "b"})


def test_row_75_a_medium_is_named_by_its_content():
    same_name = [MediaPart(modality="audio", source=MediaSource(path="mask.wav", sha256=each)) for each in ("a", "b")]
    moved = MediaPart(modality="audio", source=MediaSource(path="elsewhere/mask.wav", sha256="a"))
    assert same_name[0].identity != same_name[1].identity
    assert same_name[0].identity == moved.identity


def test_row_76_what_is_stored_is_what_was_answered():
    response = Response(key="k", item_id="i", run=0, condition="full", raw="A", option_probabilities={"a": 0.5})
    assert Response.model_validate_json(response.canonical_json()) == response


def test_row_78_a_run_is_resumed_by_the_same_question_only(tmp_path):
    config = run_config(choice_task())
    other_code = config.model_copy(update={"harness": HarnessBlock(version="2")})
    assert first_difference(config, other_code) is None
    (tmp_path / "run.yaml").write_text(config.canonical_json())
    require_same(tmp_path, other_code)
    changed = config.model_copy(update={"protocol": config.protocol.model_copy(update={"seed": 7})})
    with pytest.raises(InputError, match=r"protocol.seed \(42, now 7\)") as caught:
        require_same(tmp_path, changed)
    assert caught.value.exit_code == 2


def test_row_79_every_model_and_task_has_a_folder_of_its_own(tmp_path):
    folders = {task_folder(tmp_path, model, task) for model in ("a:b", "c") for task in ("t", "u")}
    assert len(folders) == 4


def test_row_81_scores_name_the_code_that_made_them(card):
    assert card.scorer_version.endswith(f"+parser.{PARSER_VERSION}")
    assert card.row("accuracy").version == "1"


def test_every_row_is_accounted_for_once():
    here = Path(__file__).parent
    tested = {
        int(number)
        for path in here.glob("test_faults_*.py")
        for number in re.findall(r"^def test_row_(\d\d)_", path.read_text(), re.MULTILINE)
    }
    assert not tested & (CANNOT_OCCUR.keys() | ELSEWHERE.keys())
    assert tested | CANNOT_OCCUR.keys() | ELSEWHERE.keys() == set(range(1, 82))


def test_the_tests_named_elsewhere_exist():
    root = Path(__file__).parents[2]
    for place in ELSEWHERE.values():
        path, _, name = place.partition("::")
        assert name in (root / path).read_text(), place
