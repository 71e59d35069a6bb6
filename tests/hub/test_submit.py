"""`musebench submit`: one pull request with everything, once, whatever the Hub answers; scores to a model's page."""

from datetime import date

import pytest
import yaml
from fakes.hub import READER, STRANGER, WRITER

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.hub import sending
from musebench_tasks.hub.connection import Hub, MissingRepositoryError, NotNowError
from musebench_tasks.hub.results import ResultEntry, same_model, send_results
from musebench_tasks.submissions.parcel import Result, send_submission, submission_parcel

DAY = date(2026, 1, 31)
RESULT = Result(
    "mub", "dsp", "mub", b"task: mub\n", b'{"item_id": "a"}\n', b'{"task": "mub"}\n', "retry rate 0.0000 (0 of 1)"
)
NAMES = {"run.yaml", "predictions.jsonl", "scores.json", "submission.yaml"}


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    waited = []
    monkeypatch.setattr(sending, "sleep", waited.append)
    return waited


@pytest.fixture
def board(hub):
    return hub.create("datasets", "ORG/submissions", {"README.md": b"# Submissions\n"})


def submit(results=(RESULT,), day=DAY, submitter="Ada"):
    return send_submission(Hub(), submission_parcel(results, "ORG/submissions", submitter, day))


def test_one_pull_request_holds_the_four_files_of_every_result(hub, board):
    other = RESULT._replace(benchmark="musebench", task="musebench", run=b"task: musebench\n")
    published = submit((RESULT, other))
    assert published.page == f"{hub.url}/datasets/ORG/submissions/discussions/1"
    (commit,) = hub.asked("commit")
    assert commit.query["create_pr"] == ["1"]
    proposed = board.files_at("refs/pr/1")
    for result in (RESULT, other):
        inside = {
            path.rpartition("/")[2]: data for path, data in proposed.items() if path.startswith(str(result.place))
        }
        assert set(inside) == NAMES
        assert inside["predictions.jsonl"] == result.predictions
        record = yaml.safe_load(inside["submission.yaml"])
        assert record == result.record("Ada", DAY).model_dump()
        assert record["notes"].startswith("retry rate")
    assert set(board.files) == {"README.md"}


def test_anybody_with_a_token_that_writes_may_propose(hub, online, board):
    online(hub, STRANGER)
    assert submit().is_new


def test_the_same_results_are_proposed_once_whoever_sends_them_whenever(hub, board):
    first, second = submit(), submit(day=date(2026, 2, 1), submitter="Bo")
    assert (second.page, second.is_new) == (first.page, False)
    board.merge(1)
    third = submit()
    assert not third.is_new
    assert third.number is None
    assert len(hub.asked("commit")) == 1


def test_14_a_pull_request_that_was_opened_though_the_hub_failed_is_found(hub, board, waits):
    hub.faults.order("commit", "after", status=503)
    published = submit()
    assert published.number == 1
    assert len(board.discussions) == 1
    assert waits == [sending.SHORT_WAIT_S]


@pytest.mark.parametrize("kind", ["drop", pytest.param("status", marks=pytest.mark.slow)])
def test_what_was_not_done_is_done_again(hub, board, kind):
    hub.faults.order("commit", kind, status=500)
    assert submit().is_new
    assert len(board.discussions) == 1


def test_a_hub_that_keeps_failing_has_got_nothing(hub, board, monkeypatch):
    monkeypatch.setattr(sending, "TRIES", 2)
    hub.faults.order("commit", status=503, times=None)
    with pytest.raises(NotNowError, match=r"the Hub failed \(503\)"):
        submit()
    assert not board.discussions


def test_who_may_not_propose_is_told(hub, online, board):
    online(hub, READER)
    with pytest.raises(InputError, match="your token may not write there"):
        submit()
    online(hub, None)
    with pytest.raises(InputError, match="token is missing or no longer valid"):
        submit()


def test_5_a_repository_that_is_not_there_or_not_for_this_token_is_named(hub):
    with pytest.raises(MissingRepositoryError, match="ORG/submissions: is not there, or your token may not see it"):
        submit()
    hub.create("datasets", "ORG/submissions", {"README.md": b"x"}, gated=True)
    hub.store.users[WRITER] = hub.store.users[STRANGER]
    with pytest.raises(InputError, match="asks for its terms to be accepted"):
        submit()


