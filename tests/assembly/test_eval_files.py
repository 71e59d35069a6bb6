"""eval.yaml: what the Hub shows as boards of a dataset, one for each headline number."""

import pytest
import yaml

from musebench_tasks.base.resources import demo_directory, resource
from musebench_tasks.hub.results import METRICS

TASKS = {
    "musebench": ["accuracy", "caa"],  # the headline numbers of its paper
    "hummusqa": ["accuracy", "choice_consistency"],
    "mub": ["key", "tempo", "time_signature", "segments"],
}


def read(path):
    return yaml.safe_load((path / "eval.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("dataset", TASKS)
def test_every_task_is_a_number_that_its_benchmark_is_scored_by(dataset):
    told = read(resource("dataset_scripts") / dataset)
    assert [each["id"] for each in told["tasks"]] == TASKS[dataset]
    assert {(each["config"], each["split"]) for each in told["tasks"]} == {("default", "test")}
    assert set(TASKS[dataset]) <= METRICS.keys()


@pytest.mark.parametrize("dataset", TASKS)
def test_a_demo_has_the_tasks_of_its_benchmark_and_never_its_name(dataset):
    demo, real = read(demo_directory(dataset)), read(resource("dataset_scripts") / dataset)
    assert demo["tasks"] == real["tasks"]
    assert demo["name"] == f"{real['name']} demo"
    assert demo["description"].startswith("A demonstration, not the ")
