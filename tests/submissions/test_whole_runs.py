"""`validate` of a run is as strict about what was answered as that of a submission."""

import pytest
from fakes.submissions import edit_predictions, edit_run

from musebench_tasks import api
from musebench_tasks.base.errors import InputError
from musebench_tasks.cli import main


def other_option(line):
    return {**line, "parsed": [next(each for each in line["option_order"] if each not in line["parsed"])]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (other_option, 'predictions.jsonl line 1, field "parsed": is not what the rules'),
        (lambda line: {**line, "raw": "I have no idea."}, 'predictions.jsonl line 1, field "parsed": is not what'),
        (lambda line: {**line, "parser": None}, 'predictions.jsonl line 1, field "parser": is missing'),
        (lambda line: {**line, "option_order": line["option_order"][::-1]}, 'field "option_order": is not the order'),
    ],
)
def test_changed_answers_of_a_run_are_named(run_folder, change, said):
    edit_predictions(run_folder, change)
    with pytest.raises(InputError) as caught:
        api.validate(run_folder)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ({"benchmark": {"split": "dev"}}, 'field "benchmark.split": "dev", but colours here is "test"'),
        ({"benchmark": {"name": "mub"}}, 'field "benchmark.name": "mub"'),
        ({"task": "../../x"}, 'field "task": "../../x" is a path. A run names its task by name.'),
        ({"system": {"name": "\x1b[2J"}}, 'key "system.name": should be one line of signs'),
    ],
)
def test_a_run_that_tells_otherwise_is_named(run_folder, blocks, said):
    edit_run(run_folder, **blocks)
    with pytest.raises(InputError) as caught:
        api.validate(run_folder)
    assert said in str(caught.value)


def test_an_unknown_task_is_named_unless_it_is_given(colours, submission, capsys):
    assert main(["validate", str(submission / "run.yaml")]) == 2
    assert 'field "task": There is no task "colours"' in capsys.readouterr().err
    assert main(["validate", str(submission / "run.yaml"), "--task", str(colours.task_file)]) == 0


def test_what_a_judge_read_stands_in_a_run(run_folder):
    reader = {"method": "judge", "version": "rules-2+judge:model+prompt.01234567"}
    told = {"raw": "Well.", "parser": reader, "rule": "judge", "flags": ["rules_no_answer"]}
    edit_predictions(run_folder, lambda line: {**line, **told})
    api.score(run_folder)
    assert "12 valid predictions" in api.validate(run_folder)


@pytest.mark.parametrize(
    ("date", "said"),
    [
        ("2999-01-01", 'field "date": 2999-01-01 lies ahead'),
        ("2024-02-30", 'key "date": should be a day of the calendar'),
        ("20241130", 'key "date": should be a day such as'),
        ("\u0662\u0660\u0662\u0664-11-30", 'key "date": should be a day such as'),
    ],
)
def test_days_that_nobody_has_reached_are_refused(colours, submission, date, said):
    path = submission / "submission.yaml"
    path.write_text(path.read_text().replace("2024-11-30", date).replace("date: 20241130", "date: '20241130'"))
    with pytest.raises(InputError) as caught:
        colours.check(submission)
    assert said in str(caught.value)
