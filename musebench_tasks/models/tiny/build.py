"""Builds a tiny model of a family: sizes, a tokenizer trained on a few lines and a chat template, shared by all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import nearest
from musebench_tasks.models.tiny import others, qwen

TEXT = (
    "user assistant system What is the tempo of this recording? Answer with the letter only.",
    "A. violin B. piano C. trumpet D. guitar The answer is: A B C D E F G H",
    "Listen to the audio and watch the video. Which of these options is right?",
)
ENDS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
THINKING = ("<think>", "</think>")
VOCABULARY = 600
_SWITCH = "{% if enable_thinking is false %}<think>\n\n</think>\n\n{% else %}<think>\n{% endif %}"


@dataclass(frozen=True)
class Sizes:
    """How large a tiny model is, and which weights chance gives it."""

    hidden: int = 32
    layers: int = 2
    heads: int = 4
    key_value_heads: int = 2
    encoder_hidden: int = 32
    encoder_layers: int = 2
    window: int = 16
    """Tokens that layers of sliding attention look back on."""
    seed: int = 0

    @property
    def head_dim(self) -> int:
        """Width of a head of the language model."""
        return self.hidden // self.heads

    @property
    def rope_sections(self) -> list[int]:
        """How a head's half is shared out between time, height and width."""
        return [self.head_dim // 4, self.head_dim // 8, self.head_dim // 8]


def template(placeholders: Mapping[str, str], *, thinks: bool = False) -> str:
    """A chat template that writes each medium as its placeholder; keys are the types of content.

    `thinks`: it has the switch `enable_thinking`, and begins the reasoning itself.
    """
    media = "".join(
        f"{{% {'elif' if place else 'if'} part.type == '{kind}' %}}{text}"
        for place, (kind, text) in enumerate(placeholders.items())
    )
    return (
        "{% for message in messages %}<|im_start|>{{ message.role }}\n"
        "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
        f"{media}{{% else %}}{{{{ part.text }}}}{{% endif %}}{{% endfor %}}{{% endif %}}<|im_end|>\n"
        "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
        + (_SWITCH if thinks else "")
        + "{% endif %}"
    )


def tokenizer(named: Mapping[str, str], marks: tuple[str, ...] = ()) -> Any:
    """A byte-level tokenizer that knows the special tokens of `named` (attribute -> token) by name and id.

    `marks` are tokens too, but ordinary ones.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        show_progress=False,
        special_tokens=[*ENDS, *named.values()],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    inner.train_from_iterator(TEXT, trainer)
    inner.add_tokens([AddedToken(token, normalized=False) for token in marks])
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        padding_side="left",
        extra_special_tokens=dict(named),
    )


def text_sizes(words: Any, sizes: Sizes) -> dict[str, Any]:
    """The language model's part of a configuration that all families spell alike."""
    return {
        "vocab_size": len(words),
        "hidden_size": sizes.hidden,
        "intermediate_size": 2 * sizes.hidden,
        "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads,
        "num_key_value_heads": sizes.key_value_heads,
        "bos_token_id": None,
        "eos_token_id": words.eos_token_id,
        "pad_token_id": words.pad_token_id,
    }


def qwen2_text(words: Any, sizes: Sizes) -> dict[str, Any]:
    """A Qwen2 language model."""
    return {"model_type": "qwen2", **text_sizes(words, sizes), "rope_parameters": plain_rope()}


def plain_rope() -> dict[str, Any]:
    """Positions in one dimension."""
    return {"rope_type": "default", "rope_theta": 1e4}


def media_rope(sizes: Sizes) -> dict[str, Any]:
    """Positions in time, height and width."""
    return {**plain_rope(), "mrope_section": sizes.rope_sections}


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
