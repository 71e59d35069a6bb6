"""What of the media is really in a processor's output: seconds of sound, frames, tokens.

Measured on the finished tensors, never taken from what was sent: processors cut and resample without a word.
"""

from collections.abc import Mapping
from typing import Any

from musebench_tasks.base.records import Modality, Received
from musebench_tasks.models.transformers_chat.families import Family
from musebench_tasks.models.transformers_chat.inputs import Media, are_evenly_spread, goes_as_pictures, temporal_patch

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
