"""The plain path: one prompt read whole by `generate`, or by one forward pass for letters. What all else must equal."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from transformers import LogitsProcessor, LogitsProcessorList

from musebench_tasks.models.transformers_chat.asking import Ask

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
