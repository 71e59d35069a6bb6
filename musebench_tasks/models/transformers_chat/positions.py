"""Where the tokens of prompts stand, as `generate` reckons it for the first prompt of a medium.

Models with rotary positions in time, height and width let the text after a medium go on from another number than its
place, and keep the offset on the model, where the next prompt finds it. Here the positions are taken once and given
explicitly to every later step.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from musebench_tasks.models.transformers_chat.asking import NotShareableError


class Positions(NamedTuple):
    """Positions of a shared beginning, and of any text after it."""

    beginning: Any
    """(1, tokens), or (3, 1, tokens) where a position has three parts."""
    start: int
    """Position of the first token after the beginning; text and generated tokens count on from there."""
    has_three_parts: bool

    def own(self, count: int) -> Any:
        """Positions (tokens) of `count` tokens after the beginning."""
        return torch.arange(self.start, self.start + count)

    def shaped(self, positions: Any) -> Any:
        """Positions (rows, tokens) as the model takes them."""
        return positions.expand(3, *positions.shape) if self.has_three_parts else positions


def positions_of(model: Any, rope: Any, whole: Mapping[str, Any], extras: Mapping[str, Any], length: int) -> Positions:
    """Positions of the first `length` tokens of the prompt `whole`.

    `rope` is the part of the model that keeps the offset, or None. Raises NotShareableError where positions after the
    beginning do not count on as text does.
    """
    if rope is not None:
        rope.rope_deltas = None
    given = model._prepare_position_ids_for_generation(whole["input_ids"], {**whole, **extras})
    given = given[-3:] if given.ndim == 3 else given
    beginning, after = given[..., :length], given[..., length:]
    found = Positions(beginning, int(after.flatten()[0]), given.ndim == 3)
    if not torch.equal(after, found.shaped(found.own(after.shape[-1])[None]).to(after.device)):
        raise NotShareableError("positions after the shared part do not count on as text does")
    return found
