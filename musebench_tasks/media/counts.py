"""What decoding cost: how often a medium was opened, how many frames were decoded for how many that are used.

The decode process counts each job and sends the counts with its reply; this process adds them up by medium. Read them
by `decode_counts()`; entries that come from the cache cost nothing and count nothing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass
class DecodeCounts:
    """Work done in the decode process."""

    scans: int = 0
    """Times that all packets of a medium were read to learn what is in it; nothing is decoded for that."""
    opens: int = 0
    """Times that a medium was opened for decoding."""
    frames_decoded: int = 0
    """Frames that came out of the decoder."""
    frames_converted: int = 0
    """Of these, frames scaled and converted to RGB, once for each size wanted."""
    frames_used: int = 0
    """Different source frames that entries hold, once for each size wanted."""
    audio_s_decoded: float = 0.0
    """Seconds of sound that came out of the decoder."""
    audio_s_used: float = 0.0
    """Seconds of sound that entries hold, added up over the entries."""
    cpu_s: float = 0.0
    """CPU seconds of the decode process over its jobs, its start-up excluded."""

    def add(self, other: DecodeCounts) -> None:
        """Add what another job cost."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def reset(self) -> None:
        """Start from zero."""
        for field in fields(self):
            setattr(self, field.name, field.default)

    def as_message(self) -> dict[str, Any]:
        """Plain numbers by name."""
        return asdict(self)


_counts: dict[str, DecodeCounts] = {}


def note_counts(path: str, message: dict[str, Any]) -> None:
    """Add what a job on the medium at `path` cost."""
    _counts.setdefault(path, DecodeCounts()).add(DecodeCounts(**message))


def decode_counts() -> dict[str, DecodeCounts]:
    """What this process had decoded since its start or the last `reset_decode_counts`, by the medium's path."""
    return dict(_counts)


def reset_decode_counts() -> None:
    """Count from zero again."""
    _counts.clear()
