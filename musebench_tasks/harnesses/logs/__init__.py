"""Logs of other harnesses read as answers to our requests."""

from musebench_tasks.harnesses.logs.matching import Matched, match
from musebench_tasks.harnesses.logs.rows import Log, LoggedAnswer
from musebench_tasks.harnesses.logs.sources import SOURCES, read_log

__all__ = ["SOURCES", "Log", "LoggedAnswer", "Matched", "match", "read_log"]
