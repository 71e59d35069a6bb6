"""The page of this Space: try the metric on a few rows."""

from set_f1 import SetF1

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {
    "predictions": [["A", "C"], ["B"], ["A", "B", "C", "D"], [], ["A", "B"]],
    "references": [["A", "C", "E"], ["B", "D"], ["A", "B"], ["A", "B"], ["A", "B"]],
}

if __name__ == "__main__":
    launch(SetF1, EXAMPLE)
