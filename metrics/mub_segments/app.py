"""The page of this Space: try the metric on a few rows."""

from mub_segments import MubSegments

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {
    "predictions": [[{"start_s": 0, "end_s": 10.5, "label": "a"}, {"start_s": 10.5, "end_s": 20, "label": "b"}]],
    "references": [[{"start_s": 0, "end_s": 10, "label": "a"}, {"start_s": 10, "end_s": 20, "label": "b"}]],
    "durations_s": [20],
}

if __name__ == "__main__":
    launch(MubSegments, EXAMPLE)
