"""The reference path: one prompt read whole by `generate`, or by one forward pass for letters. All else must equal it.

What an engine is asked about one medium (`Prompts`, `Ask`) and what comes back (`Outcome`) hold tensors: whoever builds
prompts knows processors, whoever answers them knows caches.
"""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from transformers import LogitsProcessor, LogitsProcessorList

from musebench_tasks.base.records import PrefixCheck, PrefixUse

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


MILLION = 1_000_000
NOT_NUMBERS = "the logits are no numbers (NaN): the weights do not bear their type. Set dtype: bfloat16 or float32"


class NotNumbersError(RuntimeError):
    """Whatever is chosen by these logits is no answer of the model."""


class _Numbers(LogitsProcessor):  # type: ignore[misc]
    """Leaves scores as they are. Raises NotNumbersError where the first ones are none: the likeliest of NaN is `!`."""

    def __init__(self) -> None:
        self._has_looked = False

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        if not self._has_looked:
            _require_numbers(scores)
            self._has_looked = True
        return scores


def _require_numbers(logits: Any) -> None:
    if logits.isnan().any():
        raise NotNumbersError(NOT_NUMBERS)


def generation_settings(ask: Ask) -> dict[str, Any]:
    """What `generate` is told, beside the checkpoint's own configuration."""
    settings: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
    if ask.temperature > 0:
        settings = {"do_sample": True, "temperature": ask.temperature, "top_p": ask.top_p or 1.0}
    return {"max_new_tokens": ask.max_tokens, **settings}


def generate(model: Any, inputs: Mapping[str, Any], extras: Mapping[str, Any], ask: Ask) -> list[int]:
    """Tokens that the model adds to one prompt. What is drawn follows from the request's key.

    Raises NotNumbersError.
    """
    if ask.temperature > 0:
        torch.manual_seed(ask.seed)
    with torch.inference_mode():
        numbers = LogitsProcessorList([_Numbers()])
        made = model.generate(**inputs, **extras, **generation_settings(ask), logits_processor=numbers)
    return [int(each) for each in made[0, inputs["input_ids"].shape[1] :]]


def first_logits(model: Any, inputs: Mapping[str, Any], extras: Mapping[str, Any]) -> Any:
    """Logits (vocabulary, float32) of the token after one prompt. Raises NotNumbersError."""
    keep = {"logits_to_keep": 1} if takes_logits_to_keep(model) else {}
    with torch.inference_mode():
        logits = model(**inputs, **extras, **keep, use_cache=False).logits[0, -1]
    _require_numbers(logits)
    return logits.float().to(model.device)


def takes_logits_to_keep(model: Any) -> bool:
    """Whether the model reckons logits for chosen places only."""
    return "logits_to_keep" in inspect.signature(model.forward).parameters


def option_shares(logits: Any, letters: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Each option's share of the probability that the first token is one of the options' letters.

    To the sixth decimal, so that the last bits of a logit are not seen; they never exceed 1 in sum.
    """
    wanted = logits[[token for tokens in letters for token in tokens]].double()
    weights = iter((wanted - wanted.max()).exp().tolist())
    sums = [sum(next(weights) for _ in tokens) for tokens in letters]
    millionths = [round(MILLION * each / sum(sums)) for each in sums]
    millionths[millionths.index(max(millionths))] -= max(0, sum(millionths) - MILLION)
    return tuple(each / MILLION for each in millionths)


EXACT_TOLERANCE = 1e-4
ROUNDED_TOLERANCE = 0.1
"""What `deviation` may be in float32, and in shorter types."""


def deviation(logits: Any, plainly: Any) -> float:
    """Root mean square of the differences of two vectors of logits over the spread of the second."""
    spread = plainly.std().clamp_min(torch.finfo(torch.float32).tiny)
    return float((logits - plainly).square().mean().sqrt() / spread)


def tolerance(model: Any) -> float:
    """What `deviation` may be at most; a stale position or a wrong beginning moves logits by their whole spread."""
    return EXACT_TOLERANCE if model.dtype == torch.float32 else ROUNDED_TOLERANCE


def checked(model: Any, prompts: Prompts, ask: Ask, outcome: Outcome, logits: Any) -> PrefixCheck:
    """Ask the request of `outcome` again, everything read anew; `logits` are its first token's, or None."""
    inputs = prompts.anew(outcome.place)
    plainly = None if logits is None else first_logits(model, inputs, prompts.extras)
    if ask.letters:
        again = option_shares(first_logits(model, inputs, prompts.extras) if plainly is None else plainly, ask.letters)
        changed = _likeliest(again) != _likeliest(outcome.shares)
    else:
        changed = generate(model, inputs, prompts.extras, ask) != outcome.tokens
    return PrefixCheck(
        logit_difference=None if plainly is None else float((logits - plainly).abs().max()),
        is_exact=plainly is None or deviation(logits, plainly) <= tolerance(model),
        answer_changed=changed,
    )


def _likeliest(shares: tuple[float, ...]) -> int:
    return shares.index(max(shares))
