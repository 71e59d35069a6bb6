"""What a ping found, in plain words: the records that are shown and written as JSON."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from musebench_tasks.base.records.base import Record
from musebench_tasks.models.ping.growth import Growth, Point


class State(StrEnum):
    """What a finding means for a run."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing; scores stay what they are."""
    WARN = "warn"
    """Scores would be others than the model deserves."""


class Finding(Record):
    """One line of the report."""

    topic: str
    state: State
    told: str
    advice: str | None = None
    """What to do about it."""


class Ladder(Record):
    """More and more of one kind of medium."""

    way: str
    unit: str
    """pictures or seconds."""
    points: tuple[Point, ...]
    growth: Growth
    sent: int
    """The largest amount that the server accepted."""
    seen: int | None = None
    """How much of that the model told: numbers read, beeps counted. None = it told none."""
    counts: dict[int, int | None] = Field(default_factory=dict)
    """Beeps counted in fewer seconds, where not all were counted in the most."""
    refused_at: int | None = None
    refusal: str | None = None


class Ping(Record):
    """Everything about one model behind one address."""

    address: str
    model: str
    server: str | None = None
    """What it calls itself in its list of models."""
    max_model_len: int | None = None
    sends: tuple[str, ...]
    """The ways in which a run sends media there."""
    findings: tuple[Finding, ...]
    ladders: tuple[Ladder, ...] = ()
    latency_s: dict[str, float]
    """Seconds to the first token, by what was sent."""

    @property
    def is_fine(self) -> bool:
        """Whether a run would measure what it says."""
        return all(finding.state is not State.WARN for finding in self.findings)
