"""What answers cost: a YAML file with US dollars per million tokens, model by model.

gpt-4.1: {input: 2.00, cached_input: 0.50, output: 8.00}
gpt-4o-audio-preview: {input: 2.50, output: 10.00, audio_input: 40.00}
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Record
from musebench_tasks.base.text import nearest
from musebench_tasks.models.cards import make_record, read_mapping

PER = 1_000_000
"""Tokens that a price is for."""
_DECIMALS = 12
_Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class TokenCounts(NamedTuple):
    """Tokens of one answer, as the server tells them; None = it does not."""

    prompt: int | None = None
    completion: int | None = None
    """Those of reasoning among them."""
    cached: int | None = None
    """Of the prompt, those that lay in the server's prefix cache."""
    reasoning: int | None = None
    audio: int | None = None
    """Of the prompt, those of sound."""
    image: int | None = None
    """Of the prompt, those of pictures."""


class Price(Record):
    """US dollars per million tokens of one model."""

    input: _Price
    output: _Price
    """Reasoning is charged as output."""
    cached_input: _Price | None = None
    """Prompt tokens from the prefix cache; None = as `input`."""
    audio_input: _Price | None = None
    """Prompt tokens of sound, where the server counts them apart; None = as `input`."""
    image_input: _Price | None = None
    """Prompt tokens of pictures, where the server counts them apart; None = as `input`."""

    def cost_usd(self, tokens: TokenCounts) -> float | None:
        """What an answer costs; None where the server does not tell its tokens.

        Cached tokens are taken to be text first, then pictures, then sound: the dearest of them are charged in full.
        """
        if tokens.prompt is None or tokens.completion is None:
            return None
        sound, pictures = tokens.audio or 0, tokens.image or 0
        parts = [
            (max(tokens.prompt - sound - pictures, 0), self.input),
            (pictures, self.input if self.image_input is None else self.image_input),
            (sound, self.input if self.audio_input is None else self.audio_input),
        ]
        cached, total = tokens.cached or 0, tokens.completion * self.output
        for count, price in parts:
            from_cache = min(count, cached)
            cached -= from_cache
            total += from_cache * (price if self.cached_input is None else min(self.cached_input, price))
            total += (count - from_cache) * price
        return round(total / PER, _DECIMALS)


def read_prices(path: Path) -> dict[str, Price]:
    """The prices in a file, by the model's name on its server; InputError names the line of what is wrong."""
    content, text = read_mapping(
        path, "a price file has a line for each model, for example `gpt-4.1: {input: 2.00, output: 8.00}`"
    )
    return {str(name): make_record(each, Price, path, text, (str(name),)) for name, each in content.items()}


def price_of(model: str, path: Path) -> Price:
    """The price of `model` in a price file. InputError where it has none: a budget would not hold."""
    prices = read_prices(path)
    if model not in prices:
        raise InputError(
            f'{path}: no price for the model "{model}"{nearest(model, prices)}. '
            f'Add a line, for example "{model}: {{input: 2.00, output: 8.00}}" (US dollars per million tokens).'
        )
    return prices[model]
