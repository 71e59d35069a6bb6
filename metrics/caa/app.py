"""The page of this Space: try the metric on a few rows."""

from caa import Caa

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {
    "predictions": ["A", "", "C", "D", "A"],
    "references": ["A", "B", "C", "D", "B"],
    "num_options": [4, 8, 8, 4, 4],
}

if __name__ == "__main__":
    launch(Caa, EXAMPLE)
