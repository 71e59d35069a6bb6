"""What a run is given beside its question, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from musebench_tasks.api.prefix_checks import Checks
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Scorecard, ScoreRow, Status
from musebench_tasks.inference import Progress, Sharing

Headline = Callable[[], ScoreRow | None]
"""Computes the score so far when called."""


@dataclass(frozen=True)
class RunSettings:
    """How a run is done, beside what it asks."""

    processes: int = 1
    reuse: tuple[Path, ...] = ()
    retry_errors: bool = False
    offline: bool = False
    model_options: Mapping[str, Any] | None = None
    """Keyword arguments of `load_model`, for example max_frames."""
    judge: str | None = None
    """`openai:MODEL@URL`: reads the choice answers that the rules left unparsed; None = the rules alone."""
    prices: Path | None = None
    """A file of prices a model: what answers cost is then recorded with them."""
    budget_usd: float | None = None
    """US dollars that the run may cost by `prices`; once they are spent nothing more is asked."""
    unit_timeout_s: float | None = None
    """Seconds without an answer after which a worker hangs at a medium: others take over. None = by what it holds."""
    may_end_process: bool = False
    """Whether this very process may be ended where a model hangs in it; worker processes always are."""
    frames: str | None = None
    """How frames of films are chosen, in place of what tasks say (`Protocol.frames`)."""
    chunk: float | Literal["limit", "none"] | None = None
    """Seconds of the parts that long sound comes in, in place of what tasks say (`Protocol.chunking`)."""

    verify_prefix: int = 0
    """So many requests of a model are asked again with their prompts read whole, to compare (`prefix_checks`)."""

    def __post_init__(self) -> None:
        """InputError for a budget that nothing could be held against, and for checks of what is not done."""
        if self.budget_usd is not None and self.prices is None:
            raise InputError("A budget needs prices: add --prices FILE, with US dollars per million tokens a model.")
        if self.verify_prefix and (self.model_options or {}).get("prefix") == "plain":
            raise InputError(
                "--prefix plain and --verify-prefix contradict each other: where every prompt is read whole, there is "
                "nothing to compare. Leave one of them out."
            )

    @property
    def load_options(self) -> dict[str, Any]:
        """Keyword arguments of `load_model` for every model of the run."""
        prices = {} if self.prices is None else {"prices": self.prices}
        return {**prices, **(self.model_options or {})}


class Listener(Protocol):
    """Is told how a run goes."""

    def noticed(self, task: str, text: str) -> None:
        """Something about a task that the user will want to know before waiting for it."""

    def skipped(self, model: str, task: str, condition: str, reason: str) -> None:
        """A model cannot be asked a task under a condition."""

    def progressed(self, model: str, task: str, progress: Progress, headline: Headline) -> None:
        """Something was answered, or a task begins."""

    def ended(self, model: str, task: str, progress: Progress, headline: ScoreRow | None) -> None:
        """Every planned request of a task has ended and is scored."""


class Quiet:
    """A listener that says nothing."""

    def noticed(self, task: str, text: str) -> None:
        """Say nothing."""

    def skipped(self, model: str, task: str, condition: str, reason: str) -> None:
        """Say nothing."""

    def progressed(self, model: str, task: str, progress: Progress, headline: Headline) -> None:
        """Say nothing."""

    def ended(self, model: str, task: str, progress: Progress, headline: ScoreRow | None) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Failure:
    """Requests of one task that ended without a model's answer, for one reason."""

    model: str
    task: str
    status: Status
    count: int
    example: str


@dataclass(frozen=True)
class RunOutcome:
    """What a run left behind."""

    folder: Path
    scorecards: tuple[Scorecard, ...]
    failures: tuple[Failure, ...]
    sharing: Sharing
    """What processes in the same folder do once, such as writing the report."""
    stopped: str | None = None
    """Why not all was asked, where that is meant: the budget is spent."""
    prefix_checks: tuple[Checks, ...] = ()
    """What `verify_prefix` wanted of each model."""
