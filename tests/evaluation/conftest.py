import pytest
from fakes.scored_material import HASHES, run_config

from musebench_tasks.base.records import Condition
from musebench_tasks.evaluation.scorecard import make_scorecard


@pytest.fixture
def score():
    def score(task, items, references, predictions, conditions=(Condition.FULL,)):
        config = run_config(task, conditions)
        return make_scorecard(task, items, {each.item_id: each for each in references}, predictions, config, HASHES)

    return score
