"""From a family's name to a saved checkpoint with processor: weights by a seed, the same every time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import nearest
from musebench_tasks.models.tiny import others, qwen
from musebench_tasks.models.tiny.words import Sizes

_BUILDERS: dict[str, Callable[[Sizes], tuple[Any, Any]]] = {
    "qwen2_5_omni_thinker": qwen.qwen2_5_omni_thinker,
    "qwen3_omni_moe_thinker": qwen.qwen3_omni_moe_thinker,
    "qwen2_5_vl": qwen.qwen2_5_vl,
    "qwen3_vl": qwen.qwen3_vl,
    "qwen3_5": qwen.qwen3_5,
    "qwen2_audio": qwen.qwen2_audio,
    "audioflamingo3": others.audioflamingo3,
    "musicflamingo": others.musicflamingo,
    "gemma4": others.gemma4,
    "llava_onevision": others.llava_onevision,
    "internvl": others.internvl,
    "video_llama_3": others.video_llama_3,
}
TINY_FAMILIES: tuple[str, ...] = tuple(_BUILDERS)
"""Families that `build_tiny` knows, by `model_type`."""
WEIGHT_SCALE = 4
"""Without it logits hardly depend on the media."""


def build_tiny(family: str, directory: Path, **sizes: int) -> Path:
    """Save a model of few random weights and its processor in `directory`, and return it.

    `sizes` are fields of `Sizes`; the same family, sizes and version of transformers give the same weights.
    Raises InputError for a family that is not in `TINY_FAMILIES`.
    """
    import torch

    if family not in _BUILDERS:
        raise InputError(f'no tiny model of "{family}"{nearest(family, TINY_FAMILIES)}. Known: {", ".join(_BUILDERS)}.')
    chosen = Sizes(**sizes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(chosen.seed)
        model, processor = _BUILDERS[family](chosen)
    _save(model.eval(), processor, directory)
    return directory


def _save(model: Any, processor: Any, directory: Path) -> None:
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    model.generation_config.eos_token_id = processor.tokenizer.eos_token_id
    model.generation_config.pad_token_id = processor.tokenizer.pad_token_id
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim >= 2:
                weights.mul_(WEIGHT_SCALE)
    model.save_pretrained(directory)
    processor.save_pretrained(directory)
