"""Asks a server that speaks OpenAI's chat completions, over HTTP.

A message is: system text, then the media, byte for byte the same for all questions of a group, then the question;
so that a server that keeps prefixes encodes the media once. The first question of a group goes alone, the others
follow together. Several addresses are replicas: a medium always goes to the same one.
"""

from __future__ import annotations

import math
import mimetypes
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from musebench_tasks.errors import InputError, ModelUnusableError
from musebench_tasks.media.jpeg import encode_jpeg
from musebench_tasks.media.wav import encode_wav
from musebench_tasks.models.chat_client import ChatClient, ChatError, Retries, json_bytes
from musebench_tasks.models.media_payload import base64_text, data_url
from musebench_tasks.models.protocol import answered, failed
from musebench_tasks.models.revisions import short_hash, with_settings
from musebench_tasks.prompts import has_label_like_options
from musebench_tasks.records import Kind, Limits, Modality, Received, Request, Response, Status

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup


TOP_LOGPROBS = 20
"""Likeliest tokens asked for with letter answers: as many as servers commonly tell."""
PATIENCE_S = 10.0
"""Seconds in which a server that has answered nothing yet must be reached."""
FILTERED = "content_filter"
FILTERED_BY_SERVER = "content_filter: the server withheld the answer; --retry errors asks again"
USUAL_SETTINGS = {"video_as": "frames", "answering": "text", "extra": {}}


class OpenAIChatModel:
    """The model spec `openai:MODEL@URL[,URL…]`."""

    kinds = frozenset(Kind)

    def __init__(
        self,
        name: str,
        model: str,
        clients: tuple[ChatClient, ...],
        *,
        limits: Limits,
        revision: str,
        concurrency: int = 8,
        video_as: Literal["frames", "clip"] = "frames",
        max_tokens_field: str = "max_tokens",
        answering: Literal["text", "letters"] = "text",
        extra: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.limits = limits
        settings = {"video_as": video_as, "answering": answering, "extra": extra or {}}
        self.revision = with_settings(revision, settings, USUAL_SETTINGS)
        self._model = model
        self._clients = clients
        self._concurrency = concurrency
        self._video_as = video_as
        self.answering = answering
        self._max_tokens_field = max_tokens_field
        self._extra = extra or {}
        self._has_answered = False

    def answer(self, group: MediaGroup) -> Iterator[Response]:
        """The server's answer to each request: one to warm the prefix up, then the others together.

        Raises ModelUnusableError where nothing was ever answered and nothing will be.
        """
        media = b"".join(json_bytes(part) + b"," for part in media_parts(group, self._video_as))
        received = group.received()
        client = self._clients[route(group.requests, len(self._clients))]

        def ask(request: Request) -> Response:
            return self._ask(client, request, media, received)

        first, others = group.requests[0], group.requests[1:]
        yield ask(first)
        pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="musebench-ask")
        try:
            for asked in as_completed([pool.submit(ask, request) for request in others]):
                yield asked.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _ask(self, client: ChatClient, request: Request, media: bytes, received: Received) -> Response:
        try:
            completion = client.complete(self.body(request, media), math.inf if self._has_answered else PATIENCE_S)
        except ChatError as failure:
            if failure.remedy and not self._has_answered:
                raise ModelUnusableError(
                    f'model "{self.name}": {client.url}: {str(failure).rstrip(".")}. '
                    f"{failure.remedy}, then give the same command again."
                ) from failure
            return failed(request, failure.status, str(failure), attempts=failure.attempts)
        self._has_answered = True
        if completion.finish_reason == FILTERED:
            return failed(request, Status.BACKEND_ERROR, FILTERED_BY_SERVER, attempts=completion.attempts)
        shares = letter_shares(request, completion.first_tokens) if self._by_letter(request) else None
        return answered(
            request,
            completion.text if shares is None else None,
            option_probabilities=shares,
            received=received,
            finish_reason=completion.finish_reason,
            attempts=completion.attempts,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            cached_tokens=completion.cached_tokens,
            latency_s=completion.latency_s,
        )

    def body(self, request: Request, media: bytes) -> tuple[bytes, ...]:
        """The request's JSON in pieces; `media` (JSON parts, each with its comma) is passed on, not copied."""
        system = [{"role": "system", "content": request.system}] if request.system else []
        before = b"".join(json_bytes(message) + b"," for message in system)
        if media:
            text = json_bytes({"type": "text", "text": request.prompt})
            user: tuple[bytes, ...] = (b'{"role":"user","content":[', media, text, b"]}")
        else:
            user = (json_bytes({"role": "user", "content": request.prompt}),)
        settings = b"," + json_bytes(self._settings(request))[1:]
        return (b'{"model":', json_bytes(self._model), b',"messages":[', before, *user, b"]", settings)

    def _by_letter(self, request: Request) -> bool:
        """Whether the first token is the answer; not where the prompt demands `ANSWER: <letter>`."""
        fits = request.kind is Kind.SINGLE and not has_label_like_options(request.options)
        return fits and self.answering == "letters"

    def _settings(self, request: Request) -> dict[str, Any]:
        """Everything beside model and messages; an extra setting of null takes one of ours away."""
        generation, by_letter = request.generation, self._by_letter(request)
        settings = {
            self._max_tokens_field: 1 if by_letter else generation.max_tokens,
            "logprobs": True if by_letter else None,
            "top_logprobs": TOP_LOGPROBS if by_letter else None,
            "temperature": generation.temperature,
            "top_p": generation.top_p,
            "seed": generation.seed,
            "stream": False,
            **self._extra,
        }
        return {name: value for name, value in settings.items() if value is not None}


