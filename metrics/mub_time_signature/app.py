"""The page of this Space: try the metric on a few rows."""

from mub_time_signature import MubTimeSignature

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {"predictions": ["4/4", "4/4", None, "3/4"], "references": ["4/4", "4/4", "3/4", "6/8"]}

if __name__ == "__main__":
    launch(MubTimeSignature, EXAMPLE)
