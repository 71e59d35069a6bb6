"""Runs of a checkpoint: checked by workers, the same answers however prompts are read and wherever a run stops."""

import json

import pytest

from musebench_tasks import run
from musebench_tasks.api import RunSettings, prefix_lines
from musebench_tasks.api.settings import Quiet
from musebench_tasks.cli import main

TASK = "hummusqa_demo"


def asked(out, tiny_model, **settings):
    options, listener = settings.pop("options", {}), settings.pop("listener", None)
    spec = f"transformers:{tiny_model('qwen2_audio')}"
    settings = RunSettings(model_options=options, **settings)
    outcome = run(tasks=TASK, model=spec, out=out, limit=3, settings=settings, listener=listener)
    (place,) = out.glob(f"*/{TASK}")
    return place, prefix_lines(out, [card.system for card in outcome.scorecards], outcome.prefix_checks)


def responses_in(place):
    journals = sorted((place / "responses").glob("worker-*.jsonl"))
    return [json.loads(line) for path in journals for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_workers_report_what_they_checked(tmp_path, tiny_model):
    place, told = asked(tmp_path, tiny_model, processes=2, verify_prefix=5)
    responses = responses_in(place)
    checked = [each for each in responses if each["prefix"].get("check")]
    assert len(checked) == 5
    assert len({each["item_id"] for each in checked}) > 1
    ((_, text),) = told
    assert text.startswith("5 of 5 requests asked again plainly: logits differ by at most ")
    assert text.endswith("no answers changed")


@pytest.mark.slow
def test_predictions_are_the_same_bytes_however_prompts_are_read(tmp_path, tiny_model):
    for answering in ("text", "letters"):
        texts = set()
        for prefix in ("shared", "sequential", "plain"):
            place, _ = asked(
                tmp_path / answering / prefix, tiny_model, options={"answering": answering, "prefix": prefix}
            )
            texts.add((place / "predictions.jsonl").read_text())
            assert {each["prefix"]["mode"] for each in responses_in(place)} == {
                {"shared": "batched", "sequential": "shared", "plain": "plain"}[prefix]
            }
        assert len(texts) == 1


def test_the_command_chooses_how_prompts_are_read_and_checks(tmp_path, tiny_model, capsys):
    command = ["run", "--tasks", TASK, "--model", f"transformers:{tiny_model('qwen2_audio')}", "--limit", "1"]
    out = tmp_path / "run"
    assert main([*command, "--out", str(out), "--no-report", "--verify-prefix", "2", "--prefix", "sequential"]) == 0
    told = capsys.readouterr()
    assert "2 of 2 requests asked again plainly: logits differ by at most" in told.err
    (place,) = out.glob(f"*/{TASK}")
    assert "prefix: sequential" in (place / "run.yaml").read_text()
    again = [*command, "--out", str(out), "--no-report", "--verify-prefix", "9", "--prefix", "sequential"]
    assert main(again) == 0
    told = capsys.readouterr().err
    assert "0 of 9 requests asked again plainly (of 4 in all: 4 answered before)\n" in told
    assert "2 asked again before, when this run was begun: logits differ by at most" in told
    assert main([*command, "--out", str(out), "--no-report"]) == 2
    assert "differs from what you ask now in decoding.prefix (sequential, now shared)" in capsys.readouterr().err


class Stop(Exception):
    pass


class StopsAfter(Quiet):
    """Ends the run once so many answers are in the journal, as a kill would."""

    def __init__(self, count):
        self.left = count + 1  # the first call only says that a task begins

    def progressed(self, model, task, progress, headline):
        self.left -= 1
        if self.left == 0:
            raise Stop


@pytest.mark.slow
@pytest.mark.parametrize("answering", ["text", "letters"])
def test_a_run_stopped_after_any_answer_of_a_group_ends_with_the_same_bytes(tmp_path, tiny_model, answering):
    options = {"answering": answering}
    whole, _ = asked(tmp_path / "whole", tiny_model, options=options)
    wanted = (whole / "predictions.jsonl").read_text()
    for count in range(1, 8):  # two groups of four orders
        out = tmp_path / str(count)
        with pytest.raises(Stop):
            asked(out, tiny_model, options=options, listener=StopsAfter(count))
        (place,) = out.glob(f"*/{TASK}")
        assert len(responses_in(place)) == count
        place, _ = asked(out, tiny_model, options=options)
        assert (place / "predictions.jsonl").read_text() == wanted
        keys = [each["key"] for each in responses_in(place)]
        assert len(keys) == len(set(keys))
        assert {each["prefix"]["mode"] for each in responses_in(place)} == {"batched"}
