"""Tasks: YAML files as checked configurations, and the plan that follows from them."""

from musebench_tasks.tasks.check import check_file, check_files, task_files
from musebench_tasks.tasks.denominator import conditions_of, planned, shown_order
from musebench_tasks.tasks.index import TaskEntry, is_path, leads_elsewhere, list_tasks
from musebench_tasks.tasks.load import load_suite, load_task, load_tasks
from musebench_tasks.tasks.metrics import METRICS, Metric, default_version

__all__ = [
    "METRICS",
    "Metric",
    "TaskEntry",
    "check_file",
    "check_files",
    "conditions_of",
    "default_version",
    "is_path",
    "leads_elsewhere",
    "list_tasks",
    "load_suite",
    "load_task",
    "load_tasks",
    "planned",
    "shown_order",
    "task_files",
]
