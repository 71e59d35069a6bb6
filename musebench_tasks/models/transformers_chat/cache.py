"""The shared beginning of prompts: read once, kept in a cache, continued from copies.

A copy of a layer of full attention shares the beginning's tensors and has room of its own; every other kind of layer
(sliding window, linear attention) is copied deeply, since its state changes as tokens come.

Models with rotary positions in time, height and width let the text after a medium go on from another number than its
place, and keep the offset on the model, where the next prompt finds it. Here the positions are taken once and given
explicitly to every later step.
"""

import copy
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from musebench_tasks.base.records.answers import NO_SHARED_MEDIA
from musebench_tasks.models.transformers_chat.reference_path import (
    NotShareableError,
    Prompts,
    takes_logits_to_keep,
)


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


TEXT_TENSORS = frozenset({"input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids"})
"""Tensors of a processor's output that have a column a token."""
MASKED = ("sdpa", "eager")
"""Implementations of attention that take any mask."""
SHORT = 192
"""Tokens for which another pass costs more than columns that are not looked at."""


def shared_length(ids: Sequence[Sequence[int]], media_tokens: frozenset[int]) -> int:
    """Tokens that all prompts begin with, at most all but one of the shortest.

    Raises NotShareableError where no medium is among them or one comes after them.
    """
    shortest = min(len(each) for each in ids) - 1
    # What the least and the greatest of them have in common, in the order of their tokens, all have.
    ends = enumerate(zip(min(map(tuple, ids)), max(map(tuple, ids)), strict=False))
    length = min(shortest, next((at for at, (least, greatest) in ends if least != greatest), shortest))
    if not media_tokens.intersection(ids[0][:length]):
        raise NotShareableError(NO_SHARED_MEDIA)
    if any(media_tokens.intersection(each[length:]) for each in ids):
        raise NotShareableError("media come after what the prompts share")
    return length


