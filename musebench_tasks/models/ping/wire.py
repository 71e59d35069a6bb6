"""What is pinged: an address, a model spec `openai:MODEL@URL[,URL…]`, or a model card of one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.base.records import Modality
from musebench_tasks.media.jpeg import encode_jpeg
from musebench_tasks.media.wav import encode_wav
from musebench_tasks.models.api_keys import KEY_VARIABLE
from musebench_tasks.models.cards import card_files, find_card, read_card
from musebench_tasks.models.chat_client import ChatClient, ChatError, json_bytes
from musebench_tasks.models.chat_reply import Completion
from musebench_tasks.models.openai_chat import ServerTraits, parse_addresses, parse_argument, read_traits
from musebench_tasks.models.openai_chat.bodies import base64_text, data_url, with_extra
from musebench_tasks.models.registry import load_model

SAMPLE_RATE = 16_000
_KIND = "openai:"
_TRAITS = ("video_as", "audio_as", "processor_fps", "max_tokens_field")
_ALL = frozenset(Modality)


class Target(NamedTuple):
    """Where to ask, and how a run would ask there."""

    urls: tuple[str, ...]
    model: str | None
    """None = the only one that the server lists."""
    traits: ServerTraits
    key_variable: str = KEY_VARIABLE
    """Environment variable with the API key."""
    modalities: frozenset[Modality] = _ALL
    by_letters: bool = False
    may_reason: bool = False

    @property
    def video_as(self) -> str | None:
        """The way in which a run sends a video; None where it sends none."""
        return self.traits.video_as if Modality.VIDEO in self.modalities else None

    @property
    def audio_as(self) -> str | None:
        """The way in which a run sends sound; None where it sends none."""
        return self.traits.audio_as if Modality.AUDIO in self.modalities else None


def read_target(text: str, model: str | None = None) -> Target:
    """The target that `text` names; `model` names one of the server's. InputError where it is no server."""
    if text.startswith(("http://", "https://")):
        return Target(parse_addresses(text), model, read_traits(None))
    path = find_card(text)
    spec, options = text, {}
    if path is not None:
        card = read_card(path)
        spec, options = card.spec, card.load_options()
    if not spec.startswith(_KIND):
        cards = ", ".join(name for name, file in card_files().items() if read_card(file).spec.startswith(_KIND))
        raise InputError(
            f'"{text}" is no server. Write its address (http://localhost:8000/v1), openai:MODEL@URL, or a model card '
            f"of such a model (a YAML file, or one of {cards})."
        )
    load_model(text)
    name, urls = parse_argument(spec.removeprefix(_KIND))
    return Target(urls, model or name, **_settings(options))


def _settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a card says of how to ask."""
    known = read_traits(options.get("server"))
    own = {name: options[name] for name in _TRAITS if options.get(name) is not None}
    traits = known.model_copy(update={**own, "extra": with_extra(known.extra, options.get("extra") or {})})
    return {
        "traits": traits,
        "key_variable": options.get("api_key_variable", KEY_VARIABLE),
        "modalities": frozenset(map(Modality, options.get("modalities", _ALL))),
        "by_letters": options.get("answering") == "letters",
        "may_reason": bool(options.get("reasoning_tokens") or options.get("reasoning_effort")),
    }


ALL_NUMBERS = (
    "Each picture shows one number of three digits. "
    "Write all the numbers in the order shown, separated by commas, and nothing else."
)
BEEPS = "How many beeps are in the sound? Write one number and nothing else."
LETTER = "Answer with the letter B and nothing else."
OTHER_LETTER = "Answer with the letter D and nothing else."
_NUMBER = re.compile(r"(?<![\d.])\d{3}(?!\d)")
_COUNT = re.compile(r"(?<![\d.])\d{1,4}(?![\d.]*\d)")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


def spoken(text: str) -> str:
    """The answer without thoughts that a server left in it."""
    return _THOUGHT.sub("", text)


def numbers_in(text: str) -> tuple[int, ...]:
    """All numbers of three digits in an answer, in order."""
    return tuple(int(match) for match in _NUMBER.findall(spoken(text)))


def count_in(text: str) -> int | None:
    """The one number in an answer; None where there are none or several."""
    counts = {int(match) for match in _COUNT.findall(spoken(text))}
    return counts.pop() if len(counts) == 1 else None


def places_read(text: str, numbers: Sequence[int]) -> tuple[int, ...]:
    """Which of `numbers` an answer holds, by place."""
    read = set(numbers_in(text))
    return tuple(place for place, number in enumerate(numbers) if number in read)


def places_told(places: Sequence[int], sent: int) -> str:
    """`the first 8`, `the last 8`, or `8 of 32`."""
    if 1 < len(places) < sent:
        if tuple(places) == tuple(range(len(places))):
            return f"the first {len(places)}"
        if tuple(places) == tuple(range(sent - len(places), sent)):
            return f"the last {len(places)}"
    return f"{len(places)} of {sent}"


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
                told_of = f"{self._client.url}: {failure.text.rstrip('.')}. {failure.remedy}, then ping again."
                raise ModelUnusableError(told_of) from failure
            return Refused(failure.text)
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
