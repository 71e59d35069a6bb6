"""Is what was led on from a shared beginning what the plain path gives? Logits compared, requests asked again."""

from typing import Any

import torch

from musebench_tasks.base.records import PrefixCheck
from musebench_tasks.models.transformers_chat.asking import Ask, Outcome, Prompts
from musebench_tasks.models.transformers_chat.reference_path import first_logits, generate, option_shares

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
