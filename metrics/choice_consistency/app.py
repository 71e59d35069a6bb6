"""The page of this Space: try the metric on a few rows."""

from choice_consistency import ChoiceConsistency

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {
    "predictions": [
        ["a", "a", "a", "a"],
        ["b", "b", "b", "b"],
        ["a", "a", "a", "b"],
        ["a", "a", "", "a"],
        ["a", "b", "c", "d"],
    ],
    "references": ["a", "a", "a", "a", "a"],
}

if __name__ == "__main__":
    launch(ChoiceConsistency, EXAMPLE)
