"""The largest benchmark's page (4,016 items, four systems) costs little memory; its time is in benchmarks/."""

import json
import resource

import pytest
import yaml

from musebench_tasks import api
from musebench_tasks.base.records import Audio, Frames, Prediction
from musebench_tasks.items import load_items
from musebench_tasks.reports import write_report
from musebench_tasks.tasks import load_task

N_ITEMS, N_SYSTEMS = 4016, 4
MEBIBYTES = 300


def item_row(number):
    options = [f"Option {letter} of question {number}, as long as options of this benchmark are" for letter in "ABCDE"]
    asked = {"id": f"mb-{number:06d}", "kind": "single", "question": f"What does light do in view {number}?" * 3}
    place = {"video": f"media/{number % 800}.mp4", "start_s": 0.0, "end_s": 60.0, "cluster_id": str(number % 800)}
    return {
        **asked,
        **place,
        "options": options,
        "answer": [options[number % 5]],
        "category": "Stage",
        "subdomain": "Performance",
    }


def prediction(item, number):
    return Prediction(
        item_id=item.id,
        run=0,
        condition="full",
        option_order=item.option_ids,
        raw="The light falls from the left, and so the answer is " * 3,
        parsed=(item.option_ids[number % 5],),
        status="ok",
        frames=Frames(available=60, used=32, policy="uniform"),
        audio=Audio(route="native", seconds=60.0),
    )


@pytest.fixture
def large_run(built, tmp_path, monkeypatch):
    monkeypatch.setenv("MUSEBENCH_DATA", str(tmp_path))
    data = tmp_path / "musebench"
    data.mkdir()
    (data / "test.jsonl").write_text("\n".join(json.dumps(item_row(number)) for number in range(N_ITEMS)))
    loaded = load_items(load_task("musebench"))
    config = yaml.safe_load((built / "random" / "musebench_demo" / "run.yaml").read_text())
    config |= {"task": "musebench", "protocol": {**config["protocol"], "conditions": ["full"]}}
    config["benchmark"] |= {"name": "musebench", "data_sha256": loaded.data_sha256, "selection": None}
    for system in range(N_SYSTEMS):
        folder = tmp_path / "large" / f"system-{system}" / "musebench"
        folder.mkdir(parents=True)
        config["system"]["name"] = f"system-{system}"
        (folder / "run.yaml").write_text(yaml.safe_dump(config))
        lines = (prediction(item, number + system).canonical_json() for number, item in enumerate(loaded.items))
        (folder / "predictions.jsonl").write_text("\n".join(lines))
    api.score_run(tmp_path / "large")
    return tmp_path / "large"


@pytest.mark.slow
def test_a_large_page_costs_little_memory(large_run):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    path = write_report([large_run])
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < MEBIBYTES
    assert path.read_text().count("<article") == N_ITEMS
