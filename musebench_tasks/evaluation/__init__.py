"""From responses to scores: what was answered is read, joined to the plan, and scored."""

from musebench_tasks.evaluation.estimated import Estimate
from musebench_tasks.evaluation.files import read_scorecard
from musebench_tasks.evaluation.join import join, read_predictions
from musebench_tasks.evaluation.read_answers import read_answer, read_answers
from musebench_tasks.evaluation.recordings import Recording, RecordingScores, score_recordings
from musebench_tasks.evaluation.running import RunningHeadline
from musebench_tasks.evaluation.scorecard import make_scorecard

__all__ = [
    "Estimate",
    "Recording",
    "RecordingScores",
    "RunningHeadline",
    "join",
    "make_scorecard",
    "read_answer",
    "read_answers",
    "read_predictions",
    "read_scorecard",
    "score_recordings",
]
