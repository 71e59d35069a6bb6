"""A real multimodal architecture answers all three tasks: video, sound and text in one prompt."""

import json
from collections import Counter

import pytest
import yaml

from musebench_tasks import load_task, run
from musebench_tasks.api import RunSettings
from musebench_tasks.items import load_items

TASKS = ["musebench_demo", "hummusqa_demo", "mub_demo"]


def test_the_tiny_omni_model_answers_all_three_tasks(tiny_omni, tmp_path):
    outcome = run(tasks=TASKS, model=f"transformers:{tiny_omni}", out=tmp_path / "run", limit=3)
    assert [card.task for card in outcome.scorecards] == TASKS
    for card in outcome.scorecards:
        whole = card.counts[0]
        task = load_task(card.task)
        assert whole.planned == 3 * task.protocol.runs
        assert sum(whole.statuses.values()) == whole.planned
        assert whole.coverage == 1.0, outcome.failures
        _check_what_was_received(tmp_path / "run", task)


@pytest.mark.slow
def test_letters_and_plain_reading_are_named_in_the_results(tiny_omni, tmp_path):
    asked = RunSettings(model_options={"answering": "letters", "prefix": "plain"})
    run(tasks=["hummusqa_demo"], model=f"transformers:{tiny_omni}", out=tmp_path / "run", limit=2, settings=asked)
    (place,) = (tmp_path / "run").glob("*/hummusqa_demo")
    decoding = yaml.safe_load((place / "run.yaml").read_text())["decoding"]
    assert (decoding["answering"], decoding["prefix"]) == ("letters", "plain")
    predictions = [json.loads(line) for line in (place / "predictions.jsonl").read_text().splitlines()]
    by_letter = [each for each in predictions if each["option_probabilities"]]
    assert by_letter
    assert {each["parser"]["method"] for each in by_letter} == {"letters"}
    assert {each["rule"] for each in by_letter} <= {"letter_probability", "ambiguous"}


def _check_what_was_received(folder, task):
    (place,) = folder.glob(f"*/{task.task}")
    responses = [json.loads(line) for line in (place / "responses" / "worker-0.jsonl").read_text().splitlines()]
    predictions = [json.loads(line) for line in (place / "predictions.jsonl").read_text().splitlines()]
    decoding = yaml.safe_load((place / "run.yaml").read_text())["decoding"]
    assert {name: decoding[name] for name in ("answering", "prefix", "reasoning", "context_tokens")} == {
        "answering": "text",
        "prefix": "shared",
        "reasoning": None,
        "context_tokens": 32_768,
    }
    windows = {item.id: item.window_s for item in load_items(task).items}
    assert Counter(each["key"] for each in responses).most_common(1)[0][1] == 1
    for each in responses:
        received = each["received"]
        parts = received.get("audio_parts") or 1
        expected_s = min(windows[each["item_id"]], 30.0 * parts)
        assert abs(received["audio_s"] - expected_s) < 1.0 or "audio_truncated" in received["flags"]
        assert received["media_tokens"] > 0
        assert each["prompt_tokens"] > received["media_tokens"]
        if task.task == "musebench_demo":
            assert 0 < received["frames_used"] <= received["frames_available"]
        else:
            assert received.get("frames_used") is None
    for each in predictions:
        assert each["audio"]["route"] == "native"
        assert (each["frames"] is None) == (task.task != "musebench_demo")
