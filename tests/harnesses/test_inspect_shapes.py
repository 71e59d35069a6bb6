"""Logs of Inspect in the shapes that its versions from 0.3.9 to 0.3.285 write: none loses an answer or invents one."""

import json
import warnings
import zipfile

import pytest
from fakes.harness_logs import inspect_log, read, said, write_json

from musebench_tasks.base.errors import InputError

TASK = "musebench_demo"
LONG = "The glow comes first. " * 20


def predictions(path, log=None):
    return read("inspect", path if log is None else write_json(path, log), TASK).predictions


PARTS = [{"type": "reasoning", "reasoning": "A or C?"}, {"type": "text", "text": f"{LONG}\nANSWER: B"}]


@pytest.mark.parametrize(
    "output",
    [
        said("ignored", completion=f"{LONG}\nANSWER: B"),
        said(f"{LONG}\nANSWER: B"),
        said(PARTS, completion=""),
        said("attachment://7"),
        said([{"type": "text", "text": "attachment://7"}]),
        said("ignored", completion="attachment://7"),
    ],
)
def test_the_text_is_found_wherever_a_version_puts_it(output, tmp_path):
    log = inspect_log(TASK, "text_only", [output], attachments={"7": f"{LONG}\nANSWER: B"})
    (found,) = predictions(tmp_path / "log.json", log)
    assert (found.raw, found.status, found.parsed) == (f"{LONG}\nANSWER: B", "ok", (found.option_order[1],))


def in_chunks(path, log):
    """The archive whose samples are folders; attachments have numbers in place of names."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps({name: log[name] for name in ("version", "eval", "plan")}))
        for row in log["samples"]:
            folder = f"samples/{row['id']}_epoch_{row['epoch']}"
            apart = ("metadata", "messages", "attachments")
            shell = {name: value for name, value in row.items() if name not in apart} | {"message_refs": [[0, 2]]}
            archive.writestr(f"{folder}/sample.json", json.dumps(shell))
            archive.writestr(f"{folder}/metadata.json", json.dumps(row["metadata"]))
            archive.writestr(f"{folder}/events/stats.json", json.dumps({"version": 1, "chunks": []}))
            archive.writestr(f"{folder}/messages/0.json", json.dumps(row["messages"]))
            for start in (2, 10, 0):
                archive.writestr(f"{folder}/attachments/{start}.json", json.dumps(row["attachments"][start]))


def test_an_archive_in_chunks_is_read(tmp_path):
    texts = {0: ["no", "no"], 2: [f"no {number}" for number in range(8)], 10: ["no", "ANSWER: C"]}
    log = inspect_log(TASK, "text_only", [said("attachment://11"), said("ANSWER: A")], attachments=texts)
    in_chunks(tmp_path / "log.eval", log)
    first, second = predictions(tmp_path / "log.eval")
    assert [(each.raw, each.status) for each in (first, second)] == [("ANSWER: C", "ok"), ("ANSWER: A", "ok")]
    assert first.condition == "text_only"


def test_a_sample_asked_again_counts_as_it_stands_last(tmp_path):
    log = inspect_log(TASK, "text_only", [said("", "unknown")])
    (row,) = log["samples"]
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        archive.writestr("header.json", json.dumps({name: log[name] for name in ("version", "eval", "plan")}))
        for output in (said("ANSWER: A"), said("ANSWER: D")):
            archive.writestr(f"samples/{row['id']}_epoch_1.json", json.dumps(row | {"output": output}))
    (found,) = predictions(tmp_path / "log.eval")
    assert found.raw == "ANSWER: D"


def test_answers_rewritten_after_shuffling_are_refused(tmp_path):
    log = inspect_log(TASK, "text_only", [said("ANSWER: B")])
    log["plan"]["steps"] = [{"solver": "multiple_choice", "params": {"shuffle": False}}]
    assert predictions(tmp_path / "log.json", log)
    log["plan"]["steps"][0]["params"]["shuffle"] = True
    with pytest.raises(InputError, match="multiple_choice shuffled the options and rewrote the answers"):
        predictions(tmp_path / "log.json", log)


@pytest.mark.parametrize(
    ("output", "status", "raw"),
    [
        (said("The prompt was filtered: A policy", "content_filter"), "backend_error", None),
        (said("", "stop", error="content blocked"), "backend_error", None),
        (
            said([{"type": "text", "text": "Not I.", "refusal": True}], "content_filter"),
            "refused",
            "Not I.",
        ),
        (said("", "max_tokens"), "truncated", ""),
        ({"model": "x", "choices": []}, "backend_error", None),
    ],
)
def test_what_is_no_answer_is_told_apart(output, status, raw, tmp_path):
    (found,) = predictions(tmp_path / "log.json", inspect_log(TASK, "text_only", [output]))
    assert (found.status, found.raw) == (status, raw)


def test_only_an_item_id_in_the_metadata_stands_for_the_samples_own(tmp_path):
    log = inspect_log(TASK, "text_only", [said("A")], metadata={"condition": "text_only", "id": "another"})
    item_id = log["samples"][0]["id"]
    assert [each.item_id for each in predictions(tmp_path / "log.json", log)] == [item_id]
    log["samples"][0] |= {"id": 17, "metadata": {"condition": "text_only", "item_id": item_id}}
    assert [each.item_id for each in predictions(tmp_path / "log.json", log)] == [item_id]


def test_the_words_are_known_wherever_they_stand(tmp_path):
    for change in (
        {},
        {"messages": None, "input": inspect_log(TASK, "text_only", [said("A")])["samples"][0]["messages"]},
    ):
        path = write_json(tmp_path / "log.json", inspect_log(TASK, "text_only", [said("A")], **change))
        assert read("inspect", path, TASK).words_are_ours
