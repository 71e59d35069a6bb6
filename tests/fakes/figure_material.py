"""Answers of several systems to one task, as a report reads them, without any file."""

from pathlib import Path

from fakes.scored_material import HASHES, run_config

from musebench_tasks.base.records import Condition, SystemBlock
from musebench_tasks.evaluation.scorecard import make_scorecard
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.runs import Part


def make_answers(task, items, references, systems, conditions=(Condition.FULL,), tiers=None):
    """`systems`: name and predictions of each; `references`: a list."""
    by_id = {each.item_id: each for each in references}
    parts = [
        _part(task, items, by_id, name, predictions, conditions, (tiers or {}).get(name))
        for name, predictions in systems.items()
    ]
    return TaskAnswers(task, tuple(items), by_id, tuple(parts))


def parts_of(answers):
    return [each.part for each in answers.parts]


def _part(task, items, references, name, predictions, conditions, tier):
    config = run_config(task, conditions)
    config = config.model_copy(update={"system": SystemBlock(name=name, tier=tier)})
    card = make_scorecard(task, items, references, predictions, config, HASHES)
    part = Part(Path("run"), Path("run") / str(len(name)) / f"{abs(sum(map(ord, name)))}", config, card)
    return PartAnswers(part, tuple(items), {(p.item_id, p.run, p.condition): p for p in predictions}, {})
