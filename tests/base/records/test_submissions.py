from datetime import date

import pytest
from pydantic import ValidationError

from musebench_tasks.base.records import Submission, submission_path

RUN, PREDICTIONS = "a" * 64, "b" * 64


def submission(**fields):
    return Submission.model_validate(
        {"date": "2026-11-30", "submitter": "Ada", "run_sha256": RUN, "predictions_sha256": PREDICTIONS, **fields}
    )


def test_a_bare_date_of_yaml_is_a_day():
    assert submission(date=date(2026, 11, 30)) == submission()


@pytest.mark.parametrize(
    "fields",
    [
        {"date": "30.11.2026"},
        {"date": "2026-13-01"},
        {"run_sha256": "abc"},
        {"submitter": ""},
        {"score": 1.0},
        {"submitter": "x" * 101},
    ],
)
def test_what_is_no_submission_is_refused(fields):
    with pytest.raises(ValidationError):
        submission(**fields)


def test_the_same_files_have_the_same_folder_and_others_another():
    place = submission_path("mub_demo", "openai:a/b@http://c", RUN, PREDICTIONS)
    assert place == submission_path("mub_demo", "openai:a/b@http://c", RUN, PREDICTIONS)
    assert place.parent.as_posix() == "submissions/mub_demo/openai_a_b_http_c"
    assert place != submission_path("mub_demo", "openai:a/b@http://c", RUN, "c" * 64)


def test_no_name_leads_out_of_the_folder():
    upwards = submission_path("..", "../../x", RUN, PREDICTIONS).parent.as_posix()
    assert upwards == "submissions/_~5ec1f7e700f3/__.._x~9cdf6a50100a"
