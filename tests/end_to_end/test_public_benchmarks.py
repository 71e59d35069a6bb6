"""The five public benchmarks from data to scores, on made-up rows in their columns and folders."""

import json

import pytest
from fakes.public_benchmarks import MAKERS, PLACES

from musebench_tasks.cli import main


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_a_run_answers_and_scores_every_item(tmp_path, monkeypatch, name):
    write, row = MAKERS[name]
    write(tmp_path / "data" / PLACES.get(name, name), [row(number) for number in range(4)])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUSEBENCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MUSEBENCH_CACHE", str(tmp_path / "cache"))
    command = ["run", "--tasks", name, "--model", "random", "--conditions", "full,text_only", "--no-report"]
    assert main(command) == 0
    lines = (tmp_path / f"runs/{name}-random/random/{name}/predictions.jsonl").read_text().splitlines()
    asked = [json.loads(line) for line in lines]
    assert len(asked) == 8
    assert {line["status"] for line in asked} == {"ok"}
