"""What differs between families of checkpoints: a few facts each, every one of which changes scores silently.

Everything else goes one generic way (`inputs`, `prompts`). A family that is not listed is a plain `Family()`: its
processor gets metadata of the frames, its longest sound follows from its feature extractor, its tags of reasoning
from its tokenizer. Facts: the processors of transformers 5.24.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Thinking:
    """How a family marks what it writes before its answer."""

    start: str = "<think>"
    end: str = "</think>"
    heading: str = ""
    """What stands between the start and the reasoning itself."""
    switch: str = "enable_thinking"
    """The variable of the chat template that turns reasoning on and off, where the template has it."""


@dataclass(frozen=True)
class Family:
    """How one family of checkpoints wants its media."""

    loader: str | None = None
    """The class of transformers to load with; None = the first Auto class that knows the configuration."""
    interleaves_audio: bool = False
    """Sound that belongs to a video is woven into it, in chunks of equal time."""
    timing: Literal["fps", "metadata"] = "metadata"
    """How the processor is told when frames were: a rate, or `video_metadata`."""
    times: Literal["each", "rate", "none"] = "each"
    """What the model learns of it: the time of each frame (or pair of frames), one rate for all, or nothing."""
    pixel_budget: Literal["frame", "video", "video_above", "soft_tokens", "none"] = "none"
    """What the processor's `size` bounds: the pixels of a frame; of all frames together; the same for the upper bound
    only; tokens of a frame in place of pixels; or nothing of the kind."""
    max_audio_s: float | None = None
    """Seconds of sound beyond which the family hears nothing; None = as its feature extractor says."""
    extractor_cuts: bool = True
    """Whether the feature extractor's own length bounds the sound."""
    one_audio: bool = False
    """One stretch of sound a prompt, however long; sound in parts is given whole."""
    thinking: Thinking | None = None
    """None = `<think>` and `</think>` where the tokenizer knows them as tokens."""


_OMNI = Family(
    loader="Qwen2_5OmniThinkerForConditionalGeneration",
    interleaves_audio=True,
    timing="fps",
    times="rate",
    max_audio_s=300,
    pixel_budget="frame",
)
_OMNI_3 = Family(
    loader="Qwen3OmniMoeThinkerForConditionalGeneration",
    interleaves_audio=True,
    timing="fps",
    times="rate",
    max_audio_s=2400,
    extractor_cuts=False,
    pixel_budget="frame",
)
_QWEN2_VL = Family(times="rate", pixel_budget="frame")
_QWEN3_VL = Family(pixel_budget="video")

FAMILIES: Mapping[str, Family] = {
    "qwen2_5_omni": _OMNI,
    "qwen2_5_omni_thinker": _OMNI,
    "qwen3_omni_moe": _OMNI_3,
    "qwen3_omni_moe_thinker": _OMNI_3,
    "qwen2_vl": _QWEN2_VL,
    "qwen2_5_vl": _QWEN2_VL,
    "qwen3_vl": _QWEN3_VL,
    "qwen3_vl_moe": _QWEN3_VL,
    "qwen3_5": _QWEN3_VL,
    "qwen3_5_moe": _QWEN3_VL,
    "qwen2_audio": Family(max_audio_s=30),
    "audioflamingo3": Family(max_audio_s=600, one_audio=True),
    "musicflamingo": Family(max_audio_s=1200, one_audio=True),
    "gemma3n": Family(max_audio_s=30, times="none"),
    "gemma4": Family(
        max_audio_s=30,
        pixel_budget="soft_tokens",
        thinking=Thinking(start="<|channel>", end="<channel|>", heading="thought"),
    ),
    "llava_onevision": Family(times="none"),
    "internvl": Family(times="none"),
    "video_llama_3": Family(pixel_budget="video_above"),
}
"""By `model_type`."""


def family_of(model_type: str) -> Family:
    """The facts known of a `model_type`."""
    return FAMILIES.get(model_type, Family())


def audio_limit_s(family: Family, processor: Any) -> float | None:
    """Seconds of sound that the processor keeps; None = no limit known."""
    extractor: Any = getattr(processor, "feature_extractor", None)
    own = getattr(processor, "max_audio_len", None)
    if own is None and family.extractor_cuts and getattr(extractor, "n_samples", None):
        own = extractor.n_samples / extractor.sampling_rate
    known = [float(each) for each in (family.max_audio_s, own) if each]
    return min(known, default=None)


def thinking_of(family: Family, processor: Any) -> Thinking | None:
    """How a checkpoint marks its reasoning; None where its tokenizer knows no such marks."""
    thinking = family.thinking or Thinking()
    known = processor.tokenizer.get_vocab()
    return thinking if thinking.start in known and thinking.end in known else None


def has_switch(thinking: Thinking, processor: Any) -> bool:
    """Whether the chat template turns reasoning on and off."""
    template = processor.chat_template
    texts = template.values() if isinstance(template, Mapping) else [template or ""]
    return any(thinking.switch in text for text in texts)
