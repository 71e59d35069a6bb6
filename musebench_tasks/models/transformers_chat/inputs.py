"""From a request and its media to the processor's output.

Frames and sound are decoded here and handed over as arrays, with their real times, media before text.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.records import Modality, Received, Request
from musebench_tasks.models.transformers_chat.families import Family

FRAME_PIXELS = 256 * 28 * 28
"""Default upper bound of pixels a frame: 256 tokens where a token is 28 x 28."""
SMALLEST_FRAME_PIXELS = 4 * 28 * 28
TICKS_PER_S = 1000
"""Frames are numbered in milliseconds, so that their numbers are their times, evenly spread or not."""
_SOFT_TOKENS = (70, 140, 280, 560, 1120)
"""Tokens a frame among which Gemma 4 has the choice."""


@dataclass(frozen=True)
class Media:
    """The decoded media of a group. None, or no sound, = not given."""

    frames: NDArray[np.uint8] | None = None
    """(time, height, width, RGB)."""
    times_s: NDArray[np.float64] | None = None
    """When each frame is on display, in seconds from the window's start; None = one a second."""
    window_s: float = 0.0
    is_picture: bool = False
    """Whether the one frame is a picture, not a film."""
    audio: tuple[NDArray[np.float32], ...] = ()
    """Parts that follow one another; usually one."""
    sample_rate: int = 16_000

    @property
    def audio_s(self) -> float | None:
        """Seconds of sound."""
        return sum(len(part) for part in self.audio) / self.sample_rate if self.audio else None

    @property
    def shown_s(self) -> NDArray[np.float64]:
        """Times of the frames."""
        if self.times_s is not None:
            return self.times_s
        return np.arange(0 if self.frames is None else len(self.frames), dtype=np.float64)

    @property
    def fps(self) -> float:
        """Frames a second, as they were chosen."""
        return frame_rate(self.shown_s, self.window_s)


def frame_rate(times_s: NDArray[np.float64], window_s: float) -> float:
    """Frames a second of evenly spread frames, from their spacing; one frame stands for the whole window."""
    if len(times_s) > 1 and times_s[-1] > times_s[0]:
        return float((len(times_s) - 1) / (times_s[-1] - times_s[0]))
    return len(times_s) / window_s if window_s > 0 else 1.0


def are_evenly_spread(times_s: NDArray[np.float64]) -> bool:
    """Whether one rate tells where the frames are: none is off its place by a quarter of their distance."""
    if len(times_s) < 3:
        return True
    even = np.linspace(times_s[0], times_s[-1], len(times_s))
    return bool(np.abs(times_s - even).max() <= 0.25 * (even[1] - even[0]))


def build_inputs(
    processor: Any, family: Family, request: Request, media: Media, max_pixels: int, extras: Mapping[str, Any]
) -> Any:
    """The processor's batch of one for `request`; `extras` are further variables of the chat template."""
    settings = _processor_settings(processor, family, media, max_pixels)
    if weaves_audio(processor, family, media):
        return processor(
            text=[rendered(processor, family, request, media, extras)],
            videos=[_whole_patches(processor, media)],
            audio=[media.audio[0].copy()],
            audio_from_video_indices=[0],
            load_audio_from_video=True,
            return_tensors="pt",
            **settings,
        )
    nested = "processor_kwargs" in inspect.signature(processor.apply_chat_template).parameters
    return processor.apply_chat_template(
        conversation(processor, request, media, woven=False),
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
        **extras,
        **({"processor_kwargs": settings} if nested else settings),
    )


def rendered(processor: Any, family: Family, request: Request, media: Media, extras: Mapping[str, Any]) -> str:
    """The text of the prompt, each medium as the one placeholder that the chat template writes for it."""
    messages = conversation(processor, request, media, woven=weaves_audio(processor, family, media))
    for part in (part for message in messages for part in message["content"] if part["type"] != "text"):
        part[part["type"]] = ""
    text = processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False, **extras)
    return str(text)


