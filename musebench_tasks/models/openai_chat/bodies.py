"""The JSON body of a chat completion: media first, the same bytes for all questions about them, then the question."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.records import Modality, Request
from musebench_tasks.media.jpeg import encode_jpeg
from musebench_tasks.media.wav import encode_wav
from musebench_tasks.models.chat_client import json_bytes
from musebench_tasks.models.openai_chat.traits import ServerTraits

if TYPE_CHECKING:
    from musebench_tasks.media import AudioSignal, FrameBatch, MediaGroup


def data_url(content: bytes, mime_type: str) -> str:
    """`content` as a data URL."""
    return f"data:{mime_type};base64,{base64_text(content)}"


def base64_text(content: bytes) -> str:
    """`content` in base64."""
    return base64.b64encode(content).decode("ascii")


@dataclass(frozen=True)
class Media:
    """The media of a group as they are sent."""

    parts: bytes
    """Content parts as JSON, each with its comma."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What the request says of them beside its messages."""


@dataclass(frozen=True)
class RequestWriter:
    """Writes the JSON of requests to one model."""

    model: str
    traits: ServerTraits
    """With the settings of the model in place of the server's own."""
    reasoning_tokens: int | None = None
    reasoning_effort: str | None = None

    def media(self, group: MediaGroup) -> Media:
        """The group's media, decoded and encoded: pictures in order of time, then the sound, in its parts."""
        parts: list[dict[str, Any]] = []
        fields: dict[str, Any] = {}
        if group.has(Modality.VIDEO):
            video, fields = self._video(group)
            parts += video
        if group.has(Modality.AUDIO):
            parts += [self._audio(signal) for signal in group.audio_parts()]
        identified = [self._identified(part, fields) for part in parts] if self.traits.media_ids else parts
        return Media(b"".join(json_bytes(part) + b"," for part in identified), fields)

    def body(self, request: Request, media: Media, *, by_letter: bool) -> tuple[bytes, ...]:
        """The request's JSON in pieces; the media are passed on, not copied."""
        system = [{"role": "system", "content": request.system}] if request.system else []
        before = b"".join(json_bytes(message) + b"," for message in system)
        if media.parts:
            text = json_bytes({"type": "text", "text": request.prompt})
            user: tuple[bytes, ...] = (b'{"role":"user","content":[', media.parts, text, b"]}")
        else:
            user = (json_bytes({"role": "user", "content": request.prompt}),)
        settings = b"," + json_bytes(self._settings(request, media, by_letter))[1:]
        return (b'{"model":', json_bytes(self.model), b',"messages":[', before, *user, b"]", settings)

    def _settings(self, request: Request, media: Media, by_letter: bool) -> dict[str, Any]:
        """Everything beside model and messages; an extra setting of null takes one of ours away."""
        generation, traits, own = request.generation, self.traits, self.reasoning_tokens or 0
        settings = {
            traits.max_tokens_field: 1 if by_letter else generation.max_tokens + own,
            "logprobs": True if by_letter else None,
            "top_logprobs": traits.top_logprobs if by_letter else None,
            "temperature": generation.temperature,
            "top_p": generation.top_p,
            "seed": generation.seed,
            "reasoning_effort": self.reasoning_effort,
            "stream": False,
        }
        if traits.reasoning_budget_field and self.reasoning_tokens is not None:
            settings[traits.reasoning_budget_field] = self.reasoning_tokens
        merged = with_extra({**settings, **media.fields}, traits.extra)
        return {name: value for name, value in merged.items() if value is not None}

    def _video(self, group: MediaGroup) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        if self.traits.video_as == "clip":
            return [_file_part(group.clip())], {}
        batch = group.frames()
        pictures = [encode_jpeg(frame) for frame in batch.pixels]
        if self.traits.video_as == "frames" or len(pictures) == 1:
            urls = [data_url(picture, "image/jpeg") for picture in pictures]
            return [{"type": "image_url", "image_url": {"url": url}} for url in urls], {}
        joined = "data:video/jpeg;base64," + ",".join(map(base64_text, pictures))
        return [{"type": "video_url", "video_url": {"url": joined}}], self._told_of(batch)

    def _told_of(self, batch: FrameBatch) -> dict[str, Any]:
        """How the server is to read frames that come as one video: all of them, at their times."""
        rate, places = rate_and_places(batch.times_s)
        video = {"num_frames": -1, "fps": rate, "frames_indices": places, "total_num_frames": places[-1] + 1}
        told: dict[str, Any] = {"media_io_kwargs": {"video": video}}
        if self.traits.processor_fps:
            told["mm_processor_kwargs"] = {"fps": rate}
        return told

    def _audio(self, signal: AudioSignal) -> dict[str, Any]:
        wav = encode_wav(signal.samples, signal.sample_rate)
        if self.traits.audio_as == "audio_url":
            return {"type": "audio_url", "audio_url": {"url": data_url(wav, "audio/wav")}}
        return {"type": "input_audio", "input_audio": {"data": base64_text(wav), "format": "wav"}}

    def _identified(self, part: dict[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
        """`part` with an id that is the same for the same content read in the same way, and tells of nothing else."""
        read_with = {**fields, "extra": self.traits.extra}
        return {**part, "uuid": hashlib.sha256(json_bytes(part) + json_bytes(read_with)).hexdigest()}


def with_extra(settings: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """`settings` with those of `extra` on top; what is a mapping in both is merged."""
    merged = dict(settings)
    for name, value in extra.items():
        ours = merged.get(name)
        merged[name] = with_extra(ours, value) if isinstance(ours, dict) and isinstance(value, dict) else value
    return merged


def rate_and_places(times_s: NDArray[np.float64]) -> tuple[float, list[int]]:
    """A frame rate, and the places of frames at it, that tell their times from the first on.

    Frames that are evenly spread, to a quarter of their distance, are every frame of their video; others are placed by
    the smallest distance of two.
    """
    count, steps = len(times_s), np.diff(times_s)
    if count < 2 or steps.min() <= 0:
        return 1.0, list(range(count))
    even = np.linspace(times_s[0], times_s[-1], count)
    if np.abs(times_s - even).max() <= 0.25 * steps.mean():
        return round(1 / float(steps.mean()), 6), list(range(count))
    step = float(steps.min())
    # Halves are rounded up, all of them: by numpy's rule, to even, two frames would come to lie in one place.
    return round(1 / step, 6), np.floor((times_s - times_s[0]) / step + 0.5 + 1e-9).astype(int).tolist()


def _file_part(path: Path) -> dict[str, Any]:
    """A file of a video as one content part."""
    kind = mimetypes.guess_type(path.name)[0] or "video/mp4"
    url = {"url": data_url(path.read_bytes(), kind)}
    name = "image_url" if kind.startswith("image/") else "video_url"
    return {"type": name, name: url}
