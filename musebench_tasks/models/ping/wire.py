"""Puts probe media and a question to one chat-completions server, and tells what came back, refusals too."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.errors import ModelUnusableError
from musebench_tasks.media.jpeg import encode_jpeg
from musebench_tasks.media.wav import encode_wav
from musebench_tasks.models.chat_client import ChatClient, ChatError, json_bytes
from musebench_tasks.models.chat_reply import Completion
from musebench_tasks.models.media_payload import base64_text, data_url
from musebench_tasks.models.openai_chat import ServerTraits
from musebench_tasks.models.openai_chat.bodies import with_extra
from musebench_tasks.models.ping.probe import SAMPLE_RATE

PATIENCE_S = 10.0
"""Seconds in which the server must be reached."""
PICTURES_PER_SECOND = 1.0


class Media(NamedTuple):
    """Content parts of a message, and fields beside the messages that belong to them."""

    parts: Sequence[dict[str, Any]] = ()
    fields: Mapping[str, Any] = {}

    def __add__(self, other: Any) -> Media:
        """Both, in this order."""
        return Media([*self.parts, *other.parts], {**self.fields, **other.fields})


class Refused(NamedTuple):
    """The server gave no answer, and said why."""

    told: str


class Wire:
    """One model behind one address."""

    def __init__(self, client: ChatClient, model: str, traits: ServerTraits) -> None:
        self.model = model
        self._traits = traits
        self._client = client
        self.roomy: list[Completion] = []
        """All answers so far that had room for more than one token."""
        self._has_answered = False

    @property
    def url(self) -> str:
        """The address that is asked, without anything secret."""
        return self._client.url

    def ask(
        self,
        media: Media,
        question: str,
        *,
        max_tokens: int = 1,
        system: str | None = None,
        letters: bool = False,
    ) -> Completion | Refused:
        """The answer to `question` about `media`.

        Raises ModelUnusableError where nothing was ever answered and nothing will be.
        """
        media = self._as_sent(media)
        content = [*media.parts, {"type": "text", "text": question}] if media.parts else question
        told = [{"role": "system", "content": system}] if system else []
        settings = {
            self._traits.max_tokens_field: max_tokens,
            "temperature": 0.0,
            "logprobs": True if letters else None,
            "top_logprobs": self._traits.top_logprobs if letters else None,
            "stream": False,
            **media.fields,
        }
        merged = with_extra(settings, self._traits.extra)
        body = {
            "model": self.model,
            "messages": [*told, {"role": "user", "content": content}],
            **{name: value for name, value in merged.items() if value is not None},
        }
        try:
            completion = self._client.complete((json_bytes(body),), PATIENCE_S)
        except ChatError as failure:
            if failure.remedy and not self._has_answered:
                told_of = f"{self._client.url}: {str(failure).rstrip('.')}. {failure.remedy}, then ping again."
                raise ModelUnusableError(told_of) from failure
            return Refused(str(failure))
        self._has_answered = True
        if max_tokens > 1:
            self.roomy.append(completion)
        return completion

    def _as_sent(self, media: Media) -> Media:
        """The media with what a run tells this server of them."""
        parts, fields = media
        if self._traits.processor_fps and "media_io_kwargs" in fields:
            fields = {**fields, "mm_processor_kwargs": {"fps": PICTURES_PER_SECOND}}
        if self._traits.media_ids:
            parts = [{**part, "uuid": hashlib.sha256(json_bytes([part, fields])).hexdigest()} for part in parts]
        return Media(parts, fields)


def pictures(frames: NDArray[np.uint8]) -> Media:
    """Pictures as JPEG, one by one."""
    urls = [data_url(encode_jpeg(each), "image/jpeg") for each in frames]
    return Media([{"type": "image_url", "image_url": {"url": url}} for url in urls])


def pictures_as_video(frames: NDArray[np.uint8]) -> Media:
    """The same pictures as one video of one picture a second, of which the server is to take all."""
    joined = ",".join(base64_text(encode_jpeg(each)) for each in frames)
    places = list(range(len(frames)))
    told = {"num_frames": -1, "fps": PICTURES_PER_SECOND, "frames_indices": places, "total_num_frames": len(frames)}
    part = {"type": "video_url", "video_url": {"url": f"data:video/jpeg;base64,{joined}"}}
    return Media([part], {"media_io_kwargs": {"video": told}})


def film(clip: bytes) -> Media:
    """A film as MP4."""
    return Media([{"type": "video_url", "video_url": {"url": data_url(clip, "video/mp4")}}])


def sound(samples: NDArray[np.float32]) -> Media:
    """Sound as WAV, as OpenAI takes it."""
    data = base64_text(encode_wav(samples, SAMPLE_RATE))
    return Media([{"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}])


def sound_by_address(samples: NDArray[np.float32]) -> Media:
    """Sound as WAV behind a data address, as other servers take it."""
    url = data_url(encode_wav(samples, SAMPLE_RATE), "audio/wav")
    return Media([{"type": "audio_url", "audio_url": {"url": url}}])
