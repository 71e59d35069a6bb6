"""Logs of other harnesses read as answers to our requests."""

from musebench_tasks.harnesses.logs.matching import SOURCES, Matched, match, read_log
from musebench_tasks.harnesses.logs.rows import Log, LoggedAnswer

__all__ = ["SOURCES", "Log", "LoggedAnswer", "Matched", "match", "read_log"]
