"""The page of this Space: try the metric on a few rows."""

from mub_key import MubKey

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {
    "predictions": ["A minor", "F#", None, "D# minor"],
    "references": ["C major", "Gb major", "D minor", "Eb minor"],
}

if __name__ == "__main__":
    launch(MubKey, EXAMPLE)
