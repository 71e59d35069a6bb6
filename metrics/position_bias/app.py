"""The page of this Space: try the metric on a few rows."""

from position_bias import PositionBias

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {"predictions": ["A", "A", "B", "A"], "references": ["A", "B", "B", "D"], "num_options": 4, "fewest_gold": 1}

if __name__ == "__main__":
    launch(PositionBias, EXAMPLE)
