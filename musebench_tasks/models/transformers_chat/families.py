"""What differs between families of checkpoints: five facts each, every one of which changes scores silently.

Everything else goes one generic way (`inputs`). Facts: models.md 2.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Family:
    """How one family of checkpoints wants its media."""

    interleaves_audio: bool = False
    """Sound that belongs to a video is woven into it, in chunks of equal time."""
    timing: Literal["fps", "metadata"] = "metadata"
    """How the processor is told when frames were: a rate, or `video_metadata`."""
    max_audio_s: float | None = None
    """Seconds of sound beyond which the family's processor cuts; None = as its feature extractor says."""
    pixel_budget: Literal["frame", "video", "none"] = "none"
    """What the processor's `size` bounds: the pixels of a frame, of all frames together, or nothing of the kind."""
    template_extras: Mapping[str, Any] = field(default_factory=dict)
    """Further variables of the chat template, such as switches of thinking."""


_OMNI = Family(interleaves_audio=True, timing="fps", max_audio_s=300, pixel_budget="frame")
_QWEN2_VL = Family(pixel_budget="frame")
_QWEN3_VL = Family(pixel_budget="video")
_NO_THINKING = {"enable_thinking": False}

FAMILIES: Mapping[str, Family] = {
    "qwen2_5_omni": _OMNI,
    "qwen2_5_omni_thinker": _OMNI,
    "qwen3_omni_moe": _OMNI,
    "qwen3_omni_moe_thinker": _OMNI,
    "qwen2_vl": _QWEN2_VL,
    "qwen2_5_vl": _QWEN2_VL,
    "qwen3_vl": _QWEN3_VL,
    "qwen3_vl_moe": _QWEN3_VL,
    "qwen3_5": Family(pixel_budget="video", template_extras=_NO_THINKING),
    "qwen3_5_moe": Family(pixel_budget="video", template_extras=_NO_THINKING),
    "qwen2_audio": Family(max_audio_s=30),
    "audioflamingo3": Family(max_audio_s=600),
    "musicflamingo": Family(max_audio_s=1200),
    "gemma3n": Family(max_audio_s=30),
}
"""By `model_type`; a type that is not listed is a plain `Family()`."""


def family_of(model_type: str) -> Family:
    """The facts known of a `model_type`."""
    return FAMILIES.get(model_type, Family())


def audio_limit_s(family: Family, processor: Any) -> float | None:
    """Seconds of sound that the processor keeps; None = no limit known."""
    extractor: Any = getattr(processor, "feature_extractor", None)
    own = getattr(processor, "max_audio_len", None)
    if own is None and getattr(extractor, "n_samples", None):
        own = extractor.n_samples / extractor.sampling_rate
    known = [float(each) for each in (family.max_audio_s, own) if each]
    return min(known, default=None)
