"""Publishes on the Hugging Face Hub: datasets, metrics, submissions and results."""

from musebench_tasks.hub.connection import Account, ConflictError, Hub, MissingRepositoryError, NotNowError
from musebench_tasks.hub.dataset import DataFolder, push_folder, read_folder
from musebench_tasks.hub.metric_spaces import push_metrics
from musebench_tasks.hub.results import Entry, entries_of, send_results
from musebench_tasks.hub.sending import Published, propose, publish
from musebench_tasks.hub.submission import Result, send_submission, submission_parcel

__all__ = [
    "Account",
    "ConflictError",
    "DataFolder",
    "Entry",
    "Hub",
    "MissingRepositoryError",
    "NotNowError",
    "Published",
    "Result",
    "entries_of",
    "propose",
    "publish",
    "push_folder",
    "push_metrics",
    "read_folder",
    "send_results",
    "send_submission",
    "submission_parcel",
]
