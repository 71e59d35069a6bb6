"""What the engine is asked about one medium (`Prompts`, `Ask`) and what comes back (`Outcome`).

Tensors stay below this line: whoever builds prompts knows processors, whoever answers them knows caches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from musebench_tasks.base.records import PrefixUse

NO_SHARED_MEDIA = "the prompts share no media"
"""A reason to read prompts whole that costs nothing."""


class Prompts(Protocol):
    """The prompts of all planned requests of one media group."""

    media_tokens: frozenset[int]
    """Ids of tokens that stand for media."""
    extras: Mapping[str, Any]
    """What `forward` and `generate` take beside the processor's output, such as `use_audio_in_video`."""

    def __len__(self) -> int:
        """How many prompts there are."""

    def ids(self) -> Sequence[Sequence[int]]:
        """Token ids of every prompt, each media token as often as the processor repeats it.

        Raises NotShareableError where they cannot be known without the processor's work on every prompt.
        """

    def whole(self, place: int) -> Mapping[str, Any]:
        """What the processor gives for one prompt, on the model's device; its work on the media is done once."""

    def anew(self, place: int) -> Mapping[str, Any]:
        """The same, with nothing taken from other prompts: the processor reads the media again."""


class NotShareableError(Exception):
    """These prompts are read whole, one by one; the message says why."""


@dataclass(frozen=True)
class Ask:
    """What is wanted of one prompt."""

    key: str
    """The request's key: its first 16 hex digits seed what is drawn."""
    max_tokens: int
    """Tokens of the answer at most. Letters need none."""
    temperature: float = 0.0
    top_p: float | None = None
    letters: tuple[tuple[int, ...], ...] = ()
    """For each option the tokens that stand for its letter, where the first token's probabilities are the answer."""

    @property
    def seed(self) -> int:
        """Seed of what is drawn for this request, alone or in company."""
        return int(self.key[:16], 16)


@dataclass
class Outcome:
    """What came of one prompt."""

    place: int
    """Place of the prompt among the planned ones."""
    tokens: list[int] = field(default_factory=list)
    """Generated tokens, the end token included; none for letters."""
    shares: tuple[float, ...] = ()
    """For letters: each option's share of the probability that the first token is one of the letters."""
    prefix: PrefixUse = field(default_factory=lambda: PrefixUse(mode="plain"))
    error: str | None = None
    """Why there is no answer."""
