"""From a request and its media to what `generate` takes, and what of the media is really in it (models.md 2).

Frames and sound are decoded here and handed over as arrays, media before text. What the model receives is measured
on the finished tensors, never taken from what was sent: processors cut and resample without a word.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.models.transformers_chat.families import Family
from musebench_tasks.records import Received, Request

FRAME_PIXELS = 256 * 28 * 28
"""Default upper bound of pixels a frame: 256 tokens where a token is 28 x 28."""
SMALLEST_FRAME_PIXELS = 4 * 28 * 28
AUDIO_TOLERANCE_S = 0.1
_AUDIO_MASKS = ("feature_attention_mask", "input_features_mask")
_MEDIA_TOKENS = tuple(f"{stream}_token_{kind}" for stream in ("image", "video", "audio") for kind in ("id", "index"))


@dataclass(frozen=True)
class Media:
    """The decoded media of a group. None = not given."""

    frames: NDArray[np.uint8] | None = None
    """(time, height, width, RGB)."""
    fps: float = 1.0
    """Frames a second, as they were chosen."""
    audio: NDArray[np.float32] | None = None
    sample_rate: int = 16_000

    @property
    def audio_s(self) -> float | None:
        """Seconds of sound."""
        return None if self.audio is None else len(self.audio) / self.sample_rate


def frame_rate(times_s: NDArray[np.float64], window_s: float) -> float:
    """Frames a second of evenly spread frames, from their spacing; one frame stands for the whole window."""
    if len(times_s) > 1 and times_s[-1] > times_s[0]:
        return float((len(times_s) - 1) / (times_s[-1] - times_s[0]))
    return len(times_s) / window_s if window_s > 0 else 1.0


def build_inputs(processor: Any, family: Family, request: Request, media: Media, max_pixels: int) -> Any:
    """The processor's batch of one for `request`."""
    woven = weaves_audio(processor, family, media)
    messages = conversation(request, media, woven=woven)
    settings = _processor_settings(processor, family, media, max_pixels)
    extras = dict(family.template_extras)
    if woven:
        text = processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False, **extras)
        return processor(
            text=[text],
            videos=[_whole_patches(processor, media)],
            audio=[_copy(media.audio)],
            audio_from_video_indices=[0],
            load_audio_from_video=True,
            return_tensors="pt",
            **settings,
        )
    if media.frames is not None:
        messages[-1]["content"][0]["video"] = _whole_patches(processor, media)
    nested = "processor_kwargs" in inspect.signature(processor.apply_chat_template).parameters
    return processor.apply_chat_template(
        messages,
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
        **extras,
        **({"processor_kwargs": settings} if nested else settings),
    )


def conversation(request: Request, media: Media, *, woven: bool = False) -> list[dict[str, Any]]:
    """Messages of a request: media first, then its text. Woven sound comes with the video and has no item."""
    content: list[dict[str, Any]] = []
    if media.frames is not None:
        content.append({"type": "video", "video": media.frames})
    if media.audio is not None and not woven:
        content.append({"type": "audio", "audio": _copy(media.audio)})
    content.append({"type": "text", "text": request.prompt})
    messages = [{"role": "user", "content": content}]
    if request.system:
        messages.insert(0, {"role": "system", "content": [{"type": "text", "text": request.system}]})
    return messages


def weaves_audio(processor: Any, family: Family, media: Media) -> bool:
    """Whether the sound goes into the video: the family does so, both are there, and the processor takes arrays."""
    if not family.interleaves_audio or media.frames is None or media.audio is None:
        return False
    calls = [vars(each)["__call__"] for each in type(processor).__mro__ if "__call__" in vars(each)]
    return any("audio_from_video_indices" in inspect.signature(call).parameters for call in calls)


def measured(received: Received, inputs: Mapping[str, Any], media: Media, processor: Any, config: Any) -> Received:
    """`received`, corrected by what the tensors hold: seconds of sound, frames, media tokens; cuts are flagged."""
    flags = list(received.flags)
    update: dict[str, Any] = {"media_tokens": count_media_tokens(inputs["input_ids"], config)}
    if media.audio_s is not None:
        update["audio_s"] = heard_s(inputs, media, processor)
        if media.audio_s - update["audio_s"] > AUDIO_TOLERANCE_S:
            flags.append("audio_truncated")
    if media.frames is not None:
        update["frames_used"] = seen_frames(inputs, media, processor)
        if update["frames_used"] != len(media.frames):
            flags.append("frames_resampled")
    return received.model_copy(update={**update, "flags": tuple(dict.fromkeys(flags))})


def heard_s(inputs: Mapping[str, Any], media: Media, processor: Any) -> float:
    """Seconds of sound behind the unmasked feature frames, at most what was sent."""
    sent = media.audio_s or 0.0
    hop: int | None = getattr(getattr(processor, "feature_extractor", None), "hop_length", None)
    mask = next((inputs[name] for name in _AUDIO_MASKS if name in inputs), None)
    if mask is None or not hop:
        return sent
    heard: float = round(int(mask.sum()) * hop / media.sample_rate, 3)
    return min(sent, heard)


def seen_frames(inputs: Mapping[str, Any], media: Media, processor: Any) -> int:
    """Frames behind the video's patches; the padding of an odd number does not count."""
    sent = 0 if media.frames is None else len(media.frames)
    if "video_grid_thw" not in inputs:
        return sent
    patch = _temporal_patch(processor)
    held = int(inputs["video_grid_thw"][:, 0].sum()) * patch
    return sent if 0 <= held - sent < patch else held


def count_media_tokens(ids: Any, config: Any) -> int:
    """Places in the prompt that stand for media."""
    core = getattr(config, "thinker_config", config)
    known = {getattr(core, name, None) for name in _MEDIA_TOKENS} - {None}
    return sum(int((ids == token).sum()) for token in known)


def _processor_settings(processor: Any, family: Family, media: Media, max_pixels: int) -> dict[str, Any]:
    """Keyword arguments that keep the processor from choosing frames, their times or their size itself."""
    settings: dict[str, Any] = {}
    if media.frames is not None:
        count = max(len(media.frames), _temporal_patch(processor))
        settings["do_sample_frames"] = False
        if family.timing == "fps":
            settings["fps"] = media.fps
        else:
            indices = list(range(count))
            settings["video_metadata"] = [{"fps": media.fps, "total_num_frames": count, "frames_indices": indices}]
        if family.pixel_budget != "none":
            times = count if family.pixel_budget == "video" else 1
            settings["size"] = {"shortest_edge": SMALLEST_FRAME_PIXELS * times, "longest_edge": max_pixels * times}
        if hasattr(getattr(processor, "video_processor", None), "cap_pixels_per_frame"):
            settings["cap_pixels_per_frame"] = False
    return settings


def _whole_patches(processor: Any, media: Media) -> NDArray[np.uint8]:
    """A copy of the frames, the last one repeated where there are fewer than one temporal patch."""
    assert media.frames is not None
    missing = max(0, _temporal_patch(processor) - len(media.frames))
    return np.concatenate([media.frames, np.repeat(media.frames[-1:], missing, axis=0)])


def _temporal_patch(processor: Any) -> int:
    return int(getattr(getattr(processor, "video_processor", None), "temporal_patch_size", 1) or 1)


def _copy(audio: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """Processors may write into what they are given."""
    assert audio is not None
    return audio.copy()
