"""Tempo as an exact value: integer micro-BPM (music_metrics.md 2)."""

from musebench_tasks.values.micro import to_micro

MicroBpm = int
"""Millionths of a beat per minute."""

__all__ = ["MicroBpm", "to_micro"]