def test_a_pull_request_that_holds_something_else_is_not_taken_for_done(hub, board, monkeypatch):
    parcel = submission_parcel((RESULT,), "ORG/submissions", "Ada", DAY)
    kept = board.add_commit

    def loses_a_file(reference, title, description, author, changed, removed, parent=None):
        changed.pop(next((path for path in changed if path.endswith("scores.json")), None), None)
        return kept(reference, title, description, author, changed, removed, parent)

    monkeypatch.setattr(board, "add_commit", loses_a_file)
    with pytest.raises(MuseError, match="does not hold what was sent"):
        send_submission(Hub(), parcel)


def test_a_token_in_a_run_is_never_sent():
    leaking = RESULT._replace(run=f"system: {WRITER}\n".encode())
    with pytest.raises(InputError, match="run.yaml: holds what looks like a token") as told:
        submission_parcel((leaking,), "ORG/submissions", "Ada", DAY)
    assert WRITER not in str(told.value)


def test_an_address_with_a_password_is_never_sent():
    leaking = RESULT._replace(run=b"system: {name: openai:m@https://ada:secret@host/v1}\n")
    with pytest.raises(InputError, match="run.yaml: holds an address with a user and a password") as told:
        submission_parcel((leaking,), "ORG/submissions", "Ada", DAY)
    assert "secret" not in str(told.value)


ENTRY = ResultEntry("mub.yaml", "ORG/mub", None, "key", 83.33, "full, T+A, coverage 1.000, answered 0.979")
SOURCE = "https://huggingface.co/datasets/ORG/submissions/discussions/1"


def test_scores_are_proposed_to_the_models_repository_and_link_to_the_submission(hub):
    from huggingface_hub import parse_eval_result_entries

    model = hub.create("models", "ORG/model", {"README.md": b"# A model\n"})
    both = [ENTRY, ENTRY._replace(task="tempo", value=50.0)]
    published = send_results(Hub(), both, "ORG/model", SOURCE, "2026-01-31")
    assert published.page == f"{hub.url}/ORG/model/discussions/1"
    listed = yaml.safe_load(model.files_at("refs/pr/1")[".eval_results/mub.yaml"])
    key, tempo = parse_eval_result_entries(listed)
    assert (key.dataset_id, key.task_id, key.value, key.date) == ("ORG/mub", "key", 83.33, "2026-01-31")
    assert (key.source_url, key.notes) == (SOURCE, ENTRY.notes)
    assert tempo.task_id == "tempo"
    again = send_results(Hub(), both, "ORG/model", SOURCE, "2026-01-31")
    assert (again.page, again.is_new) == (published.page, False)


def test_what_others_wrote_about_other_sets_stays(hub):
    theirs = {"dataset": {"id": "ORG/other", "task_id": "accuracy"}, "value": 1.0}
    old = {"dataset": {"id": "ORG/mub", "task_id": "key"}, "value": 2.0}
    model = hub.create("models", "ORG/model", {".eval_results/mub.yaml": yaml.safe_dump([theirs, old]).encode()})
    send_results(Hub(), [ENTRY], "ORG/model", SOURCE, "2026-01-31")
    listed = yaml.safe_load(model.files_at("refs/pr/1")[".eval_results/mub.yaml"])
    assert [(each["dataset"]["id"], each["value"]) for each in listed] == [("ORG/other", 1.0), ("ORG/mub", 83.33)]


@pytest.mark.parametrize("there", ["a: [", "dataset: {id: ORG/other}", "- text", "- 2026-13-45", "[" * 5000])
def test_a_file_of_others_that_is_no_list_of_results_is_never_written_over(hub, there):
    model = hub.create("models", "ORG/model", {".eval_results/mub.yaml": there.encode()})
    with pytest.raises(InputError, match=r"\.eval_results/mub\.yaml: lies in the model's repository, but is no list"):
        send_results(Hub(), [ENTRY], "ORG/model", SOURCE, "2026-01-31")
    assert not model.discussions


@pytest.mark.parametrize("route", ["whoami", "info", "discussions"])
def test_what_is_no_hub_is_said_not_to_be_one(hub, board, monkeypatch, route):
    page = (200, b"<html>Please sign in</html>", {"Content-Type": "text/html"})
    monkeypatch.setattr(f"fakes.hub.answers.{'revision' if route == 'info' else route}", lambda _: page)
    with pytest.raises(NotNowError, match="what answers is no Hub") as told:
        Hub().writer() if route == "whoami" else submit()
    assert "\n" not in str(told.value)


def test_results_go_only_to_the_model_that_was_asked(tmp_path):
    same_model("transformers:ORG/model", "ORG/model")
    same_model(f"transformers:{tmp_path}", "ORG/model")
    same_model("openai:model@http://host", "ORG/model")
    with pytest.raises(InputError, match="the run asked ORG/other"):
        same_model("transformers:ORG/other", "ORG/model")
