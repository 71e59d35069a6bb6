"""The page of this Space: try the metric on a few rows."""

from gwet_ac2 import GwetAc2

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {"predictions": [[5, 4, 4, 5, 3, 5], [5, 5, 4, 4, 3, 4]], "categories": [0, 1, 2, 3, 4, 5]}

if __name__ == "__main__":
    launch(GwetAc2, EXAMPLE)
