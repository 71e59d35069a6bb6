"""The page of this Space: try the metric on a few rows."""

from mub_tempo import MubTempo

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {"predictions": [41.6, 200, None, 150], "references": [40, 100, 120, 100], "version": "acc2/1"}

if __name__ == "__main__":
    launch(MubTempo, EXAMPLE)
