"""A benchmark of twelve questions without media, three systems that answered it, and their submissions."""

import csv
import json
import re
import shutil

import pytest
from fakes.submissions import edit_predictions, edit_run, hand_in

from musebench_tasks import api
from musebench_tasks.items import load_items
from musebench_tasks.submissions.leaderboard import build_leaderboard
from musebench_tasks.tasks import load_task

ITEMS = 12
TASK = """\
task: colours
dataset_path: {data}
kind: choice
columns: {{id: id, question: question, options: options, answer: answer, cluster_id: cluster}}
protocol: {{media: [], conditions: [full, text_only], runs: 1}}
metric_list: [{{metric: accuracy}}, {{metric: caa}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
OPTIONS = ["red", "green", "blue"]


class Colours:
    """The folder with data, task, runs and submissions."""

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "data"
        self.task_file = folder / "colours.yaml"
        self.submissions = folder / "hub"

    @property
    def task(self):
        return load_task(self.task_file)

    def write(self, answers=None, without=(), version="1.0"):
        """The data: option number % 3 is right unless `answers` says otherwise."""
        rows = [
            {
                "id": f"item-{number:02}",
                "question": f"Question {number}?",
                "options": OPTIONS,
                "answer": OPTIONS[(answers or {}).get(number, number % 3)],
                "cluster": f"c{number % 6}",
                "version": version,
            }
            for number in range(ITEMS)
            if number not in without
        ]
        self.data.mkdir(exist_ok=True)
        (self.data / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.task_file.write_text(TASK.format(data=self.data))

    @property
    def sha256(self):
        return load_items(self.task).data_sha256

    def errata(self, text):
        (self.data / "errata.yaml").write_text(text)

    def check(self, folder, **more):
        return api.check_submission(folder, api.Benchmarks({"colours": self.task}), **more)

    def build(self, **more):
        return build_leaderboard(self.submissions, tasks=[str(self.task_file)], **more)


def right(wrong):
    """Predictions that are right except for some numbers."""

    def change(line):
        number = int(line["item_id"].removeprefix("item-"))
        line["parsed"] = [line["option_order"][(number + (number in wrong)) % 3]]
        return {**line, "raw": OPTIONS[(number + (number in wrong)) % 3], "rule": "whole_response", "status": "ok"}

    return change


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Written once: data, and the runs and submissions of three systems; `ash` has the most right."""
    place = Colours(tmp_path_factory.mktemp("colours"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(tmp_path_factory.getbasetemp() / "musebench-cache"))
        place.write()
        api.run(tasks=[str(place.task_file)], model="random", out=place.folder / "run")
        run = place.folder / "run" / "random" / "colours"
        for name, wrong in {"ash": {0}, "birch": {1, 2}, "cedar": {3, 4, 5, 6, 7}}.items():
            folder = shutil.copytree(run, place.folder / name / "colours")
            edit_run(folder, system={"name": name})
            edit_predictions(folder, right(wrong))
            api.score(folder)
            hand_in(folder, place.submissions)
    return place


@pytest.fixture
def colours(made, tmp_path):
    """A copy of it to do with as one likes."""
    place = Colours(shutil.copytree(made.folder, tmp_path / "colours"))
    place.write()
    for file in place.folder.rglob("task.yaml"):
        file.write_text(file.read_text().replace(str(made.data), str(place.data)))
    return place


@pytest.fixture
def submission(colours):
    """The folder of ash's submission."""
    return next(colours.submissions.glob("submissions/data/ash/*"))


@pytest.fixture
def run_folder(colours):
    return colours.folder / "ash" / "colours"


class Built:
    """A board that was built: its words and its lines."""

    def __init__(self, outcome):
        self.outcome = outcome
        self.html = outcome.page.read_text()
        self.text = " ".join(re.sub(r"<[^>]+>", " ", self.html.partition("<body>")[2].partition("<script>")[0]).split())
        with (outcome.page.parent / "leaderboard.csv").open(newline="") as file:
            self.lines = list(csv.DictReader(file))

    @property
    def headlines(self):
        return [line for line in self.lines if line["is_headline"] == "yes" and line["kind"] != "baseline"]

    def of(self, system):
        return next(line for line in self.headlines if line["system"] == system)


@pytest.fixture
def board(colours):
    return lambda **more: Built(colours.build(**more))


@pytest.fixture
def also(colours):
    """Hands in another submission: ash's run with some things changed."""

    def hand(name, change=lambda line: line, *, told=None, **blocks):
        run = shutil.copytree(colours.folder / "ash" / "colours", colours.folder / name / "colours")
        edit_run(run, system={"name": name, **blocks.pop("system", {})}, **blocks)
        edit_predictions(run, change)
        api.score(run)
        return hand_in(run, colours.submissions, **(told or {}))

    return hand
