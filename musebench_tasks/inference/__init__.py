"""From items to journalled responses: requests, plan, leases, workers. Knows no gold."""

from musebench_tasks.inference.journal import Journal, JournalReader, journal_path, read_responses
from musebench_tasks.inference.launch import Job, journal_sizes, open_tasks, own_worker_number, run_here, run_processes
from musebench_tasks.inference.plan import WorkUnit, plan_units
from musebench_tasks.inference.progress import Progress
from musebench_tasks.inference.requests import build_requests, unsupported
from musebench_tasks.inference.work import Observer, TaskPlan, work

__all__ = [
    "Job",
    "Journal",
    "JournalReader",
    "Observer",
    "Progress",
    "TaskPlan",
    "WorkUnit",
    "build_requests",
    "journal_path",
    "journal_sizes",
    "open_tasks",
    "own_worker_number",
    "plan_units",
    "read_responses",
    "run_here",
    "run_processes",
    "unsupported",
    "work",
]
