"""faults_hub.md 26 to 44: versions, identity, submissions and boards. Every row is accounted for."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
from fakes.submissions import edit_predictions, edit_run, hand_in

from musebench_tasks import api
from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.records import RunConfig, Submission
from musebench_tasks.base.validation import Code
from musebench_tasks.evaluation.files import prediction_problems, scorecard_problems
from musebench_tasks.tasks.schema import read_strictly

HERE = "tests/submissions/"
TESTS = {
    26: ["test_check.py::test_a_run_that_asked_something_else_is_named", "test_board.py::test_every_line_says"],
    27: ["test_errata.py::test_undeclared_changes_of_the_key_are_refused", "test_errata.py::test_ranks_change"],
    28: ["test_check.py::test_predictions_are_read_strictly", "test_errata.py::test_retired_items_leave_the_plan"],
    29: ["test_check.py::test_a_submission_among_others_lies_where_its_content_says", "test_board.py::test_every_line"],
    30: ["test_errata.py::test_errata_of_several_versions", "test_errata.py::test_a_stored_submission_follows"],
    31: ["test_check.py::test_predictions_are_read_strictly", "test_faults_of_boards.py::test_row_31"],
    32: [
        "test_check.py::test_the_command_is_the_same_check",
        "test_verify.py::test_a_run_and_a_submission_are_verified",
    ],
    33: ["test_check.py::test_predictions_are_read_strictly", "test_faults_of_boards.py::test_row_33"],
    34: [
        "test_verify.py::test_another_scorer_is_named",
        "test_board.py::test_every_row_of_the_page",
    ],
    35: ["test_errata.py::test_a_new_submission_on_old_data_is_refused", "test_board.py::test_every_line_says"],
    36: ["test_check.py::test_an_extra_folder_or_an_archive_names_the_root"],
    37: [
        "test_check.py::test_a_metric_that_is_none_is_named",
        "test_board.py::test_published_numbers_have",
    ],
    38: ["test_check.py::test_the_command_is_the_same_check"],
    39: ["test_faults_of_boards.py::test_row_39"],
    40: ["test_faults_of_boards.py::test_row_40", "test_board.py::test_a_later_submission_stands_for_an_earlier_one"],
    41: ["test_check.py::test_answers_follow_from_what", "test_board.py::test_equal_scores_share_a_rank_and_equal"],
    42: ["test_board.py::test_splits_whose_answers_are_public_are_marked", "test_board.py::test_equal_scores_share"],
    43: ["test_board.py::test_constant_letters_and_choosing_everything_stand_in_every_table"],
    44: ["test_check.py::test_answers_follow_from_what_was_shown_and_written"],
}
"""For each row the tests of it."""

NOT_HERE = {
    41: "a private, re-shuffled or re-worded subset is the owner's to hold back: it is a task of its own, built with "
    "`--hidden` and never published; what this code can do is to ask for raw texts and to tell equal answers",
}
"""What of a row no code of ours can do, and why."""


def test_every_row_has_its_tests(request):
    root = Path(request.config.rootpath)
    assert set(TESTS) == set(range(26, 45))
    assert set(NOT_HERE) <= set(TESTS)
    for row, places in TESTS.items():
        for place in places:
            name, _, test = place.partition("::")
            assert re.search(rf"def {test}", (root / HERE / name).read_text()), (row, place)


def test_row_31_what_our_own_code_writes_its_own_check_reads(submission):
    assert not prediction_problems(submission / "predictions.jsonl")
    assert not scorecard_problems(submission / "scores.json")
    assert read_strictly(submission / "run.yaml", RunConfig)
    assert read_strictly(submission / "submission.yaml", Submission)


@pytest.mark.parametrize("key", ["model_prediction", "model_output", "response", "answer"])
def test_row_33_another_name_for_the_answer_is_an_error_and_skips_no_row(submission, key):
    edit_predictions(submission, lambda line: {**line, key: "A"})
    problems = prediction_problems(submission / "predictions.jsonl")
    assert len(problems) == 12
    assert {(each.code, each.location) for each in problems} == {(Code.UNKNOWN, (key,))}


def test_row_39_categories_come_from_the_data_and_scores_without_them_are_refused(colours, run_folder):
    card = api.score(run_folder, write=False)
    fewer = card.model_copy(update={"scores": card.scores[:-1]})
    (run_folder / "scores.json").write_text(fewer.canonical_json() + "\n")
    with pytest.raises(MuseError, match="entries in the file"):
        api.verify(run_folder)


def test_row_40_several_runs_are_another_table_and_their_mean_is_the_headline(colours):
    run = shutil.copytree(colours.folder / "ash" / "colours", colours.folder / "thrice" / "colours")
    edit_run(run, system={"name": "thrice"}, protocol={"runs": 3})
    path = run / "predictions.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for number in (1, 2):
        lines += [{**line, "run": number, "raw": "A", "parsed": line["option_order"][:1]} for line in lines[:12]]
    lines.sort(key=lambda line: (line["item_id"], line["run"]))
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    api.score(run)
    hand_in(run, colours.submissions)
    page = colours.build().page
    with (page.parent / "leaderboard.csv").open(newline="") as file:
        found = [line for line in csv.DictReader(file) if line["is_headline"] == "yes" and line["kind"] == "model"]
    tables = {line["system"]: (line["table"], line["runs"], line["n"]) for line in found}
    assert tables["ash"] == tables["birch"]
    assert tables["ash"][0] != tables["thrice"][0]
    assert tables["thrice"][1:] == ("3", "12")
    value = next(float(line["value"]) for line in found if line["system"] == "thrice")
    assert value == pytest.approx((11 / 12 + 4 / 12 + 4 / 12) / 3)
    assert "3 runs" in page.read_text()