def conversation(processor: Any, request: Request, media: Media, *, woven: bool) -> list[dict[str, Any]]:
    """Messages of a request: media first, then its text. Woven sound comes with the video and has no item.

    Frames are a video; or pictures, one after the other, where they are one or the processor takes nothing else.
    """
    content: list[dict[str, Any]] = []
    if goes_as_pictures(processor, media):
        content += [{"type": "image", "image": frame.copy()} for frame in _frames(media)]
    elif media.frames is not None:
        content.append({"type": "video", "video": _whole_patches(processor, media)})
    if not woven:
        content += [{"type": "audio", "audio": part.copy()} for part in media.audio]
    content.append({"type": "text", "text": request.prompt})
    messages = [{"role": "user", "content": content}]
    if request.system:
        messages.insert(0, {"role": "system", "content": [{"type": "text", "text": request.system}]})
    return messages


def takes_video(processor: Any) -> bool:
    """Whether frames go in as a video."""
    return getattr(processor, "video_processor", None) is not None


def goes_as_pictures(processor: Any, media: Media) -> bool:
    """Whether frames go in as pictures: there is a picture, or the processor takes no video."""
    if media.frames is None:
        return False
    return not takes_video(processor) or (media.is_picture and getattr(processor, "image_processor", None) is not None)


def takes_frames(processor: Any) -> bool:
    """Whether frames go in at all, as a video or as pictures."""
    return takes_video(processor) or getattr(processor, "image_processor", None) is not None


def weaves_audio(processor: Any, family: Family, media: Media) -> bool:
    """Whether the sound goes into the video: the family does so, both are there, and the processor takes arrays.

    Sound in several parts stays beside the video.
    """
    if not family.interleaves_audio or media.frames is None or len(media.audio) != 1:
        return False
    if goes_as_pictures(processor, media):
        return False
    calls = [vars(each)["__call__"] for each in type(processor).__mro__ if "__call__" in vars(each)]
    return any("audio_from_video_indices" in inspect.signature(call).parameters for call in calls)


def temporal_patch(processor: Any) -> int:
    """Frames that the vision encoder takes together."""
    return int(getattr(getattr(processor, "video_processor", None), "temporal_patch_size", 1) or 1)


def _processor_settings(processor: Any, family: Family, media: Media, max_pixels: int) -> dict[str, Any]:
    """Keyword arguments that keep the processor from choosing frames, their times or their size itself."""
    if media.frames is None:
        return {}
    if goes_as_pictures(processor, media):
        return _size(family, max_pixels, 1)
    settings: dict[str, Any] = {"do_sample_frames": False}
    if family.timing == "fps":
        settings["fps"] = media.fps
    else:
        settings["video_metadata"] = [_metadata(processor, media)]
    settings |= _size(family, max_pixels, max(len(media.frames), temporal_patch(processor)))
    if hasattr(processor.video_processor, "cap_pixels_per_frame"):
        settings["cap_pixels_per_frame"] = False
    return settings


def _metadata(processor: Any, media: Media) -> dict[str, Any]:
    """Where the frames are in a film of `TICKS_PER_S` pictures a second, as long as they stand for at their rate."""
    ticks = [round(float(time) * TICKS_PER_S) for time in media.shown_s]
    ticks += ticks[-1:] * (temporal_patch(processor) - len(ticks))
    return {
        "fps": float(TICKS_PER_S),
        "total_num_frames": max(1, round(len(ticks) / media.fps * TICKS_PER_S)),
        "frames_indices": ticks,
        "duration": media.window_s or len(ticks) / media.fps,
    }


def _size(family: Family, max_pixels: int, count: int) -> dict[str, Any]:
    """The setting that bounds `count` frames to `max_pixels` each."""
    if family.pixel_budget == "none":
        return {}
    if family.pixel_budget == "soft_tokens":
        fitting = [tokens for tokens in _SOFT_TOKENS if tokens * 48 * 48 <= max_pixels]
        return {"max_soft_tokens": max(fitting, default=_SOFT_TOKENS[0])}
    above = 1 if family.pixel_budget == "frame" else count
    below = count if family.pixel_budget == "video" else 1
    return {"size": {"shortest_edge": SMALLEST_FRAME_PIXELS * below, "longest_edge": max_pixels * above}}


def _frames(media: Media) -> NDArray[np.uint8]:
    assert media.frames is not None
    return media.frames


def _whole_patches(processor: Any, media: Media) -> NDArray[np.uint8]:
    """A copy of the frames, the last one repeated where there are fewer than one temporal patch."""
    frames = _frames(media)
    missing = max(0, temporal_patch(processor) - len(frames))
    return np.concatenate([frames, np.repeat(frames[-1:], missing, axis=0)])


