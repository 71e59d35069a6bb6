import json

import pytest

from musebench_tasks.base.records import TaskConfig
from musebench_tasks.items import load_notes, load_references
from musebench_tasks.tasks import load_task


def test_notes_of_the_demo_name_wrong_options_only():
    task = load_task("musebench_demo")
    notes, references = load_notes(task), load_references(task).references
    assert set(notes) == set(references)
    for name, found in notes.items():
        assert found.core_intent
        assert found.strategies
        assert not set(found.strategies) & set(references[name].answer)


@pytest.mark.parametrize("cell", [None, "", "text", 3, [], ["text"], [{"id": "a"}]])
def test_what_is_not_as_it_should_be_counts_as_absent(tmp_path, cell):
    row = {"id": "a", "question": "?", "options": ["x", "y"], "answer": "x", "distractor_strategies": cell}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    task = TaskConfig.model_validate(
        {"task": "t", "dataset_path": str(tmp_path / "rows.jsonl"), "kind": "choice", "protocol": {"media": []},
         "metric_list": [{"metric": "accuracy"}], "metadata": {"headline": "accuracy"}}
    )  # fmt: skip
    assert dict(load_notes(task)["a"].strategies) == {}
    assert load_notes(task)["a"].core_intent is None
