"""Answers as probabilities of letters: how likely each option's letter is as the first token."""

from __future__ import annotations

import math

from musebench_tasks.base.records import Kind, Request
from musebench_tasks.prompts import has_label_like_options


def is_by_letter(request: Request) -> bool:
    """Whether the first token is the answer; not where the prompt demands `ANSWER: <letter>`."""
    return request.kind is Kind.SINGLE and not has_label_like_options(request.options)


def letter_shares(request: Request, first_tokens: dict[str, float]) -> dict[str, float] | None:
    """Each option's share of the probability that the first token is a letter; None where no letter is among them."""
    weights = dict.fromkeys(request.labels, 0.0)
    for token, logprob in first_tokens.items():
        if token.strip() in weights:
            weights[token.strip()] += math.exp(logprob)
    total = sum(weights.values())
    if total == 0:
        return None
    return {option.id: weight / total for option, weight in zip(request.options, weights.values(), strict=True)}