def media_parts(group: MediaGroup, video_as: Literal["frames", "clip"]) -> Iterator[dict[str, Any]]:
    """The group's media as content parts: pictures in order of time, then sound."""
    if group.has(Modality.VIDEO):
        if video_as == "clip":
            yield _file_part(group.clip())
        else:
            for frame in group.frames().pixels:
                yield {"type": "image_url", "image_url": {"url": data_url(encode_jpeg(frame), "image/jpeg")}}
    if group.has(Modality.AUDIO):
        signal = group.audio()
        wav = base64_text(encode_wav(signal.samples, signal.sample_rate))
        yield {"type": "input_audio", "input_audio": {"data": wav, "format": "wav"}}


def letter_shares(request: Request, first_tokens: dict[str, float]) -> dict[str, float] | None:
    """Each option's share of the probability that the first token is a letter; None where no letter is among them."""
    weights = dict.fromkeys(request.labels, 0.0)
    for token, logprob in first_tokens.items():
        if token.strip() in weights:
            weights[token.strip()] += math.exp(logprob)
    total = sum(weights.values())
    if total == 0:
        return None
    return {option.id: weight / total for option, weight in zip(request.options, weights.values(), strict=True)}


def _file_part(path: Path) -> dict[str, Any]:
    """A masked file as a content part: a film or a picture."""
    mime_type = mimetypes.guess_type(path.name)[0] or "video/mp4"
    kind = "image_url" if mime_type.startswith("image/") else "video_url"
    return {"type": kind, kind: {"url": data_url(path.read_bytes(), mime_type)}}


def route(requests: tuple[Request, ...], replicas: int) -> int:
    """Which replica a group goes to: the one its medium's hash names, so that the medium is encoded once."""
    first = requests[0]
    contents = sorted({part.source.sha256 or part.source.path for part in first.parts}) or [first.item_id]
    return int(short_hash("|".join(contents)), 16) % replicas


def parse_argument(argument: str) -> tuple[str, tuple[str, ...]]:
    """Model name and addresses of MODEL@URL[,URL…]."""
    model, _, rest = argument.partition("@http")
    if not model or not rest:
        raise InputError(
            f'model "openai:{argument}": write openai:MODEL@URL, for example openai:m@http://host:8000/v1.'
        )
    urls = tuple(url.strip() for url in f"http{rest}".split(",") if url.strip())
    return model, tuple(dict.fromkeys(urls))


def load(
    argument: str,
    *,
    modalities: tuple[Modality, ...] = tuple(Modality),
    max_frames: int | None = None,
    max_audio_s: float | None = None,
    sample_rate: int | None = 16_000,
    revision: str = "unpinned",
    timeout_s: float = 600,
    concurrency: int = 8,
    max_attempts: int = 5,
    backoff_s: float = 1.0,
    max_wait_s: float = 120.0,
    api_key_variable: str = "OPENAI_API_KEY",
    video_as: Literal["frames", "clip"] = "frames",
    max_tokens_field: str = "max_tokens",
    answering: Literal["text", "letters"] = "text",
    extra: dict[str, Any] | None = None,
) -> OpenAIChatModel:
    """The model `openai:ARGUMENT`.

    `video_as: clip` sends one masked file in place of frames. `answering: letters` takes single-select answers from
    the probabilities of the first token, the text where the server tells none. `extra` goes into every request's JSON
    as it is, and a null takes a setting away. The key is read from the environment variable `api_key_variable`.
    """
    model, urls = parse_argument(argument)
    retries = Retries(max_attempts, backoff_s, max_wait_s)
    key = os.environ.get(api_key_variable)
    return OpenAIChatModel(
        f"openai:{argument}",
        model,
        tuple(ChatClient(url, api_key=key, timeout_s=timeout_s, retries=retries) for url in urls),
        limits=Limits(
            modalities=frozenset(modalities), max_frames=max_frames, max_audio_s=max_audio_s, sample_rate=sample_rate
        ),
        revision=revision,
        concurrency=concurrency,
        video_as=video_as,
        max_tokens_field=max_tokens_field,
        answering=answering,
        extra=extra,
    )
