import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, Prediction, Response, Status
from musebench_tasks.inference.journal import Journal, journal_path
from musebench_tasks.reports.runs import Part, attempts_of

FULL, SILENCE = Condition.FULL, CONDITIONS["silence"]


@pytest.fixture
def attempts(tmp_path):
    """The attempts that `attempts_of` finds for responses in a journal and the predictions made from them."""

    def find(responses, predictions):
        with Journal(journal_path(tmp_path, 0)) as journal:
            for each in responses:
                journal.append(each)
        part = Part(tmp_path, tmp_path, config=None, card=None)
        return attempts_of(part, {(each.item_id, each.run, each.condition): each for each in predictions})

    return find


def response(key, *, run=0, condition=FULL, raw="B", **fields):
    return Response(key=key, item_id="i", run=run, condition=condition, raw=raw, **fields)


def prediction(*, run=0, condition=FULL, raw="B", status=Status.OK):
    return Prediction(item_id="i", run=run, condition=condition, raw=raw, status=status)


def test_requests_that_share_an_answer_share_its_attempts(attempts):
    found = attempts([response("k", attempts=3)], [prediction(run=run) for run in range(4)])
    assert {key[1]: each.attempts for key, each in found.items()} == {0: 3, 1: 3, 2: 3, 3: 3}


def test_a_shared_failure_keeps_its_error(attempts):
    failed = response("k", raw=None, failure=Status.TIMEOUT, error="no answer in 60 s", attempts=2)
    answers = [prediction(condition=each, raw=None, status=Status.TIMEOUT) for each in (FULL, SILENCE)]
    found = attempts([failed], answers)
    assert found["i", 0, SILENCE].error == "no answer in 60 s"


def test_an_answer_is_never_taken_for_another(attempts):
    lines = [response("k", attempts=3), response("l", condition=SILENCE, raw="A")]
    found = attempts(lines, [prediction(), prediction(run=1, raw="A"), prediction(run=2, raw="C")])
    assert found["i", 1, FULL].attempts == 1
    assert ("i", 2, FULL) not in found


def test_what_was_asked_again_took_all_attempts(attempts):
    failed = response("k", raw=None, failure=Status.BACKEND_ERROR, error="down", attempts=2)
    found = attempts([failed, response("k")], [prediction()])
    assert found["i", 0, FULL].attempts == 3
    assert found["i", 0, FULL].error is None


def test_without_journals_nothing_is_known(attempts):
    assert attempts([], [prediction()]) == {}
