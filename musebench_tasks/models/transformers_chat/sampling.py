"""How the next token is chosen: by transformers' own processors of scores, then the best, or one drawn by the key.

A row is chosen for by itself, with its own ids and its own chance, so that company changes nothing. Whatever a
generation configuration asks beyond that (beams, stop strings, guidance) is left to `generate`, on the plain path.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from transformers import LogitsProcessorList

from musebench_tasks.base.problems import reason
from musebench_tasks.models.transformers_chat.reference_path import Ask, NotShareableError, generation_settings

_BEYOND = ("stop_strings", "max_time", "guidance_scale", "token_healing", "watermarking_config", "constraints")
"""Settings that need more than one row's ids and scores."""
ONLY_GENERATE = "the checkpoint's generation settings ask for more than one token's scores"


@dataclass
class PromptRow:
    """One prompt on its way: what was read and added, and how its next token is chosen."""

    place: int
    ids: list[int]
    ask: Ask
    ends: frozenset[int]
    processors: Any = ()
    chance: Any = None
    new: list[int] = field(default_factory=list)
    first_logits: Any = None

    def fresh(self) -> "PromptRow":
        """This row before anything was read."""
        chance = None if self.chance is None else torch.Generator(self.chance.device).manual_seed(self.ask.seed)
        return replace(self, chance=chance, new=[], first_logits=None)

    @property
    def ended(self) -> bool:
        """Whether no further token is wanted."""
        if self.ask.letters or len(self.new) >= self.ask.max_tokens:
            return True
        return bool(self.new) and self.new[-1] in self.ends

    @property
    def tokens_to_come(self) -> int:
        """Tokens that will have to be read at most beside the prompt: the last one never is."""
        return 0 if self.ask.letters else max(0, self.ask.max_tokens - 1)


def make_row(model: Any, place: int, ids: Sequence[int], ask: Ask) -> PromptRow:
    """The row of a prompt. Raises NotShareableError where only `generate` can choose its tokens."""
    if ask.letters:
        return PromptRow(place, list(ids), ask, frozenset())
    try:
        config, _ = model._prepare_generation_config(None, **generation_settings(ask))
        mode = str(getattr(config.get_generation_mode(), "value", ""))
        if mode not in ("greedy_search", "sample") or any(getattr(config, name, None) for name in _BEYOND):
            raise NotShareableError(ONLY_GENERATE)
        config = copy.deepcopy(config)
        config.max_length = len(ids) + ask.max_tokens
        if config.min_new_tokens is not None:
            config.min_length = len(ids) + config.min_new_tokens
        model._prepare_special_tokens(config, True, device=model.device)
        processors = model._get_logits_processor(
            generation_config=config,
            input_ids_seq_length=len(ids),
            encoder_input_ids=torch.tensor([ids], device=model.device),
            prefix_allowed_tokens_fn=None,
            logits_processor=LogitsProcessorList(),
            device=model.device,
            model_kwargs={},
        )
    except (AttributeError, TypeError) as problem:
        raise NotShareableError(
            f"this version of transformers chooses tokens otherwise ({reason(problem)})"
        ) from problem
    ends = config.eos_token_id
    chance = torch.Generator(device=model.device).manual_seed(ask.seed) if config.do_sample else None
    return PromptRow(place, list(ids), ask, frozenset(ends if isinstance(ends, list) else [ends]), processors, chance)


def choose(rows: Sequence[PromptRow], logits: Any) -> None:
    """Add the next token to each row; `logits` are (rows, vocabulary), float32."""
    plain = [at for at, row in enumerate(rows) if not row.processors and row.chance is None]
    best = iter(logits[plain].argmax(dim=-1).tolist())
    for at, row in enumerate(rows):
        row.new.append(next(best) if not row.processors and row.chance is None else _chosen(row, logits[at : at + 1]))


def _chosen(row: PromptRow, logits: Any) -> int:
    ids = torch.tensor([row.ids + row.new], device=logits.device)
    scores = row.processors(ids, logits.clone()) if row.processors else logits
    if row.chance is None:
        return int(scores.argmax(dim=-1))
    shares = torch.nn.functional.softmax(scores, dim=-1)
    return int(torch.multinomial(shares, num_samples=1, generator=row.chance))
