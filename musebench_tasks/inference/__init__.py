"""From items to journalled responses: requests, plan, leases, workers. Knows no gold."""

from musebench_tasks.inference.endings import stopped_in_order
from musebench_tasks.inference.journal import (
    Journal,
    JournalReader,
    journal_path,
    journal_sizes,
    read_responses,
    retry_positions,
)
from musebench_tasks.inference.launch import Job, open_tasks, run_here, run_processes
from musebench_tasks.inference.progress import Progress
from musebench_tasks.inference.ranks import leads, own_local_rank, own_rank, take_device_from_launcher
from musebench_tasks.inference.requests import build_requests, unsupported
from musebench_tasks.inference.sharing import Sharing
from musebench_tasks.inference.task_plan import Observer, RunBudget, TaskPlan
from musebench_tasks.inference.work import work
from musebench_tasks.inference.work_units import WorkUnit, plan_units

__all__ = [
    "Job",
    "Journal",
    "JournalReader",
    "Observer",
    "Progress",
    "RunBudget",
    "Sharing",
    "TaskPlan",
    "WorkUnit",
    "build_requests",
    "journal_path",
    "journal_sizes",
    "leads",
    "open_tasks",
    "own_local_rank",
    "own_rank",
    "plan_units",
    "read_responses",
    "retry_positions",
    "run_here",
    "run_processes",
    "stopped_in_order",
    "take_device_from_launcher",
    "unsupported",
    "work",
]
