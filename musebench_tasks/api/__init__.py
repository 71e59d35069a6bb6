"""What the package does as functions: the only place where rooms are wired together."""

from typing import TYPE_CHECKING

from musebench_tasks.base.exports import exported

if TYPE_CHECKING:
    from musebench_tasks.api.exporting import WrittenFiles, export_run
    from musebench_tasks.api.importing import Imported, import_log
    from musebench_tasks.api.prefix_checks import prefix_lines
    from musebench_tasks.api.resolve import read_conditions
    from musebench_tasks.api.running import run
    from musebench_tasks.api.scoring import MIN_COVERAGE, least_covered, score, score_run
    from musebench_tasks.api.settings import Failure, Listener, RunOutcome, RunSettings
    from musebench_tasks.api.usage import remarks, usage_lines
    from musebench_tasks.estimates.score import EstimateScores, estimates_json, estimates_writer, score_estimates
    from musebench_tasks.evaluation.run_scores import load_scorecards
    from musebench_tasks.inference import leads, stopped_in_order
    from musebench_tasks.inference.usage import Usage, read_usage
    from musebench_tasks.submissions.check import Benchmarks, CheckedSubmission, check_submission
    from musebench_tasks.submissions.validate import validate
    from musebench_tasks.submissions.verify import verify

__all__ = [
    "MIN_COVERAGE",
    "Benchmarks",
    "CheckedSubmission",
    "EstimateScores",
    "Failure",
    "Imported",
    "Listener",
    "RunOutcome",
    "RunSettings",
    "Usage",
    "WrittenFiles",
    "check_submission",
    "estimates_json",
    "estimates_writer",
    "export_run",
    "import_log",
    "leads",
    "least_covered",
    "load_scorecards",
    "prefix_lines",
    "read_conditions",
    "read_usage",
    "remarks",
    "run",
    "score",
    "score_estimates",
    "score_run",
    "stopped_in_order",
    "usage_lines",
    "validate",
    "verify",
]

__getattr__ = exported(
    __name__,
    {
        "musebench_tasks.api.resolve": "read_conditions",
        "musebench_tasks.api.exporting": "WrittenFiles export_run",
        "musebench_tasks.api.importing": "Imported import_log",
        "musebench_tasks.api.prefix_checks": "prefix_lines",
        "musebench_tasks.api.running": "run",
        "musebench_tasks.api.scoring": "MIN_COVERAGE least_covered score score_run",
        "musebench_tasks.api.settings": "Failure Listener RunOutcome RunSettings",
        "musebench_tasks.api.usage": "remarks usage_lines",
        "musebench_tasks.estimates.score": "EstimateScores estimates_json estimates_writer score_estimates",
        "musebench_tasks.evaluation.run_scores": "load_scorecards",
        "musebench_tasks.inference": "leads stopped_in_order",
        "musebench_tasks.inference.usage": "Usage read_usage",
        "musebench_tasks.submissions.check": "Benchmarks CheckedSubmission check_submission",
        "musebench_tasks.submissions.validate": "validate",
        "musebench_tasks.submissions.verify": "verify",
    },
)
