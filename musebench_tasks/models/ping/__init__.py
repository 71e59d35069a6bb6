"""What really arrives at a chat-completions server: a probe clip, questions about it, and what follows from both."""

from musebench_tasks.models.ping.findings import Finding, Growth, Ladder, Ping, Point, Shape, State
from musebench_tasks.models.ping.ping import ping
from musebench_tasks.models.ping.wire import Target, read_target

__all__ = ["Finding", "Growth", "Ladder", "Ping", "Point", "Shape", "State", "Target", "ping", "read_target"]