class Prefix:
    """The beginning of prompts in a model's cache, and how the model is led on from there."""

    def __init__(self, model: Any, prompts: Prompts, length: int) -> None:
        self.model = model
        self.length = length
        self._cache_name = cache_name(model)
        if "position_ids" not in inspect.signature(model.forward).parameters:
            raise NotShareableError("the model's forward takes no positions")
        self._rope = next((each for each in model.modules() if hasattr(each, "rope_deltas")), None)
        config = model.config.get_text_config(decoder=True)
        self.cache = DynamicCache(config=config)
        self.keeps_few_logits = takes_logits_to_keep(model)
        self._read(prompts)
        self.is_full_attention = all(type(layer) is DynamicLayer for layer in self.cache.layers)
        self.takes_any_mask = self.is_full_attention and config._attn_implementation in MASKED
        """Whether prompts may lie side by side in one row, each seeing the beginning and itself."""
        self._additive_mask = config._attn_implementation == "eager"
        self.vocabulary = int(config.vocab_size)
        self.own_at_once = max(SHORT, length // 4)
        """Tokens beside the beginning that are read side by side: each costs time on the others' columns too."""
        self._measure(config)

    def fork(self, room: int) -> Any:
        """A cache that holds the beginning; `room` tokens can be added without moving it."""
        if not self.is_full_attention:
            return copy.deepcopy(self.cache)
        fork = copy.copy(self.cache)
        fork.layers = [_roomy(layer, room) for layer in self.cache.layers]
        return fork

    def own_states(self, cache: Any) -> list[tuple[Any, Any] | None]:
        """Keys and values of each layer that `cache` holds beside the beginning."""
        return [
            (layer.keys[..., self.length :, :].clone(), layer.values[..., self.length :, :].clone())
            if layer.is_initialized
            else None
            for layer in cache.layers
        ]

    def append(self, cache: Any, states: Sequence[tuple[Any, Any] | None]) -> None:
        """Put the states of tokens behind what `cache` holds."""
        for layer, own in zip(cache.layers, states, strict=True):
            if own is not None:
                layer.update(*own)

    def forks(self, rows: int) -> Any:
        """A cache that holds the beginning once a row."""
        cache = copy.deepcopy(self.cache)
        if rows > 1:
            cache.reorder_cache(torch.zeros(rows, dtype=torch.long, device=self.model.device))
        return cache

    def forward(self, cache: Any, ids: Any, positions: Any, mask: Any, keep: Any) -> Any:
        """Logits (rows, kept, vocabulary) after reading `ids` (rows, tokens) at `positions` (rows, tokens).

        `mask` has a column a token of cache and `ids`, or is (1, 1, tokens, cache and tokens) where prompts lie side
        by side; `keep` are the columns of `ids` whose logits are wanted.
        """
        if mask.ndim == 4 and self._additive_mask:
            dtype = self.model.dtype
            mask = torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, torch.finfo(dtype).min)
        extras = {"logits_to_keep": keep} if self.keeps_few_logits else {}
        read = self.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=self.positions.shaped(positions),
            use_cache=True,
            **{self._cache_name: cache},
            **extras,
        )
        logits = read.logits if self.keeps_few_logits else read.logits[:, keep]
        return logits.to(self.model.device)

    def _measure(self, config: Any) -> None:
        """Bytes of the cache: what memory a batch takes is reckoned from these."""
        states = [each for layer in self.cache.layers for each in _tensors(layer)]
        self.bytes: int = sum(each.numel() * each.element_size() for each in states)
        growing = [each for layer in self.cache.layers for each in _keys_and_values(layer)]
        self.token_bytes: int = sum(each.numel() // each.shape[-2] * each.element_size() for each in growing)
        repeats: int = config.num_attention_heads // (getattr(config, "num_key_value_heads", None) or 1)
        self.widened_bytes: int = repeats * self.token_bytes // max(1, len(self.cache.layers))
        """A token's share of one layer's keys and values, repeated for every head that reads them."""

    def _read(self, prompts: Prompts) -> None:
        """Let the model read the beginning with its media."""
        whole = prompts.whole(0)
        strange = [name for name in _columns(whole) if name not in TEXT_TENSORS]
        if strange:
            raise NotShareableError(f"the processor gives {strange[0]}, of which it is not known where it ends")
        self.positions = positions_of(self.model, self._rope, whole, prompts.extras, self.length)
        cut = {name: each[:, : self.length] if name in TEXT_TENSORS else each for name, each in whole.items()}
        given = {**cut, **prompts.extras, "position_ids": self.positions.beginning, "use_cache": True}
        given[self._cache_name] = self.cache
        reader = _without_head(self.model, given)
        if reader is self.model and self.keeps_few_logits:
            given["logits_to_keep"] = 1
        reader(**given)
        if self.cache.get_seq_length() != self.length:
            raise NotShareableError("the model did not keep the beginning in the cache it was given")


class RoomyLayer(DynamicLayer):  # type: ignore[misc]
    """A layer of full attention with room ahead: what comes is written behind the rest, which stays in its place."""

    def __init__(self, keys: Any, values: Any, room: int) -> None:
        super().__init__()
        self._held = keys.shape[-2]
        self._all_keys, self._all_values = _with_room(keys, room), _with_room(values, room)
        self._show()
        self.dtype, self.device = keys.dtype, keys.device
        self.is_initialized = True

    def update(self, key_states: Any, value_states: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Append; return everything held."""
        start, self._held = self._held, self._held + key_states.shape[-2]
        lacking = self._held - self._all_keys.shape[-2]
        if lacking > 0:
            self._all_keys, self._all_values = _with_room(self.keys, lacking), _with_room(self.values, lacking)
        self._all_keys[..., start : self._held, :] = key_states
        self._all_values[..., start : self._held, :] = value_states
        self._show()
        return self.keys, self.values

    def _show(self) -> None:
        self.keys, self.values = self._all_keys[..., : self._held, :], self._all_values[..., : self._held, :]


def _tensors(layer: Any) -> list[Any]:
    """What a layer of a cache holds of the text read so far."""
    held = [each for states in ("conv_states", "recurrent_states") for each in getattr(layer, states, {}).values()]
    return [*_keys_and_values(layer), *(each for each in held if each is not None)]


def _keys_and_values(layer: Any) -> list[Any]:
    """What of a layer grows with every token, up to its window."""
    return [each for name in ("keys", "values") if (each := getattr(layer, name, None)) is not None]


def cache_name(model: Any) -> str:
    """What the model's `forward` calls its cache. Raises NotShareableError where it takes none."""
    if getattr(model.config, "is_encoder_decoder", False):
        raise NotShareableError("an encoder-decoder model reads each prompt with its encoder")
    parameters = inspect.signature(model.forward).parameters
    for name in ("cache", "past_key_values"):
        if name in parameters:
            return name
    raise NotShareableError("the model's forward takes no cache")


def _roomy(layer: Any, room: int) -> Any:
    """The layer with room ahead; one that holds nothing, since it reads another's states, as it is."""
    return RoomyLayer(layer.keys, layer.values, room) if layer.is_initialized else DynamicLayer()


def _with_room(states: Any, room: int) -> Any:
    held = states.shape[-2]
    roomy = states.new_empty((*states.shape[:-2], held + room, states.shape[-1]))
    roomy[..., :held, :] = states
    return roomy


def _columns(whole: Mapping[str, Any]) -> list[str]:
    """Names of what looks as if it had a column a token."""
    count = whole["input_ids"].shape[1]
    return [
        name
        for name, each in whole.items()
        if name.endswith(("_ids", "attention_mask"))
        and getattr(each, "ndim", 0) == 2
        and each.shape[1] == count
        and not name.startswith(("feature_", "input_features_"))
    ]


def _without_head(model: Any, given: Mapping[str, Any]) -> Any:
    """The part of the model that fills the cache without logits, where it takes the same inputs; else the model."""
    base = getattr(model, "base_model", model)
    return base if base is not model and set(given) <= set(inspect.signature(base.forward).parameters) else model