AUDIO_TOLERANCE_S = 0.1
"""What the last window of features may leave out of a sound that is heard whole."""
_AUDIO_MASKS = ("feature_attention_mask", "input_features_mask")
_TOKENS = {Modality.VIDEO: ("image", "video"), Modality.AUDIO: ("audio",)}


class MediaMissingError(RuntimeError):
    """Media were meant, and the prompt has no place for them."""


def media_token_ids(config: Any, processor: Any) -> dict[Modality, frozenset[int]]:
    """Ids of the tokens that stand for each kind of media, as configuration and processor name them."""
    core = getattr(config, "thinker_config", config)
    found = {}
    for modality, streams in _TOKENS.items():
        names = [f"{stream}_token_{kind}" for stream in streams for kind in ("id", "index")]
        known = {getattr(owner, name, None) for owner in (core, processor) for name in names}
        found[modality] = frozenset(int(each) for each in known if each is not None)
    return found


def require_media(ids: Any, media: Media, tokens: Mapping[Modality, frozenset[int]]) -> None:
    """MediaMissingError where media were given and no token of the prompt `ids` stands for them."""
    given = {Modality.VIDEO: media.frames is not None, Modality.AUDIO: bool(media.audio)}
    present = set(ids)
    for modality, meant in given.items():
        if meant and not tokens[modality] & present:
            raise MediaMissingError(
                f"the {modality.value} was decoded, but the prompt that the processor made has no {modality.value} "
                "token: the model would answer without it. Its chat template or processor leaves the "
                f"{modality.value} out; use another checkpoint, or a condition without {modality.value}."
            )


def measured(
    received: Received, inputs: Mapping[str, Any], media: Media, processor: Any, family: Family, tokens: frozenset[int]
) -> Received:
    """`received`, corrected by what the tensors hold: seconds of sound, frames, media tokens; cuts are flagged."""
    flags = list(received.flags)
    ids = inputs["input_ids"][0].tolist()
    update: dict[str, Any] = {"media_tokens": sum(each in tokens for each in ids)}
    if media.audio_s is not None:
        given_s = received.audio_s or media.audio_s
        unheard_s = media.audio_s - heard_s(inputs, media, processor)
        is_cut = unheard_s > AUDIO_TOLERANCE_S
        # Parts may overlap: what is missing of them is taken off the stretch that they cover.
        update["audio_s"] = round(given_s - unheard_s if is_cut else given_s, 3)
        update["audio_parts"] = len(media.audio) if len(media.audio) > 1 else None
        if is_cut:
            flags.append("audio_truncated")
    if media.frames is not None:
        update["frames_used"] = seen_frames(inputs, media, processor)
        if update["frames_used"] != len(media.frames):
            flags.append("frames_resampled")
        flags += lost_times(media, processor, family)
    return received.model_copy(update={**update, "flags": tuple(dict.fromkeys(flags))})


def lost_times(media: Media, processor: Any, family: Family) -> list[str]:
    """Flags of what the model does not learn of when frames were; a picture has no time to lose."""
    if media.is_picture:
        return []
    if family.times == "none" or goes_as_pictures(processor, media):
        return ["frames_without_times"]
    return ["frame_times_averaged"] if family.times == "rate" and not are_evenly_spread(media.shown_s) else []


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
    """Frames behind the video's patches or pictures; the padding of an odd number does not count."""
    sent = 0 if media.frames is None else len(media.frames)
    if goes_as_pictures(processor, media):
        return len(inputs["image_grid_thw"]) if "image_grid_thw" in inputs else sent
    if "num_frames_per_video" in inputs:
        return int(inputs["num_frames_per_video"].sum())
    if "video_grid_thw" in inputs:
        patch = temporal_patch(processor)
        held = int(inputs["video_grid_thw"][:, 0].sum()) * patch
        return sent if 0 <= held - sent < patch else held
    pixels = inputs.get("pixel_values_videos", inputs.get("pixel_values"))
    if pixels is None or pixels.ndim < 4:
        return sent
    is_one_video = pixels.ndim == 5 and pixels.shape[0] == 1
    return int(pixels.shape[1] if is_one_video else pixels.shape[0])
