"""The page of this Space: try the metric on a few rows."""

from mub import Mub

from musebench_tasks.metric_modules.page import launch

EXAMPLE = {
    "predictions": [{"id": "b", "tempo_bpm": 60, "key": "A minor"}],
    "recordings": [{"id": "a", "tempo_bpm": 100, "key": "G major"}, {"id": "b", "tempo_bpm": 120, "key": "C major"}],
}

if __name__ == "__main__":
    launch(Mub, EXAMPLE)
