"""What all tiny models share: their sizes, a tokenizer trained on a few lines, a chat template."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
