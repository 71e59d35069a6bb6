"""Logs of other harnesses read as answers to our requests."""

from musebench_tasks.bridges.logs.matching import Matched, match
from musebench_tasks.bridges.logs.rows import Log, LoggedAnswer
from musebench_tasks.bridges.logs.sources import SOURCES, read_log

__all__ = ["SOURCES", "Log", "LoggedAnswer", "Matched", "match", "read_log"]
